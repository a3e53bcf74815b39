//! The fast path finds what the stages find without it, and it is taken where it can be.

mod deltas;

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use codex_wire::transcript::{Record, Side};
use codex_wire::{MessageSet, Protocol, Release};
use codex_wire_check::{Checker, Options, Profile};
use codex_wire_prefilter::{Prefilter, Verdict};
use codex_wire_schema::{Draft, Stability, is_small, project, release_ranges};
use libtest_mimic::Trial;
use serde_json::Value;

use crate::support::{fixtures, name, release_of, transcripts, trial};

pub(crate) fn trials() -> Vec<Trial> {
    let mut trials = vec![
        trial("fast_path::no_schema_has_gaps", no_schema_has_gaps),
        trial(
            "fast_path::recorded_lines_of_the_app_server",
            recorded_lines,
        ),
        trial("fast_path::deltas", deltas::both_ways),
    ];
    for folder in [
        "exec",
        "exec-legacy",
        "core",
        "app-server",
        "synthetic",
        "invalid",
        "rules",
        "rollout/0.28.0",
        "rollout/0.116.0",
        "rollout/0.166.0",
        "rollout-cross/0.169.0",
    ] {
        let test = move || {
            both_ways_find_the_same(folder);
            Ok(())
        };
        trials.push(Trial::test(format!("fast_path::on_and_off/{folder}"), test));
    }
    trials
}

/// A checker that takes the fast path where it can, and one with the fast path switched off.
struct Ways {
    on: Checker,
    off: Checker,
}

impl Ways {
    fn new(options: &Options) -> Self {
        let mut without = options.clone();
        without.fast_path = false;
        Ways {
            on: Checker::new(options.clone()).unwrap(),
            off: Checker::new(without).unwrap(),
        }
    }

    /// Both find the same: every finding, and everything else that the outcome holds.
    fn agree(&self, about: &Path, input: &[u8]) {
        let found = |checker: &Checker| checker.check("-", input);
        let (on, off) = (found(&self.on), found(&self.off));
        assert!(
            format!("{off:?}") == format!("{on:?}"),
            "{}\n{off:#?}\n{on:#?}",
            name(about)
        );
    }

    /// Both identify the same.
    fn identify_the_same(&self, about: &Path, input: &[u8]) {
        let known = |checker: &Checker| checker.identify(input).unwrap();
        let (on, off) = (known(&self.on), known(&self.off));
        assert!(
            format!("{off:?}") == format!("{on:?}"),
            "{}\n{off:#?}\n{on:#?}",
            name(about)
        );
    }
}

/// Every transcript of a folder, as it is, with bytes changed, and what a recording holds as a log:
/// with the release stated where it is known, without it, and identified. Not every transcript, unless
/// the run is wide.
fn both_ways_find_the_same(folder: &str) {
    let unstated = Ways::new(&Options::new());
    let mut stated: HashMap<Release, Ways> = HashMap::new();
    let transcripts = transcripts(folder);
    let count = if folder == "app-server" { 8 } else { 30 };
    for (index, path) in sampling::spread(transcripts.iter().enumerate(), count) {
        let bytes = fs::read(path).unwrap();
        // Session files lie deeper than others.
        let in_name = || name(path).split('/').nth(1)?.parse().ok();
        let release = release_of(path).ok().or_else(in_name);
        let known = release.zip(protocol_of(path));
        let mut inputs = vec![changed(&bytes, index)];
        if let Some(log) = log_of(&bytes) {
            inputs.extend([changed(&log, index + 1), log]);
        }
        inputs.push(bytes);
        for input in inputs {
            if let Some((release, protocol)) = known {
                let new = || Ways::new(&Options::exact(protocol, release));
                stated
                    .entry(release)
                    .or_insert_with(new)
                    .agree(path, &input);
            }
            unstated.agree(path, &input);
            unstated.identify_the_same(path, &input);
        }
    }
}

/// The lines that a recording holds, of both sides, if it is a recording.
fn log_of(recording: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    for line in str::from_utf8(recording).ok()?.lines() {
        if let Ok(Record::Line(record)) = codex_wire::from_str(line) {
            out.extend(record.line.into_value()?.into_bytes());
            out.push(b'\n');
        }
    }
    (!out.is_empty()).then_some(out)
}

