//! The tokens of session files against what Codex itself wrote and printed, read here from the bare
//! JSON.

use std::collections::BTreeMap;
use std::path::Path;

use codex_wire_base::Release;
use codex_wire_session::{Body, Role, Thread, Tokens, Turn, TurnStatus};
use serde_json::Value;

use crate::recordings::{FileRead, Run, last_usage, lines, name_of, runs, thread_of};
use golden_files::files;

fn number(value: &Value, member: &str) -> u64 {
    value[member].as_u64().unwrap_or(0)
}

/// The counts as numbers: input, cached, written to the cache, output, reasoning, all.
type Counts = [u64; 6];

fn counts(usage: &Value) -> Counts {
    [
        "input_tokens",
        "cached_input_tokens",
        "cache_write_input_tokens",
        "output_tokens",
        "reasoning_output_tokens",
        "total_tokens",
    ]
    .map(|member| number(usage, member))
}

fn counts_of(tokens: Tokens) -> Counts {
    [
        tokens.input,
        tokens.cached_input,
        tokens.cache_write_input,
        tokens.output,
        tokens.reasoning_output,
        tokens.total,
    ]
}

/// The last total that Codex wrote into a file.
fn last_total(text: &[u8]) -> Option<Counts> {
    let totals = lines(text).filter_map(|line| {
        let payload = &line["payload"];
        let of_record = &payload["thread_token_usage"];
        let of_event = &payload["info"]["total_token_usage"];
        let total = [of_record, of_event]
            .into_iter()
            .find(|total| total.is_object());
        total.map(counts)
    });
    totals.last()
}

/// How many messages and calls of the model a file has after some of its lines.
fn responses_after(text: &[u8], skipped: usize) -> u64 {
    let later = lines(text).skip(skipped);
    let items = later.filter(|line| {
        let item = &line["payload"];
        let is_answer = item["type"] == "message" && item["role"] == "assistant";
        line["type"] == "response_item" && (is_answer || item["type"] == "function_call")
    });
    items.count() as u64
}

/// The file as it was before a later release resumed it; nothing where it began in this run.
fn before(run: &Run, path: &Path) -> Vec<u8> {
    let path = run.folder.join("before").join(name_of(path));
    std::fs::read(path).unwrap_or_default()
}

/// Copies and bases belong to the total, as a thread goes on from them.
///
/// Up to 0.77.0 the total starts at zero when a thread is resumed. The recordings with a resume have
/// responses of one size with one message or call each, so their number tells what was used.
#[test]
fn a_thread_used_what_codex_says_in_total() {
    let (mut compared, mut restarted) = (0, 0);
    for run in ["rollout", "rollout-cross"].into_iter().flat_map(runs) {
        for ((path, text), file) in run.files.iter().zip(run.files_read()) {
            let place = files::short(path);
            let (mine, last) = (counts_of(file.whole()), last_total(text));
            assert_eq!(file.thread.reported.map(counts_of), last, "{place}");
            compared += usize::from(last.is_some());
            // The total of a sub-agent that is a fork goes on from that of its parent; a test below is
            // about them.
            let lineage = &file.thread.lineage;
            if lineage.is_sub_agent && !lineage.is_review && is_copied_in_part(text) {
                continue;
            }
            // The next test is about reviews of these releases.
            let is_early = run.release < Release::new(0, 80, 0);
            if mine == last.unwrap_or_default() || (is_early && has_review(&file)) {
                continue;
            }
            assert!(is_early, "{place}: {mine:?}, but Codex wrote {last:?}");
            let before = before(&run, path);
            let responses = responses_after(text, lines(&before).count());
            let start = last_total(&before).unwrap_or_default();
            let one = [1200, 1000, 0, 34, 12, 1234];
            let expected: Counts = std::array::from_fn(|at| start[at] + responses * one[at]);
            assert_eq!(mine, expected, "{place}");
            restarted += 1;
        }
    }
    assert!(compared > 400, "only {compared} compared");
    assert!(restarted > 6, "only {restarted} with a restart");
}

