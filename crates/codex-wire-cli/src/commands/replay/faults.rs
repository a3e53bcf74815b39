//! Faults of bytes, time and processes, and where faults of messages come in.

use std::collections::HashSet;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::bail;
use codex_wire_base::Release;
use codex_wire_check::Writer;
use codex_wire_replay::faults::{FaultKind, Faults, Faulty, Injection, Random};
use codex_wire_replay::{Conversation, ExecPlay};
use serde_json::Value;

use super::output::{Lines, Output};
use super::settings::{Settings, Speed};
use super::watch::Observer;

/// How long a late response is late.
const LATE: Duration = Duration::from_millis(1500);

/// How long responses wait for each other.
const TOGETHER: Duration = Duration::from_millis(50);

/// How long the start is if nothing else is said, in milliseconds.
const SLOW: u64 = 3000;

/// How long a line gets.
const LONG: usize = 5_000_000;

/// How much is written to standard error.
const FLOOD: usize = 1 << 20;

/// The exit status of a Rust program that panics.
const PANICKED: u8 = 101;

/// How long a process stays that does not end: longer than a client waits, and not forever.
const STAYS: Duration = Duration::from_secs(3600);

/// Lines on standard output that are not JSON.
const NOISE: &[&str] = &[
    "WARNING: terminal is not fully functional",
    "\u{1b}[33mA new version is available\u{1b}[0m",
    "Reading additional input from stdin...",
    "{ not json",
];

/// The requests that start a turn.
const STARTS: &[&str] = &[
    "turn/start",
    "sendUserTurn",
    "sendUserMessage",
    "review/start",
];

/// What ends a turn, as it stands in a line.
const ENDS: &[&[u8]] = &[
    br#""method":"turn/completed""#,
    br#""type":"turn.completed""#,
    br#""type":"turn.failed""#,
    br#""type":"task_complete""#,
];

/// Writes lines with faults.
pub(crate) struct Disturbance {
    faults: Faults,
    random: Random,
    /// A file to which the ids of injected faults are written.
    log: Option<File>,
    /// How many lines were written.
    lines: u64,
    /// Faults that happen once, and did.
    done: HashSet<FaultKind>,
    /// The ids of requests whose responses are late, as JSON.
    late: HashSet<String>,
    /// Responses that wait for each other, and until when.
    held: Vec<Vec<u8>>,
    release_at: Option<Instant>,
}

/// Puts faults of messages into a conversation. Returns what the session needs for the others.
pub(crate) fn inject(
    conversation: Box<dyn Conversation>,
    settings: &Settings,
    release: Option<Release>,
) -> anyhow::Result<(Box<dyn Conversation>, Disturbance)> {
    let faults = settings.faults();
    let disturbance = Disturbance::new(&faults, settings.fault_log.as_deref())?;
    if faults.is_empty() {
        return Ok((conversation, disturbance));
    }
    let faulty = Faulty::new(conversation, faults, release)?;
    Ok((Box::new(faulty), disturbance))
}

/// Refuses the faults that a WebSocket has no place for: it carries messages, not bytes.
pub(crate) fn refuse_for_sockets(settings: &Settings) -> anyhow::Result<()> {
    let faults = settings.faults();
    for kind in [
        FaultKind::SplitWrites,
        FaultKind::ByteByByte,
        FaultKind::CrashMidLine,
        FaultKind::StdoutNoise,
    ] {
        if let Some(injection) = faults.get(kind) {
            bail!("{injection} needs standard input and output: a socket carries whole messages");
        }
    }
    Ok(())
}

