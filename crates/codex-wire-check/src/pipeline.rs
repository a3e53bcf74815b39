//! Checks one input, on one or several threads.
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
use std::thread;

use codex_wire_base::lines::{Line, Lines};
use codex_wire_program::Outline;

use crate::checker::Checker;
use crate::outcome::Outcome;
use crate::run::{Accepted, Ahead, Run};

/// How many bytes of lines are looked at together.
const BATCH: usize = 128 << 10;

/// How many bytes may wait to be judged.
const AHEAD: usize = 2 << 20;

/// Inputs up to that many bytes are not worth a second thread.
const WORTH: u64 = 1 << 20;

/// Checks an input on that many threads.
pub(crate) fn check(checker: &Checker, threads: usize, path: &str, input: impl BufRead) -> Outcome {
    let mut run = Run::new(checker, path);
    let mut lines = Lines::new(input, checker.options.limits.line_bytes);
    // What an input is its first lines tell, and most inputs are short.
    loop {
        match lines.next() {
            Ok(Some(line)) => {
                let behind = line.offset;
                if let Some(reason) = run.line(&line, None) {
                    return Outcome::unreadable(path, reason);
                }
                if behind >= WORTH && threads > 1 {
                    break;
                }
            }
            Ok(None) => return run.finish(),
            Err(error) => return run.broken(&error),
        }
    }
    let queue = Queue::default();
    thread::scope(|scope| {
        let _stop = Stop(&queue);
        for _ in 1..threads {
            scope.spawn(|| queue.work(&checker.another()));
        }
        rest(checker, run, &queue, &mut lines)
    })
}

/// The rest of the input, on the thread that judges.
fn rest(
    checker: &Checker,
    mut run: Run<'_>,
    queue: &Queue,
    lines: &mut Lines<impl BufRead>,
) -> Outcome {
    let mut spare = Vec::new();
    let mut end = None;
    loop {
        // Several at once, so that those who wait are not woken for each.
        let is_low = queue.bytes() < AHEAD / 2;
        while is_low && end.is_none() && queue.bytes() < AHEAD {
            let mut batch: Batch = spare.pop().unwrap_or_default();
            end = batch.fill(lines);
            if batch.bytes.is_empty() && batch.cut.is_none() {
                break;
            }
            queue.push(batch, run.ahead());
        }
        let mut batch = match queue.next() {
            Next::Judge(mut batch) => {
                batch.split();
                batch
            }
            Next::Look(mut task) => {
                task.batch.look(checker, task.ahead);
                queue.done(task);
                continue;
            }
            Next::End => break,
        };
        for index in 0..batch.places.len() {
            let line = batch.line(index);
            let look = batch.looks.get(index);
            let accepted = look.and_then(|look| Some((look.accepted?, &look.outline)));
            let given_up = match accepted {
                Some((accepted, outline)) => run.looked_at(&line, accepted, outline),
                None => run.line(&line, None),
            };
            if let Some(reason) = given_up {
                return Outcome::unreadable(run.into_path(), reason);
            }
        }
        if batch.bytes.capacity() <= 4 * BATCH {
            batch.clear();
            spare.push(batch);
        }
    }
    match end {
        Some(Err(error)) => run.broken(&error),
        _ => run.finish(),
    }
}

/// Some lines of the input, one after another.
#[derive(Default)]
struct Batch {
    /// The lines with their newlines.
    bytes: Vec<u8>,
    /// How many lines and bytes come before them in the input.
    before: (u64, u64),
    /// Where the last line is, its length and whether a newline ended it, if it is over the limit:
    /// then `bytes` have its beginning.
    cut: Option<(Place, u64, bool)>,
    /// Where the lines are, once somebody has split them.
    places: Vec<Place>,
    /// What was seen of the first of them, if anybody looked. There may be more from an earlier
    /// use.
    looks: Vec<Look>,
}

/// Where a line stands in the bytes of a batch, without its newline.
#[derive(Clone, Copy)]
struct Place {
    start: usize,
    end: usize,
}

