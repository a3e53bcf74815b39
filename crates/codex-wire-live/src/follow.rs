//! Checks a file that is still being written.

use std::collections::VecDeque;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use codex_wire_check::{Checker, Finding, Outcome, Step as Observed, Stream};
use codex_wire_inputs::Stop;

use crate::tail::{Gone, PERIOD, Step, Tail};

/// How many bytes are read at once.
const BUFFER: usize = 256 << 10;

/// A file that is followed. What happens to it is an iterator, which ends when nothing more can come, after a
/// stop, or when nothing has come for the time that [`until_idle`](Follow::until_idle) sets.
///
/// ```
/// use codex_wire_check::{Checker, Options};
/// use codex_wire_live::{Follow, Followed, Stop};
///
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("run.jsonl");
/// # std::fs::write(&path, "{\"type\":\"thread.started\",\"thread_id\":\"t\"}\n")?;
/// let (checker, stop) = (Checker::new(Options::new())?, Stop::new());
/// stop.request();
/// let mut follow = Follow::new(&checker, &path, &stop);
/// let Some(Followed::Ended(outcome, _)) = follow.next() else { panic!("it is readable") };
/// assert_eq!(outcome.messages, 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Follow<'c> {
    checker: &'c Checker,
    name: String,
    stream: Stream<'c>,
    tail: Tail,
    buffer: Vec<u8>,
    stop: Stop,
    until_idle: Option<Duration>,
    /// When something was read last.
    last: Instant,
    /// Whether it was said that the file is not there.
    is_announced: bool,
    is_over: bool,
    waiting: VecDeque<Followed>,
    observer: Option<Observer<'c>>,
}

/// Somebody who sees every line of one transcript after the other.
type Observer<'c> = Arc<Mutex<dyn FnMut(&Observed<'_>) + Send + 'c>>;

/// What happens to a file that is followed.
#[derive(Debug)]
pub enum Followed {
    /// It is not there yet. The path of its compressed form if that is there: it is not followed.
    Missing(Option<PathBuf>),
    /// New lines have these findings.
    Findings(Vec<Finding>),
    /// It was removed, or compressed: nothing more can come.
    Gone(Gone),
    /// A transcript in it is over, with the findings that were not given out before. Another one begins if the file
    /// was replaced or truncated.
    Ended(Box<Outcome>, Vec<Finding>),
    /// It cannot be read. Nothing comes after this.
    Unreadable(io::Error),
}

impl<'c> Follow<'c> {
    /// Follows a file, which need not exist yet.
    pub fn new(checker: &'c Checker, path: &Path, stop: &Stop) -> Self {
        let name = path.display().to_string();
        Follow {
            checker,
            stream: checker.stream(&name),
            name,
            tail: Tail::new(path),
            buffer: vec![0; BUFFER],
            stop: stop.clone(),
            until_idle: None,
            last: Instant::now(),
            is_announced: false,
            is_over: false,
            waiting: VecDeque::new(),
            observer: None,
        }
    }

    /// Lets somebody see every line once it was checked. After the end of a transcript, the lines of the next one follow.
    #[must_use]
    pub fn observed_by(mut self, observer: impl FnMut(&Observed<'_>) + Send + 'c) -> Self {
        self.observer = Some(Arc::new(Mutex::new(observer)));
        self.stream = self.begin();
        self
    }

    /// The check of a transcript.
    fn begin(&self) -> Stream<'c> {
        let stream = self.checker.stream(&self.name);
        let Some(observer) = self.observer.clone() else {
            return stream;
        };
        stream.observed_by(move |step| {
            // Only one stream is fed at a time.
            let mut observer = observer.lock().unwrap_or_else(PoisonError::into_inner);
            observer(step);
        })
    }

    /// Ends when nothing has come for this time.
    #[must_use]
    pub fn until_idle(mut self, most: Option<Duration>) -> Self {
        self.until_idle = most;
        self
    }

    /// Looks at the file once, and waits a moment if there was nothing new.
    fn look(&mut self) {
        match self.tail.step(&mut self.buffer) {
            Ok(Step::Bytes(read)) => {
                self.last = Instant::now();
                let findings = self.stream.feed(&self.buffer[..read]);
                if !findings.is_empty() {
                    let findings = findings.to_vec();
                    self.waiting.push_back(Followed::Findings(findings));
                }
                if self.stream.is_over() {
                    return self.end(Stream::finish);
                }
                // Stop even if the file always has more.
                if !self.stop.is_requested() {
                    return;
                }
            }
            Ok(Step::Restarted) => return self.ended(Stream::finish),
            Ok(Step::Missing) if !self.is_announced => {
                let other = self.tail.compressed();
                self.waiting.push_back(Followed::Missing(other));
                self.is_announced = true;
            }
            Ok(Step::Gone(how)) => {
                self.waiting.push_back(Followed::Gone(how));
                return self.end(Stream::finish);
            }
            Ok(Step::Missing | Step::Nothing) => {}
            Err(error) => return self.fail(error),
        }
        let is_idle = self
            .until_idle
            .is_some_and(|most| self.last.elapsed() >= most);
        match (is_idle, self.stop.is_requested()) {
            (false, false) => thread::sleep(PERIOD),
            _ if self.tail.is_missing() => {
                self.fail(Tail::never_appeared());
            }
            (true, _) => self.end(Stream::finish),
            (false, true) => self.end(Stream::leave),
        }
    }

    fn fail(&mut self, error: io::Error) {
        self.waiting.push_back(Followed::Unreadable(error));
        self.is_over = true;
    }

    fn end(&mut self, end: impl FnOnce(Stream<'c>) -> (Outcome, Vec<Finding>)) {
        self.ended(end);
        self.is_over = true;
    }

    /// A transcript is over.
    fn ended(&mut self, end: impl FnOnce(Stream<'c>) -> (Outcome, Vec<Finding>)) {
        let next = self.begin();
        let (outcome, rest) = end(std::mem::replace(&mut self.stream, next));
        self.waiting
            .push_back(Followed::Ended(Box::new(outcome), rest));
    }
}

impl Iterator for Follow<'_> {
    type Item = Followed;

    /// Waits until something happens.
    fn next(&mut self) -> Option<Followed> {
        while self.waiting.is_empty() && !self.is_over {
            self.look();
        }
        self.waiting.pop_front()
    }
}

impl fmt::Debug for Follow<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = f.debug_struct("Follow");
        out.field("name", &self.name).finish_non_exhaustive()
    }
}
