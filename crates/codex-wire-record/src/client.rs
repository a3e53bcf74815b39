//! A client that exchanges lines of JSON with a process.

use std::fmt;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use codex_wire_base::transcript::Side;
use serde_json::{Value, json};

/// A line that a client and its process exchanged.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LoggedLine {
    /// Who wrote it.
    pub from: Side,
    /// Milliseconds since the process was started.
    pub ms: u64,
    /// The line, without its newline.
    pub line: String,
}

/// A client of a process, which is killed when the client is dropped.
pub struct Client {
    /// The process, if the client has started it.
    child: Option<Child>,
    input: Option<Box<dyn Write + Send>>,
    lines: Receiver<LoggedLine>,
    /// The lines that the process wrote, as far as they were read.
    received: Vec<String>,
    /// These lines and those of the client, in order.
    log: Vec<LoggedLine>,
    began: Instant,
    /// How many lines [`Client::wait`] has seen.
    seen: usize,
    ids: u64,
}

impl Client {
    /// Starts a process. Its standard error is left as the command says.
    ///
    /// # Errors
    /// If it cannot be started.
    pub fn start(command: &mut Command) -> io::Result<Self> {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let input = child.stdin.take().ok_or(io::ErrorKind::BrokenPipe)?;
        let output = child.stdout.take().ok_or(io::ErrorKind::BrokenPipe)?;
        let mut client = Client::of(output, input);
        client.child = Some(child);
        Ok(client)
    }

    /// A client of a process that someone else has started: it reads `output` and writes to `input`.
    pub fn of(output: impl Read + Send + 'static, input: impl Write + Send + 'static) -> Self {
        let (sender, lines) = mpsc::channel();
        let began = Instant::now();
        thread::spawn(move || {
            for line in BufReader::new(output).split(b'\n') {
                let Ok(line) = line else { break };
                let line = String::from_utf8_lossy(&line).into_owned();
                let (from, ms) = (Side::Codex, milliseconds(began));
                if sender.send(LoggedLine { from, ms, line }).is_err() {
                    break;
                }
            }
        });
        Client {
            child: None,
            input: Some(Box::new(input)),
            lines,
            received: Vec::new(),
            log: Vec::new(),
            began,
            seen: 0,
            ids: 0,
        }
    }

    /// Writes a message.
    ///
    /// # Errors
    /// If the process does not read any more.
    pub fn send(&mut self, message: &Value) -> io::Result<()> {
        self.drain();
        let line = message.to_string();
        let Some(input) = &mut self.input else {
            return Err(io::ErrorKind::BrokenPipe.into());
        };
        self.log.push(LoggedLine {
            from: Side::Client,
            ms: milliseconds(self.began),
            line: line.clone(),
        });
        writeln!(input, "{line}")
    }

    /// Writes a request, and waits for its response.
    ///
    /// # Errors
    /// If the process does not read any more, or does not respond in time.
    pub fn request(&mut self, method: &str, params: Value, most: Duration) -> io::Result<Value> {
        self.ids += 1;
        let id = self.ids;
        self.send(&json!({"id": id, "method": method, "params": params}))?;
        self.find(0, most, &|message| {
            message["id"] == id && message.get("method").is_none()
        })
        .map(|(_, message)| message)
    }

    /// Waits for the next message with this method.
    ///
    /// # Errors
    /// If it does not come in time.
    pub fn wait(&mut self, method: &str, most: Duration) -> io::Result<Value> {
        self.wait_for_any(&[method], most)
    }

    /// Waits for the next message with one of these methods.
    ///
    /// # Errors
    /// If none comes in time.
    pub fn wait_for_any(&mut self, methods: &[&str], most: Duration) -> io::Result<Value> {
        let (index, message) = self.find(self.seen, most, &|message| {
            methods.iter().any(|method| message["method"] == *method)
        })?;
        self.seen = index + 1;
        Ok(message)
    }

    /// Waits for the next message, whatever it is.
    ///
    /// # Errors
    /// If none comes in time.
    pub fn next(&mut self, most: Duration) -> io::Result<Value> {
        let (index, message) = self.find(self.seen, most, &|_| true)?;
        self.seen = index + 1;
        Ok(message)
    }

    /// All lines that were received so far.
    pub fn received(&mut self) -> &[String] {
        self.drain();
        &self.received
    }

    /// The lines of both sides so far, in the order in which the client saw them.
    pub fn log(&mut self) -> &[LoggedLine] {
        self.drain();
        &self.log
    }

    /// Closes the input of the process and waits for its exit. Returns its status and all its lines.
    ///
    /// # Errors
    /// If it does not exit in time.
    pub fn finish(mut self, most: Duration) -> io::Result<(ExitStatus, Vec<String>)> {
        let status = self.close(most)?;
        Ok((status, std::mem::take(&mut self.received)))
    }

    /// Like [`Client::finish`], but the client keeps its log.
    ///
    /// # Errors
    /// If the process does not exit in time.
    pub fn close(&mut self, most: Duration) -> io::Result<ExitStatus> {
        self.input = None;
        let until = Instant::now() + most;
        // Its output ends first, unless another process keeps the pipe open.
        loop {
            let left = until.saturating_duration_since(Instant::now());
            match self.lines.recv_timeout(left) {
                Ok(line) => self.keep(line),
                Err(_) => break,
            }
        }
        let Some(child) = &mut self.child else {
            return Ok(ExitStatus::default());
        };
        loop {
            if let Some(status) = child.try_wait()? {
                return Ok(status);
            }
            if Instant::now() > until {
                break;
            }
            thread::sleep(Duration::from_millis(5));
        }
        Err(self.late("its exit"))
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
            while let Some(line) = self.received.get(index) {
                let message: Value = serde_json::from_str(line).unwrap_or_default();
                if wanted(&message) {
                    return Ok((index, message));
                }
                index += 1;
            }
            let left = until.saturating_duration_since(Instant::now());
            match self.lines.recv_timeout(left) {
                Ok(line) => self.keep(line),
                Err(RecvTimeoutError::Timeout) => return Err(self.late("a message")),
                Err(RecvTimeoutError::Disconnected) => {
                    let text = format!("the output ended; {}", self.last());
                    return Err(io::Error::new(io::ErrorKind::UnexpectedEof, text));
                }
            }
        }
    }

    fn drain(&mut self) {
        while let Ok(line) = self.lines.try_recv() {
            self.keep(line);
        }
    }

    fn keep(&mut self, line: LoggedLine) {
        self.received.push(line.line.clone());
        self.log.push(line);
    }

    /// The error of a timeout. It names the last line.
    fn late(&self, what: &str) -> io::Error {
        let text = format!("{what} did not come in time; {}", self.last());
        io::Error::new(io::ErrorKind::TimedOut, text)
    }

    fn last(&self) -> String {
        let last = self.received.last().map_or("nothing", String::as_str);
        let last: String = last.chars().take(400).collect();
        format!("what came last is {last}")
    }
}

fn milliseconds(began: Instant) -> u64 {
    u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX)
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a client that has seen {} lines", self.received.len())
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        if let Some(child) = &mut self.child {
            // It may be gone already.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}
