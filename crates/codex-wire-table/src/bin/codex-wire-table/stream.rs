//! Writes one table to standard output.

use std::io::{self, StdoutLock};

use codex_wire_table::{ArrowStream, Error, Partition, Rows, Sink, Table};

/// How many bytes of rows become a batch.
const BATCH: usize = 4 << 20;

/// A stream of Arrow on standard output.
pub(crate) struct StreamSink {
    rows: Rows,
    out: ArrowStream<io::BufWriter<StdoutLock<'static>>>,
}

impl StreamSink {
    pub(crate) fn begin(table: Table, with_text: bool) -> Result<Self, Error> {
        let out = io::BufWriter::new(io::stdout().lock());
        Ok(StreamSink {
            rows: Rows::new(&[table], with_text),
            out: ArrowStream::begin(table, out)?,
        })
    }

    /// Writes the rows that are there.
    pub(crate) fn flush(&mut self) -> Result<(), Error> {
        for (_, batch) in self.rows.take()? {
            self.out.write(&batch)?;
        }
        Ok(())
    }

    pub(crate) fn finish(mut self) -> Result<(), Error> {
        self.flush()?;
        self.out.finish()
    }
}

impl Sink for StreamSink {
    fn rows(&mut self, _: Partition) -> &mut Rows {
        &mut self.rows
    }

    fn added(&mut self, _: Partition) -> Result<(), Error> {
        match self.rows.bytes() < BATCH {
            true => Ok(()),
            false => self.flush(),
        }
    }
}
