//! Plays a conversation on standard input and output.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::io::{self, BufRead, BufReader, Read};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::Instant;

use anstream::ColorChoice;
use codex_wire_base::Protocol;
use codex_wire_check::Writer;
use codex_wire_replay::{Conversation, Emission, Miss, Reaction, is_turn, unread};

use super::faults::Disturbance;
use super::output::Output;
use super::settings::Speed;
use super::watch::{Observer, listed};
use crate::output;

/// The exit status after a miss that ends the session.
const MISSED: u8 = 1;

/// How many lines of the client may wait.
const QUEUE: usize = 64;

/// How many misses are told on standard error.
const REPORTED: u64 = 100;

/// How a client gets a turn that was not recorded.
const ANOTHER: &str =
    "each turn is played once: record a session with more turns, or give a recording of them, too";

/// Who ended a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// The client closed its side.
    Client,
    /// Codex, with this exit status.
    Codex(u8),
}

impl End {
    /// The exit status of a process that has this session only.
    pub(crate) fn status(self) -> u8 {
        match self {
            End::Client => 0,
            End::Codex(status) => status,
        }
    }
}

/// Plays to one client, until it closes its side.
pub(crate) struct Session {
    player: Box<dyn Conversation>,
    speed: Speed,
    watch: Observer,
    color: ColorChoice,
    out: Box<dyn Output>,
    /// Lines that are not due yet, by when they are and by their number.
    waiting: BinaryHeap<Reverse<(Instant, u64, String)>>,
    /// When the last line of each queue is due.
    queues: HashMap<usize, Instant>,
    number: u64,
    /// How many lines the client has written.
    heard: u64,
    misses: u64,
    disturbance: Disturbance,
}

impl Session {
    pub(crate) fn new(
        player: Box<dyn Conversation>,
        speed: Speed,
        watch: Observer,
        color: ColorChoice,
        out: Box<dyn Output>,
        disturbance: Disturbance,
    ) -> Self {
        Session {
            player,
            speed,
            watch,
            color,
            out,
            waiting: BinaryHeap::new(),
            queues: HashMap::new(),
            number: 0,
            heard: 0,
            misses: 0,
            disturbance,
        }
    }

    /// Plays.
    pub(crate) fn run(mut self, lines: &Receiver<Vec<u8>>) -> io::Result<End> {
        self.disturbance.begin();
        let first = self.player.start();
        self.queue(first);
        loop {
            if let Some(status) = self.write_due()? {
                return Ok(End::Codex(status));
            }
            let waiting = self.waiting.peek().map(|Reverse((due, _, _))| *due);
            let line = match waiting.into_iter().chain(self.disturbance.due()).min() {
                Some(due) => {
                    let wait = due.saturating_duration_since(Instant::now());
                    lines.recv_timeout(wait)
                }
                None => lines.recv().map_err(|_| RecvTimeoutError::Disconnected),
            };
            let line = match line {
                Ok(line) => line,
                Err(RecvTimeoutError::Timeout) => continue,
                Err(RecvTimeoutError::Disconnected) => break,
            };
            self.heard += 1;
            self.watch.line(Writer::Client, &line);
            // Codex exits at the first byte that is not UTF-8.
            let Ok(line) = String::from_utf8(line) else {
                let number = self.heard;
                let text = format!("line {number} of the client is not UTF-8: Codex exits at it");
                output::complain(self.color, &text);
                break;
            };
            self.disturbance.client(&line);
            let reaction = self.player.line(&line);
            // Only what has no consequences can be a line that Codex does not read.
            if reaction == Reaction::default()
                && let Some(wrong) = unread(self.player.protocol(), &line)
            {
                let number = self.heard;
                self.complain(&format!(
                    "line {number} of the client {wrong}: Codex does not answer it"
                ));
            }
            self.queue(reaction.emissions);
            if let Some(remark) = &reaction.remark {
                self.watch.remark(remark);
            }
            if let Some(miss) = &reaction.miss {
                self.watch.miss(miss);
                self.report(miss);
            }
            if reaction.ends {
                self.write_due()?;
                return Ok(End::Codex(MISSED));
            }
        }
        // `codex proto` finishes what it is doing after its input has ended; `codex app-server` does not.
        if self.player.protocol() == Protocol::Core {
            while let Some(Reverse((due, _, _))) = self.waiting.peek() {
                thread::sleep(due.saturating_duration_since(Instant::now()));
                if let Some(status) = self.write_due()? {
                    return Ok(End::Codex(status));
                }
            }
        }
        self.disturbance.finish(&self.watch, &mut *self.out)?;
        Ok(End::Client)
    }

    fn queue(&mut self, emissions: Vec<Emission>) {
        self.disturbance.write_log();
        let now = Instant::now();
        for emission in emissions {
            let tail = self
                .queues
                .get(&emission.queue)
                .copied()
                .unwrap_or(now)
                .max(now);
            let due = tail + self.speed.of(emission.after_ms);
            self.queues.insert(emission.queue, due);
            self.number += 1;
            self.waiting
                .push(Reverse((due, self.number, emission.line)));
        }
    }

    /// Writes what is due by now. Returns the exit status if a fault ends the process.
    fn write_due(&mut self) -> io::Result<Option<u8>> {
        let now = Instant::now();
        while let Some(Reverse((due, _, _))) = self.waiting.peek() {
            if *due > now {
                break;
            }
            if let Some(Reverse((_, _, line))) = self.waiting.pop() {
                let status = self.disturbance.write(line, &self.watch, &mut *self.out)?;
                if status.is_some() {
                    return Ok(status);
                }
            }
        }
        self.disturbance.write_due(&self.watch, &mut *self.out)?;
        self.out.flush()?;
        Ok(None)
    }

    fn report(&mut self, miss: &Miss) {
        // What has a right answer stands in reports only.
        if miss.is_answered {
            return;
        }
        let nearest = match &miss.nearest {
            Some(nearest) => {
                let differences = match nearest.differences.is_empty() {
                    true if is_turn(&miss.what) => format!("it was played already, and {ANOTHER}"),
                    true => "it was played already".to_owned(),
                    false => listed(&nearest.differences),
                };
                format!(
                    "; most like {} line {}: {differences}",
                    nearest.recording, nearest.line
                )
            }
            None => String::new(),
        };
        self.complain(&format!("{}{nearest}", miss.message()));
    }

    /// Says what the client did, unless it was said too often.
    fn complain(&mut self, what: &str) {
        self.misses += 1;
        if self.misses > REPORTED {
            return;
        }
        output::complain(self.color, what);
        if self.misses == REPORTED {
            output::complain(self.color, "further ones are not told");
        }
    }
}

/// The lines of an input, without their newlines, as they come.
pub(crate) fn lines_of(input: impl Read + Send + 'static) -> Receiver<Vec<u8>> {
    let (sender, lines) = mpsc::sync_channel(QUEUE);
    // The thread is never joined: at the end it may wait for a client that says nothing.
    thread::spawn(move || {
        let mut input = BufReader::with_capacity(64 << 10, input);
        loop {
            let mut line = Vec::new();
            match input.read_until(b'\n', &mut line) {
                Ok(0) | Err(_) => return,
                Ok(_) => {}
            }
            if line.last() == Some(&b'\n') {
                line.pop();
            }
            if sender.send(line).is_err() {
                return;
            }
        }
    });
    lines
}
