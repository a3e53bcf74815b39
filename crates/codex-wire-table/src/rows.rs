//! Rows that are not batches yet.

use std::fmt;

use arrow_array::RecordBatch;

use crate::cells::{Cell, Cells};
use crate::error::Error;
use crate::held::Held;
use crate::tables::{Row, Table};

/// Which transcripts have their rows in the same folder.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub struct Partition {
    /// The days from the beginning of 1970 to the day on which they begin, in UTC.
    pub day: Option<i32>,
    /// The protocol.
    pub protocol: Option<&'static str>,
}

/// Where rows come from.
#[derive(Clone, Debug)]
pub(crate) struct Place<'a> {
    pub(crate) path: &'a str,
    pub(crate) digest: Option<&'a str>,
    pub(crate) partition: Partition,
}

/// Rows of one or more tables that are not batches yet.
pub struct Rows {
    tables: Vec<TableRows>,
    bytes: usize,
    /// Where rows are kept that are added to others later.
    held: Option<Held>,
}

struct TableRows {
    table: Table,
    columns: Vec<Cells>,
    rows: usize,
}

impl Rows {
    /// No rows of these tables; those of others are not kept. Without `with_text`, columns of
    /// [`Content`](crate::ColumnType::Content) are null.
    pub fn new(tables: &[Table], with_text: bool) -> Self {
        let rows = |table: &Table| TableRows {
            table: *table,
            columns: table
                .columns()
                .map(|column| Cells::new(column.kind, with_text))
                .collect(),
            rows: 0,
        };
        Rows {
            tables: tables.iter().map(rows).collect(),
            bytes: 0,
            held: None,
        }
    }

    /// Rows of these tables that are added to others later.
    pub(crate) fn deferred(tables: &[Table], with_text: bool) -> Self {
        let rows = |table: &Table| TableRows {
            table: *table,
            columns: Vec::new(),
            rows: 0,
        };
        Rows {
            tables: tables.iter().map(rows).collect(),
            bytes: 0,
            held: Some(Held::new(with_text)),
        }
    }

    pub(crate) fn held(&self) -> Option<&Held> {
        self.held.as_ref()
    }

    pub(crate) fn held_mut(&mut self) -> Option<&mut Held> {
        self.held.as_mut()
    }

    /// About how many bytes they take.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.tables.iter().all(|table| table.rows == 0)
    }

    /// Takes the rows out: a batch for each table that has some.
    ///
    /// # Errors
    /// If Arrow refuses them.
    pub fn take(&mut self) -> Result<Vec<(Table, RecordBatch)>, Error> {
        self.bytes = 0;
        let tables = self.tables.iter_mut().filter(|table| table.rows > 0);
        tables.map(TableRows::take).collect()
    }

    /// Whether rows of the table are kept.
    pub(crate) fn has(&self, table: Table) -> bool {
        self.tables.iter().any(|kept| kept.table == table)
    }

    pub(crate) fn add<R: Row>(&mut self, place: &Place<'_>, row: &R) {
        if !self.has(R::TABLE) {
            return;
        }
        self.add_cells(R::TABLE, |add| {
            add(Cell::Text(Some(place.path)));
            add(Cell::Text(place.digest));
            row.cells(add);
            add(Cell::Day(place.partition.day));
            add(Cell::Text(place.partition.protocol));
        });
    }

    /// Adds a row, whose cells are handed out in the order of the columns. They are handed out also where rows of the table are
    /// not kept.
    pub(crate) fn add_cells(&mut self, of: Table, cells: impl FnOnce(&mut dyn FnMut(Cell<'_>))) {
        let Some(table) = self.tables.iter_mut().find(|kept| kept.table == of) else {
            return cells(&mut |_| {});
        };
        if let Some(held) = &mut self.held {
            held.begin(of);
            cells(&mut |cell| held.add(cell));
            return held.end();
        }
        let mut columns = table.columns.iter_mut();
        let bytes = &mut self.bytes;
        cells(&mut |cell| {
            if let Some(column) = columns.next() {
                *bytes += column.add(cell);
            }
        });
        table.rows += 1;
    }
}

impl TableRows {
    fn take(&mut self) -> Result<(Table, RecordBatch), Error> {
        self.rows = 0;
        let columns = self.columns.iter_mut().map(Cells::finish).collect();
        Ok((
            self.table,
            RecordBatch::try_new(self.table.schema(), columns)?,
        ))
    }
}

impl fmt::Debug for Rows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = f.debug_map();
        for table in &self.tables {
            out.entry(&table.table, &table.rows);
        }
        out.finish()
    }
}
