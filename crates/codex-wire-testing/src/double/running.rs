//! A double that clients can start, and what they did.

use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use codex_wire_replay::client_log::{Answer, Approved, ClientAction, ClientEvent, Sent};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::error::Error;
use super::place::{BIN, FAULTS, LOG, SCRIPT};
use super::plan::{Plan, Played};
use super::program;

/// The name of the program.
const PROGRAM: &str = if cfg!(windows) { "codex.exe" } else { "codex" };

/// The file without which no process of a double goes on.
const SETTINGS: &str = "codex-replay.toml";

/// How long files may be in use that are to go.
const PATIENCE: Duration = Duration::from_secs(2);

/// How often something is checked again.
const PERIOD: Duration = Duration::from_millis(10);

/// A program named `codex` that does what a test says. It goes when this is dropped.
pub struct Double {
    plan: Plan,
    path: PathBuf,
    /// All that it has.
    place: PathBuf,
}

/// A process that a client started.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Run {
    /// What it spoke: `exec`, `app-server`, or `core`, which is `codex proto`.
    pub protocol: String,
    /// The arguments, without the name of the program.
    pub arguments: Vec<String>,
    /// The working directory.
    pub directory: PathBuf,
    /// The exit status, if it has ended by itself.
    pub status: Option<u8>,
}

impl fmt::Debug for Double {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = f.debug_struct("Double");
        out.field("path", &self.path)
            .field("plan", &self.plan)
            .finish()
    }
}

impl Double {
    pub(super) fn start(plan: Plan) -> Result<Self, Error> {
        let folder = tempfile::Builder::new().prefix("codex-wire-").tempdir();
        let folder = folder.map_err(Error::file(std::env::temp_dir()))?;
        if let Played::Script(script) = &plan.played {
            let path = folder.path().join(SCRIPT);
            fs::write(&path, script.to_string()).map_err(Error::file(&path))?;
        }
        program::install(folder.path(), &plan)?;
        Ok(Double {
            plan,
            path: folder.path().join(BIN).join(PROGRAM),
            place: folder.keep(),
        })
    }

    /// The program, which a client starts instead of Codex.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The folder of the program, which a client may have as the first of its PATH.
    pub fn folder(&self) -> &Path {
        self.path.parent().unwrap_or(&self.path)
    }

    /// All that happened so far, in its order.
    ///
    /// # Errors
    /// If the log cannot be read.
    pub fn events(&self) -> Result<Vec<ClientEvent>, Error> {
        let path = self.place.join(LOG);
        let bytes = written(&path)?;
        let lines = bytes.split_inclusive(|byte| *byte == b'\n');
        // A line that has no end yet is being written.
        let whole = lines.filter(|line| line.ends_with(b"\n"));
        let events = (1..).zip(whole).map(|(line, bytes)| {
            serde_json::from_slice(bytes).map_err(|source| Error::Log {
                path: path.clone(),
                line,
                source,
            })
        });
        events.collect()
    }

    /// The prompts of the client that started turns.
    ///
    /// # Errors
    /// If the log cannot be read.
    pub fn prompts(&self) -> Result<Vec<String>, Error> {
        self.all(|action| match action {
            ClientAction::Prompt(prompt) => Some(prompt.text),
            _ => None,
        })
    }

    /// What the client decided when it was asked.
    ///
    /// # Errors
    /// If the log cannot be read.
    pub fn approvals(&self) -> Result<Vec<Approved>, Error> {
        self.all(|action| match action {
            ClientAction::Approval(approved) => Some(approved),
            _ => None,
        })
    }

    /// What the client answered to questions.
    ///
    /// # Errors
    /// If the log cannot be read.
    pub fn answers(&self) -> Result<Vec<Answer>, Error> {
        self.all(|action| match action {
            ClientAction::Answer(answer) => Some(answer),
            _ => None,
        })
    }

    /// The lines of the client.
    ///
    /// # Errors
    /// If the log cannot be read.
    pub fn sent(&self) -> Result<Vec<Sent>, Error> {
        self.all(|action| match action {
            ClientAction::Sent(sent) => Some(sent),
            _ => None,
        })
    }

    /// What the client did that is not in the script or the recording, in words.
    ///
    /// # Errors
    /// If the log cannot be read.
    pub fn unexpected(&self) -> Result<Vec<String>, Error> {
        self.all(|action| match action {
            ClientAction::Unexpected(unexpected) => Some(unexpected.message),
            _ => None,
        })
    }

