//! Reading a line of the core protocol and writing it again loses nothing: recordings of both
//! directions, the legacy stream of `codex exec --json`, samples of every kind.

use std::path::{Path, PathBuf};

use codex_wire::Wire;
use codex_wire::core_protocol::{Event, Submission};
use codex_wire::exec::legacy::LegacyLine;
use serde::Serialize;
use serde_json::Value;

use crate::core_samples::{EVENTS, LEGACY, SUBMISSIONS};
use crate::support::edits::{self, Random};
use crate::support::files;
use crate::support::tree::{Node, assert_same};

/// Who wrote a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Writer {
    Client,
    Codex,
}

/// A recorded line with the release and the place to name in a message.
pub(crate) struct Recorded {
    pub(crate) release: String,
    pub(crate) place: String,
    pub(crate) writer: Writer,
    pub(crate) line: String,
}

fn recordings(folder: &str) -> Vec<PathBuf> {
    let files = files::below(&files::root().join("fixtures").join(folder), "jsonl");
    assert!(
        files.len() > 50,
        "fixtures/{folder} holds {} files",
        files.len()
    );
    files
}

fn release_of(path: &Path) -> String {
    let folder = path
        .parent()
        .and_then(Path::file_name)
        .expect("a folder per release");
    folder.to_str().expect("UTF-8").to_owned()
}

/// The recorded lines of the two queues, as recorders write them or in the project's own
/// format: both hold the line as a string and say who wrote it.
pub(crate) fn queues() -> Vec<Recorded> {
    let mut out = Vec::new();
    for path in recordings("core") {
        for (place, text) in files::lines(&path) {
            let record: Value = serde_json::from_str(&text).expect("a record is JSON");
            let writer = match (
                record["dir"].as_str(),
                record["kind"].as_str(),
                record["from"].as_str(),
            ) {
                (Some("in"), None, None) | (None, Some("line"), Some("client")) => Writer::Client,
                (Some("out"), None, None) | (None, Some("line"), Some("codex")) => Writer::Codex,
                (None, Some("start" | "exit"), None) => continue,
                other => panic!("{place}: not a recorded form: {other:?}"),
            };
            out.push(Recorded {
                release: release_of(&path),
                place,
                writer,
                line: record["line"]
                    .as_str()
                    .expect("the line is text")
                    .to_owned(),
            });
        }
    }
    out
}

/// The recorded lines of the legacy stream.
pub(crate) fn legacy() -> Vec<Recorded> {
    let mut out = Vec::new();
    for path in recordings("exec-legacy") {
        for (place, line) in files::lines(&path) {
            out.push(Recorded {
                release: release_of(&path),
                place,
                writer: Writer::Codex,
                line,
            });
        }
    }
    out
}

fn read<T: Wire>(place: &str, line: &str) -> T {
    codex_wire::from_str(line).unwrap_or_else(|error| panic!("{place}: {error}\n{line}"))
}

#[track_caller]
fn comes_back<T: Wire + Serialize>(place: &str, line: &str) -> T {
    let value: T = read(place, line);
    let written = codex_wire::to_string(&value);
    assert!(
        written == line,
        "{place}\nread    {line}\nwritten {written}"
    );
    value
}

#[test]
fn manifests_name_every_recording() {
    for folder in ["core", "exec-legacy"] {
        let root = files::root().join("fixtures").join(folder);
        let manifest: Value =
            serde_json::from_str(&files::read(&root.join("manifest.json"))).expect("JSON");
        let entries = manifest["transcripts"].as_array().expect("a list");
        let mut named: Vec<_> = entries
            .iter()
            .map(|entry| root.join(entry["file"].as_str().expect("a file name")))
            .collect();
        named.sort();
        assert_eq!(named, recordings(folder));
    }
}

