//! Small schemas and odd lines, each with each.

use codex_wire_prefilter::{DEEPEST, Error, Prefilter, Verdict};
use serde_json::{Value, json};

use crate::support::{Both, Line};

fn small_schemas() -> Vec<Value> {
    vec![
        json!(true),
        json!(false),
        json!({}),
        json!({"not": {}}),
        json!({"type": "string"}),
        json!({"type": ["string", "null"]}),
        json!({"type": "boolean"}),
        json!({"type": "number"}),
        json!({"type": ["integer", "boolean"]}),
        json!({"type": "integer", "minimum": 0, "maximum": 255}),
        json!({"type": "integer", "minimum": i64::MIN, "maximum": i64::MAX}),
        json!({"type": "integer", "minimum": 0, "maximum": u64::MAX}),
        json!({"type": "array"}),
        json!({"type": "array", "items": {"type": "integer", "minimum": 0, "maximum": 9}}),
        json!({"type": "object"}),
        json!({"type": "object", "additionalProperties": {"type": "string"}}),
        json!({"type": ["object", "null"], "additionalProperties": false}),
        json!({"const": "a"}),
        json!({"enum": ["a", "b\n", "é", null]}),
        // A backslash and an `n`, where a line may have a line feed, and the other way round.
        json!({"enum": ["b\\n", "b"]}),
        json!({
            "properties": {"b\\n": {"type": "null"}, "b": {}},
            "additionalProperties": {"type": "integer"},
        }),
        json!({"type": "string", "enum": ["a", null]}),
        json!({"anyOf": [{"const": "a"}, {"enum": ["a", "ü"]}, {"type": "null"}]}),
        json!({"anyOf": [{"const": "a"}, {"type": "string"}]}),
        json!({"anyOf": [
            {"type": "integer", "minimum": 0, "maximum": 3},
            {"type": "integer", "minimum": 4, "maximum": 5},
        ]}),
        // Texts that are not empty, by themselves and beside others.
        json!({"type": "string", "minLength": 1}),
        json!({"type": ["string", "null"], "minLength": 0}),
        json!({"anyOf": [{"enum": ["a", ""]}, {"type": "string", "minLength": 1}]}),
        json!({"anyOf": [{"const": "a"}, {"type": "string", "minLength": 1}, {"type": "null"}]}),
        // Members of which one set must be there.
        json!({
            "type": "object",
            "properties": {"a": {"type": "integer"}, "b": {"type": ["string", "null"]}},
            "anyOf": [{"required": ["a"]}, {"required": ["b"]}],
        }),
        json!({
            "properties": {"a": {}, "b": {}, "c": {}},
            "required": ["c"],
            "additionalProperties": false,
            "anyOf": [{"required": ["a", "b"]}, {"required": []}],
        }),
        json!({"properties": {"a": {}}, "anyOf": [{"required": ["a"]}]}),
        // Open and closed, with what must be there.
        json!({"properties": {"a": {"type": "integer"}, "b": {}}, "required": ["a"]}),
        json!({
            "type": "object",
            "properties": {"a": {"type": "integer"}, "b": {"type": ["string", "null"]}},
            "required": ["a", "c"],
        }),
        json!({
            "type": "object",
            "properties": {"a": {"type": "integer"}, "b\"c": {"type": "string"}},
            "additionalProperties": {"type": "null"},
        }),
        json!({
            "type": "object",
            "properties": {"a": {"$ref": "#/$defs/Tree"}},
            "additionalProperties": false,
            "$defs": {"Tree": {
                "type": "object",
                "properties": {
                    "left": {"anyOf": [{"$ref": "#/$defs/Tree"}, {"type": "null"}]},
                    "a": {"type": "array", "items": {"$ref": "#/$defs/Tree"}},
                },
                "additionalProperties": false,
            }},
        }),
        tagged(),
        // Alternatives without a tag, one of which is tagged.
        json!({
            "anyOf": [
                {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"],
                    "additionalProperties": false},
                {"type": "object", "properties": {"a": {"type": "integer"}, "b": {}},
                    "required": ["b"], "additionalProperties": false},
                {"$ref": "#/$defs/T"},
            ],
            "$defs": {"T": tagged(), "A": {}, "B": {}},
        }),
    ]
}

fn tagged() -> Value {
    let branch = |kind: &str, member: Value| {
        json!({
            "type": "object",
            "properties": {"type": {"const": kind}, "a": member},
            "required": ["type", "a"],
            "additionalProperties": false,
        })
    };
    json!({
        "type": "object",
        "oneOf": [branch("x", json!({"type": "integer"})), branch("y", json!({"type": "string"}))],
        "discriminator": {"propertyName": "type"},
    })
}

