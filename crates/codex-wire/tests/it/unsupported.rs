//! What a release does not know of what is sent to it: by hand, for values of every release, and against what real
//! programs answered.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use codex_wire::app_server::methods::client_requests::{ThreadStart, TurnSteer};
use codex_wire::app_server::{
    ClientRequest, Method as _, unsupported, unsupported_call, unsupported_text,
};
use codex_wire::generate::{Generate as _, Recipe};
use codex_wire::json::Raw;
use codex_wire::unsupported::{Effect, Unsupported, without};
use codex_wire::{Protocol, Release, from_str, to_string};
use proptest::strategy::{Strategy as _, ValueTree as _};
use proptest::test_runner::TestRunner;

use crate::support::files;

fn release(text: &str) -> Release {
    text.parse().expect("a release")
}

fn found(method: &str, params: &str, at: &str) -> Vec<Unsupported> {
    let params = Raw::new(params).expect("JSON");
    unsupported_call(method, &params, release(at))
}

#[test]
fn methods_know_their_releases() {
    assert_eq!(ThreadStart::SINCE, None);
    assert_eq!(ThreadStart::UNTIL, None);
    assert_eq!(TurnSteer::SINCE, Some(release("0.99.0")));
    assert_eq!(TurnSteer::releases().next(), TurnSteer::SINCE);
    let listed = Protocol::AppServer.release_list();
    assert_eq!(TurnSteer::releases().last(), Some(listed.latest()));
    assert_eq!(ThreadStart::releases().count(), listed.releases().len());
}

