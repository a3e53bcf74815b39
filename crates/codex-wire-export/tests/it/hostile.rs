//! Whatever a session says, it is exported without a panic, at a cost that grows with its length.

use std::collections::HashSet;

use codex_wire_export::{Format, Options, export};
use codex_wire_session::{Reader, Session};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;

use crate::recordings::{FORMATS, documents, spans, text};
use golden_files::files;

/// Sessions of all kinds, as JSON: what is odd is made of them.
fn pool() -> Vec<serde_json::Value> {
    let reader = Reader::new();
    let mut pool = Vec::new();
    for part in ["exec/0.169.0", "app-server/0.169.0", "rollout/0.169.0"] {
        let folder = files::root().join("fixtures").join(part);
        for path in files::below(&folder, "jsonl") {
            if let Ok(session) = reader.read("pool", &*text(&path)) {
                pool.push(serde_json::to_value(session).expect("JSON"));
            }
        }
    }
    assert!(pool.len() > 50, "{} sessions", pool.len());
    pool
}

/// Threads of several sessions in one, with ids, parents, times and counts that no Codex writes.
#[test]
fn any_session_can_be_exported() {
    let pool = pool();
    let odd = (0..6_u8, any::<Index>(), any::<Index>(), any::<i64>());
    let threads = vec((any::<Index>(), odd), 1..12);
    let mut config = ProptestConfig::with_source_file(file!());
    config.cases = 300;
    let mut runner = proptest::test_runner::TestRunner::new(config);
    let result = runner.run(&threads, |chosen| {
        let mut session = pool[0].clone();
        let mut threads = Vec::new();
        for (from, (edit, other, at, number)) in &chosen {
            let from = from.get(&pool);
            let Some(thread) = from["threads"].get(0) else {
                continue;
            };
            let mut thread = thread.clone();
            let name = |index: &Index| format!("t{}", index.index(chosen.len()));
            thread["id"] = name(at).into();
            match edit {
                0 => thread["lineage"] = serde_json::json!({ "parent": name(other) }),
                1 => thread["lineage"] = serde_json::json!({ "parent": name(at), "root": "" }),
                2 => {
                    thread.as_object_mut().expect("a thread").remove("id");
                }
                3 => {
                    for turn in thread["turns"].as_array_mut().expect("turns") {
                        turn["id"] = "same".into();
                        turn["duration_ms"] = number.unsigned_abs().into();
                        turn["started"] = "0001-01-01T00:00:00.000Z".into();
                        turn["ended"] = "9999-01-01T00:00:00.000Z".into();
                    }
                }
                4 => {
                    let turns = thread["turns"].as_array_mut().into_iter().flatten();
                    for item in turns.flat_map(|turn| turn["items"].as_array_mut().expect("items"))
                    {
                        item["id"] = "same".into();
                        item["lines"] =
                            serde_json::json!({ "from": number.unsigned_abs(), "to": 0 });
                        item["duration_ms"] = u64::MAX.into();
                    }
                }
                _ => thread["tokens"]["input"] = u64::MAX.into(),
            }
            threads.push(thread);
        }
        session["threads"] = threads.into();
        let session: Session = serde_json::from_value(session).expect("a session");
        for format in FORMATS {
            let mut ids = HashSet::new();
            for document in documents(&session, format, true) {
                prop_assert!(document.is_object());
                if document.get("resourceSpans").is_some() {
                    for span in spans(&document) {
                        let id = (span["traceId"].clone(), span["spanId"].clone());
                        prop_assert!(ids.insert(id), "two spans with one id: {span}");
                    }
                }
            }
        }
        Ok(())
    });
    result.unwrap_or_else(|error| panic!("{error}"));
}

/// Each thread is the sub-agent of the one before it.
#[test]
fn a_long_line_of_sub_agents_is_no_deep_stack() {
    let thread = |number: usize| {
        serde_json::json!({
            "id": format!("t{number}"),
            "lineage": { "parent": format!("t{}", number.wrapping_sub(1)) },
            "turns": [],
            "outside": [{ "lines": { "from": 1, "to": 1 }, "type": "plan", "text": "plan" }],
            "tokens": serde_json::to_value(codex_wire_session::Tokens::default()).expect("JSON"),
        })
    };
    let threads: Vec<_> = (0..3_000).map(thread).collect();
    let session = serde_json::json!({ "format": 1, "source": "s", "threads": threads });
    let session: Session = serde_json::from_value(session).expect("a session");
    for format in FORMATS {
        assert!(!documents(&session, format, true).is_empty());
    }
}

