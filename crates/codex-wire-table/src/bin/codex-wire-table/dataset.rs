//! Writes all tables as files of Parquet in a folder.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use anyhow::bail;
use arrow_array::RecordBatch;
use codex_wire_table::{Error, Partition, Rows, Sink, Table, VERSION};
use sha2::{Digest as _, Sha256};

use crate::commit::{self, Commit};
use crate::folder::Folder;
use crate::manifest::Manifest;
use crate::spool::hexadecimal;

/// How many bytes of rows are kept until they are written.
const KEPT: usize = 64 << 20;

/// About how many bytes the builders of a partition take beside their rows.
const PARTITION: usize = 64 << 10;

/// How many characters of a digest are the name of a commit.
const ID: usize = 16;

/// The tables of a folder.
pub(crate) struct Dataset {
    folder: Folder,
    with_text: bool,
    /// The first half of the digest of each transcript that is there.
    done: HashSet<u128>,
    partitions: BTreeMap<Partition, Buffered>,
    /// How many bytes are kept in all partitions.
    kept: usize,
    /// The transcripts of the commit that are complete.
    complete: Vec<String>,
    /// The one that is not.
    current: Option<String>,
    /// What was written of the commit before it is complete.
    commit: Commit,
}

struct Buffered {
    rows: Rows,
    bytes: usize,
}

impl Dataset {
    pub(crate) fn open(root: &Path, with_text: bool) -> anyhow::Result<Self> {
        let mut done = HashSet::new();
        let folder = Folder::open(root, |manifest| {
            let shown = root.display();
            if manifest.version != VERSION {
                bail!(
                    "{shown} has tables of version {}, and this program writes version {VERSION}: name another folder",
                    manifest.version
                );
            }
            if manifest.with_text != with_text {
                let has = if manifest.with_text {
                    "with"
                } else {
                    "without"
                };
                bail!("{shown} has tables {has} text: name another folder");
            }
            done.extend(
                manifest
                    .transcripts
                    .iter()
                    .filter_map(|digest| half(digest)),
            );
            Ok(())
        })?;
        let mut dataset = Dataset {
            folder,
            with_text,
            done,
            partitions: BTreeMap::new(),
            kept: 0,
            complete: Vec::new(),
            current: None,
            commit: Commit::default(),
        };
        dataset.write_empty()?;
        Ok(dataset)
    }

    /// Whether a transcript is there.
    pub(crate) fn has(&self, digest: &str) -> bool {
        half(digest).is_some_and(|half| self.done.contains(&half))
    }

    /// Begins a transcript that is new.
    pub(crate) fn begin(&mut self, digest: &str) {
        self.current = Some(digest.to_owned());
    }

    /// Begins an input that cannot be read, unless it is there with the same error.
    pub(crate) fn begin_unreadable(&mut self, name: &str, error: &str) -> bool {
        let mut hash = Sha256::new();
        for part in ["unreadable", name, error] {
            hash.update(part);
            hash.update([0]);
        }
        let digest = hexadecimal(hash);
        let is_new = !self.has(&digest);
        if is_new {
            self.begin(&digest);
        }
        is_new
    }

    /// All rows of the transcript were added. One that was skipped has none, and is not there.
    pub(crate) fn end(&mut self, is_skipped: bool) -> anyhow::Result<()> {
        if let Some(digest) = self.current.take().filter(|_| !is_skipped) {
            self.done.extend(half(&digest));
            self.complete.push(digest);
        }
        match self.kept < KEPT && self.commit.is_empty() {
            true => Ok(()),
            false => self.commit(),
        }
    }

    /// Writes what is kept, and makes it a part of the data set.
    pub(crate) fn commit(&mut self) -> anyhow::Result<()> {
        let transcripts = std::mem::take(&mut self.complete);
        if transcripts.is_empty() {
            return Ok(());
        }
        self.write_out(None)?;
        let mut hash = Sha256::new();
        for digest in &transcripts {
            hash.update(digest);
        }
        let mut id = hexadecimal(hash);
        id.truncate(ID);
        let files = std::mem::take(&mut self.commit).finish(&id)?;
        self.folder.commit(&Manifest {
            version: VERSION,
            with_text: self.with_text,
            id,
            files,
            transcripts,
        })
    }

    /// Writes what is kept. Files of one partition go on.
    fn write_out(&mut self, going_on: Option<Partition>) -> anyhow::Result<()> {
        for (partition, mut kept) in std::mem::take(&mut self.partitions) {
            for (table, batch) in kept.rows.take()? {
                self.commit.write(&self.folder, partition, table, &batch)?;
            }
            self.commit.close_others(going_on)?;
        }
        self.kept = 0;
        Ok(())
    }

    /// Writes a file without rows of each table that has none, so that whoever reads finds all tables.
    fn write_empty(&mut self) -> anyhow::Result<()> {
        let (partition, id) = (Partition::default(), "empty");
        let mut files = Vec::new();
        for table in Table::ALL {
            let name = commit::name(*table, partition, id);
            if !self.folder.has(table.as_str()) {
                let batch = RecordBatch::new_empty(table.schema());
                self.commit.write(&self.folder, partition, *table, &batch)?;
                files.push(name);
            }
        }
        if files.is_empty() {
            return Ok(());
        }
        std::mem::take(&mut self.commit).finish(id)?;
        self.folder.commit(&Manifest {
            version: VERSION,
            with_text: self.with_text,
            id: id.to_owned(),
            files,
            transcripts: Vec::new(),
        })
    }
}

impl Sink for Dataset {
    fn rows(&mut self, partition: Partition) -> &mut Rows {
        let kept = &mut self.kept;
        let with_text = self.with_text;
        let partition = self.partitions.entry(partition).or_insert_with(|| {
            *kept += PARTITION;
            Buffered {
                rows: Rows::new(Table::ALL, with_text),
                bytes: 0,
            }
        });
        &mut partition.rows
    }

    fn added(&mut self, partition: Partition) -> Result<(), Error> {
        if let Some(kept) = self.partitions.get_mut(&partition) {
            let bytes = kept.rows.bytes();
            self.kept += bytes.saturating_sub(kept.bytes);
            kept.bytes = bytes;
        }
        if self.kept < KEPT {
            return Ok(());
        }
        // What goes on is one transcript, however long it is: its files are committed when it has ended.
        let written = self.write_out(Some(partition));
        written.map_err(|error| match error.downcast::<Error>() {
            Ok(error) => error,
            Err(error) => Error::Write(std::io::Error::other(format!("{error:#}"))),
        })
    }
}

/// The first half of a digest in hexadecimal.
fn half(digest: &str) -> Option<u128> {
    u128::from_str_radix(digest.get(..32)?, 16).ok()
}
