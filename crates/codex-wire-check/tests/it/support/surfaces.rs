//! What the properties need to know of each surface: its checker and its recordings.

use codex_wire::transcript::{Record, Side};
use codex_wire::{Protocol, Release, Surface};
use codex_wire_check::{Checker, Options, Outcome, Profile};
use serde_json::{Value, json};

use super::transcripts;

/// The surfaces whose messages are tried in every release: not those of the app-server, which
/// `app_server` has.
pub(crate) fn tried() -> impl Iterator<Item = Surface> {
    let surfaces = Surface::ALL.iter().copied();
    surfaces.filter(|surface| surface.protocol() != Protocol::AppServer)
}

/// What the types write of a message they have read.
pub(crate) fn through_types(surface: Surface, message: &Value) -> Result<Value, String> {
    let written = codex_wire_proof::again(surface, &message.to_string());
    written
        .map(|text| codex_wire_proof::tree(&text))
        .map_err(|error| error.to_string())
}

/// A checker for what a release of the surface speaks.
pub(crate) fn checker(surface: Surface, release: Release, profile: Profile) -> Checker {
    let mut options = super::without_order(Options::release(surface.protocol(), release));
    options.profile = profile;
    Checker::new(options).unwrap()
}

/// Checks a message as one of the surface, whatever it looks like itself.
pub(crate) fn check(checker: &Checker, surface: Surface, message: &Value) -> Outcome {
    let record = |from: &str| {
        let record = json!({"kind": "line", "from": from, "line": message.to_string()});
        record.to_string()
    };
    let input = match surface {
        // The form of a stream is told by its first lines.
        Surface::ExecLegacy => format!("{{\"prompt\":\"\"}}\n{message}\n"),
        Surface::CoreEvents => record("codex"),
        Surface::CoreSubmissions => record("client"),
        _ => message.to_string(),
    };
    checker.check("-", input.as_bytes())
}

/// Recorded messages, without the long ones: length is nothing to a schema.
pub(crate) fn recordings(surface: Surface) -> Vec<Value> {
    let folder = match surface {
        Surface::ExecLegacy => "exec-legacy",
        Surface::CoreEvents | Surface::CoreSubmissions => "core",
        _ => "exec",
    };
    let mut out = Vec::new();
    for path in transcripts(folder) {
        let text = std::fs::read_to_string(path).unwrap();
        let lines = text.split('\n').filter(|l| !l.is_empty() && l.len() < 4000);
        if folder == "core" {
            let of_surface = lines.filter_map(|line| line_of(surface, line));
            // What a client wrote to see it refused need not be JSON.
            out.extend(of_surface.filter_map(|line| serde_json::from_str::<Value>(&line).ok()));
        } else {
            out.extend(lines.map(|line| serde_json::from_str::<Value>(line).unwrap()));
        }
    }
    assert!(out.len() > 100, "{surface}: {} messages", out.len());
    out
}

/// The line in a record, if the writer of the surface wrote it.
fn line_of(surface: Surface, record: &str) -> Option<String> {
    let Record::Line(line) = codex_wire::from_str(record).unwrap() else {
        return None;
    };
    let of_codex = matches!(line.from, Side::Codex);
    (of_codex == surface.is_written())
        .then(|| line.line.value().cloned())
        .flatten()
}
