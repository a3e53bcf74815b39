//! Reads the inputs, one after the other, and has their rows written.

use std::fs::File;
use std::io;
use std::path::PathBuf;

use anyhow::{Context as _, anyhow, bail};
use codex_wire_inputs::{Found, Listing, STDIN, Selection, Stop, Unreadable, each_of_bytes, list};
use codex_wire_table::{Tables, Transcript};

use crate::args::{Args, Format};
use crate::dataset::Dataset;
use crate::entries::{Entries, Entry};
use crate::feed::Feed;
use crate::output;
use crate::skipped::SkippedFiles;
use crate::spool::Spool;
use crate::stream::StreamSink;

/// Does what the arguments say.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let out = match (args.format, &args.out) {
        (Format::ArrowStream, None) => {
            Out::Stream(Box::new(StreamSink::begin(args.table, args.with_text)?))
        }
        (Format::ArrowStream, Some(_)) => {
            bail!("a stream goes to standard output: leave out `--out`")
        }
        (Format::Parquet, Some(folder)) => {
            Out::Dataset(Box::new(Dataset::open(folder, args.with_text)?))
        }
        (Format::Parquet, None) => bail!("name the folder for the tables with `--out DIR`"),
    };
    let mut work = Work {
        tables: Tables::new(),
        spool: Spool::default(),
        out,
        args,
        stop: Stop::new(),
        count: Count::default(),
        skipped: SkippedFiles::default(),
    };
    work.paths(&args.paths)?;
    if let Some(from) = &args.files_from {
        work.files_from(from)?;
    }
    work.finish()
}

/// Where rows go.
enum Out {
    Stream(Box<StreamSink>),
    Dataset(Box<Dataset>),
}

#[derive(Default)]
struct Count {
    read: u64,
    unreadable: u64,
    done: u64,
}

struct Work<'a> {
    tables: Tables,
    spool: Spool,
    out: Out,
    args: &'a Args,
    stop: Stop,
    count: Count,
    skipped: SkippedFiles,
}

impl Work<'_> {
    fn paths(&mut self, paths: &[PathBuf]) -> anyhow::Result<()> {
        let selection = Selection::new()
            .since(self.args.since)
            .exclude(&self.args.exclude);
        let Listing {
            inputs, skipped, ..
        } = list(paths, selection, &self.stop);
        for file in skipped {
            self.skipped.add(file.name, file.reason);
        }
        let stop = self.stop.clone();
        for input in inputs {
            match input {
                Ok(source) => {
                    let mut result = Ok(());
                    source.each(&stop, &self.args.exclude, |found| {
                        if result.is_ok() {
                            result = self.found(found);
                        }
                    });
                    result?;
                }
                Err(unreadable) => self.found(Found::Failed(unreadable))?,
            }
        }
        Ok(())
    }

    fn files_from(&mut self, from: &PathBuf) -> anyhow::Result<()> {
        let feed = match from.as_os_str() == STDIN {
            true => Feed::begin(io::stdin()),
            false => {
                let file = File::open(from);
                Feed::begin(file.with_context(|| format!("cannot read {}", from.display()))?)
            }
        };
        let mut entries = Entries::new(feed);
        loop {
            // Whoever writes the list may want what is done before the next entry.
            if entries.is_waiting()
                && let Out::Stream(stream) = &mut self.out
            {
                stream.flush()?;
            }
            match entries.next() {
                Ok(Some(Entry::Path(path))) if path.as_os_str() == STDIN => {
                    let error = anyhow!(
                        "the list of inputs names standard input: write `./-` for a file of that name"
                    );
                    self.keep_on(Err(error))?;
                }
                Ok(Some(Entry::Path(path))) => self.paths(&[path])?,
                Ok(Some(Entry::Frame(header))) => {
                    let (mut left, mut result) = (header.bytes, Ok(()));
                    let stop = self.stop.clone();
                    let contents = entries.contents(&mut left);
                    each_of_bytes(&header.path, contents, &stop, |found| {
                        if result.is_ok() {
                            result = self.found(found);
                        }
                    });
                    result?;
                    let ended = entries.end_frame(&header, left);
                    self.keep_on(ended)?;
                }
                Ok(None) => return Ok(()),
                Err(error) => self.keep_on(Err(error))?,
            }
        }
    }

    /// Before the program ends with an error about the list, what was read is written.
    fn keep_on(&mut self, result: anyhow::Result<()>) -> anyhow::Result<()> {
        if result.is_err() {
            match &mut self.out {
                Out::Stream(stream) => stream.flush()?,
                Out::Dataset(dataset) => dataset.commit()?,
            }
        }
        result
    }

    /// Takes an input, or what cannot be read or is not.
    fn found(&mut self, found: Found<'_>) -> anyhow::Result<()> {
        match found {
            Found::Skipped(skipped) => self.skipped.add(skipped.name, skipped.reason),
            Found::Failed(Unreadable { name, error, .. }) => {
                self.unreadable(&name, &error.to_string())?;
            }
            Found::Input(opened) => {
                let (name, is_lenient) = (opened.name, opened.is_lenient);
                let Work {
                    spool, out, tables, ..
                } = self;
                let spooled = match spool.read(opened.input)? {
                    Ok(spooled) => spooled,
                    Err(error) => return self.unreadable(&name, &error.to_string()),
                };
                let (digest, bytes) = (spooled.digest.clone(), spooled.bytes);
                let transcript = Transcript::new(&name).contents(&digest, bytes);
                let transcript = transcript.lenient(is_lenient);
                let contents = spooled.contents();
                let outcome = match out {
                    Out::Stream(stream) => tables.read(transcript, contents, &mut **stream)?,
                    Out::Dataset(dataset) => {
                        if !dataset.begin(&digest) {
                            self.count.done += 1;
                            return Ok(());
                        }
                        let outcome = tables.read(transcript, contents, &mut **dataset)?;
                        dataset.end()?;
                        outcome
                    }
                };
                match outcome.foreign && is_lenient {
                    true => self.skipped.add_foreign(name),
                    false => self.count.read += 1,
                }
            }
        }
        Ok(())
    }

    fn unreadable(&mut self, name: &str, error: &str) -> anyhow::Result<()> {
        self.count.unreadable += 1;
        let transcript = Transcript::new(name);
        match &mut self.out {
            Out::Stream(stream) => self.tables.unreadable(transcript, error, &mut **stream)?,
            Out::Dataset(dataset) => {
                if dataset.begin_unreadable(name, error) {
                    self.tables.unreadable(transcript, error, &mut **dataset)?;
                    dataset.end()?;
                }
            }
        }
        Ok(())
    }

    fn finish(self) -> anyhow::Result<()> {
        let Count {
            read,
            unreadable,
            done,
        } = self.count;
        match self.out {
            Out::Stream(stream) => stream.finish()?,
            Out::Dataset(mut dataset) => {
                dataset.commit()?;
                output::say(&format!(
                    "{} written, {done} were there",
                    counted(read, "transcript")
                ));
            }
        }
        for line in self.skipped.lines() {
            output::say(&line);
        }
        if unreadable > 0 {
            output::say(&format!(
                "{} could not be read: see `error` in transcripts",
                counted(unreadable, "input")
            ));
        }
        Ok(())
    }
}

fn counted(count: u64, what: &str) -> String {
    match count {
        1 => format!("1 {what}"),
        count => format!("{count} {what}s"),
    }
}