fn protocol_of(path: &Path) -> Option<Protocol> {
    let below = path.strip_prefix(fixtures()).unwrap();
    match below.iter().next()?.to_str()? {
        "exec" | "exec-legacy" => Some(Protocol::Exec),
        "core" => Some(Protocol::Core),
        "app-server" => Some(Protocol::AppServer),
        "rollout" if name(path).contains("/rollout-") => Some(Protocol::Rollout),
        _ => None,
    }
}

/// The transcript with a few bytes changed, others for each `seed`: names, values, punctuation.
fn changed(bytes: &[u8], seed: usize) -> Vec<u8> {
    let pieces: [&[u8]; 8] = [
        b"x",
        b"",
        b"\"a\":1,",
        b"\\\"a\\\":1,",
        b"0",
        b"null",
        b"\\u0041",
        b"}",
    ];
    let mut out = bytes.to_vec();
    let step = bytes.len() / 7 + 1;
    for round in 0..7 {
        let at = (round * step + seed * 31) % (out.len() + 1);
        let to = (at + (seed + round) % 3).min(out.len());
        out.splice(
            at..to,
            pieces[(seed + round) % pieces.len()].iter().copied(),
        );
    }
    out
}

fn schema(message_set: MessageSet, release: Release, profile: Profile) -> Value {
    let stability = Stability::Experimental;
    project(message_set, release, profile, Draft::Draft202012, stability)
}

/// The projections of all ranges; of the message sets whose are many, some.
fn no_schema_has_gaps() {
    for message_set in MessageSet::ALL {
        let ranges = release_ranges(*message_set);
        let step = if is_small(*message_set) { 1 } else { 9 };
        for range in ranges.iter().rev().step_by(step) {
            for profile in [Profile::Known, Profile::Exact] {
                let prefilter =
                    Prefilter::compile(&schema(*message_set, range.since, profile)).unwrap();
                assert_eq!(prefilter.gaps(), [""; 0], "{message_set} {}", range.since);
            }
        }
    }
}

/// What a validator of the whole schema accepts of the lines of a release, the prefilter accepts,
/// and nothing else. The published schemas hold only the newest release of the app-server.
fn recorded_lines() {
    let mut by_release: HashMap<Release, Vec<String>> = HashMap::new();
    for path in transcripts("app-server") {
        let lines = by_release.entry(release_of(&path).unwrap()).or_default();
        lines.extend(messages(&fs::read_to_string(path).unwrap()));
    }
    let (mut all, mut right) = (0, 0);
    for (release, lines) in by_release {
        let message_sets = MessageSet::ALL.iter().copied();
        for message_set in message_sets.filter(|s| s.protocol() == Protocol::AppServer) {
            let schema = schema(message_set, release, Profile::Exact);
            let validator = jsonschema::options().build(&schema).unwrap();
            let prefilter = Prefilter::compile(&schema).unwrap();
            for line in &lines {
                let value: Option<Value> = serde_json::from_str(line).ok();
                let valid = value.is_some_and(|value| validator.is_valid(&value));
                let accepted = matches!(prefilter.check_text(line), Verdict::Accepted { .. });
                assert_eq!(accepted, valid, "{message_set} {release}: {line}");
                right += usize::from(valid);
            }
        }
        all += lines.len();
    }
    assert!(
        right * 10 > all * 9,
        "only {right} of {all} lines are right"
    );
}

/// The lines of a recording; answers have the method beside them, as their schema wants it.
fn messages(recording: &str) -> Vec<String> {
    let mut asked: HashMap<(bool, String), String> = HashMap::new();
    let mut out = Vec::new();
    for record in recording.lines() {
        let Ok(Record::Line(line)) = codex_wire::from_str(record) else {
            continue;
        };
        let (by_codex, Some(text)) = (matches!(line.from, Side::Codex), line.line.into_value())
        else {
            continue;
        };
        let message: Value = serde_json::from_str(&text).unwrap_or_default();
        let id = message["id"].to_string();
        if let Some(method) = message["method"].as_str() {
            asked.insert((by_codex, id), method.to_owned());
        } else if message.get("result").is_some()
            && let Some(method) = asked.get(&(!by_codex, id))
        {
            out.push(format!(r#"{{"method":"{method}",{}"#, &text[1..]));
            continue;
        }
        out.push(text);
    }
    out
}
