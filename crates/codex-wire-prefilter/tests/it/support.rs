//! What several tests use: the published schemas and the recorded lines, each with its validator.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::{fmt, fs};

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
    pub(crate) fn is_valid(&self, line: &Line<'_>) -> bool {
        let value = line.value.as_ref();
        value.is_some_and(|value| self.validator.is_valid(value))
    }

    /// What the prefilters say, which is the same for all.
    pub(crate) fn verdict(&self, line: &Line<'_>) -> Verdict {
        let mut verdicts = self
            .prefilters
            .iter()
            .map(|(_, prefilter)| prefilter.check(line.bytes));
        let first = verdicts.next().expect("the portable one");
        for verdict in verdicts {
            assert_eq!(verdict, first, "{}: {line}", self.name);
        }
        first
    }

    /// Whether the prefilters accept a line. Then the validator has to, and what they show of it is what
    /// serde_json reads.
    pub(crate) fn accepts(&self, line: &Line<'_>) -> bool {
        let accepted = matches!(self.verdict(line), Verdict::Accepted { .. });
        if accepted && !self.is_valid(line) {
            panic!("{} accepts what the validator does not: {line}", self.name);
        }
        let Some(text) = line.text else {
            return accepted;
        };
        let mut tape = Tape::new();
        for (_, prefilter) in &self.prefilters {
            let view = prefilter.view(text, &mut tape);
            assert_eq!(view.is_ok(), accepted, "{}: {line}", self.name);
            if let (Ok((view, _)), Some(value)) = (view, &line.value) {
                tree::hold(view, value);
                tree::hold_paths(prefilter, text, value);
            }
        }
        accepted
    }
}

/// A line, and what serde_json reads of it.
pub(crate) struct Line<'a> {
    pub(crate) bytes: &'a [u8],
    text: Option<&'a str>,
    value: Option<Value>,
}

impl<'a> Line<'a> {
    /// Reads a line. What views without a schema show of it is what serde_json reads.
    pub(crate) fn read(bytes: &'a [u8]) -> Self {
        let text = str::from_utf8(bytes).ok();
        let value: Option<Value> = serde_json::from_slice(bytes).ok();
        if let Some(text) = text {
            let mut tape = Tape::new();
            let hold = |view| match &value {
                Some(value) => tree::hold(view, value),
                None => tree::walk(view, 4),
            };
            hold(View::of(text, &mut tape, Keys::Last));
            hold(View::outlined(text, &mut Tape::new(), Keys::Last));
        }
        Line { bytes, text, value }
    }
}

impl fmt::Display for Line<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&String::from_utf8_lossy(self.bytes))
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
