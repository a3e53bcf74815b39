//! Files of hooks: releases were given them, and said which handlers they have and what they warn about.
//!
//! Each line of `hooks_files/RELEASE.jsonl` has the file and the answer of that release to `hooks/list`.

use std::path::Path;

use codex_wire::Release;
use codex_wire_check::{ConfiguredHooks, HooksSource, Severity};
use libtest_mimic::{Failed, Trial};
use serde_json::{Value, json};

use crate::support::trial;

const RELEASES: [&str; 5] = ["0.139.0", "0.143.0", "0.147.0", "0.148.0", "0.169.0"];

/// What Codex ignores without a word, and is called an error here: events that the release does not have, and an
/// array instead of everything.
const SILENT: [&str; 6] = [
    "clamped",
    "events top",
    "matchers",
    "session clamp",
    "top array",
    "unknown event",
];

pub(crate) fn trials() -> Vec<Trial> {
    let read = |release: &'static str| {
        let title = format!("hooks_files::{release}");
        Trial::test(title, move || reads_as(release))
    };
    let mut trials: Vec<Trial> = RELEASES.into_iter().map(read).collect();
    trials.push(trial("hooks_files::problems", problems));
    trials.push(trial("hooks_files::config", config));
    trials
}

/// The handlers are those of the release, and where it warns, there is an error, or a warning about time.
fn reads_as(release: &str) -> Result<(), Failed> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/hooks_files");
    let text = std::fs::read_to_string(root.join(format!("{release}.jsonl")))?;
    let release: Release = release.parse()?;
    let mut wrong = Vec::new();
    for line in text.lines() {
        let asked: Value = serde_json::from_str(line)?;
        let name = asked["case"].as_str().unwrap_or_default();
        let text = asked["file"].as_str().unwrap_or_default();
        let read = ConfiguredHooks::read(text, HooksSource::File, release);
        let handlers = read.handlers.iter().map(|handler| {
            let seconds = handler.timeout.as_secs();
            json!([
                camel(&handler.event),
                handler.command,
                seconds,
                handler.is_async
            ])
        });
        let mut handlers: Vec<String> = handlers.map(|handler| handler.to_string()).collect();
        let own = asked["handlers"].as_array().into_iter().flatten();
        // Those that call a tool of a server have no command.
        let own = own.filter(|own| own["command"].is_string());
        let mut own: Vec<String> = own
            .map(|own| json!([own["event"], own["command"], own["timeout"], own["async"]]))
            .map(|own| own.to_string())
            .collect();
        handlers.sort();
        own.sort();
        let warnings = asked["warnings"].as_array().into_iter().flatten();
        let warns = warnings
            .filter_map(Value::as_str)
            .any(|w| !w.starts_with("clamping"));
        let has = |severity| {
            read.problems
                .iter()
                .any(|problem| problem.severity == severity)
        };
        let is_silent = SILENT.contains(&name);
        if handlers != own || has(Severity::Error) != warns && !is_silent {
            wrong.push(format!("{name}: {read:?} for {asked}"));
        }
    }
    match wrong.is_empty() {
        true => Ok(()),
        false => Err(wrong.join("\n").into()),
    }
}

/// The app-server writes names in another style.
fn camel(event: &str) -> String {
    let mut letters = event.chars();
    let first = letters.next().map(|first| first.to_ascii_lowercase());
    first.into_iter().chain(letters).collect()
}

/// What is wrong is said with its place.
fn problems() {
    let newest = Release::new(0, 169, 0);
    let found = |text: &str| {
        let read = ConfiguredHooks::read(text, HooksSource::File, newest);
        let problems = read.problems.into_iter();
        let said =
            problems.map(|p| format!("{} {}: {}", p.severity.as_str(), p.pointer, p.message));
        said.collect::<Vec<_>>().join("\n")
    };
    let group = |handler: &str| {
        format!(r#"{{"hooks":{{"PreToolUse":[{{"matcher":"Bash","hooks":[{handler}]}}]}}}}"#)
    };
    assert_eq!(found(&group(r#"{"type":"command","command":"true"}"#)), "");
    assert_eq!(
        found(&group(
            r#"{"type":"command","command":"true","timeoutSec":5}"#
        )),
        "warning /hooks/PreToolUse/0/hooks/0/timeoutSec: Codex ignores `timeoutSec`; did you mean `timeout`?"
    );
    assert_eq!(
        found(&group(r#"{"type":"http","url":"x"}"#)),
        "error /hooks/PreToolUse/0/hooks/0/type: no handler is of the type `http`; Codex runs no hook of this file"
    );
    assert_eq!(
        found(r#"{"hooks":{"PreTooluse":[]}}"#),
        "error /hooks/PreTooluse: the release has no event `PreTooluse` (did you mean `PreToolUse`?); Codex ignores \
         its hooks without a word"
    );
    assert_eq!(
        found(r#"{"$schema":"x","hooks":{}}"#),
        "error /$schema: `$schema` is not known here; Codex runs no hook of this file"
    );
    assert_eq!(
        found(r#"{"hooks":{"PreToolUse":[{"matcher":"(Bash","hooks":[]}]}}"#),
        "error /hooks/PreToolUse/0/matcher: the matcher is not a regular expression (unclosed group); Codex skips its \
         hooks"
    );
    let early = ConfiguredHooks::read(
        r#"{"hooks":{"Interrupt":[]}}"#,
        HooksSource::File,
        Release::new(0, 140, 0),
    );
    assert!(
        early.problems[0].message.contains("which 0.150.0 brings"),
        "{early:?}"
    );
}

/// Hooks in `config.toml` are read from 0.124.0 on, and what Codex keeps about hooks stands beside them.
fn config() {
    let text = r#"{"state":{},"Stop":[{"hooks":[{"type":"command","command":"true"}]}]}"#;
    let read = |release| ConfiguredHooks::read(text, HooksSource::Config, release);
    let newest = read(Release::new(0, 169, 0));
    assert_eq!((newest.handlers.len(), newest.problems.len()), (1, 0));
    let before = read(Release::new(0, 123, 0));
    assert_eq!((before.handlers.len(), before.problems.len()), (0, 1));
}
