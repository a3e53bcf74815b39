//! Records sessions of which it is known what the model returned: the corpus for programs that count tokens.

use std::path::Path;

use anyhow::{Context as _, Result};
use codex_wire::Release;
use codex_wire_record::{Scene, scenes};
use serde_json::json;

use crate::app_server::binaries;
use crate::fixtures::{manifest_text, write};
use crate::record::{files_of, read, replace, with_entry};

/// The folder of the corpus, under the root of the repository.
pub const FOLDER: &str = "fixtures/accounting";

/// The scenes in which a sum can go wrong: their protocols and names, and how.
const SCENES: &str = "\
exec/commands: several answers in a turn
exec/dropped_once: an answer breaks off, and is asked for again
exec/failed: an answer fails, and the turn with it
exec/interrupted: turns are interrupted
exec/resumed: a thread goes on in other processes
exec/resumed_with_another_model: it goes on with another model
app-server/two_threads: two threads run in one process
app-server/history: a thread is forked by a client
app-server/compacted: a client asks for a compaction
rollout/killed: Codex is killed within a turn
rollout/auto_compact: the context is full, and the history is summed up
rollout/review: a reviewer works in a thread of its own
rollout/agents: sub-agents work
rollout/agents_of_the_second_kind: sub-agents of the second kind work
rollout/agents_forked: a sub-agent begins with a copy of its parent
rollout/agents_forked_of_the_second_kind: a sub-agent of the second kind does
rollout/agent_with_the_last_turn: a sub-agent begins with a copy of the last turn of its parent
rollout/exec_fork: a session is forked on the command line
rollout/both: two programs write one file
rollout/archived: a thread is archived
rollout/rolled_back: turns are taken back
rollout/reverted: turns are taken back, and the thread goes on in another file
rollout/compressed_and_resumed: a file is compressed, and written again
rollout/overrides: settings change between turns
";

/// How a sum can go wrong in a scene, if it can.
fn why(scene: &Scene) -> Option<&'static str> {
    let name = format!("{}/{}: ", scene.protocol, scene.name);
    SCENES.lines().find_map(|line| line.strip_prefix(&name))
}

/// Records the scenes with a release, which is fetched if it is missing. Returns what did not come to pass.
///
/// # Errors
/// When the release cannot be had, or a file cannot be written.
pub fn play(root: &Path, release: Release) -> Result<Vec<String>> {
    let version = release.to_string();
    let program = binaries::fetch(&version)?;
    let stage = tempfile::tempdir()?;
    let home = stage.path().join("stage");
    let mut said = Vec::new();
    for scene in wanted().filter(|scene| scene.suits(release)) {
        let name = format!("{version}/{}", scene.name);
        match scene.play(&program, release, &home) {
            Ok(recordings) => {
                let complaints = recordings.iter().filter_map(|run| run.complaint.as_ref());
                said.extend(complaints.map(|complaint| format!("{name}: {complaint}")));
                keep(root, &version, &scene, files_of(&recordings, &home)?)?;
            }
            Err(error) => said.push(format!("{name}: {error}")),
        }
    }
    Ok(said)
}

fn wanted() -> impl Iterator<Item = Scene> {
    scenes::all()
        .filter(|scene| why(scene).is_some())
        .map(Scene::billed)
}

/// The longest text that is kept, in bytes, and how much of a longer one is. Instructions for the model are longer than all the
/// rest, and cost nothing here: the model counts as it is told.
const LONGEST: (usize, usize) = (400, 100);

/// The lines of a file with long texts cut.
fn shortened(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some(quote) = rest.iter().position(|byte| *byte == b'"') {
        out.extend_from_slice(&rest[..=quote]);
        rest = &rest[quote + 1..];
        let (mut end, mut cut) = (0, 0);
        while end < rest.len() && rest[end] != b'"' {
            // Between two characters, and not within an escape. Those of one half of a pair stay with the other.
            let begins_character = rest[end] & 0xc0 != 0x80;
            if begins_character && end <= LONGEST.1 && !rest[end..].starts_with(b"\\u") {
                cut = end;
            }
            end += match &rest[end..] {
                [b'\\', b'u', ..] => 6,
                [b'\\', ..] => 2,
                _ => 1,
            };
        }
        let end = end.min(rest.len());
        match end > LONGEST.0 {
            true => {
                out.extend_from_slice(&rest[..cut]);
                out.extend_from_slice("…".as_bytes());
            }
            false => out.extend_from_slice(&rest[..end]),
        }
        rest = &rest[end..];
        if let Some((quote, behind)) = rest.split_first() {
            out.push(*quote);
            rest = behind;
        }
    }
    out.extend_from_slice(rest);
    out
}

