//! Writes a table as a stream of Arrow.

use std::fmt;
use std::io::Write;

use arrow_array::RecordBatch;
use arrow_ipc::writer::StreamWriter;

use crate::error::Error;
use crate::tables::Table;

/// A stream of Arrow: the schema, batches of rows, and a mark of the end.
pub struct ArrowStream<W: Write> {
    writer: StreamWriter<W>,
}

impl<W: Write> ArrowStream<W> {
    /// Begins a stream of a table: writes its schema.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn begin(table: Table, out: W) -> Result<Self, Error> {
        let writer = StreamWriter::try_new(out, &table.schema())?;
        let mut stream = ArrowStream { writer };
        stream.writer.flush()?;
        Ok(stream)
    }

    /// Writes a batch, so that whoever reads has it.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&mut self, batch: &RecordBatch) -> Result<(), Error> {
        self.writer.write(batch)?;
        Ok(self.writer.flush()?)
    }

    /// Ends the stream.
    ///
    /// # Errors
    /// If its end cannot be written.
    pub fn finish(mut self) -> Result<(), Error> {
        self.writer.finish()?;
        Ok(self.writer.flush()?)
    }
}

impl<W: Write> fmt::Debug for ArrowStream<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ArrowStream").finish_non_exhaustive()
    }
}