/// What was seen of a line.
#[derive(Default)]
struct Look {
    accepted: Option<Accepted>,
    outline: Outline,
}

impl Batch {
    /// Takes lines from an input. Returns its end, if that is reached.
    fn fill(&mut self, lines: &mut Lines<impl BufRead>) -> Option<io::Result<()>> {
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
                self.cut = Some((Place { start, end }, line.length, line.ended));
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
        for look in self.looks.iter_mut().take(self.places.len()) {
            look.accepted = None;
            look.outline.clear();
        }
        self.places.clear();
    }

    /// Finds the lines, unless that was done.
    fn split(&mut self) {
        if !self.places.is_empty() {
            return;
        }
        let whole = self.cut.map_or(self.bytes.len(), |(place, ..)| place.start);
        let mut start = 0;
        for end in memchr::memchr_iter(b'\n', &self.bytes[..whole]) {
            self.places.push(Place { start, end });
            start = end + 1;
        }
        if start < whole {
            let end = whole;
            self.places.push(Place { start, end });
        }
        self.places.extend(self.cut.map(|(place, ..)| place));
    }

    fn line(&self, index: usize) -> Line<'_> {
        let Place { start, end } = self.places[index];
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
        }
    }

    /// Looks at every line.
    fn look(&mut self, checker: &Checker, ahead: Ahead) {
        self.split();
        let mut looks = std::mem::take(&mut self.looks);
        if looks.len() < self.places.len() {
            looks.resize_with(self.places.len(), Look::default);
        }
        for (index, look) in looks.iter_mut().enumerate().take(self.places.len()) {
            look.accepted = ahead.look(checker, &self.line(index), &mut look.outline);
        }
        self.looks = looks;
    }
}

/// Batches between being read and being judged, in the order of the input.
#[derive(Default)]
struct Queue {
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
    /// Nobody has looked at it.
    Waiting(Batch, Ahead),
    /// Somebody does.
    Taken,
    Done(Batch),
}

impl Queue {
    // A thread that panicked ends the whole: what it left is not looked at any more.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many bytes wait to be judged.
    fn bytes(&self) -> usize {
        self.lock().bytes
    }

    fn push(&self, batch: Batch, ahead: Ahead) {
        let mut state = self.lock();
        state.bytes += batch.bytes.len();
        state.batches.push_back(Slot::Waiting(batch, ahead));
        let is_awaited = state.waiting > 0;
        drop(state);
        if is_awaited {
            self.changed.notify_one();
        }
    }

    /// What the thread that judges does next: the first batch of all is its own, looked at or
    /// not, unless somebody is looking at it just now.
    fn next(&self) -> Next {
        let mut state = self.lock();
        loop {
            if state.stopped || state.batches.is_empty() {
                return Next::End;
            }
            if !matches!(state.batches.front(), Some(Slot::Taken)) {
                break;
            }
            if let Some(task) = state.take() {
                return Next::Look(task);
            }
            state = self.wait(state);
        }
        state.first += 1;
        match state.batches.pop_front() {
            Some(Slot::Waiting(batch, _) | Slot::Done(batch)) => {
                state.bytes -= batch.bytes.len();
                Next::Judge(batch)
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

    fn done(&self, task: Task) {
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

    /// Looks at batches until there are no more to come.
    fn work(&self, checker: &Checker) {
        // If this thread panics, the one that judges must not wait for it.
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
            task.batch.look(checker, task.ahead);
            self.done(task);
        }
    }
}

impl State {
    /// The first batch that nobody has looked at.
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

/// A batch to look at.
struct Task {
    number: u64,
    batch: Batch,
    ahead: Ahead,
}

/// What to do.
enum Next {
    Judge(Batch),
    Look(Task),
    End,
}

/// Ends the work of all, however this thread ends.
struct Stop<'q>(&'q Queue);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        self.0.lock().stopped = true;
        self.0.changed.notify_all();
    }
}
