//! Shows progress on a terminal during long work: one line, rewritten.

use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use codex_wire_inputs::{Stop, Watch};
use codex_wire_report::escaped;

use crate::{interrupt, memory};

/// Work shorter than this shows no progress.
const DELAY: Duration = Duration::from_secs(1);

/// How often the line is rewritten.
const PERIOD: Duration = Duration::from_millis(100);

/// How many characters of a name are shown: its end.
const NAME: usize = 40;

/// The progress of the work, which several threads may do.
pub(crate) struct Progress {
    /// Whether standard error is a terminal.
    on_terminal: bool,
    begun: Instant,
    /// What is to be done.
    inputs: AtomicU64,
    total: Option<Total>,
    bytes: AtomicU64,
    line: Mutex<Line>,
}

/// How much there is to read.
#[derive(Clone, Copy)]
struct Total {
    inputs: u64,
    /// As they are stored.
    bytes: Option<u64>,
    /// How often each is read.
    passes: u64,
}

/// The line on the terminal.
#[derive(Default)]
struct Line {
    drawn: Option<Instant>,
    visible: bool,
    /// The input that began last.
    name: String,
}

impl Progress {
    /// Starts. Progress is shown only if standard error is a terminal that can rewrite a line.
    pub(crate) fn new() -> Self {
        let dumb = std::env::var_os("TERM").is_some_and(|terminal| terminal == "dumb");
        Progress {
            on_terminal: io::stderr().is_terminal() && !dumb,
            begun: Instant::now(),
            inputs: AtomicU64::new(0),
            total: None,
            bytes: AtomicU64::new(0),
            line: Mutex::default(),
        }
    }

    /// Starts work on that many inputs, which have that many bytes if their sizes are known.
    pub(crate) fn of(inputs: usize, bytes: Option<u64>) -> Self {
        Progress::of_passes(1, inputs, bytes)
    }

    /// The same for work that reads all inputs so many times.
    pub(crate) fn of_passes(passes: u64, inputs: usize, bytes: Option<u64>) -> Self {
        let total = Total {
            inputs: inputs as u64,
            bytes: bytes.map(|bytes| bytes.saturating_mul(passes)),
            passes,
        };
        Progress {
            total: Some(total),
            ..Progress::new()
        }
    }

    /// Starts the next input.
    pub(crate) fn input(&self, name: &str) {
        self.inputs.fetch_add(1, Ordering::Relaxed);
        if self.on_terminal {
            name.clone_into(&mut self.lock().name);
        }
    }

    /// Removes the line, so that something else can be written. It stays away until the guard is
    /// dropped.
    pub(crate) fn clear(&self) -> Cleared<'_> {
        let mut line = self.lock();
        if std::mem::take(&mut line.visible) {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
        Cleared { _line: line }
    }

    fn lock(&self) -> MutexGuard<'_, Line> {
        self.line.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// So many further bytes are done.
    pub(crate) fn advance(&self, bytes: usize) {
        self.bytes.fetch_add(bytes as u64, Ordering::Relaxed);
        if !self.on_terminal || self.begun.elapsed() < DELAY {
            return;
        }
        // Another thread draws, or the report is being written.
        let Ok(mut line) = self.line.try_lock() else {
            return;
        };
        if line.drawn.is_some_and(|drawn| drawn.elapsed() < PERIOD) {
            return;
        }
        line.drawn = Some(Instant::now());
        line.visible = true;
        let text = self.text(&line.name, self.begun.elapsed());
        let mut stderr = io::stderr().lock();
        // A terminal that is gone is no reason to stop.
        let _ = write!(stderr, "\r{text}\x1b[K");
        let _ = stderr.flush();
    }

