//! The view's token counts against what Codex itself wrote and printed, read here from the bare
//! JSON.

use std::collections::BTreeMap;
use std::path::Path;

use codex_wire::Release;
use codex_wire::rollout::session::{Entry, MessageKind, Session, Tokens, Turn, TurnStatus};
use serde_json::Value;

use crate::rollout_recordings::{Run, last_usage, lines, name_of, runs};
use crate::support::files;

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

/// What the view counts for a whole thread: its own, what it copied, and what its base holds.
fn whole(session: &Session) -> Tokens {
    let turns = session.turns.iter().map(Turn::tokens).sum::<Tokens>();
    let base = session.base.as_deref().map(whole);
    turns + base.unwrap_or_default()
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
        for ((path, text), session) in run.files.iter().zip(run.sessions()) {
            let place = files::short(path);
            let (mine, last) = (counts_of(whole(&session)), last_total(text));
            assert_eq!(session.reported.map(counts_of), last, "{place}");
            compared += usize::from(last.is_some());
            // The next test is about reviews of these releases.
            let is_early = run.release < Release::new(0, 80, 0);
            if mine == last.unwrap_or_default() || (is_early && has_review(&session)) {
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
    let total = |lines: &[&str]| Session::read(lines.join("\n").as_bytes()).tokens().total;
    assert_eq!(total(&[&null, &count, &count]), 15);
    assert_eq!(total(&[&null, &count, &null, &count]), 30);
    assert_eq!(total(&[&null, &count, &count, &null, &count, &count]), 30);
}

fn has_review(session: &Session) -> bool {
    let entries = session.turns.iter().flat_map(|turn| &turn.entries);
    entries
        .into_iter()
        .any(|entry| matches!(entry, Entry::ReviewStarted(_)))
}

/// Up to 0.77.0 the parent of a review repeats the counts of the reviewer's file.
#[test]
fn a_review_counts_in_the_file_of_the_reviewer() {
    let mut reviews = 0;
    let early = |run: &Run| run.release < Release::new(0, 80, 0);
    for run in runs("rollout").into_iter().filter(early) {
        let sessions = run.sessions();
        let Some(at) = sessions.iter().position(has_review) else {
            continue;
        };
        let (path, text) = &run.files[at];
        let place = files::short(path);
        let turns = sessions[at].turns.iter();
        let with_review = turns.filter(|turn| {
            let mut entries = turn.entries.iter();
            entries.any(|entry| matches!(entry, Entry::ReviewStarted(_)))
        });
        assert!(
            with_review.map(Turn::tokens).all(|tokens| tokens.is_zero()),
            "{place}"
        );
        let reviewer = sessions.iter().find(|session| session.lineage.is_review);
        let reviewed = reviewer.expect("the reviewer's file").tokens();
        assert!(!reviewed.is_zero(), "{place}");
        assert_eq!(Some(counts_of(reviewed)), last_total(text), "{place}");
        // Its own is what had been counted when the review began.
        let is_review = |line: &&[u8]| {
            let text = String::from_utf8_lossy(line);
            text.contains(r#""type":"entered_review_mode""#)
        };
        let lines: Vec<&[u8]> = text.split_inclusive(|byte| *byte == b'\n').collect();
        let begins = lines.iter().position(is_review).expect("a review");
        let own = last_total(&lines[..begins].concat());
        assert_eq!(
            counts_of(sessions[at].tokens()),
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
        for ((path, _), session) in run.files.iter().zip(run.sessions()) {
            let own = session.turns.iter().filter(|turn| !turn.is_copied);
            let sum = own.map(Turn::tokens).sum::<Tokens>();
            assert_eq!(sum, session.tokens(), "{}", files::short(path));
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
        for ((path, text), session) in run.files.iter().zip(run.sessions()) {
            let records = lines(text).filter(|line| line["type"] == "token_usage_record");
            let sum = records.fold(Counts::default(), |sum, line| {
                let usage = counts(&line["payload"]["usage"]);
                std::array::from_fn(|at| sum[at] + usage[at])
            });
            assert_eq!(counts_of(session.tokens()), sum, "{}", files::short(path));
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
        let sessions = run.sessions();
        for (thread, printed) in printed {
            let mine: Vec<&Session> = sessions
                .iter()
                .filter(|session| session.id.as_deref() == Some(&*thread))
                .collect();
            if mine.len() != 1 || failed_last(mine[0]) {
                continue;
            }
            let mut tokens = mine[0].tokens();
            let mut below = mine[0].base.as_deref();
            while let Some(base) = below {
                tokens += base.tokens();
                below = base.base.as_deref();
            }
            // A fork that copied its history goes on with the total of its parent.
            let copied = mine[0].turns.iter().filter(|turn| turn.is_copied);
            tokens += copied.map(Turn::tokens).sum();
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
fn failed_last(session: &Session) -> bool {
    let Some(turn) = session.turns.last() else {
        return true;
    };
    let answers = turn
        .messages()
        .any(|message| message.kind == MessageKind::Answer);
    !matches!(turn.status, TurnStatus::Completed | TurnStatus::Unmarked) || !answers
}
