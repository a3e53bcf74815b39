//! What does not hold yet: one test per finding of the review.

use codex_wire::exec::{CommandExecutionItem, Event, McpToolCallItem};
use codex_wire::generate::{Generate as _, Recipe};
use codex_wire::json::Raw;
use codex_wire::shape::{Form, Presence};
use codex_wire::{Described as _, ErrorKind};
use serde::Deserialize;

/// `Raw::to_value` turns what serde_json's tree cannot hold into `null` without a word.
#[test]
fn a_tree_is_never_silently_null() {
    for text in [
        "1e999",
        r#"{"a":[1,1e999]}"#,
        r#""\ud800""#,
        r#"{"note":"\udc00","ok":1}"#,
    ] {
        let raw = Raw::new(text).unwrap();
        assert!(!raw.to_value().is_null(), "{text} became null");
    }
}

/// Stray text in a log is "malformed JSON", not "found null" or "found a boolean".
#[test]
fn what_is_not_json_is_a_syntax_error() {
    for text in [
        "not a message",
        "failed to connect",
        "2025-10-01T12:00:00Z ERROR closed",
        r#"{"type":"error","message":nope}"#,
        r#"{"type":"error","message":-}"#,
    ] {
        let error = codex_wire::from_str::<Event>(text).unwrap_err();
        assert!(
            matches!(error.kind(), ErrorKind::Syntax(_)),
            "{error}: {text}"
        );
    }
}

/// A whole number that is not spelt as one is the same number, or it is refused; it never
/// becomes a neighbour.
#[test]
fn numbers_never_become_their_neighbours() {
    for (text, exact) in [
        ("9007199254740993.0", Some(9_007_199_254_740_993)),
        ("9007199254740990.6", None),
        ("1.00000000000000000000001", None),
        ("9223372036854775807.0", Some(i64::MAX)),
    ] {
        let found = codex_wire::from_str::<i64>(text).ok();
        assert!(found.is_none() || found == exact, "{text} became {found:?}");
    }
}

/// 0.50.7 is not listed, so `contains` finds it in no span: `exit_code` looks required.
#[test]
fn an_unlisted_release_falls_in_no_gap() {
    let Form::Object(members) = &CommandExecutionItem::SHAPE.form else {
        panic!("an object");
    };
    let exit_code = members.iter().find(|m| m.name == "exit_code").unwrap();
    let presence = exit_code.presence("0.50.7".parse().unwrap());
    assert_eq!(presence, Some(Presence::Optional));
}

/// Between 0.43.0 and 0.44.0 an item has no tag at all, and the generator panics.
#[test]
fn values_of_an_unlisted_release_can_be_made() {
    let release = "0.43.1".parse().unwrap();
    let _ = Event::generate(Recipe {
        release,
        unknown: false,
    });
}

/// `Maybe::Value` of a kept `null` reads back as `Maybe::Null`.
#[test]
fn a_kept_null_is_the_null_state() {
    let mut item = McpToolCallItem::new("s", "t", "failed");
    item.arguments = Raw::new("null").unwrap().into();
    let back: McpToolCallItem = codex_wire::from_str(&codex_wire::to_string(&item)).unwrap();
    assert_eq!(back, item);
}

/// serde buffers the value for `flatten`, `untagged` and internally tagged types of the user;
/// the types read a `RawValue`, which cannot come out of that buffer.
#[test]
fn inside_buffering_types() {
    #[derive(Debug, Deserialize)]
    struct Flat {
        at: u64,
        #[serde(flatten)]
        event: Event,
    }
    #[derive(Debug, Deserialize)]
    #[serde(untagged)]
    enum Either {
        Event(Event),
    }
    let flat: Flat = serde_json::from_str(r#"{"at":1,"type":"turn.started"}"#).unwrap();
    assert_eq!((flat.at, flat.event.tag()), (1, "turn.started"));
    let Either::Event(event) = serde_json::from_str(r#"{"type":"turn.started"}"#).unwrap();
    assert_eq!(event.tag(), "turn.started");
}

/// The error's place counts within the value, but serde_json takes it for one in the document.
#[test]
fn an_error_through_serde_names_a_place_in_the_document() {
    #[derive(Debug, Deserialize)]
    struct Logged {
        #[serde(rename = "event")]
        _event: Event,
    }
    let text = "{\n\n\n\"event\": {\"type\":\"error\",\"message\":5}}";
    let error = serde_json::from_str::<Logged>(text).unwrap_err();
    assert_eq!(error.line(), 4, "{error}");
}

/// `to_string` takes any `Serialize` and panics on a map whose keys are not strings.
#[test]
fn to_string_never_panics() {
    let map = std::collections::BTreeMap::from([((1, 2), 3)]);
    let _ = codex_wire::to_string(&map);
}
