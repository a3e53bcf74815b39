//! Runs the queries of `docs/fleets.md` with DuckDB, on tables of recordings.
//!
//! `.ci/fleets/run` installs it into `.cache/fleets`; where it is not, the test is ignored, and says so.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};

use codex_wire_inputs::{Selection, Source, Stop, list};
use codex_wire_session::Reader;
use codex_wire_session::usage::{Query, Usage};
use golden_files::files;
use libtest_mimic::{Arguments, Failed, Trial};

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let missing = !python().is_file();
    let name = match missing {
        true => "the queries of docs/fleets.md: duckdb is not installed",
        false => "the queries of docs/fleets.md",
    };
    let trial = Trial::test(name, queries).with_ignored_flag(missing);
    libtest_mimic::run(&arguments, vec![trial]).exit_code()
}

/// The Python that has DuckDB.
fn python() -> PathBuf {
    files::root().join(".cache/fleets/venv/bin/python")
}

/// The recordings of the page.
const RECORDINGS: &[&str] = &[
    "exec/0.98.0",
    "exec/0.169.0",
    "rollout/0.98.0",
    "rollout/0.169.0",
    "app-server/0.169.0",
    "invalid/unreadable-utf16.jsonl",
    "invalid/unreadable-log.jsonl",
];

fn queries() -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let output = Command::new(env!("CARGO_BIN_EXE_codex-wire-table"))
        .current_dir(files::root().join("fixtures"))
        .args(RECORDINGS)
        .arg("--out")
        .arg(folder.path().join("tables"))
        .output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into());
    }
    let path = files::root().join("docs/fleets.md");
    let page = std::fs::read_to_string(&path)?;
    let parts = Part::all(&page);
    let sql: Vec<&str> = parts.iter().filter_map(|part| part.sql).collect();
    let mut child = Command::new(python())
        .arg(files::root().join("crates/codex-wire-table/tests/duckdb/run.py"))
        .current_dir(folder.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    let mut input = child.stdin.take().ok_or("a pipe")?;
    input.write_all(serde_json::to_string(&sql)?.as_bytes())?;
    drop(input);
    let output = child.wait_with_output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into());
    }
    let answers: Vec<String> = serde_json::from_slice(&output.stdout)?;
    let by_day = sql
        .iter()
        .position(|sql| sql.starts_with("select date, sum(tokens)"));
    let by_day = &answers[by_day.ok_or("the tokens of each day")?];
    // The date may be unknown, and tokens are the last but one.
    let tokens = by_day
        .lines()
        .skip(1)
        .filter_map(|line| line.rsplit(' ').filter(|cell| !cell.is_empty()).nth(1));
    let tokens: Result<u64, _> = tokens.map(str::parse::<u64>).sum();
    assert_eq!(tokens?, usage(), "the tokens of `codex-wire usage`");
    let mut answers = answers.into_iter();
    let mut written = String::new();
    for part in &parts {
        written.push_str(part.text);
        if part.sql.is_some()
            && let Some(answer) = answers.next()
            && !answer.is_empty()
        {
            written.push_str("\n```text\n");
            written.push_str(&answer);
            written.push_str("\n```\n");
        }
    }
    golden_files::assert_file(&path, &written);
    Ok(())
}

/// The tokens that `codex-wire usage` counts of the same recordings, each of those with the same contents once.
fn usage() -> u64 {
    let root = files::root().join("fixtures");
    let paths: Vec<PathBuf> = RECORDINGS.iter().map(|path| root.join(path)).collect();
    let (stop, reader) = (Stop::new(), Reader::new());
    let mut inputs = list(&paths, Selection::new(), &stop).inputs;
    // As the program does: what a session file holds counts there.
    let is_session_file = |source: &Source| source.name().contains("/rollout-");
    inputs.sort_by_key(|input| !input.as_ref().is_ok_and(is_session_file));
    let mut usage = Usage::new(Query::new());
    let mut seen = BTreeSet::new();
    let session = |name: &str| {
        let text = std::fs::read(name).ok()?;
        reader.read(name, &*text).ok()
    };
    for source in inputs.iter().flatten() {
        let Ok(mut opened) = source.open(&stop) else {
            continue;
        };
        let Ok(text) = opened.whole() else { continue };
        if seen.insert(text.clone()) {
            // What holds no session says nothing of usage.
            let _ = usage.read(&reader, &opened.name, &*text);
        }
    }
    for fork in usage.forks() {
        let session = session(&fork.source).expect("it was read before");
        usage.fork(session, None);
    }
    usage.finish().total.tokens.total
}

/// A part of the page: text, up to and with a query; without its answer.
struct Part<'p> {
    text: &'p str,
    sql: Option<&'p str>,
}

impl<'p> Part<'p> {
    fn all(mut page: &'p str) -> Vec<Self> {
        const BEGIN: &str = "```sql\n";
        const ANSWER: &str = "\n```text\n";
        const END: &str = "```\n";
        let mut parts = Vec::new();
        while let Some(begin) = page.find(BEGIN) {
            let from = begin + BEGIN.len();
            let Some(length) = page[from..].find(END) else {
                break;
            };
            let end = from + length + END.len();
            parts.push(Part {
                text: &page[..end],
                sql: Some(&page[from..from + length]),
            });
            page = &page[end..];
            if let Some(answer) = page.strip_prefix(ANSWER)
                && let Some(length) = answer.find(END)
            {
                page = &answer[length + END.len()..];
            }
        }
        parts.push(Part {
            text: page,
            sql: None,
        });
        parts
    }
}
