//! Streams of Arrow on standard output.

use codex_wire_table::Table;

use crate::program::{batches, column, program, run, said, stream};
use crate::shown::cell;

#[test]
fn a_stream_has_a_table_of_the_inputs_in_their_order() {
    let paths = [
        "exec/0.169.0/message.jsonl",
        "README.md",
        "exec/0.42.0/command_fail.jsonl",
        "none.jsonl",
    ];
    for table in Table::ALL {
        let mut arguments = vec!["--format", "arrow-stream", "--table", table.as_str()];
        arguments.extend(paths);
        let output = run(&arguments, b"");
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
        for batch in batches(&output.stdout) {
            assert_eq!(batch.schema(), table.schema());
        }
        let mut names = column(&stream(&output), "path")
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>();
        names.dedup();
        match table {
            Table::Transcripts => assert_eq!(names, paths),
            Table::Turns => assert_eq!(names, [paths[0], paths[2]]),
            _ => {}
        }
    }
}

/// What cannot be read is a row, with the reason; and standard error has the first, and says how many there are.
#[test]
fn an_input_that_cannot_be_read_is_a_row() {
    let output = run(
        &[
            "--format",
            "arrow-stream",
            "none.jsonl",
            "exec/0.169.0/message.jsonl",
        ],
        b"",
    );
    assert_eq!(output.status.code(), Some(0));
    let rows = stream(&output);
    assert_eq!(column(&rows, "verdict"), ["unreadable", "conforms"]);
    assert!(cell(&rows[0], "error").is_some_and(|error| error.contains("No such file")));
    assert_eq!(cell(&rows[0], "digest"), None);
    let expected = "codex-wire-table: cannot read none.jsonl: No such file or directory (os error 2)\n\
                    codex-wire-table: 1 input could not be read";
    assert!(said(&output).contains(expected), "{}", said(&output));
}

#[test]
fn text_is_kept_only_if_it_is_asked_for() {
    let arguments = [
        "--format",
        "arrow-stream",
        "--table",
        "turns",
        "exec/0.169.0/message.jsonl",
    ];
    let without = stream(&run(&arguments, b""));
    assert_eq!(column(&without, "answer"), [""; 0]);
    let with = [&arguments[..], &["--with-text"]].concat();
    let with = stream(&run(&with, b""));
    assert_eq!(
        column(&with, "answer"),
        ["Hello! This is a plain agent message."]
    );
}

#[test]
fn arguments_that_say_nothing_are_refused() {
    for (arguments, reason) in [
        (&["a.jsonl"][..], "--out"),
        (
            &["--format", "arrow-stream", "--out", "x", "a.jsonl"],
            "leave out `--out`",
        ),
        (
            &["--format", "arrow-stream", "--table", "money", "a.jsonl"],
            "transcripts",
        ),
        (
            &["--out", "x", "--table", "turns", "a.jsonl"],
            "has all tables",
        ),
        (&[], "PATH"),
        (
            &["--format", "arrow-stream", "--files-from", "none.txt"],
            "none.txt",
        ),
    ] {
        let output = run(arguments, b"");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(
            said(&output).contains(reason),
            "{arguments:?}: {}",
            said(&output)
        );
    }
}

/// Whoever reads may go away: that is not a failure, and nothing is said.
#[test]
fn a_reader_that_goes_away_ends_it() {
    let mut child = program(&[
        "--format",
        "arrow-stream",
        "--table",
        "items",
        "exec",
        "rollout/0.169.0",
    ])
    .spawn()
    .expect("it starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(
        (output.status.code(), said(&output)),
        (Some(141), String::new())
    );
}

/// Help that cannot be written is a failure.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_not_quiet() {
    for argument in ["--help", "--version"] {
        let full = std::fs::File::create("/dev/full").expect("a device");
        let output = program(&[argument]).stdout(full).output().expect("it ends");
        let said = said(&output);
        assert!(
            said.starts_with("codex-wire-table: cannot write: "),
            "{argument}: {said}"
        );
        assert_eq!(output.status.code(), Some(2), "{argument}");
    }
}
