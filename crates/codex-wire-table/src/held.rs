//! The cells of rows that wait, in the order in which they came.

use codex_wire_session::Time;

use crate::cells::Cell;
use crate::tables::Table;

/// What happened to rows, and their cells.
pub(crate) struct Held {
    pub(crate) steps: Vec<Step>,
    cells: Vec<HeldCell>,
    /// The texts of all cells, one after the other.
    text: String,
    with_text: bool,
}

pub(crate) enum Step {
    /// A row of this table. Its cells follow those of the row before it.
    Row(Table),
    /// The sink was told that rows were added.
    Added,
}

/// A cell, of a text its length in bytes.
#[derive(Clone, Copy)]
enum HeldCell {
    Text(Option<usize>),
    Content(Option<usize>),
    Count(Option<u64>),
    Number(Option<i64>),
    Flag(Option<bool>),
    Moment(Option<Time>),
    Day(Option<i32>),
    /// How many names follow, each of them a [`HeldCell::Text`].
    Names(Option<usize>),
    /// No further cell of the row.
    End,
}

/// How far reading has come.
#[derive(Default)]
pub(crate) struct Place {
    pub(crate) step: usize,
    cell: usize,
    text: usize,
}

impl Held {
    pub(crate) fn new(with_text: bool) -> Self {
        Held {
            steps: Vec::new(),
            cells: Vec::new(),
            text: String::new(),
            with_text,
        }
    }

    /// Begins a row.
    pub(crate) fn begin(&mut self, table: Table) {
        self.steps.push(Step::Row(table));
    }

    /// Adds a cell of the row.
    pub(crate) fn add(&mut self, cell: Cell<'_>) {
        let held = match cell {
            Cell::Text(text) => HeldCell::Text(text.map(|text| self.keep(text))),
            Cell::Content(text) => {
                let text = text.filter(|_| self.with_text);
                HeldCell::Content(text.map(|text| self.keep(text)))
            }
            Cell::Count(count) => HeldCell::Count(count),
            Cell::Number(number) => HeldCell::Number(number),
            Cell::Flag(flag) => HeldCell::Flag(flag),
            Cell::Moment(time) => HeldCell::Moment(time),
            Cell::Day(day) => HeldCell::Day(day),
            Cell::Names(names) => HeldCell::Names(names.map(<[_]>::len)),
        };
        self.cells.push(held);
        if let Cell::Names(Some(names)) = cell {
            for name in names {
                let length = self.keep(name);
                self.cells.push(HeldCell::Text(Some(length)));
            }
        }
    }

    /// Ends the row.
    pub(crate) fn end(&mut self) {
        self.cells.push(HeldCell::End);
    }

    fn keep(&mut self, text: &str) -> usize {
        self.text.push_str(text);
        text.len()
    }

    /// Hands out the cells of the next row.
    pub(crate) fn row(&self, at: &mut Place, add: &mut dyn FnMut(Cell<'_>)) {
        while let Some(cell) = self.cells.get(at.cell) {
            at.cell += 1;
            match *cell {
                HeldCell::Text(length) => add(Cell::Text(self.next(at, length))),
                HeldCell::Content(length) => add(Cell::Content(self.next(at, length))),
                HeldCell::Count(count) => add(Cell::Count(count)),
                HeldCell::Number(number) => add(Cell::Number(number)),
                HeldCell::Flag(flag) => add(Cell::Flag(flag)),
                HeldCell::Moment(time) => add(Cell::Moment(time)),
                HeldCell::Day(day) => add(Cell::Day(day)),
                HeldCell::Names(None) => add(Cell::Names(None)),
                HeldCell::Names(Some(count)) => {
                    let names: Vec<&str> = (0..count).map(|_| self.name(at)).collect();
                    add(Cell::Names(Some(&names)));
                }
                HeldCell::End => return,
            }
        }
    }

    fn next(&self, at: &mut Place, length: Option<usize>) -> Option<&str> {
        let begin = at.text;
        at.text += length?;
        self.text.get(begin..at.text)
    }

    fn name(&self, at: &mut Place) -> &str {
        let cell = self.cells.get(at.cell);
        at.cell += 1;
        match cell {
            Some(HeldCell::Text(length)) => self.next(at, *length).unwrap_or_default(),
            _ => "",
        }
    }
}