    /// The params of the requests with this method, or the submissions of this type to `codex proto`. `T` is their type,
    /// such as `codex_wire::app_server::types::TurnStartParams`, or [`Value`]. A message without an id is not a request:
    /// [`sent`](Self::sent) has notifications.
    ///
    /// # Errors
    /// If the log cannot be read, or one is of another type.
    pub fn requests<T: DeserializeOwned>(&self, method: &str) -> Result<Vec<T>, Error> {
        let messages = self.all(|action| match action {
            ClientAction::Sent(sent) => sent.message,
            _ => None,
        })?;
        let requests = messages
            .into_iter()
            .filter(|message| message.get("id").is_some());
        let params = requests.filter_map(|mut message| {
            let (of_request, of_submission) =
                (message["method"] == method, message["op"]["type"] == method);
            match (of_request, of_submission) {
                (true, _) => Some(message["params"].take()),
                (_, true) => Some(message["op"].take()),
                _ => None,
            }
        });
        let typed = params.map(|params: Value| {
            serde_json::from_value(params).map_err(|source| Error::Params {
                method: method.to_owned(),
                source,
            })
        });
        typed.collect()
    }

    /// The processes that the client started.
    ///
    /// # Errors
    /// If the log cannot be read.
    pub fn runs(&self) -> Result<Vec<Run>, Error> {
        let mut runs: Vec<(u32, Run)> = Vec::new();
        for event in self.events()? {
            match event.action {
                ClientAction::Started(started) => {
                    let run = Run {
                        protocol: started.protocol,
                        arguments: started.arguments,
                        directory: started.directory.into(),
                        status: None,
                    };
                    runs.push((event.pid, run));
                }
                ClientAction::Ended(ended) => {
                    // Numbers of processes come again; the last one with this number has ended.
                    let last = runs.iter_mut().rev().find(|(pid, _)| *pid == event.pid);
                    if let Some((_, run)) = last {
                        run.status = Some(ended.status);
                    }
                }
                _ => {}
            }
        }
        Ok(runs.into_iter().map(|(_, run)| run).collect())
    }

    /// Waits until something has happened, and returns whether it has: the events so far are shown until one is it.
    ///
    /// # Errors
    /// If the log cannot be read.
    pub fn wait_for(
        &self,
        timeout: Duration,
        mut is_it: impl FnMut(&ClientAction) -> bool,
    ) -> Result<bool, Error> {
        let begun = Instant::now();
        loop {
            if self.events()?.iter().any(|event| is_it(&event.action)) {
                return Ok(true);
            }
            if begun.elapsed() >= timeout {
                return Ok(false);
            }
            thread::sleep(PERIOD);
        }
    }

    /// The ids of the faults that were injected so far, such as `fault/turn-fails`.
    ///
    /// # Errors
    /// If the file with them cannot be read.
    pub fn injected(&self) -> Result<Vec<String>, Error> {
        let bytes = written(&self.place.join(FAULTS))?;
        let text = String::from_utf8_lossy(&bytes);
        Ok(text.lines().map(str::to_owned).collect())
    }

    /// Another double that plays the same with these faults instead of its own.
    ///
    /// # Errors
    /// As for the `start` of its builder.
    pub fn with_faults<T: Into<String>>(
        &self,
        ids: impl IntoIterator<Item = T>,
    ) -> Result<Double, Error> {
        let mut plan = self.plan.clone();
        plan.manner.faults = ids.into_iter().map(Into::into).collect();
        Double::start(plan)
    }

    /// Ends it: its folder goes, and each process that runs from it ends within half a second. Dropping it does the
    /// same, and says nothing of errors.
    ///
    /// # Errors
    /// If the folder cannot be removed.
    pub fn end(self) -> Result<(), Error> {
        self.remove()
    }

    fn remove(&self) -> Result<(), Error> {
        // What runs ends without this one. Where a program that runs cannot be removed, that has to come first.
        let _ = fs::remove_file(self.folder().join(SETTINGS));
        let begun = Instant::now();
        loop {
            match fs::remove_dir_all(&self.place) {
                Ok(()) => return Ok(()),
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
                Err(error) if begun.elapsed() >= PATIENCE => {
                    return Err(Error::file(&self.place)(error));
                }
                Err(_) => thread::sleep(PERIOD),
            }
        }
    }

    fn all<T>(&self, of: impl FnMut(ClientAction) -> Option<T>) -> Result<Vec<T>, Error> {
        let actions = self.events()?.into_iter().map(|event| event.action);
        Ok(actions.filter_map(of).collect())
    }
}

/// What a file has that is not there before something is in it.
fn written(path: &Path) -> Result<Vec<u8>, Error> {
    match fs::read(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        read => read.map_err(Error::file(path)),
    }
}

impl Drop for Double {
    fn drop(&mut self) {
        // A test that has passed does not fail because of a file that stays.
        let _ = self.remove();
    }
}
