//! Writes a table as a file of Parquet.

use std::fmt;
use std::io::Write;
use std::sync::Arc;

use arrow_array::RecordBatch;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;

use crate::error::Error;
use crate::tables::Table;

/// A file of Parquet. The day and the protocol are not in it: they are the names of its folders.
pub struct ParquetFile<W: Write + Send> {
    writer: ArrowWriter<W>,
    columns: Vec<usize>,
}

impl<W: Write + Send> ParquetFile<W> {
    /// Begins a file of a table.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn begin(table: Table, out: W) -> Result<Self, Error> {
        let schema = table.schema();
        let count = schema.fields().len().saturating_sub(Table::FOLDERS);
        let columns: Vec<usize> = (0..count).collect();
        let schema = Arc::new(schema.project(&columns)?);
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .set_created_by(concat!("codex-wire-table ", env!("CARGO_PKG_VERSION")).to_owned())
            .build();
        Ok(ParquetFile {
            writer: ArrowWriter::try_new(out, schema, Some(properties))?,
            columns,
        })
    }

    /// Writes a batch as a group of rows, so that nothing of it is kept.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&mut self, batch: &RecordBatch) -> Result<(), Error> {
        self.writer.write(&batch.project(&self.columns)?)?;
        Ok(self.writer.flush()?)
    }

    /// Ends the file, and gives back what it was written to.
    ///
    /// # Errors
    /// If its end cannot be written.
    pub fn finish(self) -> Result<W, Error> {
        Ok(self.writer.into_inner()?)
    }
}

impl<W: Write + Send> fmt::Debug for ParquetFile<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ParquetFile").finish_non_exhaustive()
    }
}
