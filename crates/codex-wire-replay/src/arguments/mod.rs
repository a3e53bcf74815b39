//! The command line of `codex`, as each release takes it.
//!
//! [`CommandLine::parse`] reads the arguments that a client passes. It accepts what the release accepts,
//! and refuses the rest with the text and the exit status of the release:
//!
//! ```
//! use codex_wire_replay::arguments::{CommandLine, Invocation};
//!
//! let command_line = CommandLine::of("0.98.0".parse()?);
//! let arguments = ["exec", "--json", "-c", "model=\"x\"", "resume", "--last", "go on"];
//! let Ok(Invocation::Exec(exec)) = command_line.parse(arguments) else { panic!() };
//! assert!(exec.options.has("json"));
//!
//! let refusal = command_line.parse(["exec", "--jsn"]).unwrap_err();
//! assert_eq!(refusal.status, 2);
//! assert!(refusal.stderr.contains("tip: a similar argument exists: '--json'"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Where this comes from
//!
//! The real binaries were asked, on Linux ([`data`]). Options are read from the text that `--help`
//! prints ([`help`]). What the help does not say was found by trying: other names of options, hidden
//! options, which options may be repeated, and which exclude each other. Codex reads its arguments with
//! clap, and so does this module: the words of a refusal are those of clap.
//!
//! [`CommandLine::recorded`] is the release that was asked: the one that is played, else the nearest
//! earlier one.
//!
//! # What is different here
//!
//! - The texts are those of Linux. On macOS and Windows the help of some commands differs.
//! - Few values are checked as Codex checks them: those of a fixed list, numbers, `--listen` and
//!   `--profile`. Codex also refuses an address of `--code-mode-host` and JSON of
//!   `--startup-client-info` that it cannot read.
//! - The value of `--model` and of other texts may be any bytes here; Codex wants UTF-8.

mod answers;
mod grammar;
mod invocation;
mod options;
mod values;

#[doc(hidden)]
pub mod data;
#[doc(hidden)]
pub mod help;

use std::ffi::OsString;

use clap::error::ErrorKind;
use codex_wire_base::Release;

pub use self::answers::Answer;
pub use self::invocation::{AppServer, Exec, Format, Invocation, Prompt, Run, Session};
pub use self::options::Options;
pub use self::values::Listen;

/// The command line of `codex` in one release.
#[derive(Clone, Debug)]
pub struct CommandLine {
    recorded: Release,
    version: String,
    command: clap::Command,
    answers: answers::Answers,
}

impl CommandLine {
    /// The command line of a release, or of the nearest earlier one that was recorded. For a release
    /// before the first recorded one, it is that of the first.
    pub fn of(release: Release) -> Self {
        let mut recorded = None;
        for candidate in data::releases() {
            if candidate <= release || recorded.is_none() {
                recorded = Some(candidate);
            }
        }
        let recorded = recorded.unwrap_or(release);
        CommandLine {
            recorded,
            version: release.to_string(),
            command: grammar::command(recorded),
            answers: answers::Answers::of(recorded),
        }
    }

    /// Lets `--version` say this instead of the number of the release: the version of a fork.
    pub fn with_version(mut self, version: impl Into<String>) -> Self {
        self.version = version.into();
        self
    }

    /// The release whose command line was recorded.
    pub fn recorded(&self) -> Release {
        self.recorded
    }

    /// Reads arguments, without the name of the program.
    ///
    /// # Errors
    /// What Codex prints if it refuses them, with its exit status. A release that needs a terminal for
    /// them refuses them too, as Codex does without one.
    pub fn parse<I>(&self, arguments: I) -> Result<Invocation, Answer>
    where
        I: IntoIterator,
        I::Item: Into<OsString>,
    {
        let arguments = arguments.into_iter().map(Into::into);
        let words = std::iter::once(OsString::from("codex")).chain(arguments);
        match self.command.clone().try_get_matches_from(words) {
            Ok(matches) => invocation::read(&matches, &self.answers),
            Err(error) => {
                let text = error.render().to_string();
                match error.kind() {
                    ErrorKind::DisplayHelp => {
                        Ok(Invocation::Help(grammar::help(self.recorded, &text)))
                    }
                    ErrorKind::DisplayVersion => Ok(Invocation::Version(
                        self.answers.version(&text, &self.version),
                    )),
                    _ => Err(Answer {
                        status: u8::try_from(error.exit_code()).unwrap_or(u8::MAX),
                        stdout: String::new(),
                        stderr: text,
                    }),
                }
            }
        }
    }

    /// What `codex login status` prints.
    pub fn login_status(&self, is_logged_in: bool) -> Answer {
        self.answers.login_status(is_logged_in)
    }

    /// What `codex exec` prints if its prompt comes from standard input and there is none. `is_dash` is
    /// whether the prompt was `-` or left out.
    pub fn no_prompt(&self, is_dash: bool) -> Answer {
        self.answers.no_prompt(is_dash)
    }
}
