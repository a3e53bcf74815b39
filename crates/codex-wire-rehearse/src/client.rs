//! A client that talks to a process in lines of JSON.

use std::io::{self, BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// A client of a process, which is killed when the client is dropped.
#[derive(Debug)]
pub struct Client {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    /// Everything the process wrote, as far as somebody waited for it.
    heard: Vec<String>,
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
        if let Some(output) = child.stdout.take() {
            thread::spawn(move || {
                for line in BufReader::new(output).split(b'\n') {
                    let Ok(line) = line else { break };
                    let line = String::from_utf8_lossy(&line).into_owned();
                    if sender.send(line).is_err() {
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
            seen: 0,
            ids: 0,
        })
    }

    /// Writes a message.
    ///
    /// # Errors
    /// When the process reads no longer.
    pub fn send(&mut self, message: &Value) -> io::Result<()> {
        match &mut self.input {
            Some(input) => writeln!(input, "{message}"),
            None => Err(io::ErrorKind::BrokenPipe.into()),
        }
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
        let (index, message) =
            self.find(self.seen, most, &|message| message["method"] == method)?;
        self.seen = index + 1;
        Ok(message)
    }

    /// The lines heard so far, those nobody waited for included.
    pub fn heard(&mut self) -> &[String] {
        self.heard.extend(self.lines.try_iter());
        &self.heard
    }

    /// Says nothing more, and waits for the process to exit. Returns how, and all it wrote.
    ///
    /// # Errors
    /// When it does not exit in time.
    pub fn finish(mut self, most: Duration) -> io::Result<(ExitStatus, Vec<String>)> {
        self.input = None;
        let until = Instant::now() + most;
        // The end of its output comes first, unless it leaves somebody behind.
        loop {
            let left = until.saturating_duration_since(Instant::now());
            match self.lines.recv_timeout(left) {
                Ok(line) => self.heard.push(line),
                Err(_) => break,
            }
        }
        loop {
            if let Some(status) = self.child.try_wait()? {
                return Ok((status, std::mem::take(&mut self.heard)));
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
                Ok(line) => self.heard.push(line),
                Err(_) => return Err(self.late("a message")),
            }
        }
    }

    /// Something did not come: says what came last.
    fn late(&self, what: &str) -> io::Error {
        let last = self.heard.last().map_or("nothing", String::as_str);
        let last: String = last.chars().take(400).collect();
        let text = format!("{what} did not come in time; what came last is {last}");
        io::Error::new(io::ErrorKind::TimedOut, text)
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // It may be gone already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
