//! The types within serde's world: every way in, and inside other people's types.

use codex_wire::exec::{Event, ThreadItem, Usage};
use codex_wire::json::Raw;
use serde::{Deserialize, Serialize};

use crate::support::tree::{Tree, assert_same};
use crate::support::{files, samples};

/// A user's own type.
#[derive(Debug, Serialize, Deserialize)]
struct Logged {
    at: u64,
    event: Event,
    #[serde(skip_serializing_if = "Option::is_none")]
    last: Option<ThreadItem>,
    totals: Vec<Usage>,
    raw: Raw,
}

/// The lines of moderate length.
fn lines() -> Vec<String> {
    let mut out: Vec<String> = samples::LINES
        .iter()
        .map(|line| (*line).to_owned())
        .collect();
    for path in files::transcripts() {
        let short = files::lines(&path)
            .into_iter()
            .filter(|(_, line)| line.len() < 4000);
        out.extend(short.map(|(_, line)| line));
    }
    out
}

#[test]
fn every_way_in() {
    for line in lines() {
        let event: Event = codex_wire::from_str(&line).unwrap();
        let written = codex_wire::to_string(&event);
        assert_eq!(serde_json::to_string(&event).unwrap(), written);
        assert_eq!(serde_json::from_str::<Event>(&line).unwrap(), event);
        assert_eq!(
            serde_json::from_slice::<Event>(line.as_bytes()).unwrap(),
            event
        );
        assert_eq!(
            serde_json::from_reader::<_, Event>(line.as_bytes()).unwrap(),
            event
        );
        assert_eq!(
            codex_wire::from_slice::<Event>(line.as_bytes()).unwrap(),
            event
        );
        let spaced = serde_json::to_string_pretty(&event).unwrap();
        assert_same(&spaced, &written);
    }
}

#[test]
fn through_a_tree() {
    let mut seen = 0;
    for line in lines() {
        let event: Event = serde_json::from_str(&line).unwrap();
        let value = serde_json::to_value(&event).unwrap();
        // A tree holds one member per name; lines with a duplicate key lose it here and only here.
        if !has_duplicate_key(&Tree::parse(&line).unwrap()) {
            let back: Event = serde_json::from_value(value.clone()).unwrap();
            // It keeps numbers by value, too, so the comparison is one of trees.
            assert_eq!(serde_json::to_value(&back).unwrap(), value, "{line}");
            seen += 1;
        }
    }
    assert!(seen > 20, "{seen} lines have no duplicate key");
}

fn has_duplicate_key(tree: &Tree) -> bool {
    match tree {
        Tree::Scalar(_) | Tree::String(_) => false,
        Tree::Array(elements) => elements.iter().any(has_duplicate_key),
        Tree::Object(members) => members
            .values()
            .any(|values| values.len() > 1 || values.iter().any(has_duplicate_key)),
    }
}

#[test]
fn inside_other_types() {
    for line in lines() {
        let event: Event = codex_wire::from_str(&line).unwrap();
        let text = serde_json::to_string(&Logged {
            at: 7,
            last: event.item().cloned(),
            totals: event.usage().cloned().into_iter().collect(),
            event,
            raw: Raw::new(&*line).unwrap(),
        })
        .unwrap();
        let back: Logged = serde_json::from_str(&text).unwrap();
        assert_eq!(codex_wire::to_string(&back.event), line);
        assert_eq!(back.raw.get(), line);
        assert_eq!(back.last.as_ref(), back.event.item());
        assert_eq!(serde_json::to_string(&back).unwrap(), text);
    }
}

#[test]
fn through_a_stream_of_values() {
    let text = samples::LINES.join("\n");
    let events: Result<Vec<Event>, _> = serde_json::Deserializer::from_str(&text)
        .into_iter()
        .collect();
    assert_eq!(events.unwrap().len(), samples::LINES.len());
}

#[test]
fn errors_name_the_place_in_the_value() {
    let text = r#"{"at":1,"event":{"type":"error","message":5},"totals":[],"raw":0}"#;
    let error = serde_json::from_str::<Logged>(text)
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("expected a string, found a number in /message"),
        "{error}"
    );
}

#[test]
fn trees_of_what_was_kept() {
    for text in [
        "1",
        "\"a\"",
        "{\"a\":[null,1.5]}",
        "[]",
        "18446744073709551615",
    ] {
        let raw = Raw::new(text).unwrap();
        assert_eq!(
            raw.to_value().unwrap(),
            serde_json::from_str::<serde_json::Value>(text).unwrap()
        );
    }
    // What a tree cannot hold is an error, not `null`.
    for text in [
        "1e999",
        r#"{"a":[1,1e999]}"#,
        r#""\ud800""#,
        r#"{"note":"\udc00"}"#,
    ] {
        assert!(Raw::new(text).unwrap().to_value().is_err(), "{text}");
    }
}

/// The line is one of the document, though the value does not know where it stands in it.
#[test]
fn errors_name_a_line_of_the_document() {
    #[derive(Debug, Deserialize)]
    struct Outer {
        #[serde(rename = "event")]
        _event: Event,
    }
    let text = "{\n\n\n\"event\": {\"type\":\"error\",\"message\":5}}";
    let error = serde_json::from_str::<Outer>(text).unwrap_err();
    assert_eq!(error.line(), 4, "{error}");
    assert!(error.to_string().contains("in /message"), "{error}");
}

/// serde buffers the value for `flatten`, `untagged` and internally tagged types of the user.
/// The text is gone by then: an error, not a value with a part missing.
#[test]
fn buffering_types_are_refused() {
    #[derive(Debug, Deserialize)]
    struct Flat {
        #[serde(flatten)]
        _event: Event,
    }
    #[derive(Debug, Deserialize)]
    #[serde(untagged)]
    enum Either {
        Event(#[expect(dead_code, reason = "it is never read")] Event),
    }
    let text = r#"{"type":"turn.started"}"#;
    assert!(serde_json::from_str::<Flat>(text).is_err());
    assert!(serde_json::from_str::<Either>(text).is_err());
}