#[test]
fn parts_are_named_with_their_releases() {
    for (method, params, at, expected) in [
        ("thread/start", r#"{"model":"x"}"#, "0.58.0", [].as_slice()),
        (
            "thread/start",
            r#"{"serviceTier":"fast","model":null}"#,
            "0.98.0",
            &["the member `serviceTier` at /params/serviceTier (0.110.0 or later)"],
        ),
        // What is in a member that is not known is not looked at.
        (
            "turn/start",
            r#"{"threadId":"t","input":[],"additionalContext":{"x":{"kind":"walrus"}}}"#,
            "0.98.0",
            &[
                "the member `additionalContext` at /params/additionalContext (0.135.0 or later, experimental)",
            ],
        ),
        (
            "turn/start",
            r#"{"threadId":"t","input":[],"additionalContext":{"x":{"kind":"walrus","value":"v"}}}"#,
            "0.169.0",
            &["the value `walrus` at /params/additionalContext/x/kind (in no known release)"],
        ),
        (
            "turn/start",
            r#"{"threadId":"t","input":[{"type":"text","text":"a"},{"type":"walrus"}],"b/c":1}"#,
            "0.169.0",
            &[
                "the kind `walrus` at /params/input/1 (in no known release)",
                "the member `b/c` at /params/b~1c (in no known release)",
            ],
        ),
        (
            "turn/steer",
            "{}",
            "0.58.0",
            &["the method `turn/steer` (0.99.0 or later)"],
        ),
        (
            "walrus/start",
            "{}",
            "0.58.0",
            &["the method `walrus/start` (in no known release)"],
        ),
        // An unlisted release speaks as the listed one before it; one before the first as the first.
        (
            "turn/steer",
            "{}",
            "0.98.9",
            &["the method `turn/steer` (0.99.0 or later)"],
        ),
        ("thread/start", "{}", "0.20.0", &[]),
        // A release after the newest may have gained anything.
        ("thread/start", r#"{"walrus":1}"#, "0.200.0", &[]),
        (
            "addConversationListener",
            "{}",
            "0.200.0",
            &["the method `addConversationListener` (0.104.0 or earlier)"],
        ),
    ] {
        let lines: Vec<String> = found(method, params, at)
            .iter()
            .map(ToString::to_string)
            .collect();
        assert_eq!(lines, expected, "{method} {params} of {at}");
    }
    assert!(unsupported_text::<ClientRequest>("{", release("0.58.0")).is_err());
}

#[test]
fn parts_are_left_out() {
    for (method, params, at, expected) in [
        (
            "thread/start",
            r#"{"serviceTier":"fast","model":null}"#,
            "0.98.0",
            Some(r#"{"model":null}"#),
        ),
        (
            "thread/start",
            r#"{ "serviceTier" : "fast" , "model":null}"#,
            "0.98.0",
            Some(r#"{ "model":null}"#),
        ),
        (
            "thread/start",
            r#"{"model":null,"serviceTier":"fast"}"#,
            "0.98.0",
            Some(r#"{"model":null}"#),
        ),
        (
            "thread/start",
            r#"{"a":1,"b":[2],"c":"}"}"#,
            "0.98.0",
            Some("{}"),
        ),
        // Of a value, the member around it that may be absent.
        (
            "turn/start",
            r#"{"threadId":"t","input":[],"approvalPolicy":"walrus"}"#,
            "0.98.0",
            Some(r#"{"threadId":"t","input":[]}"#),
        ),
        // Of a kind in a list, the element.
        (
            "turn/start",
            r#"{"threadId":"t","input":[{"type":"walrus"},{"type":"text","text":"a","x":0}]}"#,
            "0.98.0",
            Some(r#"{"threadId":"t","input":[{"type":"text","text":"a"}]}"#),
        ),
        ("turn/steer", "{}", "0.58.0", None),
    ] {
        let line = format!(r#"{{"id":1,"method":"{method}","params":{params}}}"#);
        let parts = unsupported_text::<ClientRequest>(&line, release(at)).expect("JSON");
        let expected =
            expected.map(|params| format!(r#"{{"id":1,"method":"{method}","params":{params}}}"#));
        assert_eq!(without(&line, &parts), expected, "{line} of {at}");
    }
}

/// A release knows all that it has itself; what is left of another release's request is known.
#[test]
fn requests_of_every_release() {
    let mut runner = TestRunner::deterministic();
    let listed = ["0.58.0", "0.98.0", "0.125.0", "0.157.0", "0.169.0"].map(release);
    let (mut dropped, mut refused) = (0, 0);
    for at in listed {
        let recipe = Recipe {
            release: at,
            unknown: false,
        };
        let requests = ClientRequest::generate(recipe);
        for _ in 0..400 {
            let request = requests.new_tree(&mut runner).expect("a value").current();
            assert_eq!(unsupported(&request, at), [], "{}", to_string(&request));
            for other in listed {
                let parts = unsupported(&request, other);
                let line = to_string(&request);
                match without(&line, &parts) {
                    None => refused += 1,
                    Some(rest) => {
                        dropped += usize::from(rest != line);
                        let rest: ClientRequest = from_str(&rest).expect("a request");
                        assert_eq!(unsupported(&rest, other), [], "{line}");
                    }
                }
            }
        }
    }
    assert!(
        dropped > 300 && refused > 300,
        "{dropped} dropped, {refused} refused"
    );
}

/// What real programs made of each part that they were asked about, where we say otherwise.
#[test]
fn releases_answer_as_is_said() {
    let newest = Protocol::AppServer.release_list().latest().to_string();
    let mut asked = 0;
    let mut other: BTreeMap<String, usize> = BTreeMap::new();
    for path in files::below(&files::root().join("probes/app-server/reads"), "txt") {
        let text = files::read(&path);
        let (mut about, mut sent) = ("", "");
        for line in text.lines() {
            match line.len() - line.trim_start().len() {
                0 => about = line,
                2 => sent = line.trim(),
                _ => {
                    let (put, answer) = line.trim().split_once(" => ").expect("an answer");
                    let (answer, releases) = answer.rsplit_once(" @ ").expect("releases");
                    let (method, hole) = sent.split_once(' ').expect("a method");
                    let Some(params) = filled(hole, put) else {
                        continue;
                    };
                    for at in ends(releases, &newest) {
                        let found = found(method, &params, at);
                        let is_refused = found.iter().any(|part| part.effect == Effect::Refused);
                        let is_unknown = answer.starts_with("refused: unknown")
                            || answer.starts_with("unknown method");
                        asked += 1;
                        let said: Vec<_> = found.iter().map(ToString::to_string).collect();
                        let said = said.join(", ");
                        if is_refused && matches!(answer, "read" | "answered") {
                            let reads = format!("{at} reads, and {method} has {said}");
                            *other.entry(reads).or_default() += 1;
                        }
                        // An object in place of text is not another value: its type is wrong in every release.
                        if is_unknown && found.is_empty() && put != r#"{"walrus":null}"# {
                            let refuses = format!("{at} does not know {about}: {put}");
                            *other.entry(refuses).or_default() += 1;
                        }
                    }
                }
            }
        }
    }
    assert!(asked > 20_000, "{asked} questions");
    let mut text = String::new();
    for (what, times) in &other {
        let _ = writeln!(text, "{what} ({times})");
    }
    golden_files::assert_file(
        &files::root().join("crates/codex-wire/tests/it/unsupported.txt"),
        &text,
    );
}

/// The params with a value in the only `?` outside of texts.
fn filled(params: &str, put: &str) -> Option<String> {
    let (mut is_text, mut is_escaped) = (false, false);
    let hole = params.char_indices().find_map(|(at, c)| {
        if c == '?' && !is_text {
            return Some(at);
        }
        is_text ^= c == '"' && !is_escaped;
        is_escaped = is_text && c == '\\' && !is_escaped;
        None
    })?;
    (put != "absent").then(|| format!("{}{put}{}", &params[..hole], &params[hole + 1..]))
}

/// The first and the last release of each range, which may be the newest.
fn ends<'t>(releases: &'t str, newest: &'t str) -> Vec<&'t str> {
    let ranges = releases
        .split(", ")
        .flat_map(|range| match range.split_once("..") {
            Some((first, "")) => [first, newest],
            Some((first, last)) => [first, last],
            None => [range, range],
        });
    ranges.collect()
}
