//! Runs the program.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use arrow_array::RecordBatch;
use arrow_ipc::reader::StreamReader;
use golden_files::files;

use crate::shown::{cell, rows};

/// Rows, each a list of the cells that are known.
pub(crate) type ShownRows = Vec<Vec<(String, String)>>;

/// The program, to be run in the folder of recordings.
pub(crate) fn program(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_codex-wire-table"));
    command
        .args(arguments)
        .current_dir(files::root().join("fixtures"))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// Runs it to its end, with this on standard input.
pub(crate) fn run(arguments: &[&str], stdin: &[u8]) -> Output {
    let mut child = program(arguments)
        .stdin(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut input = child.stdin.take().expect("a pipe");
    let stdin = stdin.to_owned();
    let writer = std::thread::spawn(move || {
        // It may end before it has read all.
        let _ = input.write_all(&stdin);
    });
    let output = child.wait_with_output().expect("it ends");
    writer.join().expect("a writer");
    output
}

/// What it says on standard error.
pub(crate) fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The batches of a stream.
pub(crate) fn batches(stream: &[u8]) -> Vec<RecordBatch> {
    let reader = StreamReader::try_new(stream, None).expect("a stream");
    reader.map(|batch| batch.expect("a batch")).collect()
}

/// The rows of a stream.
pub(crate) fn stream(output: &Output) -> ShownRows {
    batches(&output.stdout).iter().flat_map(rows).collect()
}

/// A column of rows, where it is known.
pub(crate) fn column<'r>(rows: &'r ShownRows, name: &str) -> Vec<&'r str> {
    rows.iter().filter_map(|row| cell(row, name)).collect()
}

/// A frame of a list of inputs.
pub(crate) fn frame(name: &str, contents: &[u8]) -> Vec<u8> {
    let header = serde_json::json!({"path": name, "bytes": contents.len()});
    let mut frame = format!("{header}\n").into_bytes();
    frame.extend(contents);
    frame.push(b'\n');
    frame
}

/// A recording.
pub(crate) fn recording(name: &str) -> Vec<u8> {
    std::fs::read(files::root().join("fixtures").join(name)).expect("a recording")
}

/// All rows of a table of a folder.
pub(crate) fn table(folder: &Path, table: &str) -> ShownRows {
    use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

    let mut out = Vec::new();
    for path in files::below(&folder.join(table), "parquet") {
        let file = std::fs::File::open(&path).expect("a file");
        let reader = ParquetRecordBatchReaderBuilder::try_new(file).expect("a file of Parquet");
        for batch in reader.build().expect("a reader") {
            out.extend(rows(&batch.expect("a batch")));
        }
    }
    out
}

/// The rows of a stream that has no end.
pub(crate) fn whole_batches(stream: &[u8]) -> ShownRows {
    let reader = StreamReader::try_new(stream, None).expect("a stream");
    reader
        .map_while(Result::ok)
        .flat_map(|batch| rows(&batch))
        .collect()
}
