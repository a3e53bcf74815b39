//! Threads that read transcripts while others wait for their turn.

use std::collections::VecDeque;
use std::num::NonZeroUsize;
use std::sync::mpsc::{Receiver, Sender, SyncSender, TryRecvError, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use anyhow::Context as _;
use codex_wire_check::Outcome;
use codex_wire_table::{DeferredRows, Error, Table, Tables, Transcript};

/// How many transcripts wait for their turn for each thread.
const AHEAD: usize = 4;

/// How many bytes these have together, except for one.
const HEAVY: usize = 16 << 20;

/// A transcript, all of which is in memory.
pub(crate) struct Job {
    pub(crate) name: String,
    pub(crate) digest: String,
    pub(crate) is_lenient: bool,
    pub(crate) contents: Vec<u8>,
}

/// A transcript that was read.
pub(crate) struct Done {
    pub(crate) job: Job,
    pub(crate) rows: DeferredRows,
    /// Whether no line of it is a message of Codex.
    pub(crate) outcome: Outcome,
}

/// What has its turn in the order of the inputs.
pub(crate) enum Turn {
    Read(Box<Done>),
    /// An input that could not be read, with its name and the reason.
    Unreadable(String, String),
}

/// Threads, and what they were given.
pub(crate) struct Workers {
    jobs: Sender<(Job, SyncSender<Result<Done, Error>>)>,
    turns: VecDeque<Pending>,
    /// How many bytes of transcripts are with the threads or wait.
    bytes: usize,
    most: usize,
}

enum Pending {
    /// With the number of its bytes.
    Job(Receiver<Result<Done, Error>>, usize),
    Unreadable(String, String),
}

impl Workers {
    /// Starts threads, which make rows of these tables.
    pub(crate) fn start(
        threads: NonZeroUsize,
        tables: &'static [Table],
        with_text: bool,
    ) -> anyhow::Result<Self> {
        let (jobs, taken) = channel::<(Job, SyncSender<_>)>();
        let taken = Arc::new(Mutex::new(taken));
        let reader = Arc::new(Tables::new());
        for _ in 0..threads.get() {
            let (taken, reader) = (Arc::clone(&taken), Arc::clone(&reader));
            let work = move || {
                loop {
                    let next = taken.lock().unwrap_or_else(PoisonError::into_inner).recv();
                    // Nobody gives any more.
                    let Ok((job, answer)) = next else { return };
                    let rows = DeferredRows::new(tables, with_text);
                    // Nobody waits for it if the program ends.
                    let _ = answer.send(read(&reader, job, rows));
                }
            };
            let started = thread::Builder::new().spawn(work);
            started.context("a thread cannot be started")?;
        }
        Ok(Workers {
            jobs,
            turns: VecDeque::new(),
            bytes: 0,
            most: threads.get().saturating_mul(AHEAD),
        })
    }

    /// Gives a transcript to a thread.
    pub(crate) fn give(&mut self, job: Job) {
        let bytes = job.contents.len();
        let (answer, done) = sync_channel(1);
        // If all threads have failed, whoever waits for the transcript is told.
        let _ = self.jobs.send((job, answer));
        self.turns.push_back(Pending::Job(done, bytes));
        self.bytes += bytes;
    }

    /// What could not be read has its turn, too.
    pub(crate) fn unreadable(&mut self, name: String, error: String) {
        self.turns.push_back(Pending::Unreadable(name, error));
    }

    /// What has its turn, if it is there. If too much waits, this waits for it.
    pub(crate) fn next_turn(&mut self) -> anyhow::Result<Option<Turn>> {
        let is_full = self.turns.len() > self.most || self.bytes > HEAVY;
        self.turn(is_full)
    }

    /// What has its turn; nothing if all that was given has had it.
    pub(crate) fn wait_for_turn(&mut self) -> anyhow::Result<Option<Turn>> {
        self.turn(true)
    }

    fn turn(&mut self, waits: bool) -> anyhow::Result<Option<Turn>> {
        const FAILED: &str = "a thread has failed";
        let done = match self.turns.front() {
            None => return Ok(None),
            Some(Pending::Unreadable(..)) => None,
            Some(Pending::Job(done, _)) if waits => Some(done.recv().context(FAILED)?),
            Some(Pending::Job(done, _)) => match done.try_recv() {
                Ok(done) => Some(done),
                Err(TryRecvError::Empty) => return Ok(None),
                Err(TryRecvError::Disconnected) => anyhow::bail!(FAILED),
            },
        };
        Ok(match (self.turns.pop_front(), done) {
            (Some(Pending::Unreadable(name, error)), _) => Some(Turn::Unreadable(name, error)),
            (Some(Pending::Job(_, bytes)), Some(done)) => {
                self.bytes -= bytes;
                Some(Turn::Read(Box::new(done?)))
            }
            _ => None,
        })
    }
}

fn read(tables: &Tables, job: Job, mut rows: DeferredRows) -> Result<Done, Error> {
    let transcript = Transcript::new(&job.name).contents(&job.digest, job.contents.len() as u64);
    let transcript = transcript.lenient(job.is_lenient);
    let outcome = tables.read(transcript, &job.contents[..], &mut rows)?;
    Ok(Done { job, rows, outcome })
}