/// Where the own turns of a sub-agent begin, if turns of its parent stand before them.
fn first_own_line(text: &[u8]) -> Option<usize> {
    let made = lines(text).next()?["payload"]["id"].as_str()?.to_owned();
    let is_own = |line: &Value| {
        let begins = line["payload"]["type"] == "task_started";
        begins && line["payload"]["turn_id"].as_str() > Some(made.as_str())
    };
    lines(text)
        .position(|line| is_own(&line))
        .filter(|at| *at > 1)
}

fn is_copied_in_part(text: &[u8]) -> bool {
    first_own_line(text).is_some()
}

/// The recordings have responses of one size with one message or call each.
#[test]
fn a_sub_agent_that_is_a_fork_used_only_what_its_own_turns_did() {
    let mut releases = Vec::new();
    for run in runs("rollout") {
        for ((path, text), file) in run.files.iter().zip(run.files_read()) {
            let Some(own) = first_own_line(text) else {
                continue;
            };
            let lineage = &file.thread.lineage;
            if !lineage.is_sub_agent || lineage.is_review {
                continue;
            }
            let place = files::short(path);
            let responses = responses_after(text, own);
            let expected = [137, 21, 0, 12, 3, 149].map(|count| responses * count);
            assert!(responses > 0, "{place}");
            assert_eq!(counts_of(file.thread.tokens), expected, "{place}");
            let copied = file.thread.turns.iter().filter(|turn| turn.is_copied);
            assert!(copied.count() > 0, "{place}");
            releases.push(run.release);
        }
    }
    assert!(releases.len() >= 3, "only {releases:?}");
}

