//! Lets other threads run the fast path over lines ahead of their turn.
//!
//! With several threads, one thread reads the input and checks the lines in their order. The others
//! split what it reads into lines and run them through the fast path ahead of time, in any order.
//! This works because the fast path needs only the dialect and the possible releases. If either
//! changes before a line's turn comes, that line goes through the fast path again. If the other
//! threads fall behind, the first one does some of their work, so that it rarely waits.
//!
//! A test holds that any number of threads finds the same. Memory is bounded: [`AHEAD`] bytes of
//! lines, and one line that is longer.

use std::collections::VecDeque;
use std::io::{self, BufRead};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use codex_wire_base::lines::{Line, Lines};
use codex_wire_prefilter::Tape;

use super::accept::{Accepted, Ahead};
use crate::checker::Checker;

/// How many bytes of lines are scanned together.
const BATCH: usize = 128 << 10;

/// How many bytes may wait to be checked.
pub(crate) const AHEAD: usize = 2 << 20;

/// Inputs up to that many bytes are not worth a second thread.
pub(crate) const WORTH: u64 = 1 << 20;

/// Some lines of the input, one after another.
#[derive(Default)]
pub(crate) struct Batch {
    /// The lines with their newlines.
    bytes: Vec<u8>,
    /// How many lines and bytes come before them in the input.
    before: (u64, u64),
    /// Where the last line is, its length and whether a newline ended it, if it is over the limit:
    /// then `bytes` have its beginning.
    cut: Option<(Position, u64, bool)>,
    /// Where the lines are, once they are split.
    places: Vec<Position>,
    /// What the scans of the first lines found, if they were scanned. There may be more from an earlier
    /// use.
    scans: Vec<Scan>,
}

/// Where a line stands in the bytes of a batch, without its newline.
#[derive(Clone, Copy)]
struct Position {
    start: usize,
    end: usize,
}

/// What was seen of a line.
#[derive(Default)]
struct Scan {
    accepted: Option<Accepted>,
    tape: Tape,
}

impl Batch {
    /// Takes lines from an input. Returns its end, if that is reached.
    pub(crate) fn fill(&mut self, lines: &mut Lines<impl BufRead>) -> Option<io::Result<()>> {
        self.before = lines.position();
        while self.bytes.len() < BATCH {
            match lines.whole(&mut self.bytes, BATCH) {
                Ok(0) => {}
                Ok(_) => continue,
                Err(error) => return Some(Err(error)),
            }
            let line = match lines.next() {
                Ok(Some(line)) => line,
                Ok(None) => return Some(Ok(())),
                Err(error) => return Some(Err(error)),
            };
            let start = self.bytes.len();
            self.bytes.extend_from_slice(line.bytes);
            if line.is_cut_off() {
                let end = self.bytes.len();
                self.cut = Some((Position { start, end }, line.length, line.ended));
                return None;
            }
            if !line.ended {
                return Some(Ok(()));
            }
            self.bytes.push(b'\n');
        }
        None
    }

    fn clear(&mut self) {
        self.bytes.clear();
        self.cut = None;
        for scan in self.scans.iter_mut().take(self.places.len()) {
            scan.accepted = None;
            scan.tape.clear();
        }
        self.places.clear();
    }

    /// What can be filled again, if that does not keep too much memory.
    pub(crate) fn into_spare(mut self) -> Option<Self> {
        (self.bytes.capacity() <= 4 * BATCH).then(|| {
            self.clear();
            self
        })
    }

    /// Whether there are no lines.
    pub(crate) fn is_empty(&self) -> bool {
        self.bytes.is_empty() && self.cut.is_none()
    }

    /// How many lines there are, once they are found.
    pub(crate) fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether the fast path has accepted a line, and what it saw.
    pub(crate) fn accepted(&self, index: usize) -> Option<(Accepted, &Tape)> {
        let scan = self.scans.get(index)?;
        Some((scan.accepted?, &scan.tape))
    }

    /// Finds the lines, unless that was done.
    pub(crate) fn split(&mut self) {
        if !self.places.is_empty() {
            return;
        }
        let whole = self.cut.map_or(self.bytes.len(), |(place, ..)| place.start);
        let mut start = 0;
        for end in memchr::memchr_iter(b'\n', &self.bytes[..whole]) {
            self.places.push(Position { start, end });
            start = end + 1;
        }
        if start < whole {
            let end = whole;
            self.places.push(Position { start, end });
        }
        self.places.extend(self.cut.map(|(place, ..)| place));
    }

