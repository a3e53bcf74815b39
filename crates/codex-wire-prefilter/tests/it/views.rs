//! What a view shows of a line is what serde_json reads there.

use codex_wire_prefilter::{Keys, Prefilter, Tape, View};
use serde_json::{Value, json};

use crate::tree::{PATHS, hold, hold_paths, walk};

fn prefilter() -> Prefilter {
    let schema = json!({
        "$defs": {
            "item": {
                "anyOf": [
                    {"type": "object", "properties": {"type": {"const": "a"}, "b": {"type": "string"}}, "required": ["type", "b"]},
                    {"type": "object", "properties": {"type": {"const": "c"}, "in": {"$ref": "#/$defs/item"}}, "required": ["type", "in"]},
                ],
            },
            "either": {"anyOf": [
                {"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"], "additionalProperties": false},
                {"type": "object", "additionalProperties": {"type": "string"}},
            ]},
        },
        "type": "object",
        "properties": {
            "item": {"$ref": "#/$defs/item"},
            "list": {"type": "array", "items": {"$ref": "#/$defs/item"}},
            "either": {"$ref": "#/$defs/either"},
            "by_name": {"type": "object", "additionalProperties": {"$ref": "#/$defs/item"}},
            "free": true,
        },
    });
    Prefilter::compile(&schema).expect("a prefilter")
}

const LINES: &[&str] = &[
    r#"{}"#,
    r#" { "item" : { "b" : "x\ny" , "type" : "a" } , "free" : [ 1 , { "k" : [ ] } ] } "#,
    r#"{"item":{"type":"c","in":{"type":"c","in":{"type":"a","b":""}}},"more":{"x":-0}}"#,
    r#"{"list":[{"type":"a","b":"1"},{"type":"c","in":{"type":"a","b":"2"}}],"item":{"type":"a","b":"3"}}"#,
    r#"{"either":{"x":1},"it\u0065m":{"typ\u0065":"a","b":"\u00e9"}}"#,
    r#"{"either":{"x":"tried in vain as the first"},"free":{"a":{"b":[true,false,null]}}}"#,
    r#"{"free":1,"free":{"a":1,"a":2}}"#,
    r#"{"either":{"x":1},"either":{"y":"z"}}"#,
    r#"{"item":{"type":"a","b":"x","b":"y"},"item":{"type":"c","in":{"type":"a","b":"z"}}}"#,
    r#"{"item":{"type":"a","b":"x","b":"y"},"more":1,"more":2}"#,
    r#"{"m\u006fre":{"x":1},"item":{"typ\u0065":"a","b":"x"}}"#,
    r#"{"by_name":{"n":{"type":"a","b":"1"},"m":{"type":"c","in":{"type":"a","b":""}}}}"#,
];

#[test]
fn what_is_taken_down_is_what_stands_there() {
    let prefilter = prefilter();
    let mut tape = Tape::new();
    for line in LINES {
        let (view, repeated) = prefilter.view(line, &mut tape).expect(line);
        let value: Value = serde_json::from_str(line).expect("JSON");
        hold(view, &value);
        let mut tape = Tape::new();
        hold(View::outlined(line, &mut tape, Keys::Last), &value);
        if !repeated {
            hold(View::of(line, &mut Tape::new(), Keys::First), &value);
        }
    }
}

/// The same lines; the places of these objects are of another kind in others.
#[test]
fn what_is_looked_for_is_found_where_it_stands() {
    let more = [
        "/item/b",
        "/item/in/in/type",
        "/either/x",
        "/by_name/n/type",
        "/free/k",
        "/more",
        "/list/1/in/b",
        "/list/b",
        "/by_name/type",
        "/item/in",
    ];
    let places: Vec<&str> = more.iter().chain(PATHS).copied().collect();
    let prefilter = prefilter().projecting(&places);
    let mut tape = Tape::new();
    for line in LINES {
        let value: Value = serde_json::from_str(line).expect("JSON");
        let seen = prefilter.project(line, &mut tape).expect(line);
        for (place, pointer) in places.iter().enumerate() {
            match value.pointer(pointer) {
                Some(value) => hold(seen.get(place).expect(pointer), value),
                None => assert!(seen.get(place).is_none(), "{pointer} in {line}"),
            }
        }
        hold(seen.line(), &value);
    }
}

/// More places than are found on the way, deeper ones, and one that leads through an array.
#[test]
fn places_without_number_are_looked_up() {
    let deep = "/a".repeat(40);
    let many: Vec<String> = (0..100).map(|n| format!("/m{n}")).collect();
    let mut places: Vec<&str> = many.iter().map(String::as_str).collect();
    places.insert(0, &deep);
    places.insert(1, "/list/0/b");
    let prefilter = prefilter().projecting(&places);
    let members: Vec<String> = (0..100).map(|n| format!("\"m{n}\":{n}")).collect();
    let nested = format!("{}1{}", "{\"a\":".repeat(40), "}".repeat(40));
    let line = format!(
        "{},{},\"list\":[{{\"type\":\"a\",\"b\":\"x\"}}]}}",
        &nested[..nested.len() - 1],
        members.join(",")
    );
    let mut tape = Tape::new();
    let seen = prefilter.project(&line, &mut tape).expect("it is accepted");
    assert_eq!(seen.get(0).and_then(View::as_i64), Some(1));
    assert_eq!(seen.get_str(1), Some("x"));
    for n in 0..100 {
        assert_eq!(seen.get(n + 2).and_then(View::as_u64), Some(n as u64));
    }
}

