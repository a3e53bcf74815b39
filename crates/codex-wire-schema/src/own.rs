//! The schemas of our own formats. Those of reports and differences are written by hand; tests of the
//! crates that write or read the formats compare the others with their types.

use serde_json::Value;

/// The JSON report of a check.
pub const REPORT: &str = include_str!("own/report.json");

/// A line of the JSON Lines report of a check.
pub const REPORT_LINES: &str = include_str!("own/report-lines.json");

/// Differences between two releases.
pub const DIFF: &str = include_str!("own/diff.json");

/// A recording compared with a release. It holds [`DIFF`].
pub const DIFF_TRANSCRIPT: &str = include_str!("own/diff-transcript.json");

/// What releases do differently in the same scenes, as `codex-wire diff --behaviour` says.
pub const BEHAVIOUR: &str = include_str!("own/behaviour.json");

/// Whether a client can take another release, as `codex-wire upgrade` says. It holds [`DIFF`] and [`BEHAVIOUR`].
pub const UPGRADE: &str = include_str!("own/upgrade.json");

/// A script, from which a stream of any release is made.
pub const SCRIPT: &str = include_str!("own/script.json");

/// A line of the log of what a client does with a stand-in.
pub const CLIENT_LOG: &str = include_str!("own/client-log.json");

/// The list of faults, as `codex-wire faults` writes it.
pub const FAULTS: &str = include_str!("own/faults.json");

/// A session, as `codex-wire-session` reads it.
pub const SESSION: &str = include_str!("own/session.json");

/// What differs between two sessions, as `codex-wire diff A.jsonl B.jsonl` says.
pub const SESSION_DIFF: &str = include_str!("own/session-diff.json");

/// What sessions used, as `codex-wire usage` sums it up.
pub const USAGE: &str = include_str!("own/usage.json");

/// What inputs are, as `codex-wire identify` says.
pub const IDENTIFICATION: &str = include_str!("own/identification.json");

/// What Codex makes of hooks, as `codex-wire hooks test` says.
pub const HOOKS_TEST: &str = include_str!("own/hooks-test.json");

/// The settings of a project, `codex-wire.toml`.
pub const SETTINGS: &str = include_str!("own/codex-wire.toml.json");

/// All of them, each with its path below `schemas/`, which its id names.
pub(crate) fn all() -> impl Iterator<Item = (&'static str, Value)> {
    let all = [
        ("report.json", REPORT),
        ("report-lines.json", REPORT_LINES),
        ("diff.json", DIFF),
        ("diff-transcript.json", DIFF_TRANSCRIPT),
        ("behaviour.json", BEHAVIOUR),
        ("upgrade.json", UPGRADE),
        ("script.json", SCRIPT),
        ("client-log.json", CLIENT_LOG),
        ("faults.json", FAULTS),
        ("session.json", SESSION),
        ("session-diff.json", SESSION_DIFF),
        ("usage.json", USAGE),
        ("identification.json", IDENTIFICATION),
        ("hooks-test.json", HOOKS_TEST),
        ("codex-wire.toml.json", SETTINGS),
    ];
    // A test of the catalogue sees what is not JSON: it has no id.
    all.into_iter()
        .map(|(path, text)| (path, serde_json::from_str(text).unwrap_or_default()))
}