/// A session file with a turn again and again.
fn session(count: usize) -> Session {
    file(count, |number| number)
}

/// A session file with a turn again and again, always with the same ids.
fn same_ids(count: usize) -> Session {
    file(count, |_| 0)
}

fn file(count: usize, id: impl Fn(usize) -> usize) -> Session {
    let mut text = r#"{"timestamp":"2026-11-22T15:02:17.428Z","type":"session_meta","payload":{"id":"a","timestamp":"2026-11-22T15:02:17.428Z","cwd":"/","originator":"o","cli_version":"0.169.0","source":"exec"}}
"#
    .to_owned();
    for number in 0..count {
        let turn = r##"{"timestamp":"2026-11-22T15:02:17.428Z","type":"event_msg","payload":{"type":"task_started","turn_id":"u#","model_context_window":null,"collaboration_mode_kind":"default"}}
{"timestamp":"2026-11-22T15:02:17.428Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"one #"}]}}
{"timestamp":"2026-11-22T15:02:17.428Z","type":"response_item","payload":{"type":"function_call","name":"unknown","arguments":"{\"a\":1}","call_id":"c#"}}
{"timestamp":"2026-11-22T15:02:17.428Z","type":"response_item","payload":{"type":"function_call_output","call_id":"c#","output":"an answer"}}
{"timestamp":"2026-11-22T15:02:17.428Z","type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"two #"}]}}
"##;
        text.push_str(&turn.replace('#', &id(number).to_string()));
    }
    Reader::new().read("s", text.as_bytes()).expect("a session")
}

/// Sixteen times as many turns with the same ids take sixteen times as long, and not the square of it: 256 times.
#[test]
fn the_cost_grows_with_repeated_ids() {
    let cost = |count: usize| {
        let session = same_ids(count);
        let took = (0..3).map(|_| {
            let start = std::time::Instant::now();
            assert!(!documents(&session, Format::Otlp, false).is_empty());
            start.elapsed()
        });
        took.min().expect("three times")
    };
    let (few, many) = (cost(200), cost(3200));
    let times = many.as_secs_f64() / few.as_secs_f64();
    assert!(times < 64.0, "{few:?}, then {many:?}");
}

/// Eight times as many turns take eight times as much memory, and an export takes no more than some times what the
/// session takes as JSON.
#[test]
fn memory_grows_with_the_session() {
    let (few, many) = (session(200), session(1600));
    let json = serde_json::to_string(&many).expect("JSON").len() as u64;
    for format in FORMATS {
        let used = |session: &Session| {
            let mut options = Options::new();
            options.content = true;
            let measured = allocation_counter::measure(|| {
                let exported = export(session, format, options);
                let bytes = exported
                    .documents
                    .iter()
                    .map(|document| serde_json::to_vec(document).expect("JSON").len());
                assert!(bytes.sum::<usize>() > 0);
            });
            (measured.bytes_max, measured.bytes_total)
        };
        let (few, many) = (used(&few), used(&many));
        assert!(
            many.0 < 10 * few.0 && many.1 < 10 * few.1,
            "{format:?}: {few:?}, then {many:?}"
        );
        assert!(many.0 < 20 * json, "{format:?}: {many:?} of {json}");
    }
}

/// A trajectory has at least one step.
#[test]
fn a_thread_without_steps_is_left_out_and_its_sub_agents_are_not() {
    let thread = |id: &str, parent: Option<&str>, outside: serde_json::Value| {
        serde_json::json!({
            "id": id,
            "lineage": { "parent": parent },
            "turns": [],
            "outside": outside,
            "tokens": serde_json::to_value(codex_wire_session::Tokens::default()).expect("JSON"),
        })
    };
    let plan =
        serde_json::json!([{ "lines": { "from": 1, "to": 1 }, "type": "plan", "text": "plan" }]);
    let threads = [
        thread("a", None, serde_json::json!([])),
        thread("b", Some("a"), plan),
    ];
    let session = serde_json::json!({ "format": 1, "source": "s", "threads": threads });
    let session: Session = serde_json::from_value(session).expect("a session");
    let exported = export(&session, Format::Atif, Options::new());
    let left_out: Vec<_> = exported
        .left_out
        .iter()
        .map(|thread| &thread.thread)
        .collect();
    assert_eq!(left_out, [&Some("a".to_owned())]);
    let documents = documents(&session, Format::Atif, false);
    assert_eq!(documents.len(), 1);
    assert_eq!(documents[0]["trajectory_id"], "b");
}
