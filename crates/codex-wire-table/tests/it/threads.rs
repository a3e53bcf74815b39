//! Several threads write what one does.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use codex_wire_table::{DeferredRows, Rows, Table, Tables, Transcript};

use crate::program::{frame, recording, run, said};
use crate::shown::All;

/// Recordings, of which some are the same, and what is unreadable or none.
const INPUTS: [&str; 8] = [
    "exec/0.98.0",
    "rollout/0.169.0",
    "README.md",
    "none.jsonl",
    "app-server/0.169.0",
    "exec/0.98.0",
    "invalid",
    "core",
];

/// Two tables are enough: the folders below have all.
#[test]
fn streams_are_the_same() {
    for table in [Table::Transcripts, Table::Items] {
        let name = table.as_str();
        let stream = |threads: &str| {
            let options = ["--format", "arrow-stream", "--with-text", "-j", threads];
            let output = run(&[&options[..], &["--table", name], &INPUTS].concat(), b"");
            assert_eq!(output.status.code(), Some(0), "{}", said(&output));
            output
        };
        let (one, several) = (stream("1"), stream("3"));
        assert!(one.stdout == several.stdout, "{name}");
        assert_eq!(said(&one), said(&several));
    }
}

/// The same files, byte by byte. A long transcript, and frames behind paths.
#[test]
fn folders_are_the_same() {
    let message = String::from_utf8(recording("exec/0.169.0/message.jsonl")).expect("text");
    // It goes through a temporary file.
    let long = message.replacen(
        "\"text\":\"",
        &format!("\"text\":\"{}", "x".repeat(17 << 20)),
        1,
    );
    assert!(long.len() > 17 << 20);
    let list = [
        frame("a.jsonl", &recording("exec/0.169.0/reasoning.jsonl")),
        frame("long.jsonl", long.as_bytes()),
        b"rollout/0.98.0\nnone.jsonl\n".to_vec(),
        frame("b.jsonl", &recording("exec/0.169.0/todo_bad.jsonl")),
    ]
    .concat();
    let write = |threads: &str| {
        let folder = tempfile::tempdir().expect("a folder");
        let out = folder.path().to_str().expect("a name");
        let options = ["--out", out, "--files-from", "-", "-j", threads];
        let output = run(&[&options[..], &INPUTS].concat(), &list);
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
        let mut files = BTreeMap::new();
        contents(folder.path(), folder.path(), &mut files);
        (files, said(&output))
    };
    let (one, several) = (write("1"), write("3"));
    assert_eq!(one.1, several.1);
    assert!(one.0.len() > 8);
    assert!(one.0 == several.0);
}

fn contents(root: &Path, folder: &Path, out: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            contents(root, &path, out);
            continue;
        }
        let name = path.strip_prefix(root).expect("a file in it").to_owned();
        out.insert(name, fs::read(&path).expect("a file"));
    }
}

/// A sink has the same rows, whether they come at once or later, and those of the tables that it has.
#[test]
fn deferred_rows_are_the_same() {
    let names = [
        "rollout/0.169.0/mcp/exec-1.jsonl",
        "app-server/0.169.0/09h_queue_sections_projects.jsonl",
        "exec/0.169.0/todo_bad.jsonl",
    ];
    for with_text in [false, true] {
        let (mut direct, mut later) = (All::new(with_text), All::new(with_text));
        let mut turns = All(Rows::new(&[Table::Turns], with_text));
        for name in names {
            let contents = recording(name);
            let transcript = Transcript::new(name);
            let read = Tables::new().read(transcript, &contents[..], &mut direct);
            read.expect("rows");
            let mut deferred = DeferredRows::new(Table::ALL, with_text);
            let read = Tables::new().read(transcript, &contents[..], &mut deferred);
            read.expect("rows");
            deferred.add_to(&mut later).expect("rows");
            deferred.add_to(&mut turns).expect("rows");
        }
        assert_eq!(direct.0.bytes(), later.0.bytes());
        let direct = direct.0.take().expect("batches");
        assert!(direct.len() > 6);
        assert!(direct == later.0.take().expect("batches"));
        let turns = turns.0.take().expect("batches");
        assert!(turns.iter().all(|batch| direct.contains(batch)) && turns.len() == 1);
    }
}
