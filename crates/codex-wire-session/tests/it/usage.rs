//! What is summed up: each response once, whatever holds it, and by whatever key.

use codex_wire_base::Release;
use codex_wire_session::usage::{Key, Prices, Query, Row, Sums, Table, Usage};
use codex_wire_session::{Reader, Tokens};

use crate::recordings::{Run, name_of, runs};
use golden_files::files;

/// The table of a run: its session files, and then its streams if they are wanted.
fn table(run: &Run, query: Query, with_streams: bool) -> Table {
    let reader = Reader::new();
    let mut usage = Usage::new(query);
    for (path, text) in &run.files {
        let read = usage.read(&reader, name_of(path), &**text);
        read.unwrap_or_else(|error| panic!("{}: {error}", files::short(path)));
    }
    if with_streams {
        for path in files::below(&run.folder, "jsonl") {
            let name = name_of(&path);
            if name.starts_with("exec-") || name.starts_with("app-server-") {
                let text = std::fs::read(&path).expect("a recording");
                // Some streams hold nothing but text for people.
                let _ = usage.read(&reader, name, &*text);
            }
        }
    }
    usage.finish()
}

/// The table of a recorded stream.
fn stream(place: &str, key: Key) -> Table {
    let text = std::fs::read(files::root().join("fixtures").join(place));
    let mut usage = Usage::new(Query::new().by(key));
    let read = usage.read(&Reader::new(), place, &*text.expect("a recording"));
    read.expect("a session");
    usage.finish()
}

#[test]
fn what_several_surfaces_hold_counts_once() {
    let mut compared = 0;
    for run in runs("rollout") {
        let files_only = table(&run, Query::new(), false);
        let read = run.files_read();
        let threads: Tokens = read.iter().map(|file| file.session.tokens()).sum();
        let place = files::short(&run.folder);
        assert_eq!(files_only.total.tokens, threads, "{place}");
        // Streams before 0.43.0 do not name their thread.
        if run.release < Release::new(0, 43, 0) {
            continue;
        }
        let with_streams = table(&run, Query::new(), true);
        assert_eq!(with_streams.total.tokens, threads, "{place}");
        compared += 1;
    }
    assert!(compared > 200, "only {compared}");
}

/// What holds no session has no lines that were to be counted.
#[test]
fn lines_of_other_files_do_not_count() {
    let reader = Reader::new();
    let mut usage = Usage::new(Query::new());
    let read = usage.read(&reader, "notes.log", &b"compiling\ndone\n"[..]);
    assert!(read.is_err());
    assert_eq!(usage.first_unread(), None);
    assert_eq!(usage.finish().unread, 0);
}

/// The calls of tools in session files: the tool, how many calls, and how many failed.
#[test]
fn calls_of_files() {
    for (place, expected) in [
        ("0.28.0/patch_fail", &["patch 5 5"][..]),
        ("0.42.0/patch_fail", &["patch 5 5"]),
        ("0.169.0/patch_fail", &["patch 5 5"]),
        (
            "0.169.0/goals",
            &["create_goal 1 0", "get_goal 1 0", "update_goal 1 0"],
        ),
        ("0.150.1/review", &["command 1 0"]),
        ("0.162.0/review", &["command 1 0"]),
        (
            "0.169.0/odd_items",
            &["no_such_custom 1 1", "no_such_tool 1 1"],
        ),
        (
            "0.150.1/collab_v2",
            &[
                "close_agent 2 1",
                "list_agents 2 1",
                "send_input 4 2",
                "spawn_agent 2 1",
                "wait 2 1",
            ],
        ),
    ] {
        let path = files::root().join("fixtures/rollout").join(place);
        let run = runs("rollout").into_iter().find(|run| run.folder == path);
        let run = run.expect("the run");
        let table = table(&run, Query::new().by(Key::Tool), false);
        let row = |row: &Row| {
            let sums = &row.sums;
            format!("{} {} {}", row.keys[0], sums.calls, sums.failed_calls)
        };
        let mut calls: Vec<String> = table.rows.iter().map(row).collect();
        calls.sort();
        assert_eq!(calls, expected, "{place}");
    }
}

