//! The command line of `codex`, as each release takes it.
//!
//! [`CommandLine::parse`] reads the arguments that a client passes. It accepts what the release accepts,
//! and refuses the rest on standard error with the exit status of the release:
//!
//! ```
//! use codex_wire_replay::arguments::{CommandLine, Invocation};
//!
//! let command_line = CommandLine::of("0.98.0".parse()?);
//! let arguments = ["exec", "--json", "-c", "model=\"x\"", "resume", "--last", "go on"];
//! let Ok(Invocation::Exec(exec)) = command_line.parse(arguments) else { panic!() };
//! assert!(exec.options.has("json"));
//!
//! // 0.98.0 has no `codex exec --strict-config` yet.
//! let refusal = command_line.parse(["exec", "--strict-config", "go on"]).unwrap_err();
//! assert_eq!(refusal.status, 2);
//! assert!(refusal.stderr.starts_with("error: unexpected argument '--strict-config'"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Where this comes from
//!
//! The real binaries were asked, on Linux ([`data`]): `--help` shows most flags, and the rest was found
//! by trying: other names of flags, hidden ones, which may be repeated, and which exclude each other.
//!
//! [`CommandLine::recorded`] is the release that was asked: the one that is played, else the nearest
//! earlier one.
//!
//! # What is different here
//!
//! - Help texts and refusals are not those of the release: a help text lists the flags and commands of the
//!   release without their explanations, and a refusal has the words of today's `clap`. Clients depend on
//!   the exit status, on flags that the help shows, and on the words of `--version` and `login status`,
//!   which are those of the release.
//! - Few values are checked as Codex checks them: those of a fixed list, numbers, `--listen` and
//!   `--profile`. Codex also refuses an address of `--code-mode-host` and JSON of
//!   `--startup-client-info` that it cannot read.
//! - The value of `--model` and of other texts may be any bytes here; Codex wants UTF-8.

mod answers;
#[doc(hidden)]
pub mod data;
mod grammar;
mod invocation;
mod options;
mod values;

use std::ffi::OsString;

use clap::error::ErrorKind;
use codex_wire_base::Release;

use self::data::features;

pub use self::answers::Answer;
pub use self::invocation::{AppServer, Exec, Format, Invocation, Prompt, Run, Session, TypeFiles};
pub use self::options::Options;
pub use self::values::{Listen, ParseValueError};

/// The command line of `codex` in one release.
#[derive(Clone, Debug)]
pub struct CommandLine {
    release: Release,
    recorded: Release,
    command: clap::Command,
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
            release,
            recorded,
            command: grammar::command(recorded, &release.to_string()),
        }
    }

    /// The release whose command line was recorded.
    pub fn recorded(&self) -> Release {
        self.recorded
    }

    /// Reads arguments, without the name of the program.
    ///
    /// # Errors
    /// What is printed if Codex refuses them, with its exit status. A release that needs a terminal for
    /// them refuses them too, as Codex does without one.
    pub fn parse<I>(&self, arguments: I) -> Result<Invocation, Answer>
    where
        I: IntoIterator,
        I::Item: Into<OsString>,
    {
        let arguments = arguments.into_iter().map(Into::into);
        let words = std::iter::once(OsString::from("codex")).chain(arguments);
        match self.command.clone().try_get_matches_from(words) {
            Ok(matches) => invocation::read(&matches),
            Err(error) => {
                let text = error.render().to_string();
                match error.kind() {
                    ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
                        Ok(Invocation::Print(Answer::printed(text)))
                    }
                    _ => {
                        let status = u8::try_from(error.exit_code()).unwrap_or(u8::MAX);
                        Err(Answer::failed(status, text))
                    }
                }
            }
        }
    }

    /// What `codex login status` prints.
    pub fn login_status(&self, is_logged_in: bool) -> Answer {
        answers::login_status(self.recorded, is_logged_in)
    }

    /// What `codex mcp list` prints where no tool server is configured; nothing for releases that were not asked.
    pub fn mcp_list(&self, json: bool) -> Option<Answer> {
        (self.recorded >= Release::new(0, 42, 0)).then(|| answers::mcp_list(json))
    }

    /// What `codex features list` prints where nothing is configured; nothing for releases that were not asked: nearly
    /// each has another list.
    pub fn features_list(&self) -> Option<Answer> {
        let features = features::features(features::FEATURES, self.release);
        let list = features::print(self.release, &features);
        let is_known = self.recorded == self.release && !features.is_empty();
        is_known.then(|| Answer::printed(list))
    }

    /// What `codex exec` prints if its prompt comes from standard input and there is none. `is_dash` is
    /// whether the prompt was `-` or left out.
    pub fn no_prompt(&self, is_dash: bool) -> Answer {
        answers::no_prompt(is_dash)
    }
}
