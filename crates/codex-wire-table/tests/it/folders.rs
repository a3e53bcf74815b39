//! Files of Parquet in a folder.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use golden_files::files;

use crate::program::{column, frame, recording, run, said, stream, table};
use crate::shown::cell;

const TABLES: [&str; 8] = [
    "transcripts",
    "threads",
    "turns",
    "items",
    "commands",
    "tools",
    "usage",
    "findings",
];

fn write(folder: &Path, paths: &[&str]) -> String {
    let out = folder.to_str().expect("a name");
    let output = run(&[&["--out", out], paths].concat(), b"");
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    said(&output)
}

fn sorted(folder: &Path, name: &str) -> Vec<Vec<(String, String)>> {
    let mut rows = table(folder, name);
    rows.sort();
    rows
}

/// The folder has the rows of the streams; the day and the protocol are names of folders.
#[test]
fn a_folder_has_all_tables() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("new/tables");
    let paths = ["exec/0.169.0", "rollout/0.98.0", "README.md", "none.jsonl"];
    write(&out, &paths);
    for name in TABLES {
        let arguments = [&["--format", "arrow-stream", "--table", name], &paths[..]].concat();
        let mut expected = stream(&run(&arguments, b""));
        for row in &mut expected {
            row.retain(|(column, _)| column != "day" && column != "protocol");
        }
        expected.sort();
        if name == "transcripts" {
            // Of recordings with the same contents, one is there.
            let mut seen = BTreeSet::new();
            let rows = sorted(&out, name);
            assert!(
                column(&rows, "digest")
                    .iter()
                    .all(|digest| seen.insert(digest.to_string()))
            );
            expected.retain(|row| rows.contains(row));
            assert_eq!(rows, expected);
        } else {
            let digests: BTreeSet<_> = column(&expected, "digest").into_iter().collect();
            let rows = sorted(&out, name);
            assert_eq!(
                column(&rows, "digest").into_iter().collect::<BTreeSet<_>>(),
                digests,
                "{name}"
            );
        }
    }
    let names = files::below(&out.join("turns"), "parquet");
    let names: Vec<_> = names
        .iter()
        .map(|path| {
            path.strip_prefix(&out)
                .expect("within")
                .display()
                .to_string()
        })
        .collect();
    assert!(
        names
            .iter()
            .any(|name| name.starts_with("turns/day=2026-11-22/protocol=rollout/part-")),
        "{names:?}"
    );
    // An input that could not be read has neither.
    let unknown =
        out.join("transcripts/day=__HIVE_DEFAULT_PARTITION__/protocol=__HIVE_DEFAULT_PARTITION__");
    assert!(unknown.is_dir());
}

/// What is there is not written again, under whatever name, and what is new is added.
#[test]
fn a_second_run_adds_what_is_new() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path();
    let first = ["exec/0.169.0/message.jsonl", "none.jsonl"];
    assert!(write(out, &first).contains("1 transcript written, 0 were there"));
    let copy = folder.path().join("copy.jsonl");
    fs::copy(files::root().join("fixtures").join(first[0]), &copy).expect("a copy");
    let copy = copy.to_str().expect("a name");
    let second = [
        "exec/0.169.0/message.jsonl",
        "none.jsonl",
        copy,
        "exec/0.169.0/reasoning.jsonl",
    ];
    assert!(write(out, &second).contains("1 transcript written, 2 were there"));
    let rows = sorted(out, "transcripts");
    assert_eq!(
        column(&rows, "path"),
        [first[0], "exec/0.169.0/reasoning.jsonl", first[1]]
    );
    // Other contents are another transcript.
    fs::write(copy, "").expect("a file");
    assert!(write(out, &second).contains("1 transcript written, 2 were there"));
}

/// What was skipped is not there: the same contents are written where they have to be a transcript.
#[test]
fn a_skipped_input_is_not_there() {
    let inputs = tempfile::tempdir().expect("a folder");
    let folder = inputs.path().join("folder");
    fs::create_dir(&folder).expect("a folder");
    let named = inputs.path().join("named.json");
    for path in [&folder.join("a.json"), &folder.join("b.json"), &named] {
        fs::write(path, "{\"hello\":\"world\"}\n").expect("a file");
    }
    let [folder, named] = [&folder, &named].map(|path| path.to_str().expect("a name"));
    for threads in ["1", "3"] {
        let out = tempfile::tempdir().expect("a folder");
        let skipped = write(out.path(), &["-j", threads, folder]);
        assert!(
            skipped.contains("0 transcripts written, 0 were there"),
            "{skipped}"
        );
        assert!(skipped.contains("not a transcript"), "{skipped}");
        let written = write(out.path(), &["-j", threads, folder, named, named]);
        assert!(written.contains("0 transcripts written, "), "{written}");
        assert!(written.contains("1 input could not be read"), "{written}");
        assert_eq!(table(out.path(), "transcripts").len(), 1);
        let again = write(out.path(), &["-j", threads, named]);
        assert!(
            again.contains("0 transcripts written, 1 were there"),
            "{again}"
        );
    }
}