/// The list of steps of a turn, which three calls wrote.
#[test]
fn lists_of_steps_take_no_time() {
    let path = files::root().join("fixtures/rollout/0.116.0/todo");
    let run = runs("rollout").into_iter().find(|run| run.folder == path);
    let table = table(&run.expect("the run"), Query::new().by(Key::Tool), false);
    let rows = table.rows.iter();
    let rows: Vec<_> = rows
        .map(|row| (&*row.keys[0], row.sums.calls, row.sums.duration_ms))
        .collect();
    assert_eq!(rows, [("command", 1, Some(0)), ("update_plan", 1, None)]);
}

#[test]
fn every_key_adds_up_to_the_same() {
    for run in runs("rollout") {
        let total = table(&run, Query::new(), false).total;
        for key in Key::ALL {
            let table = table(&run, Query::new().by(key), false);
            let place = files::short(&run.folder);
            if key == Key::Tool {
                let calls: u64 = table.rows.iter().map(|row| row.sums.calls).sum();
                assert_eq!(calls, total.calls, "{place} by {key}");
                continue;
            }
            let tokens: Tokens = table.rows.iter().map(|row| row.sums.tokens).sum();
            assert_eq!(tokens, total.tokens, "{place} by {key}");
            let turns: u64 = table.rows.iter().map(|row| row.sums.turns).sum();
            assert_eq!(turns, total.turns, "{place} by {key}");
        }
    }
}

/// What was read of a file before reading failed counts, and its stream does not count it again.
#[test]
fn a_file_that_fails_is_not_counted_again() {
    let mut file = r#"{"timestamp":"t","type":"session_meta","payload":{"id":"a","timestamp":"t","cwd":"/","originator":"o","cli_version":"0.169.0","source":"exec"}}
"#
    .to_owned();
    for number in 1..=6 {
        let turn = r##"{"timestamp":"t","type":"event_msg","payload":{"type":"task_started","turn_id":"u#","model_context_window":null,"collaboration_mode_kind":"default"}}
{"timestamp":"t","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"one"}]}}
{"timestamp":"t","type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":{"input_tokens":#,"cached_input_tokens":0,"output_tokens":0,"reasoning_output_tokens":0,"total_tokens":#},"last_token_usage":{"input_tokens":1,"cached_input_tokens":0,"output_tokens":0,"reasoning_output_tokens":0,"total_tokens":1},"model_context_window":null}}}
{"timestamp":"t","type":"event_msg","payload":{"type":"task_complete","turn_id":"u#","last_agent_message":"two"}}
"##;
        file.push_str(&turn.replace('#', &number.to_string()));
    }
    let reader = Reader::new();
    let mut usage = Usage::new(Query::new());
    let fails = usage.read(
        &reader,
        "file",
        std::io::BufReader::new(Failing(file.as_bytes())),
    );
    let error = fails.expect_err("reading fails");
    assert_eq!(
        error.to_string(),
        "file: reading failed after line 25: the disk is gone"
    );
    let stream = br#"{"type":"thread.started","thread_id":"a"}
{"type":"turn.started"}
{"type":"turn.completed","usage":{"input_tokens":6,"cached_input_tokens":0,"output_tokens":0}}
"#;
    usage
        .read(&reader, "stream", &stream[..])
        .expect("a session");
    let table = usage.finish();
    assert_eq!((table.total.tokens.input, table.inputs), (6, 2));
}

/// All of a text, and then an error.
struct Failing<'t>(&'t [u8]);

impl std::io::Read for Failing<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        match self.0.is_empty() {
            true => Err(std::io::Error::other("the disk is gone")),
            false => self.0.read(buffer),
        }
    }
}

