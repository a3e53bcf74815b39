//! The traces of a session while it happens are those of its export.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use codex_wire_check::{Checker, Options as CheckOptions};
use codex_wire_export::{Format, Live, Options};
use codex_wire_session::{Reader, Time};
use serde_json::Value;

use crate::recordings::{documents, number, paths, spans, text};
use golden_files::files;

/// The documents of an input that is read line by line. `checks` says whether it is checked.
pub(crate) fn told(checker: &Checker, text: &[u8], checks: bool, content: bool) -> Vec<Value> {
    let mut options = Options::new();
    options.content = content;
    let mut live = Live::new("input", options);
    let mut told = Vec::new();
    let mut each = |step: &codex_wire_check::Step<'_>| {
        live.step(step, &mut |document| {
            told.push(serde_json::to_value(&document).expect("JSON"));
        });
        Ok(())
    };
    let outcome = match checks {
        true => checker.observe("input", text, &mut each),
        false => checker.read("input", text, &mut each),
    };
    outcome.expect("a buffer can be read");
    live.finish(&mut |document| told.push(serde_json::to_value(&document).expect("JSON")));
    told
}

pub(crate) fn checker() -> Checker {
    Checker::new(CheckOptions::new()).expect("options without a protocol")
}

/// The spans of documents by their ids.
fn by_id(documents: &[Value]) -> BTreeMap<String, Value> {
    let mut found = BTreeMap::new();
    for span in documents.iter().flat_map(spans) {
        let id = format!("{}{}", span["traceId"], span["spanId"]);
        assert!(found.insert(id, span.clone()).is_none(), "twice {span}");
    }
    found
}

/// What differs between two spans: members, attributes and events that are less (`-`), more (`+`) or other (`~`).
fn differences(expected: &Value, found: &Value) -> Vec<String> {
    fn named(span: &Value, member: &str, name: &str) -> BTreeMap<String, Vec<Value>> {
        let mut all = BTreeMap::<String, Vec<Value>>::new();
        for one in span[member].as_array().into_iter().flatten() {
            let name = one[name].as_str().expect("a name").to_owned();
            // An export knows none.
            if name == "codex_wire.finding" {
                continue;
            }
            all.entry(name).or_default().push(one.clone());
        }
        all
    }
    let mut out = Vec::new();
    for (member, name) in [("attributes", "key"), ("events", "name")] {
        let (expected, found) = (named(expected, member, name), named(found, member, name));
        let names: BTreeSet<&String> = expected.keys().chain(found.keys()).collect();
        for name in names {
            let none = Vec::new();
            let expected = expected.get(name).unwrap_or(&none);
            let found = found.get(name).unwrap_or(&none);
            if found != expected {
                let sign = match found.len().cmp(&expected.len()) {
                    Ordering::Less => '-',
                    Ordering::Equal => '~',
                    Ordering::Greater => '+',
                };
                out.push(format!("{sign}{name}"));
            }
        }
    }
    let mut members: Vec<&String> = expected.as_object().expect("a span").keys().collect();
    members.extend(found.as_object().expect("a span").keys());
    members.sort();
    members.dedup();
    members.retain(|member| !["attributes", "events"].contains(&member.as_str()));
    members.retain(|member| expected.get(member) != found.get(member));
    out.extend(members.iter().map(|member| format!("~{member}")));
    out
}

/// The spans are those of the export of the whole. What differs is listed: what was reported after the end of its turn
/// is a span of its own, and what else was learned later is not told.
#[test]
fn spans_are_those_of_the_export() {
    let (reader, checker) = (Reader::new(), checker());
    let (mut count, mut list) = (0, String::new());
    for path in paths() {
        let text = text(&path);
        let Ok(session) = reader.read("input", &text[..]) else {
            continue;
        };
        count += 1;
        let name = files::short(&path);
        let expected = by_id(&documents(&session, Format::Otlp, true));
        let found = by_id(&told(&checker, &text, false, true));
        let mut lines = Vec::new();
        for (id, span) in &expected {
            let Some(other) = found.get(id) else {
                panic!("{name}: not told: {span}");
            };
            let differences = differences(span, other);
            if !differences.is_empty() {
                lines.push((span["name"].clone(), differences.join(" ")));
            }
        }
        for (_, span) in found.iter().filter(|(id, _)| !expected.contains_key(*id)) {
            let parent = format!("{}{}", span["traceId"], span["parentSpanId"]);
            assert_eq!(expected[&parent]["name"], "turn", "{name}: {span}");
            lines.push((span["name"].clone(), "on its own".to_owned()));
        }
        for key in ["gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens"] {
            let sum = |spans: &BTreeMap<String, Value>| -> u64 {
                spans.values().map(|span| number(span, key)).sum()
            };
            assert_eq!(sum(&found), sum(&expected), "{name}: {key}");
        }
        lines.sort_by_key(|(name, what)| (name.to_string(), what.clone()));
        for (span, what) in lines {
            let span = span.as_str().unwrap_or_default();
            let _ = writeln!(list, "{name}: {span}: {what}");
        }
    }
    assert!(count > 2000, "{count} sessions");
    let path = "crates/codex-wire-export/tests/it/live-differences.txt";
    golden_files::assert_file(&files::root().join(path), &list);
}

