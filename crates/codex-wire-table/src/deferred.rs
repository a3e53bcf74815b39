//! Rows that one thread makes and another one adds.

use std::fmt;

use crate::cells::Cell;
use crate::error::Error;
use crate::read::Sink;
use crate::rows::{Partition, Rows};
use crate::tables::Table;

/// Keeps the rows of one transcript until they are added to another sink, so that several threads can read transcripts
/// while their rows come in one order. What the other sink then has is what it would have without this.
///
/// All rows of the transcript are kept: whoever reads a long one has it add its rows by itself.
pub struct DeferredRows {
    rows: Rows,
    partition: Partition,
}

impl DeferredRows {
    /// No rows of these tables. Without `with_text`, what columns of [`Content`](crate::Kind::Content) would hold is not kept.
    pub fn new(tables: &[Table], with_text: bool) -> Self {
        DeferredRows {
            rows: Rows::deferred(tables, with_text),
            partition: Partition::default(),
        }
    }

    /// Adds the rows to the other sink, in the order in which they came.
    ///
    /// # Errors
    /// Those of the sink.
    pub fn add_to(&self, sink: &mut dyn Sink) -> Result<(), Error> {
        let Some(held) = self.rows.held() else {
            return Ok(());
        };
        let mut at = Place::default();
        while let Some(step) = held.steps.get(at.step) {
            at.step += 1;
            match step {
                Step::Row(table) => {
                    let rows = sink.rows(self.partition);
                    rows.add_cells(*table, |add| held.row(&mut at, add));
                }
                Step::Added => sink.added(self.partition)?,
            }
        }
        Ok(())
    }
}

impl Sink for DeferredRows {
    fn rows(&mut self, partition: Partition) -> &mut Rows {
        self.partition = partition;
        &mut self.rows
    }

    fn added(&mut self, _: Partition) -> Result<(), Error> {
        if let Some(held) = self.rows.held_mut() {
            held.steps.push(Step::Added);
        }
        Ok(())
    }
}

impl fmt::Debug for DeferredRows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("DeferredRows").field(&self.rows).finish()
    }
}

/// What happened to rows, and their cells.
pub(crate) struct Held {
    steps: Vec<Step>,
    cells: Vec<HeldCell>,
    /// The texts of all cells, one after the other.
    text: String,
    with_text: bool,
}

enum Step {
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
    Moment(Option<codex_wire_session::Time>),
    Day(Option<i32>),
    /// How many names follow, each of them a [`HeldCell::Text`].
    Names(Option<usize>),
    /// No further cell of the row.
    End,
}

/// How far reading has come.
#[derive(Default)]
struct Place {
    step: usize,
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
    fn row(&self, at: &mut Place, add: &mut dyn FnMut(Cell<'_>)) {
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