fn odd_lines() -> Vec<Vec<u8>> {
    let mut texts: Vec<String> = [
        "",
        " ",
        "null",
        " null ",
        "nul",
        "nulll",
        "true",
        "false",
        "\"a\"",
        "\"\\u0061\"",
        "\"b\\n\"",
        "\"b\\\\n\"",
        "{\"b\\n\":null}",
        "{\"b\\n\":1}",
        "{\"b\\\\n\":null}",
        "{\"b\\\\n\":1}",
        "\"b\\u000A\"",
        "\"é\"",
        "\"\\u00e9\"",
        "\"\\u00fc\"",
        "\"\\ud83d\"",
        "\"\\ud83d\\ude00\"",
        "\"\\ude00\"",
        "\"a",
        "\"\\x\"",
        "\"\t\"",
        "\"\u{7f}\"",
        "0",
        "-0",
        "-1",
        "1",
        "5",
        "6",
        "255",
        "256",
        "01",
        "1.0",
        "-0.0",
        "1.5",
        "1e2",
        "1E400",
        "-1e400",
        "9223372036854775807",
        "9223372036854775808",
        "-9223372036854775808",
        "-9223372036854775809",
        "18446744073709551615",
        "18446744073709551616",
        "1.",
        ".5",
        "--1",
        "+1",
        "1 2",
        "[]",
        "[ ]",
        "[1]",
        "[1,2]",
        "[1,]",
        "[,1]",
        "[1 ,\t2]",
        "[10]",
        "[1",
        "[[]]",
        "{}",
        "{ }",
        "{,}",
        "{\"a\"}",
        "{\"a\":}",
        "{\"a\":1}",
        "{ \"a\" : 1 }",
        "{\"a\":1,}",
        "{\"a\":1.0}",
        "{\"\\u0061\":1}",
        "{\"a\":1,\"a\":2}",
        "{\"a\":1,\"a\":\"x\"}",
        "{\"a\":\"x\",\"a\":1}",
        "{\"a\":1,\"\\u0061\":2}",
        "{\"c\":1,\"c\":2,\"a\":1}",
        "{\"a\":1,\"b\":null}",
        "{\"b\":null,\"a\":1}",
        "{\"b\":1}",
        "{\"a\":1,\"b\":1,\"c\":1}",
        "{\"a\":\"x\"}",
        "{\"a\":\"ab\"}",
        "{\"a\":\"x\",\"b\":\"y\"}",
        "{\"b\\\"c\":\"x\"}",
        "{\"b\\\"c\":1}",
        "{\"b\\\"c\":\"x\",\"z\":null}",
        "{\"z\":1}",
        "{\"z\":null,\"z\":null}",
        "{\"type\":\"x\",\"a\":1}",
        "{\"a\":1,\"type\":\"x\"}",
        "{\"type\":\"x\",\"a\":\"1\"}",
        "{\"type\":\"y\",\"a\":\"1\"}",
        "{\"type\":\"x\",\"type\":\"y\",\"a\":\"1\"}",
        "{\"type\":\"y\",\"type\":\"y\",\"a\":\"1\"}",
        "{\"type\":\"z\",\"a\":1}",
        "{\"type\":1}",
        "{\"ty\\u0070e\":\"\\u0078\",\"a\":1}",
        "{ \"a\" : 1 , \"type\" : \"x\" }",
        "{\"type\":\"x\"}",
        "{\"type\":\"x\",\"a\":1,\"b\":2}",
        "{\"a\":{}}",
        "{\"a\":{\"left\":null}}",
        "{\"a\":{\"left\":{\"a\":[{},{\"left\":{}}]}}}",
        "{\"a\":{\"left\":1}}",
        "{\"a\":{\"a\":[null]}}",
        "{\"a\":1}}",
        "{\"a\":1}x",
        "{\"a\":1} \r\n",
        "\u{feff}{}",
        "{\"\":1}",
        "{\"a\":1,\"\":null}",
        "{\"é\":null}",
    ]
    .map(str::to_owned)
    .into();
    // Deeper and deeper, around the deepest.
    for depth in [1, DEEPEST - 1, DEEPEST, DEEPEST + 1, 200, 5000] {
        texts.push(format!("{}{}", "[".repeat(depth), "]".repeat(depth)));
        texts.push(format!("{}1{}", "{\"a\":".repeat(depth), "}".repeat(depth)));
        let tree = "{\"left\":".repeat(depth);
        texts.push(format!("{{\"a\":{tree}null{}}}", "}".repeat(depth)));
    }
    let mut lines: Vec<Vec<u8>> = texts.into_iter().map(String::into_bytes).collect();
    lines.extend([
        b"\"\xff\"".to_vec(),
        b"\"\xc3\"".to_vec(),
        b"{\"\xed\xa0\x80\":1}".to_vec(),
    ]);
    lines
}