#[test]
fn a_program_that_looks_for_nothing_finds_nothing() {
    let prefilter = prefilter();
    hold_paths(
        &prefilter.projecting(PATHS),
        r#"{"item":{"type":"a","b":"x"},"id":7}"#,
        &json!({"item": {"type": "a", "b": "x"}, "id": 7}),
    );
    let prefilter = self::prefilter();
    let mut tape = Tape::new();
    let seen = prefilter.project("{}", &mut tape).expect("it is accepted");
    assert!(seen.get(0).is_none());
    assert!(prefilter.project("{", &mut tape).is_err());
}

#[test]
fn of_repeated_keys_the_first_or_the_last_counts() {
    let line = r#"{"a":1,"b":{"c":1},"a":2,"b":{"d":2}}"#;
    let mut tape = Tape::new();
    let first = View::of(line, &mut tape, Keys::First);
    assert_eq!(first.get("a").and_then(View::as_i64), Some(1));
    assert!(first.pointer("/b/c").is_some() && first.pointer("/b/d").is_none());
    let last = View::of(line, &mut tape, Keys::Last);
    assert_eq!(last.get("a").and_then(View::as_i64), Some(2));
    assert!(last.pointer("/b/c").is_none() && last.pointer("/b/d").is_some());
    let mut other = Tape::new();
    let (view, repeated) = prefilter().view(line, &mut other).expect("it is accepted");
    assert!(repeated);
    assert_eq!(view.get("a").and_then(View::as_i64), Some(2));
}

#[test]
fn pointers_lead_where_those_of_serde_json_lead() {
    let line = r#"{"a/b":[10,{"~":"x"}],"":{"0":1},"n":null}"#;
    let value: Value = serde_json::from_str(line).expect("JSON");
    let mut tape = Tape::new();
    let view = View::of(line, &mut tape, Keys::Last);
    for pointer in [
        "",
        "/a~1b/0",
        "/a~1b/1/~0",
        "/a~1b/00",
        "/a~1b/+1",
        "/a~1b/2",
        "/a~1b/x",
        "//0",
        "/n",
        "/n/x",
        "a",
        "/",
        "/a~1b/1/~0/x",
    ] {
        match value.pointer(pointer) {
            Some(value) => hold(view.pointer(pointer).expect(pointer), value),
            None => assert!(view.pointer(pointer).is_none(), "{pointer}"),
        }
    }
}

#[test]
fn a_line_with_very_many_members_is_shown_all_the_same() {
    let prefilter = prefilter();
    let members: Vec<String> = (0..10_000)
        .map(|n| format!("\"m{n}\":{{\"k\":{n}}}"))
        .collect();
    let line = format!(
        "{{\"item\":{{\"type\":\"a\",\"b\":\"x\"}},{}}}",
        members.join(",")
    );
    let mut tape = Tape::new();
    let (view, _) = prefilter.view(&line, &mut tape).expect("it is accepted");
    assert_eq!(view.pointer("/m9999/k").and_then(View::as_u64), Some(9999));
    assert_eq!(view.pointer("/item/b").and_then(View::as_str), Some("x"));
    assert_eq!(view.members().count(), 10_001);
    // The next line is taken down again.
    let line = r#"{"item":{"type":"a","b":"y"}}"#;
    let (view, _) = prefilter.view(line, &mut tape).expect("it is accepted");
    assert_eq!(view.pointer("/item/b").and_then(View::as_str), Some("y"));
}

#[test]
fn text_that_is_no_json_does_no_harm() {
    let mut tape = Tape::new();
    for text in [
        "",
        "{",
        "{\"",
        "{\"a",
        "{\"a\"",
        "{\"a\":",
        "{\"a\":}",
        "{\"a\":1",
        "{\"a\":1,",
        "[",
        "[1,",
        "[,]",
        "\"",
        "\"\\",
        "\"\\\"",
        "{\"a\":\"\\",
        "]",
        "}",
        "{]",
        "{\"é",
        "{\"a\":é}",
        "[é",
        "{\"a\" \"b\"}",
        "nul",
        "-",
        "{\"\\u12\":1}",
        "{{",
        "[\"\\ud800\"]",
    ] {
        walk(View::of(text, &mut tape, Keys::Last), 4);
        walk(View::outlined(text, &mut tape, Keys::Last), 4);
        walk(View::of(text, &mut tape, Keys::First), 4);
    }
}

/// Of very many members nothing is taken down, and they are found all the same.
#[test]
fn what_is_outlined_is_what_stands_there() {
    let many: Vec<String> = (0..5000).map(|n| format!("\"k{n}\":{n}")).collect();
    let lines = [
        format!("{{{}}}", many.join(",")),
        format!("{{\"a\":{{{}}},\"b\":[{{}}]}}", many.join(" , ")),
        r#" {"a":{"b":{"c":{"d":{"e":1}}}},"a\u0062":{"\\":"x\"y"},"":{"":[]}} "#.to_owned(),
        "{\"a\":1,\"a\":{\"b\":2},\"a\":3}".to_owned(),
        "[{\"a\":1}]".to_owned(),
        "\"a\"".to_owned(),
    ];
    let mut tape = Tape::new();
    for line in &lines {
        let value: Value = serde_json::from_str(line).expect("JSON");
        hold(View::outlined(line, &mut tape, Keys::Last), &value);
    }
    let view = View::outlined(&lines[3], &mut tape, Keys::First);
    assert_eq!(view.get("a").and_then(View::as_u64), Some(1));
    let view = View::outlined(&lines[2], &mut tape, Keys::Last);
    assert_eq!(view.pointer("/ab/\\").and_then(View::as_str), Some("x\"y"));
}
