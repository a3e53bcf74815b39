//! The examples that the program prints: of each kind of message and each release the fullest short one that was
//! recorded and conforms. `UPDATE_EXPECT` writes their file.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fs;
use std::io::{Read as _, Write as _};
use std::path::Path;
use std::sync::LazyLock;

use codex_wire::{MessageSet, Protocol, Release};
use codex_wire_check::{Checker, Event, Options, Severity, Step};
use codex_wire_schema::examples;
use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use libtest_mimic::{Failed, Trial};
use serde_json::Value;

use crate::support::{fixtures, name, transcripts, trial};

/// The folders of recordings, and what was recorded there.
const FOLDERS: [(&str, Protocol); 7] = [
    ("app-server", Protocol::AppServer),
    ("core", Protocol::Core),
    ("exec", Protocol::Exec),
    ("exec-legacy", Protocol::Exec),
    ("hooks", Protocol::Hooks),
    ("notify", Protocol::Notify),
    ("rollout", Protocol::Rollout),
];

/// Longer messages are left out. Each kind has a shorter one.
const LIMIT: usize = 8000;

/// Up to here a message is short: of these the one that shows most is the example. Of longer ones it is the shortest.
const SHORT: usize = 1000;

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        Trial::test("examples::up_to_date", up_to_date),
        trial("examples::each_kind", each_recorded_kind_has_one),
    ]
}

/// A message set and a kind in it, then the release.
type Key = (MessageSet, String, Release);

/// Where a message is, and its text.
struct Found {
    place: String,
    text: String,
    rank: Rank,
}

/// Which of two messages is the better example: the lesser one. How long it is beyond what is short, how many values it
/// has that are not empty, and how long it is.
type Rank = (usize, Reverse<usize>, usize);

fn rank(text: &str) -> Rank {
    let message = serde_json::from_str(text).unwrap_or(Value::Null);
    let beyond = text.len().saturating_sub(SHORT);
    (beyond, Reverse(filled(&message)), text.len())
}

/// How many values there are that are not empty. Of an array the first element counts: the others show little more.
fn filled(value: &Value) -> usize {
    match value {
        Value::Null => 0,
        Value::String(text) => usize::from(!text.trim().is_empty()),
        Value::Array(elements) => elements.first().map_or(0, filled),
        Value::Object(members) => members.values().map(filled).sum(),
        Value::Bool(_) | Value::Number(_) => 1,
    }
}

fn up_to_date() -> Result<(), Failed> {
    let mut expected = String::new();
    let mut last = None;
    let collected = COLLECTED.as_ref()?;
    let short = collected
        .iter()
        .filter(|(_, found)| found.text.len() <= LIMIT);
    for ((message_set, kind, release), found) in short {
        if last != Some((message_set, kind)) {
            expected += &format!("= {message_set} {kind}\n");
            last = Some((message_set, kind));
        }
        expected += &format!("{release} {}\n{}\n", found.place, found.text);
    }
    let file = fixtures().join("../crates/codex-wire-schema/src/examples.deflate");
    if golden_files::is_update() {
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(expected.as_bytes())?;
        fs::write(&file, encoder.finish()?)?;
    }
    let mut found = String::new();
    DeflateDecoder::new(fs::read(&file)?.as_slice()).read_to_string(&mut found)?;
    match found == expected {
        true => Ok(()),
        false => Err("`cargo xtask generate --only examples` makes the file again".into()),
    }
}

/// What the program holds is read whole: as many as lines name a place.
fn each_recorded_kind_has_one() {
    let all = COLLECTED.as_ref().unwrap();
    let found = examples::all();
    assert!(found.len() > 3000, "only {}", found.len());
    for (message_set, kind, _) in all.keys() {
        let has_one = examples::of_kind(kind).any(|found| found.message_set == *message_set);
        assert!(has_one, "{message_set} {kind}");
    }
}