/// Unusual forms of schemas: the prefilter may accept only what a validator accepts. One is a key
/// that comes twice and is wrong once: the validator sees only the last.
fn is_rare(line: &[u8]) -> bool {
    let parts: [&[u8]; 7] = [
        b"e2",
        b"E400",
        b"1844674407370955161",
        b"-9223372036854775809",
        b"\"a\":1,\"a\":\"x\"",
        b"\"a\":\"x\",\"a\":1",
        b"\"type\":\"x\",\"type\":\"y\"",
    ];
    let has = |part: &[u8]| line.windows(part.len()).any(|window| window == part);
    parts.iter().any(|part| has(part))
}

#[test]
fn every_schema_on_every_line() {
    let lines = odd_lines();
    let lines: Vec<Line<'_>> = lines.iter().map(|line| Line::read(line)).collect();
    let (mut accepted, mut valid) = (0, 0);
    for schema in small_schemas() {
        let both = Both::new(schema.to_string(), &schema);
        for line in &lines {
            let ours = both.accepts(line);
            let theirs = both.is_valid(line);
            assert!(
                ours == theirs || is_rare(line.bytes),
                "{}: {line}",
                both.name
            );
            accepted += usize::from(ours);
            valid += usize::from(theirs);
        }
    }
    assert!(
        accepted > 400 && valid - accepted < 30,
        "{accepted} of {valid}"
    );
}