/// The lines of a recording of both sides with long texts cut in what the sides wrote, which stays JSON.
fn shortened_within(bytes: &[u8]) -> Result<Vec<u8>> {
    const LINE: &str = "\"line\":";
    let mut out = Vec::with_capacity(bytes.len());
    for record in str::from_utf8(bytes)?.split_inclusive('\n') {
        match record.split_once(LINE) {
            Some((before, rest)) => {
                let mut written = serde_json::Deserializer::from_str(rest).into_iter::<String>();
                let line = written.next().context("a record without its line")??;
                let line = String::from_utf8(shortened(line.as_bytes()))?;
                let line = serde_json::to_string(&line)?;
                let behind = &rest[written.byte_offset()..];
                out.extend([before, LINE, &line, behind].concat().into_bytes());
            }
            None => out.extend_from_slice(record.as_bytes()),
        }
    }
    Ok(out)
}

/// Whether a text holds another.
fn holds(bytes: &[u8], part: &str) -> bool {
    bytes
        .windows(part.len())
        .any(|window| window == part.as_bytes())
}

/// Writes a run, and its entry in the manifest.
fn keep(
    root: &Path,
    version: &str,
    scene: &Scene,
    mut files: Vec<(String, Vec<u8>)>,
) -> Result<()> {
    // A file that goes on from another one counts the bytes of that.
    let is_shortened = !files.iter().any(|(_, bytes)| holds(bytes, "\"end_byte\""));
    let path = format!("{version}/{}", scene.name);
    if is_shortened {
        for (name, bytes) in &mut files {
            let ending = Path::new(name).extension();
            if ending.is_some_and(|ending| ending == "jsonl") {
                *bytes = match name.starts_with("app-server") {
                    true => shortened_within(bytes)?,
                    false => shortened(bytes),
                };
            }
        }
    }
    let listed = replace(&root.join(FOLDER).join(&path), &files)?;
    let entry = json!({"path": path, "release": version, "scene": scene.name,
                       "what": why(scene), "shortened": is_shortened, "files": listed});
    let manifest = root.join(FOLDER).join("manifest.json");
    let mut runs = with_entry(read(&manifest)?["runs"].take(), "path", entry);
    runs.sort_by_key(|run| {
        let release: Option<Release> = run["release"].as_str().and_then(|text| text.parse().ok());
        (release, run["path"].as_str().map(str::to_owned))
    });
    write(&manifest, manifest_text("runs", &runs)?)
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn what_sides_wrote_stays_json() {
        let line = json!({"method": "x", "params": {"text": "\"y\"\n".repeat(200), "last": 1}});
        let record = json!({"from": "codex", "kind": "line", "line": line.to_string()});
        let recording = format!("{{\"kind\":\"start\"}}\n{record}\n");
        let out = shortened_within(recording.as_bytes()).expect("a recording");
        let out = String::from_utf8(out).expect("text");
        let (start, record) = out.split_once('\n').expect("two lines");
        assert_eq!(start, "{\"kind\":\"start\"}");
        let record: Value = serde_json::from_str(record).expect("JSON");
        let line = record["line"].as_str().expect("a line");
        assert!(line.len() < 200, "{line}");
        let line: Value = serde_json::from_str(line).expect("JSON");
        assert_eq!(line["params"]["last"], 1);
    }

    #[test]
    fn long_texts_are_cut_between_characters() {
        let long = |text: &str| format!("{{\"a\":\"{text}\",\"b\":1}}\n");
        let cut = |text: &str| {
            let out = String::from_utf8(shortened(long(text).as_bytes())).expect("text");
            let value: Value = serde_json::from_str(&out).expect("JSON");
            assert_eq!(value["b"], 1, "{out}");
            value["a"].as_str().expect("a text").len()
        };
        assert_eq!(cut("short"), 5);
        for odd in [
            "x",
            "ü",
            "😀",
            "\\n",
            "\\\"",
            "\\\\",
            "\\ud83d\\ude00",
            "\\u00fc",
        ] {
            assert!(cut(&odd.repeat(600)) < 110, "{odd}");
            assert!(cut(&format!("y{}", odd.repeat(600))) < 110, "{odd}");
        }
    }
}