/// Of an input with two protocols, the first counts, and the lines of the other are named.
#[test]
fn lines_of_another_protocol_are_named() {
    let folder = files::root().join("fixtures/rollout/0.169.0/message");
    let read = |path| std::fs::read_to_string(path).expect("a recording");
    let stream = read(folder.join("exec-1.jsonl"));
    let file = files::below(&folder, "jsonl").into_iter();
    let mut file = file.filter(|path| name_of(path).starts_with("rollout-"));
    let file = read(file.next().expect("a session file"));
    for (first, second) in [(&stream, &file), (&file, &stream)] {
        let mut usage = Usage::new(Query::new());
        let whole = format!("{first}{second}");
        let read = usage.read(&Reader::new(), "mixed.jsonl", whole.as_bytes());
        read.expect("a session");
        let said = format!(
            "mixed.jsonl: line {}: a message of another protocol than the lines before",
            first.lines().count() + 1
        );
        assert_eq!(usage.first_unread(), Some(&*said));
        let table = usage.finish();
        assert_eq!(table.unread, second.lines().count() as u64);
        assert_eq!(table.total.turns, 1);
    }
}

/// Turns of sub-agents begin while a call of their parent runs.
#[test]
fn a_call_counts_once_whatever_begins_in_it() {
    let rows = stream("rollout/0.98.0/collab/exec-1.jsonl", Key::Tool).rows;
    let calls = rows.iter().find(|row| row.keys == ["spawn_agent"]);
    assert_eq!(calls.map(|row| row.sums.calls), Some(2));
}

/// A detached review is a fork of its thread: its first count has what the thread used before.
#[test]
fn detached_reviews_count_what_is_new() {
    let rows = stream("rollout/0.150.1/i_review/app-server-1.jsonl", Key::Thread).rows;
    let input: Vec<u64> = rows.iter().map(|row| row.sums.tokens.input).collect();
    assert_eq!(input, [2400, 1200]);
}

/// Three runs of one thread report 2400, 4800 and 6000 tokens of input in total.
#[test]
fn runs_of_exec_count_their_differences() {
    let folder = files::root().join("fixtures/rollout/0.169.0/resume");
    let reader = Reader::new();
    let mut usage = Usage::new(Query::new().by(Key::Thread));
    for name in ["exec-1.jsonl", "exec-2.jsonl", "exec-3.jsonl"] {
        let text = std::fs::read(folder.join(name)).expect("a recording");
        usage.read(&reader, name, &*text).expect("a session");
    }
    let table = usage.finish();
    let input: Vec<u64> = table.rows.iter().map(|row| row.sums.tokens.input).collect();
    assert_eq!(input, [6000], "{:?}", table.rows);
    // These streams have no times, and that is not no time.
    let took = (table.total.duration_ms, table.total.longest_ms);
    assert_eq!(took, (None, None));
}

/// Runs of one thread may be in one input, in several, in any order, and again in copies.
#[test]
fn runs_of_exec_in_one_input_count_their_differences() {
    let folder = files::root().join("fixtures/rollout/0.169.0/resume");
    let text = |numbers: &[u8]| -> String {
        let path = |number: &u8| folder.join(format!("exec-{number}.jsonl"));
        let read = |number: &u8| std::fs::read_to_string(path(number)).expect("a recording");
        numbers.iter().map(read).collect()
    };
    let reader = Reader::new();
    for inputs in [
        &[&[1, 2, 3][..]][..],
        &[&[1, 2], &[3]],
        &[&[1], &[2, 3]],
        &[&[3], &[1, 2]],
        &[&[1, 2], &[1, 2, 3]],
    ] {
        let mut usage = Usage::new(Query::new());
        for numbers in inputs {
            let read = usage.read(&reader, "runs", text(numbers).as_bytes());
            read.expect("a session");
        }
        assert_eq!(usage.finish().total.tokens.input, 6000, "{inputs:?}");
    }
}