/// Writes the lines of a run, with its faults. Returns the exit status.
pub(crate) fn play(
    play: &ExecPlay,
    settings: &Settings,
    watch: &Observer,
    out: File,
) -> anyhow::Result<u8> {
    let faults = settings.faults();
    if faults.is_empty() {
        return Ok(super::exec::play(play, settings.speed, watch, out)?);
    }
    let mut play = play.clone();
    let left = faults.of_run(&mut play, settings.release)?;
    let mut disturbance = Disturbance::new(&faults, settings.fault_log.as_deref())?;
    disturbance.write_log();
    disturbance.begin();
    let mut out = Lines::new(out);
    let status = write_run(&play, settings.speed, watch, &mut disturbance, &mut out)?;
    out.flush()?;
    if let Some(status) = status {
        return Ok(status);
    }
    if left.hangs || play.hangs() {
        thread::sleep(STAYS);
    }
    Ok(u8::try_from(play.status()).unwrap_or(1))
}

/// Writes the lines; returns the exit status if the process ends before the last of them.
fn write_run(
    play: &ExecPlay,
    speed: Speed,
    watch: &Observer,
    disturbance: &mut Disturbance,
    out: &mut dyn Output,
) -> io::Result<Option<u8>> {
    let has_end = play.lines().any(|(_, line)| is_end(line));
    let last = play.lines().count();
    for (number, (after_ms, line)) in (1..).zip(play.lines()) {
        let wait = speed.of(after_ms);
        if !wait.is_zero() {
            out.flush()?;
            thread::sleep(wait);
        }
        let is_end = is_end(line) || (!has_end && number == last);
        let status = disturbance.write_line(line, is_end, watch, out)?;
        if status.is_some() {
            return Ok(status);
        }
    }
    Ok(None)
}

impl Disturbance {
    pub(crate) fn new(faults: &Faults, log: Option<&Path>) -> io::Result<Self> {
        let log = match log {
            Some(path) => {
                let path: PathBuf = Settings::own(path);
                Some(OpenOptions::new().create(true).append(true).open(path)?)
            }
            None => None,
        };
        Ok(Disturbance {
            faults: faults.clone(),
            random: Random::new(faults.seed),
            log,
            lines: 0,
            done: HashSet::new(),
            late: HashSet::new(),
            held: Vec::new(),
            release_at: None,
        })
    }

    /// Before anything is read or written.
    pub(crate) fn begin(&mut self) {
        if let Some(injection) = self.get(FaultKind::IgnoresSigterm) {
            ignore_sigterm();
            self.note(&injection);
        }
        if let Some(injection) = self.get(FaultKind::SlowStart) {
            self.note(&injection);
            thread::sleep(Duration::from_millis(injection.number.unwrap_or(SLOW)));
        }
    }

    /// Takes note of a line of the client.
    pub(crate) fn client(&mut self, line: &str) {
        let Some(injection) = self.get(FaultKind::RpcLate) else {
            return;
        };
        let Ok(value) = serde_json::from_str::<Value>(line) else {
            return;
        };
        let (Some(method), Some(id)) = (value["method"].as_str(), value.get("id")) else {
            return;
        };
        let is_meant = match &injection.message {
            Some(own) => own == method,
            None => STARTS.contains(&method),
        };
        if is_meant {
            self.late.insert(id.to_string());
        }
    }

    /// Writes a line of a conversation, without its newline. Returns the exit status if the process
    /// ends with it.
    pub(crate) fn write(
        &mut self,
        mut line: String,
        watch: &Observer,
        out: &mut dyn Output,
    ) -> io::Result<Option<u8>> {
        let is_end = !self.faults.is_empty() && is_end(line.as_bytes());
        line.push('\n');
        self.write_line(line.as_bytes(), is_end, watch, out)
    }

    /// When responses that wait for each other are due.
    pub(crate) fn due(&self) -> Option<Instant> {
        self.release_at
    }

    /// Writes the responses that have waited long enough.
    pub(crate) fn write_due(&mut self, watch: &Observer, out: &mut dyn Output) -> io::Result<()> {
        match self.release_at {
            Some(due) if due <= Instant::now() => self.release(watch, out),
            _ => Ok(()),
        }
    }

