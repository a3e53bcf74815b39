//! Recognizes what Codex keeps beside its session files: by name and by content, because a transcript
//! may have any name.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use serde_json::Value;

use crate::names::{Named, named};
use crate::skipped::SkipReason;

/// The longest first line that is read.
const LINE: u64 = 1 << 20;

/// The files that hold one kind of line each: their name, and the members of a line.
const LISTS: [(&str, [&str; 3], SkipReason); 2] = [
    (
        "history.jsonl",
        ["session_id", "ts", "text"],
        SkipReason::PromptHistory,
    ),
    (
        "session_index.jsonl",
        ["id", "thread_name", "updated_at"],
        SkipReason::SessionIndex,
    ),
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
    let may_be_database = path.extension().is_some_and(|ending| ending == "sqlite");
    (may_be_database && begins_with(path, SQLITE)).then_some(SkipReason::Database)
}

/// Whether the name of a file does not say whether it is a transcript.
pub(crate) fn is_perhaps(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().as_encoded_bytes();
    named(name) == Named::Perhaps
}

/// Whether the first line has these members, and no others.
fn is_list(path: &Path, members: [&str; 3]) -> bool {
    let Some(file) = open(path) else {
        return false;
    };
    let mut line = Vec::new();
    let read = BufReader::new(file).take(LINE).read_until(b'\n', &mut line);
    let line = read.ok().and_then(|_| serde_json::from_slice(&line).ok());
    let Some(Value::Object(line)) = line else {
        return false;
    };
    line.len() == members.len() && members.iter().all(|member| line.contains_key(*member))
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