/// Wherever a run was ended, the next one makes the folder whole, and no row is there twice.
#[test]
fn a_run_that_was_ended_is_made_whole() {
    let whole = tempfile::tempdir().expect("a folder");
    let paths = ["exec/0.169.0", "rollout/0.169.0"];
    write(whole.path(), &paths);
    let manifests = files::below(&whole.path().join("_manifest"), "json");
    let of = |path: &Path| -> serde_json::Value {
        serde_json::from_slice(&fs::read(path).expect("a manifest")).expect("JSON")
    };
    let commit = manifests
        .iter()
        .find(|path| !path.ends_with("empty.json"))
        .expect("a commit");
    let manifest = of(commit);
    let names: Vec<String> = serde_json::from_value(manifest["files"].clone()).expect("names");
    let id = manifest["id"].as_str().expect("an id");
    let counts: Vec<usize> = TABLES
        .iter()
        .map(|name| table(whole.path(), name).len())
        .collect();
    for published in [0, 1, names.len() / 2, names.len()] {
        // The manifest is there, and so many files are in their places.
        let unfinished = whole.path().join("_unfinished").join(id);
        fs::create_dir_all(&unfinished).expect("a folder");
        for (number, name) in names.iter().enumerate().skip(published) {
            fs::rename(whole.path().join(name), unfinished.join(number.to_string()))
                .expect("a file");
        }
        assert!(write(whole.path(), &paths).contains(" 0 transcripts written"));
        let now: Vec<usize> = TABLES
            .iter()
            .map(|name| table(whole.path(), name).len())
            .collect();
        assert_eq!(now, counts, "{published}");
    }
    // Ended before there was a manifest: nothing of it is there, and it is written again.
    let unfinished = whole.path().join("_unfinished/current");
    fs::create_dir_all(&unfinished).expect("a folder");
    // What a file manager leaves does not stop it.
    fs::write(whole.path().join("_unfinished/.DS_Store"), "").expect("a file");
    for (number, name) in names.iter().enumerate() {
        fs::rename(whole.path().join(name), unfinished.join(number.to_string())).expect("a file");
    }
    fs::remove_file(commit).expect("a manifest");
    write(whole.path(), &paths);
    let now: Vec<usize> = TABLES
        .iter()
        .map(|name| table(whole.path(), name).len())
        .collect();
    assert_eq!(now, counts);
    assert!(!unfinished.exists());
}

/// Tables of another version, or with text and without, are not mixed.
#[test]
fn other_tables_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().to_str().expect("a name");
    write(folder.path(), &["exec/0.169.0/message.jsonl"]);
    let output = run(&["--out", out, "--with-text", "exec/0.169.0"], b"");
    assert_eq!(output.status.code(), Some(2));
    assert!(
        said(&output).contains("tables without text"),
        "{}",
        said(&output)
    );
    let manifest = folder.path().join("_manifest/empty.json");
    let text = fs::read_to_string(&manifest).expect("a manifest");
    fs::write(&manifest, text.replace("\"version\":1", "\"version\":0")).expect("a file");
    let output = run(&["--out", out, "exec/0.169.0"], b"");
    assert!(
        said(&output).contains("tables of version 0"),
        "{}",
        said(&output)
    );
}

/// A transcript with more rows than are kept goes to its files turn by turn, and is there as one.
#[test]
fn a_long_transcript_is_written_bit_by_bit() {
    use parquet::file::reader::{FileReader as _, SerializedFileReader};

    const TURNS: usize = 400;
    let mut text = String::from(
        "{\"type\":\"thread.started\",\"thread_id\":\"0199a213-81c0-7800-8aa1-bbab2a035a53\"}\n",
    );
    for turn in 0..TURNS {
        // Texts that differ, so that none is stored once.
        let said = format!("{turn} ").repeat(100_000 / 4);
        text.push_str("{\"type\":\"turn.started\"}\n");
        text.push_str(&format!(
            "{{\"type\":\"item.completed\",\"item\":{{\"id\":\"item_{turn}\",\"type\":\"agent_message\",\"text\":\"{said}\"}}}}\n"
        ));
        text.push_str("{\"type\":\"turn.completed\",\"usage\":{\"input_tokens\":9,\"cached_input_tokens\":0,\"output_tokens\":1}}\n");
    }
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().to_str().expect("a name");
    let short = recording("exec/0.169.0/message.jsonl");
    let list = [
        frame("before", &short),
        frame("long", text.as_bytes()),
        frame("after", &recording("exec/0.169.0/reasoning.jsonl")),
    ];
    let output = run(
        &["--files-from", "-", "--with-text", "--out", out],
        &list.concat(),
    );
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let turns = table(folder.path(), "turns");
    assert_eq!(turns.len(), TURNS + 2);
    let long: Vec<_> = turns
        .iter()
        .filter(|row| cell(row, "path") == Some("long"))
        .collect();
    let numbers: Vec<_> = long
        .iter()
        .filter_map(|row| cell(row, "turn_number")?.parse::<usize>().ok())
        .collect();
    assert_eq!(numbers, (0..TURNS).collect::<Vec<_>>());
    assert_eq!(table(folder.path(), "transcripts").len(), 3);
    let groups = |path: &std::path::PathBuf| {
        let file = fs::File::open(path).expect("a file");
        let reader = SerializedFileReader::new(file).expect("a file of Parquet");
        reader.metadata().num_row_groups()
    };
    let files = files::below(&folder.path().join("items"), "parquet");
    assert_eq!(files.iter().map(groups).max(), Some(2), "{files:?}");
    // The commit with the long one, that with the one after it, and that of empty files.
    assert_eq!(
        files::below(&folder.path().join("_manifest"), "json").len(),
        3
    );
}