    /// After the end of the input, and before the process ends.
    pub(crate) fn finish(&mut self, watch: &Observer, out: &mut dyn Output) -> io::Result<()> {
        self.release(watch, out)?;
        out.flush()?;
        if self.get(FaultKind::IgnoresSigterm).is_some() {
            thread::sleep(STAYS);
        }
        Ok(())
    }

    fn write_line(
        &mut self,
        line: &[u8],
        is_end: bool,
        watch: &Observer,
        out: &mut dyn Output,
    ) -> io::Result<Option<u8>> {
        if self.faults.is_empty() {
            watch.line(Writer::Codex, without_newline(line));
            out.line(line)?;
            return Ok(None);
        }
        if let Some(injection) = self.get(FaultKind::RpcReordered) {
            if response(line).is_some() {
                self.note(&injection);
                self.held.push(line.to_vec());
                self.release_at
                    .get_or_insert_with(|| Instant::now() + TOGETHER);
                return Ok(None);
            }
            self.release(watch, out)?;
        }
        self.disturbed(line, is_end, watch, out)
    }

    /// Writes the responses that waited, the last one first.
    fn release(&mut self, watch: &Observer, out: &mut dyn Output) -> io::Result<()> {
        self.release_at = None;
        for line in std::mem::take(&mut self.held).into_iter().rev() {
            self.disturbed(&line, false, watch, out)?;
        }
        Ok(())
    }

    fn disturbed(
        &mut self,
        line: &[u8],
        is_end: bool,
        watch: &Observer,
        out: &mut dyn Output,
    ) -> io::Result<Option<u8>> {
        self.lines += 1;
        let is_first = self.lines == 1;
        if let Some(injection) = self
            .get(FaultKind::StderrFlood)
            .filter(|_| is_first || is_end)
        {
            out.flush()?;
            self.note(&injection);
            flood()?;
        }
        if let Some(injection) = self.get(FaultKind::StdoutNoise)
            && (is_first || self.random.below(6) == 0)
        {
            self.note(&injection);
            let noise = NOISE[self.random.below(NOISE.len())];
            watch.line(Writer::Codex, noise.as_bytes());
            out.line(format!("{noise}\n").as_bytes())?;
        }
        if let Some(injection) = self.get(FaultKind::RpcLate)
            && let Some(id) = response(line)
            && self.late.remove(&id)
        {
            out.flush()?;
            self.note(&injection);
            thread::sleep(LATE);
        }
        if let Some(injection) = self.once(FaultKind::ExitWithoutEnd, is_end) {
            out.flush()?;
            self.note(&injection);
            return Ok(Some(0));
        }
        if let Some(injection) = self.once(FaultKind::CrashMidLine, is_end) {
            self.note(&injection);
            let half = &line[..line.len() / 2];
            watch.line(Writer::Codex, half);
            out.now(half)?;
            return Ok(Some(PANICKED));
        }
        let long;
        let mut line = line;
        if let Some(injection) = self.at(FaultKind::LongLine, is_end)
            && let Some(padded) = padded(line)
        {
            self.note(&injection);
            long = padded;
            line = &long;
        }
        watch.line(Writer::Codex, without_newline(line));
        self.put(line, out)?;
        Ok(None)
    }

    /// Writes a line, in one write or in several.
    fn put(&mut self, line: &[u8], out: &mut dyn Output) -> io::Result<()> {
        if let Some(injection) = self.get(FaultKind::ByteByByte) {
            self.note(&injection);
            return line.chunks(1).try_for_each(|byte| out.now(byte));
        }
        let Some(injection) = self.get(FaultKind::SplitWrites).filter(|_| line.len() > 1) else {
            return out.line(line);
        };
        self.note(&injection);
        let cuts = 1 + self.random.below(3);
        let mut places: Vec<usize> = (0..cuts)
            .map(|_| 1 + self.random.below(line.len() - 1))
            .collect();
        places.sort_unstable();
        places.dedup();
        let mut start = 0;
        for place in places {
            out.now(&line[start..place])?;
            start = place;
            thread::sleep(Duration::from_millis(1 + self.random.below(5) as u64));
        }
        out.now(&line[start..])
    }