/// The documents of turns come when these end.
#[test]
fn turns_are_told_when_they_end() {
    let text = concat!(
        r#"{"type":"thread.started","thread_id":"t"}"#,
        "\n",
        r#"{"type":"turn.started"}"#,
        "\n",
        r#"{"type":"item.completed","item":{"id":"item_0","type":"agent_message","text":"One."}}"#,
        "\n",
        r#"{"type":"turn.completed","usage":{"input_tokens":1,"cached_input_tokens":0,"output_tokens":1}}"#,
        "\n",
        r#"{"type":"turn.started"}"#,
        "\n",
        r#"{"type":"turn.failed","error":{"message":"no"}}"#,
        "\n",
    );
    let checker = checker();
    let mut live = Live::new("input", Options::new());
    let mut at = Vec::new();
    let mut line = 0;
    let outcome = checker.read("input", text.as_bytes(), |step| {
        line = step.line;
        live.set_time(Time::from_seconds(1000 + i64::try_from(line).unwrap()).unwrap());
        live.step(step, &mut |document| {
            let document = serde_json::to_value(&document).expect("JSON");
            let times = spans(&document).map(|span| {
                let time = |key: &str| span[key].as_str().unwrap_or_default().to_owned();
                (time("startTimeUnixNano"), time("endTimeUnixNano"))
            });
            at.push((line, times.collect::<Vec<_>>()));
        });
        Ok(())
    });
    outcome.expect("a buffer can be read");
    let mut last = Vec::new();
    live.finish(&mut |document| last.push(serde_json::to_value(&document).expect("JSON")));
    let time = |line: u32| format!("{}000000000", 1000 + line);
    // Where the stream says no times, whoever reads it knows them.
    assert_eq!(
        at,
        [(4, vec![(time(2), time(4))]), (6, vec![(time(5), time(6))])]
    );
    let thread = spans(&last[0]).next().expect("a span");
    assert_eq!(thread["startTimeUnixNano"], time(1));
    assert_eq!(thread["endTimeUnixNano"], time(6));
    assert_eq!(thread["status"]["message"], "no");
}

/// Each finding comes once, on the turn with its line if the turn has not ended before.
#[test]
fn findings_are_events() {
    let checker = checker();
    let mut total = 0;
    for path in files::below(&files::root().join("fixtures/rules"), "jsonl") {
        let text = std::fs::read(&path).expect("a transcript");
        let name = files::short(&path);
        let outcome = checker.check("input", &text[..]);
        let documents = told(&checker, &text, true, false);
        if documents.is_empty() {
            continue;
        }
        let events = documents.iter().flat_map(spans);
        let events = events.flat_map(|span| span["events"].as_array().into_iter().flatten());
        let found = events.filter(|event| event["name"] == "codex_wire.finding");
        let mut found: Vec<(String, u64)> = found
            .map(|event| {
                (
                    text_of(event, "codex_wire.rule"),
                    number(event, "codex_wire.line"),
                )
            })
            .collect();
        found.sort();
        let findings = outcome.findings.iter();
        let mut expected: Vec<(String, u64)> = findings
            .map(|finding| (finding.rule.id.to_owned(), finding.place.line))
            .collect();
        expected.sort();
        assert_eq!(found, expected, "{name}");
        total += found.len();
    }
    assert!(total > 100, "{total} findings");
}

/// A span has as many events as others allow, and says how many there were beside them.
#[test]
fn findings_of_a_turn_are_bounded() {
    let mut text = String::from(
        "{\"type\":\"thread.started\",\"thread_id\":\"t\"}\n{\"type\":\"turn.started\"}\n",
    );
    text.push_str(&"{\"type\":\"turn.stalled\"}\n".repeat(500));
    text.push_str("{\"type\":\"turn.failed\",\"error\":{\"message\":\"no\"}}\n");
    let checker = checker();
    let findings = checker.check("input", text.as_bytes()).findings.len();
    let documents = told(&checker, text.as_bytes(), true, false);
    let turn = spans(&documents[0]).next().expect("a span");
    assert_eq!(turn["events"].as_array().map(Vec::len), Some(128));
    assert!(findings > 500, "{findings} findings");
    assert_eq!(turn["droppedEventsCount"], findings - 128);
}

/// What was told is dropped.
#[test]
fn memory_does_not_grow_with_the_input() {
    let turn = concat!(
        r#"{"type":"turn.started"}"#,
        "\n",
        r#"{"type":"item.completed","item":{"id":"item_0","type":"command_execution","command":"ls","aggregated_output":"WORDS","exit_code":0,"status":"completed"}}"#,
        "\n",
        r#"{"type":"turn.failed","error":{"message":"no"}}"#,
        "\n",
    );
    let turn = turn.replace("WORDS", &"word ".repeat(1000));
    let peak = |turns: usize| {
        let text = format!(
            "{}\n{}",
            r#"{"type":"thread.started","thread_id":"t"}"#,
            turn.repeat(turns)
        );
        let checker = checker();
        let mut documents = 0;
        let info = allocation_counter::measure(|| {
            let mut live = Live::new("input", Options::new());
            let outcome = checker.read("input", text.as_bytes(), |step| {
                live.step(step, &mut |_| documents += 1);
                Ok(())
            });
            outcome.expect("a buffer can be read");
            live.finish(&mut |_| documents += 1);
        });
        assert_eq!(documents, turns + 1);
        info.bytes_max
    };
    let (short, long) = (peak(100), peak(4000));
    // But for the ids of spans.
    assert!(long < short + (1 << 20), "{short} and {long} bytes");
}

/// The text that an attribute has.
fn text_of(event: &Value, key: &str) -> String {
    let attributes = event["attributes"].as_array().expect("an array");
    let found = attributes.iter().find(|attribute| attribute["key"] == key);
    let value = found.and_then(|attribute| attribute["value"]["stringValue"].as_str());
    value.unwrap_or_default().to_owned()
}
