//! Plays a conversation on standard input and output.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::io::{self, BufRead, BufReader, Read};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use codex_wire_base::Protocol;
use codex_wire_check::Writer;
use codex_wire_replay::{Conversation, Emission, Reaction, unread};

use crate::notice::{Notice, Notices};
use crate::stand_in::speed::Speed;
use crate::stand_in::termination::Termination;
use crate::stand_in::watch::Observer;
use crate::stand_in::writer::LineWriter;

/// The exit status after a miss that ends the session.
const MISSED: u8 = 1;

/// How many lines of the client may wait.
const QUEUE: usize = 64;

/// How many lines of a long reaction wait at least, as long as there are more.
const FEW: usize = 64;

/// How often a session looks for the signal that ends it.
const PERIOD: Duration = Duration::from_millis(20);

/// How many misses are told on standard error.
const REPORTED: u64 = 100;

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
    observer: Observer,
    notices: Notices,
    writer: LineWriter,
    /// Lines that are not due yet, by when they are and by their number.
    waiting: BinaryHeap<Reverse<(Instant, u64, String)>>,
    /// When the last line of each queue is due.
    queues: HashMap<usize, Instant>,
    number: u64,
    /// How many lines the client has written.
    heard: u64,
    complaints: u64,
    termination: Termination,
}

impl Session {
    pub(crate) fn new(
        player: Box<dyn Conversation>,
        speed: Speed,
        observer: Observer,
        notices: Notices,
        writer: LineWriter,
    ) -> Self {
        Session {
            player,
            speed,
            observer,
            notices,
            writer,
            waiting: BinaryHeap::new(),
            queues: HashMap::new(),
            number: 0,
            heard: 0,
            complaints: 0,
            termination: Termination::default(),
        }
    }

    /// The same, where the signal that ends the process is waited for.
    pub(crate) fn terminated_by(mut self, termination: Termination) -> Self {
        self.writer = self.writer.terminated_by(&termination);
        self.termination = termination;
        self
    }

    /// Plays.
    pub(crate) fn run(mut self, lines: &Receiver<Vec<u8>>) -> io::Result<End> {
        self.writer.begin()?;
        let first = self.player.start();
        self.queue(first);
        loop {
            if let Some(status) = self.write_due()? {
                return Ok(End::Codex(status));
            }
            if self.termination.came() {
                return Ok(End::Codex(0));
            }
            let waiting = self.waiting.peek().map(|Reverse((due, _, _))| *due);
            let look = self.termination.is_expected();
            let look = look.then(|| Instant::now() + PERIOD);
            let waiting = waiting.into_iter().chain(self.writer.due());
            let line = match waiting.chain(look).min() {
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
            self.observer.line(Writer::Client, &line);
            // Codex exits at the first byte that is not UTF-8.
            let Ok(line) = String::from_utf8(line) else {
                self.notices.tell(&Notice::NotUtf8 { line: self.heard });
                break;
            };
            self.writer.heard(&line);
            let reaction = self.player.line(&line);
            // Only what has no consequences can be a line that Codex does not read.
            if reaction == Reaction::default()
                && let Some(reason) = unread(self.player.protocol(), &line)
            {
                self.complain(&Notice::NotRead {
                    line: self.heard,
                    reason,
                });
            }
            self.queue(reaction.emissions);
            if let Some(remark) = &reaction.remark {
                self.observer.remark(remark);
            }
            if let Some(miss) = reaction.miss {
                self.observer.miss(&miss);
                // What has a right answer stands in reports only.
                if !miss.is_answered {
                    self.complain(&Notice::Missed(Box::new(miss)));
                }
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
        self.writer.finish()?;
        Ok(End::Client)
    }

    fn queue(&mut self, emissions: Vec<Emission>) {
        self.writer.write_log();
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

    /// Takes more of a long reaction when only little of it waits.
    fn fill(&mut self) {
        while self.waiting.len() < FEW {
            let more = self.player.more();
            if more.is_empty() {
                return;
            }
            self.queue(more);
        }
    }

    /// Writes what is due by now. Returns the exit status if a fault ends the process.
    fn write_due(&mut self) -> io::Result<Option<u8>> {
        let mut now = Instant::now();
        loop {
            self.fill();
            let Some(Reverse((due, _, _))) = self.waiting.peek() else {
                break;
            };
            if *due > now {
                // What has come meanwhile is due, too, if there is no time before it.
                now = Instant::now();
                if *due > now {
                    break;
                }
            }
            if let Some(Reverse((_, _, line))) = self.waiting.pop() {
                let status = self.writer.line(line)?;
                if status.is_some() {
                    return Ok(status);
                }
            }
        }
        self.writer.write_due()?;
        self.writer.flush()?;
        Ok(None)
    }

    /// Says what the client did, unless it was said too often.
    fn complain(&mut self, notice: &Notice) {
        self.complaints += 1;
        if self.complaints <= REPORTED {
            self.notices.tell(notice);
        }
        if self.complaints == REPORTED {
            self.notices.tell(&Notice::NoMore);
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