/// What the recorders wrote on purpose to see it refused, and what Codex says about it.
const REFUSED: &[(&str, &str)] = &[
    ("not json", "malformed JSON"),
    ("this is not json", "malformed JSON"),
    ("", "malformed JSON"),
    ("[]", "expected an object, found an array"),
    (r#"{"id":"#, "expected a string, found a number in /id"),
    (r#"{"id":"b1"}"#, "missing member `op`"),
    (r#"{"id":"b2"}"#, "missing member `op`"),
    (
        r#"{"id":"b3","op":{"type":"user_input"}}"#,
        "missing member `items` in /op",
    ),
];

#[test]
fn every_recorded_line_comes_back_byte_for_byte() {
    let (mut events, mut submissions, mut refused) = (0, 0, 0);
    for recorded in queues() {
        let Recorded { place, line, .. } = &recorded;
        match recorded.writer {
            Writer::Codex => {
                comes_back::<Event>(place, line);
                events += 1;
            }
            Writer::Client => {
                let Err(error) = codex_wire::from_str::<Submission>(line) else {
                    comes_back::<Submission>(place, line);
                    submissions += 1;
                    continue;
                };
                let said = error.to_string();
                assert!(
                    REFUSED.iter().any(|(bad, why)| {
                        (line == bad || (bad.ends_with(':') && line.starts_with(bad)))
                            && said.starts_with(why)
                    }),
                    "{place}: {said}\n{line}"
                );
                refused += 1;
            }
        }
    }
    assert!(events > 3000, "{events} events");
    assert!(submissions > 600, "{submissions} submissions");
    assert!(refused > 10, "{refused} refused");
}

/// The first line has its members in random order, so it comes back as the same value; all
/// others come back byte for byte.
#[test]
fn every_line_of_the_legacy_stream_comes_back() {
    let (mut configs, mut prompts, mut events) = (0, 0, 0);
    for Recorded { place, line, .. } in legacy() {
        match read::<LegacyLine>(&place, &line) {
            LegacyLine::Config(config) => {
                assert_same(&codex_wire::to_string(&config), &line);
                assert!(config.extra.is_empty(), "{place}: {:?}", config.extra);
                assert!(place.ends_with(":1"), "{place}");
                configs += 1;
            }
            LegacyLine::Prompt(_) => {
                comes_back::<LegacyLine>(&place, &line);
                assert!(place.ends_with(":2"), "{place}");
                prompts += 1;
            }
            LegacyLine::Event(_) => {
                comes_back::<LegacyLine>(&place, &line);
                comes_back::<Event>(&place, &line);
                events += 1;
            }
            other => panic!("{place}: {other:?}"),
        }
    }
    assert!(
        configs > 100 && configs == prompts,
        "{configs} configurations, {prompts} prompts"
    );
    assert!(events > 500, "{events} events");
}

/// Whether a value holds a kind, value, shape or member that the types do not know. The derived
/// `Debug` names them all alike.
fn unknown_parts(value: &impl std::fmt::Debug) -> Option<String> {
    let text = format!("{value:?}");
    ["Unknown(", "Extra([("].iter().find_map(|sign| {
        let at = text.find(sign)?;
        Some(text[at..].chars().take(120).collect())
    })
}

#[test]
fn recorded_lines_hold_nothing_unknown() {
    let mut deliberate = 0;
    for Recorded {
        place,
        line,
        writer,
        ..
    } in queues()
    {
        let unknown = match writer {
            Writer::Codex => unknown_parts(&read::<Event>(&place, &line)),
            Writer::Client => match codex_wire::from_str::<Submission>(&line) {
                Ok(submission) => unknown_parts(&submission),
                Err(_) => continue,
            },
        };
        // The recorders sent unknown kinds and members on purpose, always under such ids.
        if writer == Writer::Client && line.starts_with(r#"{"id":"b"#) {
            deliberate += usize::from(unknown.is_some());
            continue;
        }
        assert_eq!(unknown, None, "{place}\n{line}");
    }
    assert!(deliberate > 3, "{deliberate} lines are unknown on purpose");
    for Recorded { place, line, .. } in legacy() {
        assert_eq!(
            unknown_parts(&read::<LegacyLine>(&place, &line)),
            None,
            "{place}\n{line}"
        );
    }
}

#[test]
fn samples_come_back_byte_for_byte() {
    for line in SUBMISSIONS {
        comes_back::<Submission>("sample", line);
    }
    for line in EVENTS {
        comes_back::<Event>("sample", line);
        assert!(
            comes_back::<LegacyLine>("sample", line).event().is_some(),
            "{line}"
        );
    }
    for line in LEGACY {
        assert!(
            comes_back::<LegacyLine>("sample", line).event().is_none(),
            "{line}"
        );
    }
}

#[test]
fn samples_name_every_kind() {
    for (shape, samples) in [
        (
            <codex_wire::core_protocol::Op as codex_wire::Described>::SHAPE,
            SUBMISSIONS,
        ),
        (
            <codex_wire::core_protocol::EventMsg as codex_wire::Described>::SHAPE,
            EVENTS,
        ),
    ] {
        let codex_wire::shape::Form::Tagged { variants, .. } = &shape.form else {
            panic!("{} has kinds", shape.name);
        };
        for variant in *variants {
            let sign = format!(r#"":{{"type":"{}""#, variant.tag);
            assert!(
                samples.iter().any(|line| line.contains(&sign)),
                "no sample of {}",
                variant.tag
            );
        }
    }
}

/// Edits every sample a few times, each time in another way, and asks for it back.
fn edited(edit: fn(&mut Node, &mut Random)) {
    fn check<T: Wire + Serialize>(lines: &[&str], edit: fn(&mut Node, &mut Random)) {
        for (index, line) in lines.iter().enumerate() {
            let node = Node::parse(line).expect("samples are JSON");
            for round in 0..4 {
                let seed = (index * 4 + round) as u64;
                let (mut node, mut random) = (node.clone(), Random::new(seed));
                edit(&mut node, &mut random);
                let text = node.write(&mut || "");
                let value: T = read(&format!("sample {index}, seed {seed}"), &text);
                assert_same(&codex_wire::to_string(&value), &text);
            }
        }
    }
    check::<Submission>(SUBMISSIONS, edit);
    check::<Event>(EVENTS, edit);
    check::<LegacyLine>(LEGACY, edit);
}

#[test]
fn in_any_order() {
    edited(edits::shuffle);
}

#[test]
fn with_white_space() {
    for (index, line) in EVENTS.iter().enumerate() {
        let mut random = Random::new(index as u64);
        let node = Node::parse(line).expect("samples are JSON");
        let text = node.write(&mut || edits::odd_space(&mut random));
        let value: Event = read("sample", &text);
        assert_same(&codex_wire::to_string(&value), &text);
    }
}
