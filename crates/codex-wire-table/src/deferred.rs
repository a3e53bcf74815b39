//! Rows that one thread makes and another one adds.

use std::fmt;

use crate::error::Error;
use crate::held::{Place, Step};
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
    /// No rows of these tables. Without `with_text`, what columns of [`Content`](crate::ColumnType::Content) would hold is not kept.
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
