//! Reads `hooks.json`, or the hooks in `config.toml`, as a release of Codex does: which handlers it runs, and what
//! it refuses or ignores.

mod handler;
mod matcher;
mod members;
mod problem;

use codex_wire_base::{MessageSet, Release};
use codex_wire_schema::{annotated, tags};
use serde_json::value::RawValue;

pub use self::handler::HookHandler;
use self::handler::Place;
use self::matcher::Matcher;
use self::members::{elements, members};
pub use self::problem::HookProblem;
use self::problem::Refused;
use crate::severity::Severity;
use crate::similar::similar;

/// The first release whose `hooks.json` has no other members than it knows.
const STRICT: Release = Release::new(0, 140, 0);

/// The first release that takes a description of the whole file.
const DESCRIPTION: Release = Release::new(0, 143, 0);

/// The first release that reads hooks in `config.toml`.
const IN_CONFIG: Release = Release::new(0, 124, 0);

/// Where hooks are configured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum HooksSource {
    /// The file `hooks.json`.
    File,
    /// The table `hooks` of `config.toml`, as JSON.
    Config,
}

/// Hooks as a release reads them.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ConfiguredHooks {
    /// The handlers that the release runs, in the order of the file.
    pub handlers: Vec<HookHandler>,
    /// What the release refuses or ignores.
    pub problems: Vec<HookProblem>,
}

impl ConfiguredHooks {
    /// Reads hooks as a release does. Whatever is wrong is a problem.
    pub fn read(text: &str, source: HooksSource, release: Release) -> Self {
        let mut file = ConfiguredHooks::default();
        let read = match source {
            HooksSource::Config if release < IN_CONFIG => Err(Refused::new(
                "",
                format!("hooks in `config.toml` are read from {IN_CONFIG} on"),
            )),
            HooksSource::Config => file.config(text, release),
            HooksSource::File => file.document(text, release),
        };
        if let Err(Refused { pointer, message }) = read {
            // One error, and Codex runs nothing of the file.
            file.handlers.clear();
            let message = format!("{message}; Codex runs no hook of this file");
            file.problem(Severity::Error, &pointer, message);
        }
        file
    }

    fn problem(&mut self, severity: Severity, pointer: &str, message: impl Into<String>) {
        self.problems.push(HookProblem {
            severity,
            pointer: pointer.to_owned(),
            message: message.into(),
        });
    }

    /// The table `hooks` of `config.toml`, which also has what Codex keeps about hooks.
    fn config(&mut self, text: &str, release: Release) -> Result<(), Refused> {
        let hooks = raw(text)?;
        self.events(hooks, "", release)
    }

    /// The file `hooks.json`.
    fn document(&mut self, text: &str, release: Release) -> Result<(), Refused> {
        let mut hooks = None;
        for (name, value) in members(raw(text)?, "", &["hooks", "description"])? {
            match name.as_str() {
                "hooks" => hooks = Some(value),
                "description" if release >= DESCRIPTION => {}
                _ => self.unknown_member(&name, release)?,
            }
        }
        match hooks {
            Some(hooks) => self.events(hooks, "/hooks", release),
            None => {
                let message = "there are no `hooks`, so that Codex runs none";
                self.problem(Severity::Warning, "", message);
                Ok(())
            }
        }
    }

    /// A member beside `hooks`.
    fn unknown_member(&mut self, name: &str, release: Release) -> Result<(), Refused> {
        let pointer = members::pointer("", name);
        let is_event = tags(MessageSet::HooksInput).contains(&name);
        let hint = match is_event {
            true => ": events stand within `hooks`",
            false => "",
        };
        let message = format!("`{}` is not known here{hint}", members::shown(name));
        if release >= STRICT {
            return Err(Refused::new(pointer, message));
        }
        let severity = match is_event {
            true => Severity::Error,
            false => Severity::Warning,
        };
        let message = format!("{message}; Codex ignores it, and from {STRICT} on refuses the file");
        self.problem(severity, &pointer, message);
        Ok(())
    }

    /// Events with their groups.
    fn events(&mut self, hooks: &RawValue, base: &str, release: Release) -> Result<(), Refused> {
        let known = events(release);
        for (event, groups) in members(hooks, base, &known)? {
            let pointer = members::pointer(base, &event);
            if known.contains(&event.as_str()) {
                for (index, group) in elements(groups, &pointer)?.into_iter().enumerate() {
                    self.group(&event, group, &format!("{pointer}/{index}"), release)?;
                }
            } else if !(base.is_empty() && event == "state") {
                self.unknown_event(&event, &pointer, &known);
            }
        }
        Ok(())
    }

    /// An event that the release does not have: its hooks never run, and Codex says nothing.
    fn unknown_event(&mut self, event: &str, pointer: &str, known: &[&str]) {
        let shown = members::shown(event);
        let since = annotated(MessageSet::HooksInput).root().tagged();
        let since = since.and_then(|union| union.variant(event)?.availability.range.since);
        let why = match (since, similar(event, known.iter().copied())) {
            (Some(since), _) => format!(", which {since} brings"),
            (None, Some(meant)) => format!(" (did you mean `{meant}`?)"),
            (None, None) => String::new(),
        };
        let message = format!(
            "the release has no event `{shown}`{why}; Codex ignores its hooks without a word"
        );
        self.problem(Severity::Error, pointer, message);
    }

    /// A matcher with its handlers.
    fn group(
        &mut self,
        event: &str,
        group: &RawValue,
        pointer: &str,
        release: Release,
    ) -> Result<(), Refused> {
        let (mut matcher, mut handlers) = (None, Vec::new());
        for (name, value) in members(group, pointer, &["matcher", "hooks"])? {
            let at = members::pointer(pointer, &name);
            match name.as_str() {
                "matcher" => matcher = members::optional_text(value, &at)?,
                "hooks" => handlers = elements(value, &at)?,
                _ => {
                    let shown = members::shown(&name);
                    let message = format!("Codex ignores `{shown}`, which no release knows here");
                    self.problem(Severity::Warning, &at, message);
                }
            }
        }
        let matcher = match Matcher::new(event, matcher.as_deref()) {
            Ok(matcher) => Some(matcher),
            Err(why) => {
                let message = format!(
                    "the matcher is not a regular expression ({why}); Codex skips its hooks"
                );
                self.problem(Severity::Error, &format!("{pointer}/matcher"), message);
                None
            }
        };
        for (index, handler) in handlers.into_iter().enumerate() {
            let place = Place {
                event,
                pointer: format!("{pointer}/hooks/{index}"),
                release,
            };
            let read = handler::read(handler, &place, matcher.as_ref())?;
            self.problems.extend(read.problems);
            self.handlers.extend(read.handler);
        }
        Ok(())
    }
}

/// The events of a release.
fn events(release: Release) -> Vec<&'static str> {
    let union = annotated(MessageSet::HooksInput).root().tagged();
    let variants = union.into_iter().flat_map(|union| &union.variants);
    let own = variants.filter(|variant| variant.availability.contains(release));
    own.map(|variant| &*variant.tag).collect()
}

/// A text as JSON.
fn raw(text: &str) -> Result<&RawValue, Refused> {
    serde_json::from_str(text).map_err(|error| Refused::new("", format!("it is not JSON: {error}")))
}
