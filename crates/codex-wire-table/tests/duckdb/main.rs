//! Runs the queries of `docs/fleets.md` and `docs/tables.md` with DuckDB, on tables and findings of recordings.
//!
//! `.ci/fleets/run` installs it into `.cache/fleets`; where it is not, the tests are ignored, and say so.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use codex_wire_inputs::{Selection, Source, Stop, list};
use codex_wire_session::Reader;
use codex_wire_session::usage::{Query, Usage};
use golden_files::files;
use libtest_mimic::{Arguments, Failed, Trial};
use serde_json::Value;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let missing = (!python().is_file()).then_some("duckdb is not installed");
    let unbuilt = (!checker().is_file()).then_some("codex-wire is not built");
    let trial = |name: &str, missing: Option<&str>, run: fn() -> Result<(), Failed>| {
        let name = match missing {
            Some(reason) => format!("{name}: {reason}"),
            None => name.to_owned(),
        };
        Trial::test(name, run).with_ignored_flag(missing.is_some())
    };
    let trials = vec![
        trial("the queries of docs/fleets.md", missing, queries),
        trial("a file that has grown", missing, file_that_has_grown),
        trial(
            "the query of docs/tables.md",
            missing.or(unbuilt),
            query_of_findings,
        ),
    ];
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// The program that checks. It is of another package, so it is here only if the workspace was built.
fn checker() -> PathBuf {
    Path::new(env!("CARGO_BIN_EXE_codex-wire-table"))
        .with_file_name("codex-wire")
        .with_extension(std::env::consts::EXE_EXTENSION)
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
    let answers = answers(folder.path(), &sql)?;
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

/// Tables of a session file and of a log of runs, before and after more was written to them, with the views of the page.
fn file_that_has_grown() -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let recording = |path: &str| std::fs::read_to_string(files::root().join("fixtures").join(path));
    let run = |number: u8| recording(&format!("rollout/0.169.0/resume/exec-{number}.jsonl"));
    let accounted = files::root().join("fixtures/accounting/0.169.0/two_threads");
    let session = files::below(&accounted.join("home/sessions"), "jsonl").remove(0);
    let name = session
        .file_name()
        .and_then(|name| name.to_str())
        .ok_or("a name")?;
    let file = std::fs::read_to_string(&session)?;
    let lines: Vec<&str> = file.split_inclusive('\n').collect();
    let runs = [run(1)?, run(2)?, run(3)?];
    for (log, file) in [(&runs[..2], &lines[..20]), (&runs, &lines)] {
        std::fs::write(folder.path().join("log.jsonl"), log.concat())?;
        std::fs::write(folder.path().join(name), file.concat())?;
        let output = Command::new(env!("CARGO_BIN_EXE_codex-wire-table"))
            .current_dir(folder.path())
            .args(["log.jsonl", name, "--out", "tables"])
            .output()?;
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).into());
        }
    }
    let page = std::fs::read_to_string(files::root().join("docs/fleets.md"))?;
    let parts = Part::all(&page);
    let mut sql: Vec<&str> = parts.iter().filter_map(|part| part.sql).take(2).collect();
    sql.push(
        "select protocol, sum(tokens)::bigint as tokens from counted join threads using (thread) group by all order by all",
    );
    let answer = answers(folder.path(), &sql)?.pop().ok_or("an answer")?;
    let bill = std::fs::read_to_string(accounted.join("model.jsonl"))?;
    let bill = bill.lines().map(serde_json::from_str::<Value>);
    let bill: Vec<Value> = bill.collect::<Result<_, _>>()?;
    let of_thread = bill
        .iter()
        .filter(|answer| name.contains(answer["thread"].as_str().unwrap_or("?")));
    let billed: u64 = of_thread
        .filter_map(|answer| answer["total"].as_u64())
        .sum();
    assert_eq!(
        answer,
        format!("protocol  tokens\nexec        6170\nrollout      {billed}")
    );
    Ok(())
}

/// What DuckDB answers to statements, in a folder.
fn answers(folder: &Path, sql: &[&str]) -> Result<Vec<String>, Failed> {
    let mut child = Command::new(python())
        .arg(files::root().join("crates/codex-wire-table/tests/duckdb/run.py"))
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    let mut input = child.stdin.take().ok_or("a pipe")?;
    input.write_all(serde_json::to_string(sql)?.as_bytes())?;
    drop(input);
    let output = child.wait_with_output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into());
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}

/// A fork that is longer than the file it goes on from: the findings of `check`, asked for as the page does.
fn query_of_findings() -> Result<(), Failed> {
    const BEGIN: &str = "\nduckdb -c \"";
    let page = std::fs::read_to_string(files::root().join("docs/tables.md"))?;
    let (_, sql) = page.split_once(BEGIN).ok_or("a query")?;
    let (sql, _) = sql.split_once('"').ok_or("its end")?;
    let folder = tempfile::tempdir()?;
    let example = files::root().join("fixtures/rules/with-rollout/base/fail");
    let (sessions, archived) = ("home/sessions", "home/archived_sessions");
    for (name, place, id) in [
        (
            "rollout.jsonl",
            sessions,
            "01a203d6-0fa5-7f80-9dfa-9664ce43c074",
        ),
        (
            "base.jsonl",
            archived,
            "01a203d6-0c52-7b93-98f0-21a33082d3be",
        ),
    ] {
        let place = folder.path().join(place);
        std::fs::create_dir_all(&place)?;
        let named = format!("rollout-2026-11-22T15-18-09-{id}.jsonl");
        std::fs::copy(example.join(name), place.join(named))?;
    }
    let output = Command::new(checker())
        .args(["check", "home", "--format", "jsonl"])
        .current_dir(folder.path())
        .output()?;
    std::fs::write(folder.path().join("check.jsonl"), output.stdout)?;
    let answer = answers(folder.path(), &[sql])?.remove(0);
    let rows: Vec<&str> = answer.lines().skip(1).collect();
    let [row] = rows[..] else {
        return Err(format!("one finding is expected: {answer}").into());
    };
    for part in [
        sessions,
        "with-rollout/base",
        "ends at byte 1613 of the base",
    ] {
        assert!(row.contains(part), "{part}: {answer}");
    }
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
