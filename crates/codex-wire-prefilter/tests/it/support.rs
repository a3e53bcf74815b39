//! What several tests use: the published schemas and the recorded lines, each with its validator.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use codex_wire_base::MessageSet;
use codex_wire_prefilter::{Keys, Prefilter, Scanner, Tape, Verdict, View};
use codex_wire_schema::{Draft, Profile, Stability, is_small, project, release_ranges};
use jsonschema::Validator;
use serde_json::Value;

use crate::tree;

/// A schema in both forms.
pub(crate) struct Both {
    pub(crate) name: String,
    pub(crate) prefilters: Vec<(Scanner, Prefilter)>,
    validator: Validator,
}

impl Both {
    /// The schema for a validator, and as a prefilter for each sort of instructions.
    pub(crate) fn new(name: impl Into<String>, schema: &Value) -> Self {
        let compile = |scanner| {
            let prefilter = Prefilter::compile_for(schema, scanner).expect("a prefilter");
            (scanner, prefilter.projecting(tree::PATHS))
        };
        Both {
            name: name.into(),
            prefilters: Scanner::all().into_iter().map(compile).collect(),
            validator: jsonschema::options()
                .should_validate_formats(false)
                .build(schema)
                .expect("a schema"),
        }
    }

    /// Whether serde_json reads a line and the validator accepts what it reads.
    pub(crate) fn is_valid(&self, line: &[u8]) -> bool {
        let value = serde_json::from_slice(line);
        value.is_ok_and(|value: Value| self.validator.is_valid(&value))
    }

    /// What the prefilters say, which is the same for all.
    pub(crate) fn verdict(&self, line: &[u8]) -> Verdict {
        let mut verdicts = self
            .prefilters
            .iter()
            .map(|(_, prefilter)| prefilter.check(line));
        let first = verdicts.next().expect("the portable one");
        for verdict in verdicts {
            let text = String::from_utf8_lossy(line);
            assert_eq!(verdict, first, "{}: {text}", self.name);
        }
        first
    }

    /// Whether the prefilters accept a line. Then the validator has to.
    pub(crate) fn accepts(&self, line: &[u8]) -> bool {
        let accepted = matches!(self.verdict(line), Verdict::Accepted { .. });
        if accepted && !self.is_valid(line) {
            let text = String::from_utf8_lossy(line);
            panic!("{} accepts what the validator does not: {text}", self.name);
        }
        self.hold_views(line, accepted);
        accepted
    }

    /// What views show of a line is what serde_json reads.
    fn hold_views(&self, line: &[u8], accepted: bool) {
        let Ok(line) = std::str::from_utf8(line) else {
            return;
        };
        let mut tape = Tape::new();
        let value: Option<Value> = serde_json::from_str(line).ok();
        let view = View::of(line, &mut tape, Keys::Last);
        match &value {
            Some(value) => tree::hold(view, value),
            None => tree::walk(view, 4),
        }
        let view = View::outlined(line, &mut tape, Keys::Last);
        match &value {
            Some(value) => tree::hold(view, value),
            None => tree::walk(view, 4),
        }
        for (_, prefilter) in &self.prefilters {
            let view = prefilter.view(line, &mut tape);
            assert_eq!(view.is_ok(), accepted, "{}: {line}", self.name);
            if let (Ok((view, _)), Some(value)) = (view, &value) {
                tree::hold(view, value);
                tree::hold_paths(prefilter, line, value);
            }
        }
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The schemas of a protocol that prefilters are compiled from, of all releases; of large ones
/// those of the newest.
pub(crate) fn schemas(protocol: &str) -> Vec<Both> {
    let is_of = |message_set: &&MessageSet| message_set.protocol().as_str() == protocol;
    let mut out = Vec::new();
    for message_set in MessageSet::ALL.iter().filter(is_of) {
        let ranges = match release_ranges(*message_set) {
            [.., newest] if !is_small(*message_set) => std::slice::from_ref(newest),
            all => all,
        };
        for range in ranges {
            let halves: &[Stability] = match message_set.has_stabilities() {
                true => &Stability::ALL,
                false => &[Stability::Experimental],
            };
            for stability in halves {
                for profile in [Profile::Known, Profile::Exact] {
                    let draft = Draft::Draft202012;
                    let schema = project(*message_set, range.since, profile, draft, *stability);
                    out.push(Both::new(
                        format!("{message_set} {range} {profile}"),
                        &schema,
                    ));
                }
            }
        }
    }
    assert!(!out.is_empty(), "{protocol} has schemas");
    out
}

/// The recorded lines of a protocol, each once. Answers have the method beside them, as their
/// schemas want it.
pub(crate) fn lines(protocol: &str) -> Vec<Vec<u8>> {
    let folders: &[&str] = match protocol {
        "exec" => &["exec", "exec-legacy"],
        other => &[other],
    };
    let mut lines = Vec::new();
    for folder in folders {
        for path in files(&root().join("fixtures").join(folder)) {
            if path.extension().is_some_and(|end| end == "jsonl") {
                let bytes = fs::read(&path).expect("a readable file");
                messages(&bytes, &mut lines);
            }
        }
    }
    lines.sort();
    lines.dedup();
    assert!(lines.len() > 1000, "{protocol} has {} lines", lines.len());
    lines
}

/// The lines of one transcript, taken out of their records where it is a recording.
fn messages(bytes: &[u8], out: &mut Vec<Vec<u8>>) {
    let mut asked: HashMap<(String, String), String> = HashMap::new();
    for line in bytes
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.is_empty())
    {
        let record: Option<Value> = serde_json::from_slice(line).ok();
        let text = record.as_ref().and_then(|record| record["line"].as_str());
        let (Some(record), Some(text)) = (&record, text) else {
            out.push(line.to_vec());
            continue;
        };
        let from = record["from"].to_string();
        let message: Value = serde_json::from_str(text).unwrap_or_default();
        let id = message["id"].to_string();
        if let Some(method) = message["method"].as_str() {
            asked.insert((from, id), method.to_owned());
        } else if message.get("result").is_some() {
            let method = asked
                .iter()
                .find(|((who, what), _)| *who != from && *what == id);
            if let Some((_, method)) = method {
                out.push(format!(r#"{{"method":"{method}",{}"#, &text[1..]).into_bytes());
            }
        }
        out.push(text.as_bytes().to_vec());
    }
}

/// All files below a folder, in order.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder");
    let mut paths: Vec<PathBuf> = entries
        .map(|entry| entry.expect("an entry").path())
        .collect();
    paths.sort();
    let below = |path: PathBuf| match path.is_dir() {
        true => files(&path),
        false => vec![path],
    };
    paths.into_iter().flat_map(below).collect()
}
