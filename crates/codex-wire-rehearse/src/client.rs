//! A client that exchanges lines of JSON with a process.

use std::io::{self, BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use codex_wire_base::transcript::Side;
use serde_json::{Value, json};

/// A line that travelled between a client and its process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    /// Who wrote it.
    pub from: Side,
    /// Milliseconds since the process was started.
    pub ms: u64,
    /// The line, without its newline.
    pub line: String,
}

/// A client of a process, which is killed when the client is dropped.
#[derive(Debug)]
pub struct Client {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<Said>,
    /// Everything the process wrote, as far as somebody waited for it.
    heard: Vec<String>,
    /// The same, and what the client wrote.
    log: Vec<Said>,
    began: Instant,
    /// How many of it were looked at by [`Client::wait`].
    seen: usize,
    ids: u64,
}

impl Client {
    /// Starts a process. Its standard error is left as the command says.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn start(command: &mut Command) -> io::Result<Self> {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let input = child.stdin.take();
        let (sender, lines) = mpsc::channel();
        let began = Instant::now();
        if let Some(output) = child.stdout.take() {
            thread::spawn(move || {
                for line in BufReader::new(output).split(b'\n') {
                    let Ok(line) = line else { break };
                    let line = String::from_utf8_lossy(&line).into_owned();
                    let (from, ms) = (Side::Codex, milliseconds(began));
                    if sender.send(Said { from, ms, line }).is_err() {
                        break;
                    }
                }
            });
        }
        Ok(Client {
            child,
            input,
            lines,
            heard: Vec::new(),
            log: Vec::new(),
            began,
            seen: 0,
            ids: 0,
        })
    }

    /// Writes a message.
    ///
    /// # Errors
    /// When the process reads no longer.
    pub fn send(&mut self, message: &Value) -> io::Result<()> {
        self.drain();
        let line = message.to_string();
        let Some(input) = &mut self.input else {
            return Err(io::ErrorKind::BrokenPipe.into());
        };
        self.log.push(Said {
            from: Side::Client,
            ms: milliseconds(self.began),
            line: line.clone(),
        });
        writeln!(input, "{line}")
    }

    /// Writes a request, and waits for its answer.
    ///
    /// # Errors
    /// When the process reads no longer, or does not answer in time.
    pub fn request(&mut self, method: &str, params: Value, most: Duration) -> io::Result<Value> {
        self.ids += 1;
        let id = self.ids;
        self.send(&json!({"id": id, "method": method, "params": params}))?;
        self.find(0, most, &|message| {
            message["id"] == id && message.get("method").is_none()
        })
        .map(|(_, message)| message)
    }

    /// Waits for the next message of that method.
    ///
    /// # Errors
    /// When it does not come in time.
    pub fn wait(&mut self, method: &str, most: Duration) -> io::Result<Value> {
        self.wait_for_any(&[method], most)
    }

    /// Waits for the next message of one of those methods.
    ///
    /// # Errors
    /// When none comes in time.
    pub fn wait_for_any(&mut self, methods: &[&str], most: Duration) -> io::Result<Value> {
        let (index, message) = self.find(self.seen, most, &|message| {
            methods.iter().any(|method| message["method"] == *method)
        })?;
        self.seen = index + 1;
        Ok(message)
    }

    /// The lines heard so far, those nobody waited for included.
    pub fn heard(&mut self) -> &[String] {
        self.drain();
        &self.heard
    }

    /// What both sides wrote so far, in the order in which the client saw it.
    pub fn log(&mut self) -> &[Said] {
        self.drain();
        &self.log
    }

    /// The process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Says nothing more, and waits for the process to exit. Returns how, and all it wrote.
    ///
    /// # Errors
    /// When it does not exit in time.
    pub fn finish(mut self, most: Duration) -> io::Result<(ExitStatus, Vec<String>)> {
        let status = self.close(most)?;
        Ok((status, std::mem::take(&mut self.heard)))
    }

    /// As [`Client::finish`], and the client goes on to know what was said.
    ///
    /// # Errors
    /// When the process does not exit in time.
    pub fn close(&mut self, most: Duration) -> io::Result<ExitStatus> {
        self.input = None;
        let until = Instant::now() + most;
        // The end of its output comes first, unless it leaves somebody behind.
        loop {
            let left = until.saturating_duration_since(Instant::now());
            match self.lines.recv_timeout(left) {
                Ok(said) => self.keep(said),
                Err(_) => break,
            }
        }
        loop {
            if let Some(status) = self.child.try_wait()? {
                return Ok(status);
            }
            if Instant::now() > until {
                return Err(self.late("its exit"));
            }
            thread::sleep(Duration::from_millis(5));
        }
    }

    fn find(
        &mut self,
        from: usize,
        most: Duration,
        wanted: &dyn Fn(&Value) -> bool,
    ) -> io::Result<(usize, Value)> {
        let until = Instant::now() + most;
        let mut index = from;
        loop {
            while let Some(line) = self.heard.get(index) {
                let message: Value = serde_json::from_str(line).unwrap_or_default();
                if wanted(&message) {
                    return Ok((index, message));
                }
                index += 1;
            }
            let left = until.saturating_duration_since(Instant::now());
            match self.lines.recv_timeout(left) {
                Ok(said) => self.keep(said),
                Err(_) => return Err(self.late("a message")),
            }
        }
    }

    fn drain(&mut self) {
        while let Ok(said) = self.lines.try_recv() {
            self.keep(said);
        }
    }

    fn keep(&mut self, said: Said) {
        self.heard.push(said.line.clone());
        self.log.push(said);
    }

    /// Something did not come: says what came last.
    fn late(&self, what: &str) -> io::Error {
        let last = self.heard.last().map_or("nothing", String::as_str);
        let last: String = last.chars().take(400).collect();
        let text = format!("{what} did not come in time; what came last is {last}");
        io::Error::new(io::ErrorKind::TimedOut, text)
    }
}

fn milliseconds(began: Instant) -> u64 {
    u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX)
}

impl Drop for Client {
    fn drop(&mut self) {
        // It may be gone already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
