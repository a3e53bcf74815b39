//! Scripts, and what the checker says of a played one.

use std::fs;
use std::path::{Path, PathBuf};

use codex_wire_base::{Protocol, Release};
use codex_wire_check::{Checker, Options, Outcome, Profile, Writer};
use codex_wire_replay::ExecPlay;
use codex_wire_replay::script::Script;
use serde_json::{Value, json};

/// The folder with the fixtures of this repository.
pub(crate) fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures")
}

/// The folder with the examples of scripts.
pub(crate) fn scripts() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scripts")
}

/// The text of an example.
pub(crate) fn text(name: &str) -> String {
    fs::read_to_string(scripts().join(format!("{name}.toml"))).unwrap()
}

/// An example.
pub(crate) fn script(name: &str) -> Script {
    Script::parse(&text(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The names of all examples.
pub(crate) fn names() -> Vec<String> {
    let files = fs::read_dir(scripts()).unwrap();
    let names = files.map(|file| file.unwrap().path());
    let toml = names.filter(|path| path.extension().is_some_and(|ending| ending == "toml"));
    let mut names: Vec<String> = toml
        .map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned())
        .collect();
    names.sort();
    assert!(names.len() > 15, "{names:?}");
    names
}

/// The lines of a run.
pub(crate) fn lines(play: &ExecPlay) -> Vec<String> {
    let lines = play.lines().map(|(_, line)| {
        let line = line.strip_suffix(b"\n").unwrap();
        String::from_utf8(line.to_vec()).unwrap()
    });
    lines.collect()
}

/// A transcript of lines, each with its writer.
pub(crate) fn transcript(
    protocol: Protocol,
    release: Release,
    lines: &[(&str, String)],
    status: Option<i32>,
) -> String {
    let mut out = json!({
        "kind": "start", "transcript": 1,
        "protocol": protocol.as_str(), "release": release.to_string(),
    })
    .to_string();
    out.push('\n');
    for (from, line) in lines {
        out += &json!({"kind": "line", "from": from, "line": line}).to_string();
        out.push('\n');
    }
    if let Some(status) = status {
        out += &json!({"kind": "exit", "status": status}).to_string();
        out.push('\n');
    }
    out
}

/// A checker of what Codex writes in one release. The profile is exact.
pub(crate) fn checker(protocol: Protocol, release: Release) -> Checker {
    let mut options = Options::exact(protocol, release);
    options.profile = Profile::Exact;
    options.side = Some(Writer::Codex);
    Checker::new(options).unwrap()
}

/// Each finding as a line: its rule, its place, its message and the line of the transcript.
pub(crate) fn findings(outcome: &Outcome, transcript: &str) -> Vec<String> {
    let lines: Vec<&str> = transcript.lines().collect();
    let finding = outcome.findings.iter().map(|finding| {
        let index = usize::try_from(finding.place.line).unwrap() - 1;
        let line: Value = serde_json::from_str(lines.get(index).unwrap_or(&"{}")).unwrap();
        format!(
            "{} {}: {} at {}: {}",
            finding.severity, finding.rule.id, finding.message, finding.place.pointer, line["line"]
        )
    });
    finding.collect()
}

/// One complaint of each rule and script, with the number of those like it.
pub(crate) fn shortened(complaints: &[String]) -> String {
    let mut kinds: Vec<(String, String, usize)> = Vec::new();
    for complaint in complaints {
        let words: Vec<&str> = complaint.split(' ').collect();
        // The release is the first word, the script the second, and the rule has a `/`.
        let rule = words.iter().find(|word| word.contains('/'));
        let kind = format!("{} {:?}", words[1], rule);
        match kinds.iter_mut().find(|(known, ..)| *known == kind) {
            Some((_, _, count)) => *count += 1,
            None => kinds.push((kind, complaint.clone(), 1)),
        }
    }
    let lines = kinds
        .into_iter()
        .map(|(_, first, count)| format!("{count}× {first}"));
    lines.collect::<Vec<_>>().join("\n")
}
