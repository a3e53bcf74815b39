//! Checks one input, on one or several threads.

use std::io::BufRead;
use std::num::NonZeroUsize;
use std::thread;

use codex_wire_base::lines::Lines;

use crate::checker::Checker;
use crate::fast_path::batches::{AHEAD, Batch, Next, Queue, Stop, WORTH};
use crate::outcome::Outcome;
use crate::session::Session;

impl Checker {
    /// Checks one input. `path` is its name in the outcome; nothing is opened.
    ///
    /// Reads to the end whatever is found on the way, with one line in memory at a time.
    pub fn check(&self, path: &str, input: impl BufRead) -> Outcome {
        self.check_on(NonZeroUsize::MIN, path, input)
    }

    /// Checks one input on several threads, this one among them, where it is long enough to be
    /// worth it. The outcome is that of [`Self::check`]. A few MiB of lines are in memory at a
    /// time, and one line that is longer.
    pub fn check_on(&self, threads: NonZeroUsize, path: &str, input: impl BufRead) -> Outcome {
        check(self, threads.get(), path, input)
    }
}

/// Checks an input on that many threads.
fn check(checker: &Checker, threads: usize, path: &str, input: impl BufRead) -> Outcome {
    let mut session = Session::new(checker, path);
    let mut lines = Lines::new(input, checker.options.limits.line_bytes).or_array();
    // The first lines show what an input is, and most inputs are short.
    loop {
        match lines.next() {
            Ok(Some(line)) => {
                let behind = line.offset;
                if let Some(reason) = session.line(&line, None) {
                    return session.give_up(reason);
                }
                if behind >= WORTH && threads > 1 && !lines.is_array() {
                    break;
                }
            }
            Ok(None) => return session.finish(),
            Err(error) => return session.broken(&error),
        }
    }
    let queue = Queue::default();
    thread::scope(|scope| {
        let _stop = Stop(&queue);
        for _ in 1..threads {
            scope.spawn(|| queue.work(&checker.another()));
        }
        rest(checker, session, &queue, &mut lines)
    })
}

/// The rest of the input, on the thread that checks.
fn rest(
    checker: &Checker,
    mut session: Session<'_>,
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
            if batch.is_empty() {
                break;
            }
            queue.push(batch, session.ahead());
        }
        let batch = match queue.next() {
            Next::MessageValidator(mut batch) => {
                batch.split();
                batch
            }
            Next::Scan(mut task) => {
                task.batch.scan(checker, task.ahead);
                queue.done(task);
                continue;
            }
            Next::End => break,
        };
        for index in 0..batch.len() {
            let line = batch.line(index);
            let given_up = match batch.accepted(index) {
                Some((accepted, tape)) => session.line_ahead(&line, accepted, tape),
                None => session.line(&line, None),
            };
            if let Some(reason) = given_up {
                return session.give_up(reason);
            }
        }
        spare.extend(batch.into_spare());
    }
    match end {
        Some(Err(error)) => session.broken(&error),
        _ => session.finish(),
    }
}