/// The example of each kind and release.
static COLLECTED: LazyLock<Result<BTreeMap<Key, Found>, String>> =
    LazyLock::new(|| collected().map_err(|failed| failed.message().unwrap_or_default().to_owned()));

fn collected() -> Result<BTreeMap<Key, Found>, Failed> {
    let mut out = BTreeMap::new();
    for (folder, protocol) in FOLDERS {
        let mut paths = match folder {
            "notify" => fs::read_dir(fixtures().join(folder))?
                .map(|entry| Ok(entry?.path()))
                .collect::<Result<Vec<_>, Failed>>()?,
            _ => transcripts(folder),
        };
        paths.retain(|path| is_recording(folder, path));
        paths.sort();
        for path in paths {
            let release = release(&path)?;
            let bytes = fs::read(&path)?;
            let checker = Checker::new(Options::exact(protocol, release))?;
            checker.observe("-", bytes.as_slice(), |step| {
                add(&mut out, step, release, &path);
                Ok(())
            })?;
        }
    }
    Ok(out)
}

/// The release of a recording: a folder below that of its protocol, or the name of the file.
fn release(path: &Path) -> Result<Release, Failed> {
    let name = name(path);
    let part = name.split('/').nth(1).unwrap_or_default();
    part.parse().map_err(Failed::from)
}

/// Whether a file is a transcript of what its folder is about.
fn is_recording(folder: &str, path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let is_jsonl = name.ends_with(".jsonl");
    is_jsonl && (folder != "rollout" || name.starts_with("rollout-"))
}

/// Keeps the message of a line, if there is none of its kind that is a better example.
fn add(out: &mut BTreeMap<Key, Found>, step: &Step<'_>, release: Release, path: &Path) {
    let is_wrong = |severity| matches!(severity, Severity::Error | Severity::Warning);
    if step
        .findings
        .iter()
        .any(|finding| is_wrong(finding.severity))
    {
        return;
    }
    let (Some((message_set, kind)), Event::Message { message, .. }) = (step.kind(), step.event)
    else {
        return;
    };
    let Some(text) = raw(step, message_set) else {
        return;
    };
    let kind = match detail(message_set, message) {
        Some(detail) => format!("{kind}/{detail}"),
        None => kind.to_owned(),
    };
    let key = (message_set, kind, release);
    let rank = rank(&text);
    if out.get(&key).is_none_or(|found| rank < found.rank) {
        let place = format!("{}.jsonl:{}", name(path), step.line);
        out.insert(key, Found { place, text, rank });
    }
}

/// The message as it was written, if it is one line.
fn raw(step: &Step<'_>, message_set: MessageSet) -> Option<String> {
    let line = str::from_utf8(step.bytes).ok()?;
    let inner = |member: &str| {
        let record: Value = serde_json::from_str(line).ok()?;
        Some(record[member].as_str()?.to_owned())
    };
    let text = match message_set {
        MessageSet::HooksInput => inner("stdin")?,
        // The line has what the hook read, too, and the schema is about neither alone.
        MessageSet::HooksOutput => return None,
        other => match other.protocol() {
            Protocol::AppServer | Protocol::Core => inner("line")?,
            _ => line.to_owned(),
        },
    };
    (text.starts_with('{') && !text.contains('\n')).then_some(text)
}

/// What a message is about, where it is one of several kinds.
fn detail(message_set: MessageSet, message: &Value) -> Option<&str> {
    let text = |pointer: &str| message.pointer(pointer)?.as_str();
    match message_set {
        MessageSet::Exec => text("/item/type").or_else(|| text("/item/item_type")),
        MessageSet::HooksInput => text("/tool_name")
            .or_else(|| text("/source"))
            .or_else(|| text("/trigger")),
        MessageSet::Rollout => text("/payload/type"),
        MessageSet::AppServerServerNotifications => text("/params/item/type"),
        _ => None,
    }
}
