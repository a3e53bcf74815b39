//! Writes the files of a commit.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::BufWriter;

use arrow_array::RecordBatch;
use chrono::DateTime;
use codex_wire_table::{ParquetFile, Partition, Table};

use crate::folder::Folder;

/// What stands in the name of a folder for a value that is not known.
const UNKNOWN: &str = "__HIVE_DEFAULT_PARTITION__";

type Part = ParquetFile<BufWriter<File>>;

/// The files of a commit.
#[derive(Default)]
pub(crate) struct Commit {
    /// The folders of the files by their number.
    folders: Vec<(Table, Partition)>,
    /// The files that go on.
    open: BTreeMap<(Partition, Table), Part>,
}

impl Commit {
    /// Writes a batch. Its file goes on, so that it may have more.
    pub(crate) fn write(
        &mut self,
        folder: &Folder,
        partition: Partition,
        table: Table,
        batch: &RecordBatch,
    ) -> anyhow::Result<()> {
        let part = match self.open.entry((partition, table)) {
            std::collections::btree_map::Entry::Occupied(entry) => entry.into_mut(),
            std::collections::btree_map::Entry::Vacant(entry) => {
                let file = folder.create(self.folders.len())?;
                self.folders.push((table, partition));
                entry.insert(ParquetFile::begin(table, BufWriter::new(file))?)
            }
        };
        Ok(part.write(batch)?)
    }

    /// Whether nothing was written.
    pub(crate) fn is_empty(&self) -> bool {
        self.folders.is_empty()
    }

    /// Completes the files of all partitions but one.
    pub(crate) fn close_others(&mut self, partition: Option<Partition>) -> anyhow::Result<()> {
        let open = std::mem::take(&mut self.open);
        for ((of, table), part) in open {
            if Some(of) == partition {
                self.open.insert((of, table), part);
                continue;
            }
            let file = part.finish()?.into_inner();
            file.map_err(std::io::IntoInnerError::into_error)?
                .sync_all()?;
        }
        Ok(())
    }

    /// Completes all files, and returns their names for a commit with that id.
    pub(crate) fn finish(mut self, id: &str) -> anyhow::Result<Vec<String>> {
        self.close_others(None)?;
        let names = self.folders.iter();
        Ok(names
            .map(|(table, partition)| name(*table, *partition, id))
            .collect())
    }
}

/// The name of a file.
pub(crate) fn name(table: Table, partition: Partition, id: &str) -> String {
    let day = partition.day.and_then(|day| {
        let day = DateTime::from_timestamp(i64::from(day) * 24 * 60 * 60, 0)?;
        Some(day.format("%Y-%m-%d").to_string())
    });
    let day = day.as_deref().unwrap_or(UNKNOWN);
    let protocol = partition.protocol.unwrap_or(UNKNOWN);
    format!("{table}/day={day}/protocol={protocol}/part-{id}.parquet")
}
