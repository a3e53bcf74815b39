//! Reading a line and writing it again loses nothing, whatever the line has been through.

use codex_wire::exec::{Event, EventKind, ItemKind};

use crate::support::edits::{self, Random};
use crate::support::tree::{Node, assert_same};
use crate::support::{files, samples};

#[track_caller]
fn read(place: &str, line: &str) -> Event {
    codex_wire::from_str(line).unwrap_or_else(|error| panic!("{place}: {error}\n{line}"))
}

/// Every line there is, with its place.
fn lines() -> Vec<(String, String)> {
    let mut out: Vec<_> = samples::LINES
        .iter()
        .enumerate()
        .map(|(index, line)| (format!("sample {}", index + 1), (*line).to_owned()))
        .collect();
    for path in files::transcripts() {
        out.extend(files::lines(&path));
    }
    out
}

#[test]
fn every_line_comes_back_byte_for_byte() {
    for (place, line) in lines() {
        let line = line.strip_suffix('\r').unwrap_or(&line);
        let written = codex_wire::to_string(&read(&place, line));
        assert!(
            written == line,
            "{place}\nread    {line}\nwritten {written}"
        );
    }
}

#[test]
fn recorded_lines_hold_nothing_unknown() {
    for path in files::recorded() {
        for (place, line) in files::lines(&path) {
            let event = read(&place, &line);
            assert_ne!(event.kind(), EventKind::Unknown, "{place}");
            if let Some(item) = event.item() {
                assert_ne!(item.kind(), ItemKind::Unknown, "{place}");
            }
        }
    }
}

/// Edits every line a few times, each time in another way, and asks for it back.
fn edited(edit: fn(&mut Node, &mut Random)) {
    for (index, (place, line)) in lines().into_iter().enumerate() {
        // What can go wrong does not depend on the length of a text.
        let rounds = if line.len() > 20_000 { 1 } else { 4 };
        let node = Node::parse(&line).expect("lines are JSON");
        for round in 0..rounds {
            let seed = (index * 4 + round) as u64;
            let mut node = node.clone();
            let mut random = Random::new(seed);
            edit(&mut node, &mut random);
            let text = node.write(&mut || "");
            let written = codex_wire::to_string(&read(&format!("{place}, seed {seed}"), &text));
            assert_same(&written, &text);
        }
    }
}

#[test]
fn in_any_order() {
    edited(edits::shuffle);
}

#[test]
fn with_unknown_members() {
    edited(edits::add_unknown_members);
}

#[test]
fn with_duplicate_members() {
    edited(edits::double_members);
}

#[test]
fn with_unknown_kinds_and_values() {
    edited(edits::rename_kinds);
}

#[test]
fn with_everything_at_once() {
    edited(|node, random| {
        edits::rename_kinds(node, random);
        edits::add_unknown_members(node, random);
        edits::shuffle(node, random);
        edits::double_members(node, random);
    });
}

#[test]
fn with_white_space() {
    for (index, (place, line)) in lines().into_iter().enumerate() {
        let mut random = Random::new(index as u64);
        let node = Node::parse(&line).expect("lines are JSON");
        let text = node.write(&mut || edits::odd_space(&mut random));
        let written = codex_wire::to_string(&read(&place, &text));
        assert_same(&written, &text);
    }
}

#[test]
fn with_escaped_names_and_tags() {
    let text = r#"{"\u0074ype":"item\u002ecompleted","item":{"\u0069d":"item_0","typ\u0065":"reasoning","text":"\u0041\/","\u0078":"\u0078"}}"#;
    let event = read("escaped", text);
    assert_eq!(
        event.item().map(|item| (item.kind(), item.text())),
        Some((ItemKind::Reasoning, Some("A/")))
    );
    assert_same(&codex_wire::to_string(&event), text);
}

/// JSON has them, Rust's strings do not: they survive where no type reads them.
#[test]
fn with_lone_surrogates() {
    for text in [
        r#"{"type":"turn.started","x":"\ud800"}"#,
        r#"{"type":"turn.started","x":{"y":["\udfff"]}}"#,
        r#"{"type":"turn.started","x":{"\ud800":1}}"#,
        r#"{"x":{"\ud800":1},"type":"turn.started"}"#,
    ] {
        let written = codex_wire::to_string(&read("surrogate", text));
        assert!(written.contains(r"\ud"), "{written}");
    }
}

#[test]
fn numbers_keep_their_value() {
    let line = |number: &str| {
        format!(
            r#"{{"type":"turn.completed","usage":{{"input_tokens":{number},"cached_input_tokens":0,"output_tokens":0}}}}"#
        )
    };
    let count = |number: &str| {
        codex_wire::from_str::<Event>(&line(number))
            .ok()
            .and_then(|event| event.usage().map(|usage| usage.input_tokens))
    };
    assert_eq!(count("1.0"), Some(1));
    assert_eq!(count("-0"), Some(0));
    assert_eq!(count("12e2"), Some(1200));
    assert_eq!(count("9223372036854775807"), Some(i64::MAX));
    assert_eq!(count("9223372036854775808"), None);
    assert_eq!(count("1.5"), None);
    assert_eq!(count("1e400"), None);
    assert_eq!(count(&"9".repeat(100_000)), None);
    // A whole number that is not spelt as one never becomes its neighbour.
    assert_eq!(count("9007199254740993.0"), Some(9_007_199_254_740_993));
    assert_eq!(count("9223372036854775807.0"), Some(i64::MAX));
    assert_eq!(count("-922337203685477580.8e1"), Some(i64::MIN));
    assert_eq!(count("9223372036854775808.0"), None);
    assert_eq!(count("120000e-4"), Some(12));
    assert_eq!(count("0.00e-999"), Some(0));
    for text in [
        "9007199254740990.6",
        "1.00000000000000000000001",
        "125e-1",
        "1e-2147483648",
        "1e2147483647",
        "1e99999999999",
    ] {
        assert_eq!(count(text), None, "{text}");
    }
}