#[test]
fn conditions_choose_turns_and_rows() {
    let run = runs("rollout")
        .into_iter()
        .find(|run| run.scenario == "turn_failed" && run.release.to_string() == "0.169.0");
    let run = run.expect("the run");
    let condition = |text: &str| text.parse().unwrap_or_else(|error| panic!("{error}"));
    let of = |text: &str| {
        table(
            &run,
            Query::new().by(Key::Thread).condition(condition(text)),
            false,
        )
    };
    let failed = of("status=failed");
    assert!(failed.total.turns > 0 && failed.total.turns == failed.total.failed);
    let others = of("status!=failed");
    assert_eq!(others.total.failed, 0);
    let all = table(&run, Query::new().by(Key::Thread), false);
    assert_eq!(failed.total.turns + others.total.turns, all.total.turns);
    let none = of("tokens>1_000_000");
    assert!(none.rows.is_empty());
    assert_eq!(none.total, Sums::default());
    let longest = all.total.longest_ms;
    let is_short = |ms| (1..1000).contains(&ms);
    assert!(longest.is_some_and(is_short), "{longest:?} ms");
    assert_eq!(of("seconds>0").rows.len(), all.rows.len());
    assert_eq!(of("status==failed").total, failed.total);
    assert_eq!(of("failed==1").total, failed.total);
    for (text, problem) in [
        ("tokens", "`tokens` compares nothing"),
        ("model>a", "`model` is a word"),
        ("day=2026-11-22", "`day` is neither"),
        (
            "tokens>nan",
            "`tokens` is compared with a number, and `nan`",
        ),
        (
            "tokens>many",
            "`tokens` is compared with a number, and `many`",
        ),
    ] {
        let error = text.parse::<codex_wire_session::usage::Condition>();
        let error = error.expect_err(text).to_string();
        assert!(error.starts_with(problem), "{error}");
    }
}

/// Rows of tools have other numbers than rows of turns, and costs need prices.
#[test]
fn conditions_are_about_what_rows_have() {
    let run = runs("rollout")
        .into_iter()
        .find(|run| run.scenario == "patch_fail" && run.release.to_string() == "0.169.0");
    let run = run.expect("the run");
    let by = |key: Key, text: &str| {
        let condition = text.parse().unwrap_or_else(|error| panic!("{error}"));
        Query::new().by(key).condition(condition)
    };
    let failed = by(Key::Tool, "failed>0");
    assert!(failed.check().is_ok());
    let failed = table(&run, failed, false);
    assert!(failed.total.failed_calls > 0, "{:?}", failed.rows);
    for (query, problem) in [
        (
            by(Key::Tool, "tokens>1"),
            "rows of tools have no `tokens`: compare calls, failed or seconds",
        ),
        (
            by(Key::Tool, "cost>1").prices(Prices::included()),
            "rows of tools have no `cost`: compare calls, failed or seconds",
        ),
        (
            by(Key::Model, "cost>1"),
            "nothing has a `cost` without prices: give `--cost` or `--prices`",
        ),
    ] {
        assert_eq!(query.check().unwrap_err().to_string(), problem);
    }
    let cost = by(Key::Model, "cost>1").prices(Prices::included());
    assert!(cost.check().is_ok() && by(Key::Model, "tokens>1").check().is_ok());
}

#[test]
fn costs_are_of_fresh_and_cached_tokens() {
    let prices = r#"{"source": "a test", "date": "2026-11-24", "currency": "USD",
        "models": {"m": {"input": 5, "cached_input": 0.5, "output": 30}}}"#;
    let prices = Prices::read(&format!("\u{feff}{prices}")).expect("prices");
    let price = prices.of("m").expect("a price");
    let tokens = Tokens::new(1_000_000, 100_000).cached_input(800_000);
    assert!((price.cost(tokens) - (1.0 + 0.4 + 3.0)).abs() < 1e-9);
    let included = Prices::included();
    assert!(included.of("gpt-5.5").is_some());
    assert!(Prices::read("{}").is_err());
}
