//! The cells of a column that are not a batch yet.

use std::sync::Arc;

use arrow_array::ArrayRef;
use arrow_array::builder::{
    BooleanBuilder, Date32Builder, Int64Builder, ListBuilder, StringBuilder,
    TimestampMicrosecondBuilder,
};
use codex_wire_session::Time;

use crate::column::{ColumnType, UTC};

/// A cell: nothing where it is not known.
#[derive(Clone, Copy)]
pub(crate) enum Cell<'a> {
    Text(Option<&'a str>),
    Content(Option<&'a str>),
    Count(Option<u64>),
    Number(Option<i64>),
    Flag(Option<bool>),
    Moment(Option<Time>),
    Day(Option<i32>),
    Names(Option<&'a [&'a str]>),
}

/// The cells of a column.
pub(crate) enum Cells {
    Text(StringBuilder),
    /// Whether texts are kept.
    Content(StringBuilder, bool),
    Number(Int64Builder),
    Flag(BooleanBuilder),
    Moment(TimestampMicrosecondBuilder),
    Day(Date32Builder),
    Names(ListBuilder<StringBuilder>),
}

impl Cells {
    /// No cells. Nothing is allocated: many columns have few.
    pub(crate) fn new(kind: ColumnType, with_text: bool) -> Self {
        match kind {
            ColumnType::Text => Cells::Text(StringBuilder::with_capacity(0, 0)),
            ColumnType::Content => Cells::Content(StringBuilder::with_capacity(0, 0), with_text),
            ColumnType::Count | ColumnType::Number => Cells::Number(Int64Builder::with_capacity(0)),
            ColumnType::Flag => Cells::Flag(BooleanBuilder::with_capacity(0)),
            ColumnType::Moment => {
                Cells::Moment(TimestampMicrosecondBuilder::with_capacity(0).with_timezone(UTC))
            }
            ColumnType::Day => Cells::Day(Date32Builder::with_capacity(0)),
            ColumnType::Names => Cells::Names(ListBuilder::with_capacity(
                StringBuilder::with_capacity(0, 0),
                0,
            )),
        }
    }

    /// Adds a cell, and returns how many bytes it takes.
    pub(crate) fn add(&mut self, cell: Cell<'_>) -> usize {
        match (self, cell) {
            (Cells::Text(cells), Cell::Text(text)) => {
                cells.append_option(text);
                4 + text.map_or(0, str::len)
            }
            (Cells::Content(cells, is_kept), Cell::Content(text)) => {
                let text = text.filter(|_| *is_kept);
                cells.append_option(text);
                4 + text.map_or(0, str::len)
            }
            (Cells::Number(cells), Cell::Count(count)) => {
                // No count of a transcript is larger; one that a hostile line states is not known.
                cells.append_option(count.and_then(|count| i64::try_from(count).ok()));
                8
            }
            (Cells::Number(cells), Cell::Number(number)) => {
                cells.append_option(number);
                8
            }
            (Cells::Flag(cells), Cell::Flag(flag)) => {
                cells.append_option(flag);
                1
            }
            (Cells::Moment(cells), Cell::Moment(time)) => {
                cells.append_option(time.and_then(|time| time.ms().checked_mul(1000)));
                8
            }
            (Cells::Day(cells), Cell::Day(day)) => {
                cells.append_option(day);
                4
            }
            (Cells::Names(cells), Cell::Names(names)) => {
                let mut bytes = 4;
                for name in names.unwrap_or_default() {
                    cells.values().append_value(name);
                    bytes += 4 + name.len();
                }
                cells.append(names.is_some());
                bytes
            }
            // The rows and their columns are declared together.
            _ => unreachable!("a cell is of the kind of its column"),
        }
    }

    /// Takes the cells out.
    pub(crate) fn finish(&mut self) -> ArrayRef {
        match self {
            Cells::Text(cells) | Cells::Content(cells, _) => Arc::new(cells.finish()),
            Cells::Number(cells) => Arc::new(cells.finish()),
            Cells::Flag(cells) => Arc::new(cells.finish()),
            Cells::Moment(cells) => Arc::new(cells.finish()),
            Cells::Day(cells) => Arc::new(cells.finish()),
            Cells::Names(cells) => Arc::new(cells.finish()),
        }
    }
}