    pub(crate) fn line(&self, index: usize) -> Line<'_> {
        let Position { start, end } = self.places[index];
        let (lines, bytes) = self.before;
        let cut = self.cut.filter(|(place, ..)| place.start == start);
        let (length, ended) = match cut {
            Some((_, length, ended)) => (length, ended),
            None => ((end - start) as u64, end < self.bytes.len()),
        };
        Line {
            bytes: &self.bytes[start..end],
            number: lines + index as u64 + 1,
            offset: bytes + start as u64,
            ended,
            length,
            column: None,
        }
    }

    /// Scans at every line.
    pub(crate) fn scan(&mut self, checker: &Checker, ahead: Ahead) {
        self.split();
        let mut scans = std::mem::take(&mut self.scans);
        if scans.len() < self.places.len() {
            scans.resize_with(self.places.len(), Scan::default);
        }
        for (index, scan) in scans.iter_mut().enumerate().take(self.places.len()) {
            scan.accepted = ahead.scan(checker, &self.line(index), &mut scan.tape);
        }
        self.scans = scans;
    }
}

/// Batches between being read and being checked, in the order of the input.
#[derive(Default)]
pub(crate) struct Queue {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    batches: VecDeque<Slot>,
    bytes: usize,
    /// The number of the first batch there is.
    first: u64,
    /// How many threads wait for something to change.
    waiting: usize,
    stopped: bool,
}

/// A batch, and how far it is.
enum Slot {
    /// No thread has scanned it.
    Waiting(Batch, Ahead),
    /// A thread is scanning it.
    Taken,
    Done(Batch),
}

impl Queue {
    // If a thread panicked, the check ends, and nothing reads what it left.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many bytes wait to be checked.
    pub(crate) fn bytes(&self) -> usize {
        self.lock().bytes
    }

    pub(crate) fn push(&self, batch: Batch, ahead: Ahead) {
        let mut state = self.lock();
        state.bytes += batch.bytes.len();
        state.batches.push_back(Slot::Waiting(batch, ahead));
        let is_awaited = state.waiting > 0;
        drop(state);
        if is_awaited {
            self.changed.notify_one();
        }
    }

    /// What the thread that checks does next. It takes the first batch, scanned or not, unless another
    /// thread is scanning it.
    pub(crate) fn next(&self) -> Next {
        let mut state = self.lock();
        loop {
            if state.stopped || state.batches.is_empty() {
                return Next::End;
            }
            if !matches!(state.batches.front(), Some(Slot::Taken)) {
                break;
            }
            if let Some(task) = state.take() {
                return Next::Scan(task);
            }
            state = self.wait(state);
        }
        state.first += 1;
        match state.batches.pop_front() {
            Some(Slot::Waiting(batch, _) | Slot::Done(batch)) => {
                state.bytes -= batch.bytes.len();
                Next::MessageValidator(batch)
            }
            Some(Slot::Taken) | None => Next::End,
        }
    }

    fn wait<'s>(&self, mut state: MutexGuard<'s, State>) -> MutexGuard<'s, State> {
        state.waiting += 1;
        let state = self.changed.wait(state);
        let mut state = state.unwrap_or_else(PoisonError::into_inner);
        state.waiting -= 1;
        state
    }

    pub(crate) fn done(&self, task: Task) {
        let mut state = self.lock();
        let index = usize::try_from(task.number - state.first).unwrap_or(usize::MAX);
        if let Some(slot) = state.batches.get_mut(index) {
            *slot = Slot::Done(task.batch);
        }
        let is_awaited = state.waiting > 0;
        drop(state);
        if is_awaited {
            self.changed.notify_all();
        }
    }

    /// Scans at batches until there are no more to come.
    pub(crate) fn work(&self, checker: &Checker) {
        // If this thread panics, the one that checks must not wait for it.
        let _stop = Stop(self);
        loop {
            let mut state = self.lock();
            let mut task = loop {
                if state.stopped {
                    return;
                }
                match state.take() {
                    Some(task) => break task,
                    None => state = self.wait(state),
                }
            };
            drop(state);
            task.batch.scan(checker, task.ahead);
            self.done(task);
        }
    }
}

impl State {
    /// The first batch that no thread has scanned.
    fn take(&mut self) -> Option<Task> {
        let waiting = |slot: &Slot| matches!(slot, Slot::Waiting(..));
        let index = self.batches.iter().position(waiting)?;
        match std::mem::replace(&mut self.batches[index], Slot::Taken) {
            Slot::Waiting(batch, ahead) => Some(Task {
                number: self.first + index as u64,
                batch,
                ahead,
            }),
            Slot::Taken | Slot::Done(_) => None,
        }
    }
}

/// A batch to scan.
pub(crate) struct Task {
    number: u64,
    pub(crate) batch: Batch,
    pub(crate) ahead: Ahead,
}

/// What to do.
pub(crate) enum Next {
    MessageValidator(Batch),
    Scan(Task),
    End,
}

/// Ends the work of all, however this thread ends.
pub(crate) struct Stop<'q>(pub(crate) &'q Queue);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        self.0.lock().stopped = true;
        self.0.changed.notify_all();
    }
}