#[test]
fn what_comes_twice_is_told() {
    let both = Both::new("tagged", &tagged());
    let open = Both::new("open", &json!({"properties": {"a": {}}}));
    for (both, line, expected) in [
        (&both, r#"{"type":"x","a":1}"#, false),
        (&both, r#"{"type":"x","a":1,"a":2}"#, true),
        (&both, r#"{"type":"x","a":1,"\u0061":2}"#, true),
        (&open, r#"{"a":{"b":1,"c":1}}"#, false),
        (&open, r#"{"a":{"b":1,"b":1}}"#, true),
        (&open, r#"{"x":1,"y":2,"a":3}"#, false),
        (&open, r#"{"x":1,"a":3,"x":2}"#, true),
        (&open, r#"{"a":[{"b":[{"c":1,"d":1,"c":1}]}]}"#, true),
        (&open, r#"{"a":[{"b":1},{"b":1}]}"#, false),
    ] {
        let verdict = both.verdict(&Line::read(line.as_bytes()));
        assert_eq!(verdict, Verdict::Accepted { repeated: expected }, "{line}");
    }
}

/// The same key anywhere among many, spelt either way, is always found.
#[test]
fn every_duplicate_key_is_found() {
    let both = Both::new("any", &json!({}));
    for count in [2, 5, 23, 24, 25, 40] {
        for (first, second) in [(0, 1), (0, count - 1), (count / 2, count - 1)] {
            let name = |index: usize| match index {
                index if index == second => format!("\\u006bey{first}"),
                index => format!("key{index}"),
            };
            let members: Vec<String> = (0..count).map(|i| format!("\"{}\":1", name(i))).collect();
            let line = format!("{{{}}}", members.join(","));
            if first != second {
                let verdict = both.verdict(&Line::read(line.as_bytes()));
                assert_eq!(verdict, Verdict::Accepted { repeated: true }, "{line}");
            }
        }
    }
}

#[test]
fn what_is_not_known_is_a_gap_and_never_accepted() {
    for (schema, gap) in [
        (json!({"minLength": 2}), ""),
        (json!({"maxLength": 1}), ""),
        (json!({"enum": ["a"], "minLength": 1}), ""),
        // Of what is not declared nothing is remembered.
        (
            json!({"properties": {"a": {}}, "anyOf": [{"required": ["b"]}]}),
            "",
        ),
        (
            json!({"properties": {"a": {}}, "anyOf": [{"minProperties": 1}]}),
            "",
        ),
        (
            json!({"properties": {"a": {"type": "string", "pattern": "^a"}}}),
            "/properties/a",
        ),
        (json!({"allOf": [{}, {"type": "string"}]}), ""),
        (json!({"oneOf": [{"const": "a"}, {"const": "b"}]}), ""),
        (
            json!({"$ref": "#/$defs/A", "$defs": {"A": {"$ref": "#/$defs/A"}}}),
            "/$defs/A",
        ),
        (json!({"enum": [1, 2]}), ""),
        (json!({"type": "number", "maximum": 3}), ""),
        (
            json!({"$ref": "#/$defs/A", "type": "string", "$defs": {"A": {}}}),
            "",
        ),
        (json!({"prefixItems": [{"type": "string"}]}), ""),
        (
            json!({"anyOf": [{"items": {"const": "a"}}, {"items": {"const": "b"}}]}),
            "",
        ),
    ] {
        let prefilter = Prefilter::compile(&schema).expect("a prefilter");
        assert_eq!(prefilter.gaps(), [gap], "{schema}");
        let both = Both::new(schema.to_string(), &schema);
        let lines = odd_lines();
        let lines: Vec<Line<'_>> = lines.iter().map(|line| Line::read(line)).collect();
        let accepted = lines.iter().filter(|line| both.accepts(line)).count();
        let valid = lines.iter().filter(|line| both.is_valid(line)).count();
        assert!(accepted < valid, "{schema}");
    }
}

#[test]
fn a_reference_that_leads_nowhere_is_an_error() {
    let error = Prefilter::compile(&json!({"$ref": "#/$defs/A"})).expect_err("no such definition");
    assert_eq!(error, Error::BrokenReference("#/$defs/A".to_owned()));
    let text = "the reference `#/$defs/A` leads to no definition of the schema";
    assert_eq!(error.to_string(), text);
}

/// Alternatives within alternatives, none of which fits: given up before it takes long.
#[test]
fn trying_ends() {
    let innermost = json!({"type": "object", "properties": {"a": {"type": "null"}},
        "required": ["a"], "additionalProperties": false});
    let level = |inner: &str| {
        json!({"anyOf": [
            {"type": "object", "properties": {"a": {"$ref": inner}, "b": {}},
                "required": ["a", "b"]},
            {"type": "object", "properties": {"a": {"$ref": inner}}, "required": ["a"]},
        ]})
    };
    let mut definitions = serde_json::Map::new();
    definitions.insert("L0".to_owned(), innermost);
    for depth in 1..=60 {
        definitions.insert(
            format!("L{depth}"),
            level(&format!("#/$defs/L{}", depth - 1)),
        );
    }
    let schema = json!({"$ref": "#/$defs/L60", "$defs": definitions});
    let prefilter = Prefilter::compile(&schema).expect("a prefilter");
    assert_eq!(prefilter.gaps(), [""; 0]);
    let line = format!("{}1{}", "{\"a\":".repeat(62), "}".repeat(62));
    assert!(matches!(
        prefilter.check(line.as_bytes()),
        Verdict::NotSure { .. }
    ));
}

/// A tag far behind, at every depth, among alternatives: what is read in vain has an end, so that
/// a long line takes no time that grows with the square of its length.
#[test]
fn a_late_tag_is_not_looked_for_without_end() {
    let branch = |kind: &str, least: u32| {
        json!({
            "type": "object",
            "properties": {
                "a": {"$ref": "#/$defs/Any"},
                "n": {"type": "integer", "minimum": least, "maximum": 9},
                "z": {"const": kind},
            },
            "required": ["n", "z"],
            "additionalProperties": false,
        })
    };
    let union = |least| {
        json!({
            "type": "object",
            "oneOf": [branch("x", least), branch("y", least)],
            "discriminator": {"propertyName": "z"},
        })
    };
    let schema = json!({
        "$ref": "#/$defs/Any",
        "$defs": {"Any": {"anyOf": [union(7), union(8), union(9)]}},
    });
    let both = Both::new("late tags", &schema);
    let nested = |depth: usize, innermost: &str| {
        let open = "{\"a\":".repeat(depth);
        let close = ",\"n\":9,\"z\":\"x\"}".repeat(depth);
        format!("{open}{{\"n\":{innermost},\"z\":\"y\"}}{close}")
    };
    assert!(both.accepts(&Line::read(nested(3, "9").as_bytes())));
    assert!(!both.accepts(&Line::read(nested(3, "1").as_bytes())));
    // Three alternatives at each of so many depths would be more than anybody can try.
    for innermost in ["1", "9"] {
        both.verdict(&Line::read(nested(120, innermost).as_bytes()));
    }
}
