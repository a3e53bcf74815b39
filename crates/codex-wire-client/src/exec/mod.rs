//! Runs `codex exec --json` and gives its events, from 0.44.0 on.
//!
//! ```no_run
//! use codex_wire_client::exec::Exec;
//!
//! let mut run = Exec::new("codex").run("Which files are here?")?;
//! for event in &mut run {
//!     if let Some(item) = event?.item() {
//!         println!("{}", item.details.tag());
//!     }
//! }
//! let completed = run.finish()?;
//! println!("{}", completed.message.unwrap_or_default());
//! // The next turn of the same thread.
//! let thread = completed.thread_id.unwrap_or_default();
//! Exec::new("codex").resume(thread).run("And now?")?.finish()?;
//! # Ok::<(), codex_wire_client::Error>(())
//! ```
//!
//! With the feature `tokio`, `run_async` is the same for a task; its run is a stream. An [`EventReader`] reads the bytes of whoever runs Codex
//! otherwise.
//!
//! The exit status alone does not say whether a run succeeded: up to 0.116.0, an interrupted one exits with 0. So a run is a
//! success only if `turn.completed` came.

mod progress;
mod schema;

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::Command;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

use codex_wire::exec::Event;
use serde_json::Value;

use crate::error::Error;
use crate::transport::{FromCodex, Transport};

pub use self::progress::{Completed, EventReader};
pub(crate) use self::progress::{LIMIT, Progress};
pub(crate) use self::schema::SchemaFile;

/// A run of `codex exec --json` that is to be started.
#[derive(Debug)]
#[must_use = "it does nothing until it is run"]
pub struct Exec {
    command: Command,
    options: Vec<OsString>,
    resume: Option<String>,
    schema: Option<Value>,
    pub(crate) silence: Option<Duration>,
}

impl Exec {
    /// With this program.
    pub fn new(program: impl AsRef<OsStr>) -> Self {
        Self::with(Command::new(program))
    }

    /// With this command, which has an environment and a working directory of its own. Arguments follow those that it
    /// has.
    pub fn with(command: Command) -> Self {
        Exec {
            command,
            options: Vec::new(),
            resume: None,
            schema: None,
            silence: None,
        }
    }

    /// The same as a further turn of a thread, by its id.
    pub fn resume(mut self, thread_id: impl Into<String>) -> Self {
        self.resume = Some(thread_id.into());
        self
    }

    /// The same with a JSON Schema that the last message has to fit, as a file.
    pub fn output_schema(self, path: impl AsRef<Path>) -> Self {
        self.option("--output-schema").option(path.as_ref())
    }

    /// The same with a JSON Schema as a value. It is in a temporary file while the run lasts.
    pub fn output_schema_value(mut self, schema: impl Into<Value>) -> Self {
        self.schema = Some(schema.into());
        self
    }

    /// The same with a further argument of `codex exec`, such as `--skip-git-repo-check`.
    pub fn option(mut self, argument: impl AsRef<OsStr>) -> Self {
        self.options.push(argument.as_ref().to_owned());
        self
    }

    /// The same for runs that say something at least this often. Without it, a run is waited for as long as it takes: a
    /// command that prints nothing can run for hours.
    pub fn silence(mut self, silence: impl Into<Option<Duration>>) -> Self {
        self.silence = silence.into();
        self
    }

    /// Starts it. Codex reads the prompt from its standard input.
    ///
    /// # Errors
    /// If the program cannot be started, or a schema cannot be written to a file.
    pub fn run(self, prompt: impl Into<String>) -> Result<Run, Error> {
        let silence = self.silence;
        let (command, schema) = self.command()?;
        // The prompt is what the program wrote, without a line feed of ours.
        let (mut transport, lines) = Transport::spawn(command, LIMIT, "")?;
        transport.send(prompt.into());
        transport.close();
        Ok(Run {
            lines,
            transport,
            silence,
            progress: Progress::default(),
            state: State::Runs,
            _schema: schema,
        })
    }

    /// What is started, except for the prompt, and a file that it reads.
    pub(crate) fn command(mut self) -> Result<(Command, Option<SchemaFile>), Error> {
        self.command.args(["exec", "--json"]).args(self.options);
        let schema = self.schema.as_ref().map(SchemaFile::new).transpose()?;
        if let Some(schema) = &schema {
            self.command.arg("--output-schema").arg(schema.path());
        }
        if let Some(thread) = self.resume {
            self.command.args(["resume", &thread]);
        }
        Ok((self.command, schema))
    }
}

/// A run. Iterating over it gives its events; one that does not succeed gives an error as the last one.
///
/// If it is dropped, Codex ends: its output is closed, and after two seconds it is killed. Dropping waits for that.
#[derive(Debug)]
pub struct Run {
    // Dropped first: then the thread that reads finds nobody there, and Codex ends.
    lines: Receiver<FromCodex>,
    transport: Transport,
    silence: Option<Duration>,
    progress: Progress,
    state: State,
    /// Dropped last: then Codex is gone.
    _schema: Option<SchemaFile>,
}

#[derive(Debug)]
enum State {
    Runs,
    /// Nothing comes any more, and the run succeeded.
    Over,
    /// Nothing comes any more, and the error was returned.
    Broken,
}

impl Run {
    /// The next event; nothing once the run has succeeded.
    ///
    /// # Errors
    /// [`Error::Line`] for a line that cannot be read, and [`Error::Timeout`] if the run is [silent](Exec::silence), after
    /// which it goes on; [`Error::TurnFailed`]; [`Error::Ended`] if Codex ended without `turn.completed`, or if its exit status says that it did not succeed.
    pub fn next_event(&mut self) -> Result<Option<Event>, Error> {
        if matches!(self.state, State::Over) {
            return Ok(None);
        }
        match self.received()? {
            FromCodex::Line(line) => Ok(Some(self.progress.event(&line)?)),
            FromCodex::End => self.end().map(|()| None),
            FromCodex::Unreadable(source) => {
                self.state = State::Broken;
                Err(Error::Read {
                    source,
                    stderr: self.transport.stderr(),
                })
            }
            FromCodex::Unwritable(source) => {
                self.state = State::Broken;
                Err(Error::Write {
                    source,
                    stderr: self.transport.stderr(),
                })
            }
        }
    }

    /// What comes next from Codex.
    fn received(&self) -> Result<FromCodex, Error> {
        let Some(after) = self.silence else {
            return Ok(self.lines.recv().unwrap_or(FromCodex::End));
        };
        match self.lines.recv_timeout(after) {
            Ok(received) => Ok(received),
            Err(RecvTimeoutError::Disconnected) => Ok(FromCodex::End),
            Err(RecvTimeoutError::Timeout) => Err(Error::Timeout {
                awaited: "the next event of the run".to_owned(),
                after,
            }),
        }
    }

    /// What the end of the output means.
    fn end(&mut self) -> Result<(), Error> {
        let status = self.transport.status();
        self.state = State::Broken;
        self.progress.end(status, self.transport.stderr())?;
        self.state = State::Over;
        Ok(())
    }

    /// Reads the run to its end.
    ///
    /// # Errors
    /// As [`next_event`](Self::next_event).
    pub fn finish(mut self) -> Result<Completed, Error> {
        while self.next_event()?.is_some() {}
        Ok(self.progress.completed())
    }
}

impl Iterator for Run {
    type Item = Result<Event, Error>;

    /// The next event. After an error that ends the run there is nothing.
    fn next(&mut self) -> Option<Self::Item> {
        if matches!(self.state, State::Broken) {
            return None;
        }
        self.next_event().transpose()
    }
}