/// Lines as 0.42.0 writes them: a process begins with a count that is null, and a total may come
/// twice.
#[test]
fn a_total_counts_again_after_a_resume_and_not_when_it_is_repeated() {
    let line = |payload: &str| {
        format!(
            r#"{{"timestamp":"2026-11-22T15:00:00.000Z","type":"event_msg","payload":{payload}}}"#
        )
    };
    let null = line(r#"{"type":"token_count","info":null,"rate_limits":null}"#);
    let usage = r#"{"input_tokens":12,"cached_input_tokens":0,"output_tokens":3,"reasoning_output_tokens":0,"total_tokens":15}"#;
    let count = line(&format!(
        r#"{{"type":"token_count","info":{{"total_token_usage":{usage},"last_token_usage":{usage},"model_context_window":null}},"rate_limits":null}}"#
    ));
    let total = |lines: &[&str]| thread_of(lines.join("\n").as_bytes()).tokens.total;
    assert_eq!(total(&[&null, &count, &count]), 15);
    assert_eq!(total(&[&null, &count, &null, &count]), 30);
    assert_eq!(total(&[&null, &count, &count, &null, &count, &count]), 30);
}

fn has_review(file: &FileRead) -> bool {
    file.thread.turns.iter().any(is_review)
}

/// Whether a review begins in the turn.
fn is_review(turn: &Turn) -> bool {
    let begins = |body: &Body| matches!(body, Body::Review(review) if !review.is_end);
    turn.items.iter().any(|item| begins(&item.body))
}

/// Up to 0.77.0 the parent of a review repeats the counts of the reviewer's file.
#[test]
fn a_review_counts_in_the_file_of_the_reviewer() {
    let mut reviews = 0;
    let early = |run: &Run| run.release < Release::new(0, 80, 0);
    for run in runs("rollout").into_iter().filter(early) {
        let read = run.files_read();
        let Some(at) = read.iter().position(has_review) else {
            continue;
        };
        let (path, text) = &run.files[at];
        let place = files::short(path);
        let turns = read[at].thread.turns.iter();
        let with_review = turns.filter(|turn| is_review(turn));
        assert!(
            with_review.map(Turn::tokens).all(|tokens| tokens.is_zero()),
            "{place}"
        );
        let reviewer = read.iter().find(|file| file.thread.lineage.is_review);
        let reviewed = reviewer.expect("the reviewer's file").thread.tokens;
        assert!(!reviewed.is_zero(), "{place}");
        assert_eq!(Some(counts_of(reviewed)), last_total(text), "{place}");
        // Its own is what had been counted when the review began.
        let begins_review = |line: &&[u8]| {
            let text = String::from_utf8_lossy(line);
            text.contains(r#""type":"entered_review_mode""#)
        };
        let lines: Vec<&[u8]> = text.split_inclusive(|byte| *byte == b'\n').collect();
        let begins = lines.iter().position(begins_review).expect("a review");
        let own = last_total(&lines[..begins].concat());
        assert_eq!(
            counts_of(read[at].thread.tokens),
            own.unwrap_or_default(),
            "{place}"
        );
        reviews += 1;
    }
    assert!(reviews > 1, "{reviews} reviews");
}

#[test]
fn a_session_used_what_its_own_turns_used() {
    for run in ["rollout", "rollout-cross"].into_iter().flat_map(runs) {
        for ((path, _), file) in run.files.iter().zip(run.files_read()) {
            let sum = file.thread.own_turns().map(Turn::tokens).sum::<Tokens>();
            assert_eq!(sum, file.thread.tokens, "{}", files::short(path));
        }
    }
}

/// `token_usage_record` says what each response used. Files that older releases began have counts
/// without a record too.
#[test]
fn tokens_are_the_sum_of_records_where_there_are_records() {
    let mut compared = 0;
    let recent = |run: &Run| run.release >= Release::new(0, 153, 0);
    for run in runs("rollout").iter().filter(|run| recent(run)) {
        for ((path, text), file) in run.files.iter().zip(run.files_read()) {
            let records = lines(text).filter(|line| line["type"] == "token_usage_record");
            let sum = records.fold(Counts::default(), |sum, line| {
                let usage = counts(&line["payload"]["usage"]);
                std::array::from_fn(|at| sum[at] + usage[at])
            });
            assert_eq!(counts_of(file.thread.tokens), sum, "{}", files::short(path));
            compared += 1;
        }
    }
    assert!(compared > 100, "only {compared} compared");
}

/// `turn.completed` of `codex exec` counts the thread from 0.80.0, and the process before.
#[test]
fn tokens_are_those_that_exec_printed() {
    let mut compared = 0;
    let mut wrong = Vec::new();
    for run in runs("rollout") {
        // Where the app-server or a terminal asked the model too, exec printed only a part.
        if run.has_client() || !run.files.iter().all(|(_, text)| made_by_exec(text)) {
            continue;
        }
        let mut printed: BTreeMap<String, (u64, u64)> = BTreeMap::new();
        for stream in run.printed() {
            let Some((thread, usage)) = last_usage(&stream) else {
                continue;
            };
            let entry = printed.entry(thread).or_default();
            if run.release >= Release::new(0, 80, 0) {
                *entry = usage;
            } else {
                *entry = (entry.0 + usage.0, entry.1 + usage.1);
            }
        }
        let read = run.files_read();
        for (thread, printed) in printed {
            let mine: Vec<&FileRead> = read
                .iter()
                .filter(|file| file.thread.id.as_deref() == Some(&*thread))
                .collect();
            let [mine] = mine.as_slice() else { continue };
            if failed_last(&mine.thread) {
                continue;
            }
            // A fork that copied its history goes on with the total of its parent.
            let tokens = mine.whole();
            compared += 1;
            if (tokens.input, tokens.output) != printed {
                wrong.push(format!(
                    "{}: {tokens:?}, printed {printed:?}",
                    files::short(&run.folder)
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{compared} compared, wrong: {wrong:#?}");
    assert!(compared > 80, "only {compared} compared");
}

fn made_by_exec(text: &[u8]) -> bool {
    let first = lines(text).next().unwrap_or_default();
    let source = &first["payload"]["source"];
    source == "exec" || source.is_object() || source.is_null()
}

/// After a turn that failed or was stopped, exec prints no usage.
fn failed_last(thread: &Thread) -> bool {
    let Some(turn) = thread.turns.last() else {
        return true;
    };
    let answers = turn
        .messages()
        .any(|message| message.role == Role::Assistant);
    !matches!(turn.status, TurnStatus::Completed | TurnStatus::Unmarked) || !answers
}