    /// The line after this time, short enough for any usual terminal.
    fn text(&self, name: &str, elapsed: Duration) -> String {
        let inputs = self.inputs.load(Ordering::Relaxed);
        let bytes = self.bytes.load(Ordering::Relaxed);
        let mut text = match self.total {
            Some(total) if total.inputs > 1 => {
                let number = match total.passes {
                    1 => inputs,
                    _ => inputs.saturating_sub(1) % total.inputs + 1,
                };
                format!("input {number} of {}", total.inputs)
            }
            Some(Total { passes: 2.., .. }) => "input 1".to_owned(),
            _ => format!("input {inputs}"),
        };
        match self.total.and_then(|total| total.bytes) {
            Some(all) if all > 0 => {
                // A file may grow while it is read.
                let done = bytes.min(all);
                text += &format!(", {} %", u128::from(done) * 100 / u128::from(all));
                if done > 0 {
                    let left = elapsed.as_secs_f64() * (all - done) as f64 / done as f64;
                    text += &format!(", {} left", duration(left));
                }
            }
            _ => text += &format!(", {} MiB", bytes >> 20),
        }
        let length = name.chars().count();
        let tail: String = name.chars().skip(length.saturating_sub(NAME)).collect();
        let cut = if length > NAME { "…" } else { "" };
        format!("{text}: {cut}{}", escaped(&tail))
    }
}

/// The line is not shown while this is there.
pub(crate) struct Cleared<'p> {
    _line: MutexGuard<'p, Line>,
}

/// A time for people, rounded up: nobody minds if it takes less.
fn duration(seconds: f64) -> String {
    let seconds = seconds.ceil() as u64;
    match seconds {
        0..=99 => format!("{seconds} s"),
        100..=5_999 => format!("{} min", seconds.div_ceil(60)),
        _ => format!("{} h", seconds.div_ceil(3_600)),
    }
}

impl Watch for Progress {
    fn stop(&self) -> &Stop {
        interrupt::stop()
    }

    fn input(&self, name: &str) {
        self.input(name);
    }

    fn member(&self, name: &str) {
        if self.on_terminal {
            name.clone_into(&mut self.lock().name);
        }
    }

    fn read(&self, bytes: usize) {
        self.advance(bytes);
    }

    fn opened(&self, name: &str) {
        memory::begin(name);
    }

    fn line(&self, number: Option<u64>) {
        memory::at_line(number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(progress: &Progress, read: u64, seconds: u64) -> String {
        progress.input("t/a.jsonl");
        progress.bytes.store(read, Ordering::Relaxed);
        progress.text("t/a.jsonl", Duration::from_secs(seconds))
    }

    #[test]
    fn what_is_left_is_shown_where_it_is_known() {
        let progress = Progress::of(5_000, Some(4 << 30));
        assert_eq!(text(&progress, 0, 2), "input 1 of 5000, 0 %: t/a.jsonl");
        assert_eq!(
            text(&progress, 1 << 30, 20),
            "input 2 of 5000, 25 %, 60 s left: t/a.jsonl"
        );
        assert_eq!(
            text(&progress, 1 << 20, 2),
            "input 3 of 5000, 0 %, 3 h left: t/a.jsonl"
        );
        // A file has grown.
        assert_eq!(
            text(&progress, 5 << 30, 20),
            "input 4 of 5000, 100 %, 0 s left: t/a.jsonl"
        );
        let one = Progress::of(1, Some(300 << 20));
        assert_eq!(
            text(&one, 100 << 20, 60),
            "input 1, 33 %, 2 min left: t/a.jsonl"
        );
        for unknown in [Progress::of(1, None), Progress::new()] {
            assert_eq!(text(&unknown, 3 << 20, 2), "input 1, 3 MiB: t/a.jsonl");
        }
        // Three times two inputs of 50 MiB.
        let passes = Progress::of_passes(3, 2, Some(100 << 20));
        for (read, shown) in [
            (0, "input 1 of 2, 0 %: t/a.jsonl"),
            (75, "input 2 of 2, 25 %, 60 s left: t/a.jsonl"),
            (150, "input 1 of 2, 50 %, 20 s left: t/a.jsonl"),
        ] {
            assert_eq!(text(&passes, read << 20, 20), shown);
        }
        let name = "x".repeat(100);
        let line = Progress::of(12_345, Some(100)).text(&name, DELAY);
        assert!(line.chars().count() < 80, "{line}");
    }
}
