//! Scripts that are JSON say the same as TOML, and their errors name the line.

use codex_wire_replay::script::Script;
use codex_wire_replay::script::model::Place;
use serde_json::Value;

use super::support::{names, script, text};

/// A script without the places of its steps, which differ.
fn without_places(mut script: Script) -> Script {
    let turns = script.turns.iter_mut();
    for step in turns.flat_map(|turn| &mut turn.steps) {
        step.place = Place::default();
    }
    script
}

#[test]
fn every_example_says_the_same_as_json() {
    for name in names() {
        let value: Value = toml::from_str(&text(&name)).unwrap();
        for json in [
            format!("\u{feff}{value}"),
            serde_json::to_string_pretty(&value).unwrap(),
        ] {
            let read = Script::parse_json(&json).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_eq!(
                without_places(read),
                without_places(script(&name)),
                "{name}"
            );
        }
    }
}

#[test]
fn an_error_names_its_line_and_column() {
    let step = |step: &str| format!("{{\n  \"step\": [\n    {step}\n  ]\n}}");
    let cases = [
        (
            "{}".to_owned(),
            "line 1, column 1: a script has at least one `step`",
        ),
        (
            "{\"step\":[],\"turn\":[]}".to_owned(),
            "line 1, column 1: a script has `step` or `turn`, not both",
        ),
        (
            "{\"steps\":[]}".to_owned(),
            "line 1, column 8: unknown field `steps`, expected one of `model`, `step`, `turn`",
        ),
        (
            "{\"step\":[".to_owned(),
            "line 1, column 9: EOF while parsing a list",
        ),
        (
            step("{\"say\": 1}"),
            "line 3, column 13: invalid type: integer `1`, expected a string",
        ),
        (
            step("{\"run\": \"a\",\n     \"exti\": 1}"),
            "line 4, column 11: unknown field `exti`, expected one of `run`, `output`, `exit`, `approval`",
        ),
        (
            step("{\"say\": \"a\", \"run\": \"b\"}"),
            "line 3, column 5: a step does one thing: it has `run` and `say`",
        ),
        (
            step("{\"hang\": false}"),
            "line 3, column 5: `hang` is always `true`",
        ),
        (
            step("{\"fail\": \"a\"}, {\"say\": \"b\"}"),
            "line 3, column 20: nothing comes after `fail`",
        ),
        (
            step("{\"run\": \"a\", \"approval\": \"maybe\"}"),
            "line 3, column 37: `true`, `false`, or one of \"accept\", \"acceptForSession\", \"decline\", \"cancel\"",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(
            Script::parse_json(&text).unwrap_err().to_string(),
            expected,
            "{text}"
        );
    }
}
