//! Reads the inputs, and has their rows written in the order of the inputs.

use std::fs::File;
use std::io;
use std::path::PathBuf;

use anyhow::{Context as _, anyhow, bail};
use codex_wire_check::{Outcome, Verdict};
use codex_wire_inputs::{Found, Listing, STDIN, Selection, Stop, Unreadable, each_of_bytes, list};
use codex_wire_table::{Sink, Table, Tables, Transcript};

use crate::args::{Args, Format};
use crate::dataset::Dataset;
use crate::entries::{Entries, Entry};
use crate::feed::Feed;
use crate::output;
use crate::skipped::SkippedFiles;
use crate::spool::{Contents, Spool, Spooled};
use crate::stream::StreamSink;
use crate::workers::{Done, Job, Turn, Workers};

/// Does what the arguments say.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let out = match (args.format, &args.out) {
        (Format::ArrowStream, None) => Out::Stream(Box::new(StreamSink::begin(
            args.streamed(),
            args.with_text,
        )?)),
        (Format::ArrowStream, Some(_)) => {
            bail!("a stream goes to standard output: leave out `--out`")
        }
        (Format::Parquet, _) if args.table.is_some() => {
            bail!("a folder has all tables: `--table` is for `--format arrow-stream`")
        }
        (Format::Parquet, Some(folder)) => {
            Out::Dataset(Box::new(Dataset::open(folder, args.with_text)?))
        }
        (Format::Parquet, None) => bail!("name the folder for the tables with `--out DIR`"),
    };
    let workers = match (args.threads.get(), args.format) {
        (1, _) => None,
        (_, Format::Parquet) => Some(Workers::start(args.threads, Table::ALL, args.with_text)?),
        (_, Format::ArrowStream) => {
            let table = Table::ALL
                .iter()
                .position(|table| *table == args.streamed());
            let table = table.map_or(&[][..], |at| &Table::ALL[at..=at]);
            Some(Workers::start(args.threads, table, args.with_text)?)
        }
    };
    let mut work = Work {
        tables: Tables::new(),
        workers,
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

impl Out {
    fn sink(&mut self) -> &mut dyn Sink {
        match self {
            Out::Stream(stream) => &mut **stream,
            Out::Dataset(dataset) => &mut **dataset,
        }
    }

    /// Whether a transcript is there. A stream has what it is given.
    fn has(&self, digest: &str) -> bool {
        match self {
            Out::Stream(_) => false,
            Out::Dataset(dataset) => dataset.has(digest),
        }
    }

    fn begin(&mut self, digest: &str) {
        if let Out::Dataset(dataset) = self {
            dataset.begin(digest);
        }
    }

    /// All rows of a transcript were added, or it was skipped.
    fn end(&mut self, is_skipped: bool) -> anyhow::Result<()> {
        match self {
            Out::Stream(_) => Ok(()),
            Out::Dataset(dataset) => dataset.end(is_skipped),
        }
    }
}

#[derive(Default)]
struct Count {
    read: u64,
    unreadable: u64,
    /// The first of these, and why.
    first_unreadable: Option<String>,
    done: u64,
}

impl Count {
    fn unreadable(&mut self, name: &str, error: &str) {
        self.unreadable += 1;
        let first = &mut self.first_unreadable;
        first.get_or_insert_with(|| format!("cannot read {name}: {error}"));
    }
}

struct Work<'a> {
    tables: Tables,
    /// Other threads, if there are some.
    workers: Option<Workers>,
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
            if matches!(self.out, Out::Stream(_)) && entries.is_waiting() {
                self.wait_for_workers()?;
                if let Out::Stream(stream) = &mut self.out {
                    stream.flush()?;
                }
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
            self.wait_for_workers()?;
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
                self.failed(name, error.to_string())?;
            }
            Found::Input(opened) => {
                let (name, is_lenient) = (opened.name, opened.is_lenient);
                match self.spool.read(opened.input)? {
                    Ok(spooled) => self.read(name, is_lenient, spooled)?,
                    Err(error) => self.failed(name, error.to_string())?,
                }
            }
        }
        Ok(())
    }

    /// Has an input read, by another thread if there is one.
    fn read(&mut self, name: String, is_lenient: bool, spooled: Spooled) -> anyhow::Result<()> {
        let Spooled {
            digest,
            bytes,
            contents,
        } = spooled;
        if self.out.has(&digest) {
            self.count.done += 1;
            self.spool.give_back(contents);
            return Ok(());
        }
        let contents = match (&mut self.workers, contents) {
            (Some(workers), Contents::Memory(contents)) => {
                workers.give(Job {
                    name,
                    digest,
                    is_lenient,
                    contents,
                });
                return self.take_turns();
            }
            (_, contents) => contents,
        };
        // The rows of a long one are not kept.
        self.wait_for_workers()?;
        let transcript = Transcript::new(&name).contents(&digest, bytes);
        let transcript = transcript.lenient(is_lenient);
        self.out.begin(&digest);
        let read = self
            .tables
            .read(transcript, contents.read(), self.out.sink())?;
        self.end(name, &read, is_lenient)?;
        self.spool.give_back(contents);
        Ok(())
    }

    /// Takes an input that cannot be read.
    fn failed(&mut self, name: String, error: String) -> anyhow::Result<()> {
        match &mut self.workers {
            Some(workers) => {
                workers.unreadable(name, error);
                self.take_turns()
            }
            None => self.unreadable(&name, &error),
        }
    }

    /// Writes the rows of inputs whose turn it is.
    fn take_turns(&mut self) -> anyhow::Result<()> {
        while let Some(workers) = &mut self.workers
            && let Some(turn) = workers.next_turn()?
        {
            self.turn(turn)?;
        }
        Ok(())
    }

    /// Writes the rows of all inputs that were given to other threads.
    fn wait_for_workers(&mut self) -> anyhow::Result<()> {
        while let Some(workers) = &mut self.workers
            && let Some(turn) = workers.wait_for_turn()?
        {
            self.turn(turn)?;
        }
        Ok(())
    }

    fn turn(&mut self, turn: Turn) -> anyhow::Result<()> {
        let Done { job, rows, outcome } = match turn {
            Turn::Unreadable(name, error) => return self.unreadable(&name, &error),
            Turn::Read(done) => *done,
        };
        // One before it may have the same contents.
        if self.out.has(&job.digest) {
            self.count.done += 1;
        } else {
            self.out.begin(&job.digest);
            rows.add_to(self.out.sink())?;
            self.end(job.name, &outcome, job.is_lenient)?;
        }
        self.spool.give_back(Contents::Memory(job.contents));
        Ok(())
    }

    /// Ends an input whose bytes were read. It may be skipped, or not be a transcript.
    fn end(&mut self, name: String, outcome: &Outcome, is_lenient: bool) -> anyhow::Result<()> {
        let is_skipped = outcome.foreign && is_lenient;
        match (&outcome.error, outcome.verdict) {
            _ if is_skipped => self.skipped.add_foreign(name),
            (Some(error), Verdict::Unreadable) => self.count.unreadable(&name, error),
            _ => self.count.read += 1,
        }
        self.out.end(is_skipped)
    }

    fn unreadable(&mut self, name: &str, error: &str) -> anyhow::Result<()> {
        self.count.unreadable(name, error);
        let is_new = match &mut self.out {
            Out::Stream(_) => true,
            Out::Dataset(dataset) => dataset.begin_unreadable(name, error),
        };
        if is_new {
            let transcript = Transcript::new(name);
            self.tables.unreadable(transcript, error, self.out.sink())?;
            self.out.end(false)?;
        }
        Ok(())
    }

    fn finish(mut self) -> anyhow::Result<()> {
        self.wait_for_workers()?;
        let Count {
            read,
            unreadable,
            first_unreadable,
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
        if let Some(first) = first_unreadable {
            output::say(&first);
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