    fn get(&self, kind: FaultKind) -> Option<Injection> {
        self.faults.get(kind).cloned()
    }

    /// A fault, if this is the line for it: that of its number, or else one that ends a turn.
    fn at(&self, kind: FaultKind, is_end: bool) -> Option<Injection> {
        let injection = self.get(kind)?;
        let is_meant = match injection.number {
            Some(number) => number == self.lines,
            None => is_end,
        };
        is_meant.then_some(injection)
    }

    fn once(&mut self, kind: FaultKind, is_end: bool) -> Option<Injection> {
        let injection = self.at(kind, is_end)?;
        self.done.insert(kind).then_some(injection)
    }

    fn note(&mut self, injection: &Injection) {
        self.faults.log().note(injection);
        self.write_log();
    }

    /// Writes down which faults were injected, those of messages too.
    pub(crate) fn write_log(&mut self) {
        let ids = self.faults.log().take();
        if let Some(log) = &mut self.log {
            let text: String = ids.iter().map(|id| format!("{id}\n")).collect();
            // The session matters more than its log.
            let _ = log.write_all(text.as_bytes());
        }
    }
}

/// The id of a response, as JSON.
fn response(line: &[u8]) -> Option<String> {
    let value: Value = serde_json::from_slice(line).ok()?;
    let id = value.get("id")?;
    let is_response = value.get("result").is_some() || value.get("error").is_some();
    is_response.then(|| id.to_string())
}

/// Whether a line ends a turn.
fn is_end(line: &[u8]) -> bool {
    ENDS.iter()
        .any(|end| memchr::memmem::find(line, end).is_some())
}

fn without_newline(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\n").unwrap_or(line)
}

/// The line with spaces before its last brace.
fn padded(line: &[u8]) -> Option<Vec<u8>> {
    let brace = memchr::memrchr(b'}', line)?;
    let mut out = Vec::with_capacity(LONG + 1);
    out.extend_from_slice(&line[..brace]);
    out.resize(LONG.saturating_sub(line.len() - brace).max(brace), b' ');
    out.extend_from_slice(&line[brace..]);
    Some(out)
}

fn flood() -> io::Result<()> {
    let line = "2026-11-22T10:00:00.000000Z  INFO codex_core::codex: nothing happened, at length\n";
    let mut err = io::stderr().lock();
    for _ in 0..=FLOOD / line.len() {
        err.write_all(line.as_bytes())?;
    }
    err.flush()
}

#[cfg(unix)]
fn ignore_sigterm() {
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    let flag = Arc::new(AtomicBool::new(false));
    // A signal that cannot be ignored is not: the client sees a process that ends.
    let _ = signal_hook::flag::register(signal_hook::consts::SIGTERM, flag);
}

#[cfg(not(unix))]
fn ignore_sigterm() {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_line_is_the_same_json() {
        let line = b"{\"a\":[{}],\"b\":1}\n";
        let long = padded(line).expect("an object");
        assert_eq!(long.len(), LONG);
        let value = |line: &[u8]| serde_json::from_slice::<Value>(line).expect("JSON");
        assert_eq!(value(&long), value(line));
    }

    #[test]
    fn ends_and_responses_are_recognized() {
        assert!(is_end(br#"{"method":"turn/completed","params":{}}"#));
        assert!(!is_end(br#"{"text":"\"method\":\"turn/completed\""}"#));
        assert_eq!(
            response(br#"{"id":"a","result":{}}"#).as_deref(),
            Some("\"a\"")
        );
        assert_eq!(response(br#"{"id":1,"method":"m","params":{}}"#), None);
    }
}
