//! Recognizes what Codex keeps beside its session files: by name and by content, because a transcript
//! may have any name.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::Path;

use serde_json::Value;

use crate::names::{Named, named};
use crate::skipped::SkipReason;

/// The longest first line that is read.
const LINE: u64 = 1 << 20;

/// The files that hold one kind of line each: their name, and the members of a line.
const LISTS: [(&str, &[&str], SkipReason); 3] = [
    (
        "history.jsonl",
        &["session_id", "ts", "text"],
        SkipReason::PromptHistory,
    ),
    (
        "session_index.jsonl",
        &["id", "thread_name", "updated_at"],
        SkipReason::SessionIndex,
    ),
    ("trace.jsonl", &TRACE_LINE, SkipReason::RolloutTrace),
];

/// The members of a line of a trace.
const TRACE_LINE: [&str; 7] = [
    "schema_version",
    "seq",
    "wall_time_unix_ms",
    "rollout_id",
    "thread_id",
    "codex_turn_id",
    "payload",
];

/// The members of the manifest of a trace.
const TRACE_MANIFEST: [&str; 7] = [
    "schema_version",
    "trace_id",
    "rollout_id",
    "root_thread_id",
    "started_at_unix_ms",
    "raw_event_log",
    "payloads_dir",
];

/// What every database begins with.
const SQLITE: &[u8] = b"SQLite format 3\0";

/// Why a file of a folder is not a transcript, if it is a file that Codex keeps beside them.
pub(crate) fn reason(path: &Path) -> Option<SkipReason> {
    let name = path.file_name()?;
    for (known, members, reason) in LISTS {
        if name == known {
            return is_list(path, members).then_some(reason);
        }
    }
    if is_of_trace(path, name) {
        return Some(SkipReason::RolloutTrace);
    }
    let may_be_database = path.extension().is_some_and(|ending| ending == "sqlite");
    (may_be_database && begins_with(path, SQLITE)).then_some(SkipReason::Database)
}

/// Why a member of an archive is not a transcript, if it is one of the files that hold one kind of line each. The bytes are as before.
pub(crate) fn reason_of_member(
    name: &str,
    bytes: &mut Box<dyn Read + '_>,
) -> io::Result<Option<SkipReason>> {
    let name = name.rsplit('/').next();
    let Some((_, members, reason)) = LISTS.iter().find(|(known, ..)| name == Some(known)) else {
        return Ok(None);
    };
    let whole = std::mem::replace(bytes, Box::new(io::empty()));
    let mut whole = BufReader::new(whole);
    let mut line = Vec::new();
    whole.by_ref().take(LINE).read_until(b'\n', &mut line)?;
    let is_list = has_only(&line, members);
    *bytes = Box::new(Cursor::new(line).chain(whole));
    Ok(is_list.then_some(*reason))
}

/// Whether the name of a file does not say whether it is a transcript.
pub(crate) fn is_perhaps(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().as_encoded_bytes();
    named(name) == Named::Perhaps
}

/// Whether it is a file of a trace: its lines, its manifest, or a value in the folder beside them. Such a value may
/// be anything, so the lines say what it is.
fn is_of_trace(path: &Path, name: &OsStr) -> bool {
    if name == "manifest.json" {
        return is_document(path, &TRACE_MANIFEST);
    }
    let folder = path.parent().filter(|folder| folder.ends_with("payloads"));
    let trace = folder.and_then(Path::parent);
    let is_json = path.extension().is_some_and(|ending| ending == "json");
    is_json && trace.is_some_and(|trace| is_list(&trace.join("trace.jsonl"), &TRACE_LINE))
}

/// Whether the first line has these members, and no others.
fn is_list(path: &Path, members: &[&str]) -> bool {
    let read = |file| {
        let mut line = Vec::new();
        let read = BufReader::new(file).take(LINE).read_until(b'\n', &mut line);
        read.map(|_| line)
    };
    let line = open(path).and_then(|file| read(file).ok());
    line.is_some_and(|line| has_only(&line, members))
}

/// Whether the whole file is an object with these members, and no others.
fn is_document(path: &Path, members: &[&str]) -> bool {
    let read = |file: File| {
        let mut text = Vec::new();
        file.take(LINE).read_to_end(&mut text).map(|_| text)
    };
    let text = open(path).and_then(|file| read(file).ok());
    text.is_some_and(|text| has_only(&text, members))
}

fn has_only(text: &[u8], members: &[&str]) -> bool {
    let Ok(Value::Object(object)) = serde_json::from_slice(text) else {
        return false;
    };
    object.len() == members.len() && members.iter().all(|member| object.contains_key(*member))
}

fn begins_with(path: &Path, magic: &[u8]) -> bool {
    let mut head = vec![0; magic.len()];
    let read = open(path).map(|mut file| file.read_exact(&mut head));
    matches!(read, Some(Ok(()))) && head == magic
}

/// Opening a named pipe may block forever.
fn open(path: &Path) -> Option<File> {
    let is_file = path.metadata().is_ok_and(|about| about.is_file());
    is_file.then(|| File::open(path).ok()).flatten()
}
