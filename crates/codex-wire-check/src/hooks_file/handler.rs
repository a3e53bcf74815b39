//! Reads a handler: what an event runs.

use std::time::Duration;

use codex_wire_base::Release;
use serde_json::value::RawValue;
use serde_json::{Value, from_str};

use super::matcher::Matcher;
use super::members::{self, members, optional_text};
use super::problem::{HookProblem, Refused};
use crate::severity::Severity;

/// The first release that runs hooks beside the turn, and knows those that call a tool of a server.
const ASYNC: Release = Release::new(0, 148, 0);

/// How long a hook may take if its handler does not say.
const TIMEOUT: Duration = Duration::from_secs(600);

/// How long a hook may take that runs when somebody waits for the end, and how long if that is not said.
const AT_THE_END: (Duration, Duration) = (Duration::from_secs(3), Duration::from_secs(1));

/// The members that Codex knows of a command.
const KNOWN: [&str; 6] = [
    "type",
    "command",
    "timeout",
    "statusMessage",
    "async",
    "commandWindows",
];

/// A command that a release of Codex runs for an event.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct HookHandler {
    /// The event.
    pub event: String,
    /// Where it stands in the file, as a JSON pointer.
    pub pointer: String,
    /// The command, for a shell.
    pub command: String,
    /// How long it may take. Then Codex ends it, and goes on as without it.
    pub timeout: Duration,
    /// Whether Codex goes on at once, so that it can hold nothing up.
    pub is_async: bool,
    matcher: Matcher,
}

impl HookHandler {
    /// A command for an event that no file configures. It runs for every input of the event.
    pub fn new(event: &str, command: &str) -> Self {
        HookHandler {
            event: event.to_owned(),
            pointer: String::new(),
            command: command.to_owned(),
            timeout: allowed(event, None).0,
            is_async: false,
            matcher: Matcher::All,
        }
    }

    /// Whether Codex runs it for an input of its event.
    pub fn selects(&self, input: &Value) -> bool {
        self.matcher.selects(&self.event, input)
    }
}

/// Where a handler stands.
pub(super) struct Place<'a> {
    pub(super) event: &'a str,
    pub(super) pointer: String,
    pub(super) release: Release,
}

/// A handler that was read.
#[derive(Default)]
pub(super) struct Read {
    /// What Codex runs, if it runs it.
    pub(super) handler: Option<HookHandler>,
    pub(super) problems: Vec<HookProblem>,
}

impl Read {
    fn problem(&mut self, severity: Severity, pointer: &str, message: impl Into<String>) {
        self.problems.push(HookProblem {
            severity,
            pointer: pointer.to_owned(),
            message: message.into(),
        });
    }
}

/// Reads a handler. Without a matcher its group is skipped, which has been said.
pub(super) fn read(
    handler: &RawValue,
    place: &Place<'_>,
    matcher: Option<&Matcher>,
) -> Result<Read, Refused> {
    let mut out = Read::default();
    let pointer = place.pointer.as_str();
    let found = members(handler, pointer, &KNOWN)?;
    let get = |name: &str| {
        found
            .iter()
            .find(|(own, _)| own == name)
            .map(|(_, value)| *value)
    };
    let at = |name: &str| members::pointer(pointer, name);
    let kind = match get("type") {
        Some(kind) => optional_text(kind, &at("type"))?,
        None => None,
    };
    match kind.as_deref() {
        Some("command") => {}
        Some(kind @ ("prompt" | "agent")) => {
            let message = format!("Codex skips handlers of the type `{kind}`");
            out.problem(Severity::Error, &at("type"), message);
            return Ok(out);
        }
        Some("mcp_tool") if place.release >= ASYNC => {
            if get("server").is_none() {
                return Err(Refused::new(pointer, "the handler lacks `server`"));
            }
            let message = "handlers of the type `mcp_tool` are not tried here";
            out.problem(Severity::Warning, &at("type"), message);
            return Ok(out);
        }
        Some(other) => {
            let message = format!("no handler is of the type `{}`", members::shown(other));
            return Err(Refused::new(at("type"), message));
        }
        None => return Err(Refused::new(pointer, "the handler lacks `type`")),
    }
    let Some(command) = get("command") else {
        return Err(Refused::new(pointer, "the handler lacks `command`"));
    };
    let Some(command) = optional_text(command, &at("command"))? else {
        return Err(Refused::new(at("command"), "it is not a string"));
    };
    let timeout = match get("timeout") {
        Some(value) => seconds(value, &at("timeout"))?,
        None => None,
    };
    let is_async = match get("async") {
        Some(value) => from_str::<bool>(value.get())
            .map_err(|_| Refused::new(at("async"), "it is not a boolean"))?,
        None => false,
    };
    for name in ["statusMessage", "commandWindows"] {
        if let Some(value) = get(name) {
            optional_text(value, &at(name))?;
        }
    }
    for (name, _) in &found {
        if !KNOWN.contains(&name.as_str()) {
            out.problem(Severity::Warning, &at(name), ignored(name));
        }
    }
    if command.trim().is_empty() {
        out.problem(
            Severity::Error,
            &at("command"),
            "Codex skips a handler without a command",
        );
        return Ok(out);
    }
    if is_async && place.release < ASYNC {
        let message = format!("Codex skips handlers that are `async` before {ASYNC}");
        out.problem(Severity::Error, &at("async"), message);
        return Ok(out);
    }
    let (allowed, is_less) = allowed(place.event, timeout);
    if is_less {
        let event = place.event;
        let message = format!("a hook of `{event}` gets {} s at most", allowed.as_secs());
        out.problem(Severity::Warning, &at("timeout"), message);
    }
    out.handler = matcher.map(|matcher| HookHandler {
        event: place.event.to_owned(),
        pointer: pointer.to_owned(),
        command,
        timeout: allowed,
        is_async,
        matcher: matcher.clone(),
    });
    Ok(out)
}

/// How long a hook may take, and whether that is less than its handler says.
fn allowed(event: &str, stated: Option<u64>) -> (Duration, bool) {
    // Codex makes a second of none at all.
    let stated = stated.map(|seconds| Duration::from_secs(seconds.max(1)));
    if !matches!(event, "SessionEnd" | "Interrupt") {
        return (stated.unwrap_or(TIMEOUT), false);
    }
    let (most, usual) = AT_THE_END;
    let wanted = stated.unwrap_or(usual);
    (wanted.min(most), wanted > most)
}

/// A number of seconds, or `null` for none.
fn seconds(value: &RawValue, pointer: &str) -> Result<Option<u64>, Refused> {
    from_str(value.get()).map_err(|_| Refused::new(pointer, "it is not a whole number of seconds"))
}

/// A member that Codex does not know.
fn ignored(name: &str) -> String {
    let shown = members::shown(name);
    let known = crate::similar::similar(name, KNOWN.into_iter());
    let meant = match name {
        // The app-server calls it so.
        "timeoutSec" | "timeout_sec" | "timeoutMs" | "timeout_ms" => Some("timeout"),
        _ => known,
    };
    match meant {
        Some(meant) => format!("Codex ignores `{shown}`; did you mean `{meant}`?"),
        None => format!("Codex ignores `{shown}`, which no release knows here"),
    }
}
