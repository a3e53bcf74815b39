//! The cursor's grammar is serde_json's: the same texts are JSON to both, and mean the same.

use codex_wire::json::{Cursor, DEFAULT_DEPTH, Raw};
use codex_wire::{Error, ErrorKind, exec::Event};
use proptest::prelude::*;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use crate::support::tree::{Node, Tree};
use crate::support::{files, samples, texts};

fn ours(text: &str) -> Result<(), Error> {
    let mut cursor = Cursor::new(text);
    cursor.skip()?;
    cursor.end()
}

fn theirs(text: &str) -> bool {
    serde_json::from_str::<IgnoredAny>(text).is_ok()
}

/// Reads any value through the cursor's own methods.
fn tree(cursor: &mut Cursor<'_>) -> Result<Tree, Error> {
    use codex_wire::json::Kind;
    Ok(match cursor.kind()? {
        Kind::Null => {
            assert!(cursor.null()?);
            Tree::Scalar("null".into())
        }
        Kind::Bool => Tree::Scalar(cursor.bool()?.to_string()),
        Kind::Number => Tree::Scalar(cursor.number()?.into()),
        Kind::String => Tree::String(cursor.string()?.into()),
        Kind::Array => {
            let mut out = Vec::new();
            cursor.array(|cursor, index| {
                assert_eq!(index, out.len());
                out.push(tree(cursor)?);
                Ok(())
            })?;
            Tree::Array(out)
        }
        Kind::Object => {
            let mut out = std::collections::BTreeMap::<String, Vec<Tree>>::new();
            cursor.object(|cursor, key| {
                out.entry(key.to_owned()).or_default().push(tree(cursor)?);
                Ok(())
            })?;
            Tree::Object(out)
        }
    })
}

fn whole_tree(text: &str) -> Result<Tree, Error> {
    let mut cursor = Cursor::new(text);
    let tree = tree(&mut cursor)?;
    cursor.end()?;
    Ok(tree)
}

/// Everything both readers say about a text must agree.
#[track_caller]
fn compare(text: &str) {
    let skipped = ours(text);
    assert_eq!(skipped.is_ok(), theirs(text), "{text:?}: {skipped:?}");
    let raw = codex_wire::from_str::<Raw>(text);
    assert_eq!(
        raw.is_ok(),
        serde_json::from_str::<Box<RawValue>>(text).is_ok(),
        "{text:?}"
    );
    let (left, right) = (whole_tree(text), Tree::parse(text));
    assert_eq!(left.is_ok(), right.is_ok(), "{text:?}: {left:?}, {right:?}");
    if let (Ok(left), Ok(right)) = (left, right) {
        assert_eq!(left, right, "{text:?}");
    }
    let (left, right) = (
        codex_wire::from_str::<String>(text),
        serde_json::from_str(text),
    );
    assert_eq!(left.ok(), right.ok(), "{text:?}");
}

fn compare_bytes(bytes: &[u8]) {
    match std::str::from_utf8(bytes) {
        Ok(text) => compare(text),
        Err(error) => {
            let found = codex_wire::from_slice::<Raw>(bytes).expect_err("this is not UTF-8");
            assert_eq!(*found.kind(), ErrorKind::InvalidUtf8);
            assert_eq!(found.offset(), error.valid_up_to());
        }
    }
}

/// Calls `check` with every concatenation of up to `length` of the pieces.
fn every(pieces: &[&str], length: usize, check: &mut impl FnMut(&str)) {
    fn extend(text: &mut String, pieces: &[&str], left: usize, check: &mut impl FnMut(&str)) {
        check(text);
        if left == 0 {
            return;
        }
        let end = text.len();
        for piece in pieces {
            text.push_str(piece);
            extend(text, pieces, left - 1, check);
            text.truncate(end);
        }
    }
    extend(&mut String::new(), pieces, length, check);
}

#[test]
fn every_short_text() {
    let alphabet = [
        "{", "}", "[", "]", "\"", ",", ":", "0", "-", "+", "1", ".", "e", "E", "\\", "u", "t", "n",
        " ", "\n", "\u{1}", "é",
    ];
    every(&alphabet, 4, &mut compare);
}

#[test]
fn every_short_sequence_of_tokens() {
    let tokens = [
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "\"\"",
        "\"a\\n\"",
        "\"\\ud800\"",
        "-0",
        "1.5e+3",
        "01",
        "null",
        "true",
        "false",
        "nul",
        "\t",
        "\u{a0}",
    ];
    every(&tokens, 4, &mut compare);
}

#[test]
fn every_short_string() {
    let pieces = [
        "a", "\\", "\"", "/", "u", "\\u", "d83d", "\\ude00", "00", "e9", "\\n", "\u{7f}", "\u{1f}",
        "é",
    ];
    every(&pieces, 4, &mut |inside| compare(&format!("\"{inside}\"")));
    every(&pieces, 3, &mut |inside| {
        compare(&format!("{{\"{inside}\":[0]}}"));
    });
}

/// Strings are searched several bytes at a time: no byte may hide at any place among any others.
#[test]
fn every_character_at_every_place_of_a_string() {
    let others = [
        'a', '~', '\u{20}', '\u{7f}', 'é', '\u{2028}', '#', '!', '[', ']',
    ];
    for code in 0..=0x2ff {
        let character = char::from_u32(code).expect("no surrogate lies below");
        for other in others {
            for before in [0, 1, 6, 7, 8, 9, 15, 16, 17] {
                let text: String = std::iter::repeat_n(other, before)
                    .chain([character])
                    .chain(std::iter::repeat_n(other, 9))
                    .collect();
                compare(&format!("\"{text}\""));
            }
        }
    }
}

#[test]
fn every_short_number() {
    let pieces = ["0", "1", "9", ".", "-", "+", "e", "E"];
    every(&pieces, 6, &mut |text| {
        let number = codex_wire::from_str::<codex_wire::json::Number>(text);
        assert_eq!(number.is_ok(), theirs(text), "{text}");
        if let Ok(number) = number {
            assert_eq!(number.get(), text);
            assert_eq!(number.as_f64(), text.parse::<f64>().unwrap());
        }
    });
}

#[test]
fn nesting_ends_where_serde_json_ends() {
    for (open, close) in [("[", "]"), ("{\"a\":", "}"), ("[{\"a\": [", "]}]")] {
        let levels = open.matches(['[', '{']).count();
        for count in (DEFAULT_DEPTH - 4) / levels..=(DEFAULT_DEPTH + 4) / levels {
            let text = format!("{}0{}", open.repeat(count), close.repeat(count));
            let value = serde_json::from_str::<serde_json::Value>(&text);
            assert_eq!(ours(&text).is_ok(), value.is_ok(), "{count} times {open}");
            assert_eq!(ours(&text).is_ok(), count * levels <= DEFAULT_DEPTH);
        }
    }
    let deep = "[".repeat(1_000_000);
    let error = ours(&deep).unwrap_err();
    assert_eq!(
        (error.kind(), error.offset()),
        (&ErrorKind::TooDeep, DEFAULT_DEPTH)
    );
    let mut shallow = Cursor::with_depth("[[0]]", 1);
    assert_eq!(*shallow.skip().unwrap_err().kind(), ErrorKind::TooDeep);
}

#[test]
fn a_lone_surrogate_is_json_but_not_a_string() {
    let text = r#""a\ud800""#;
    assert!(ours(text).is_ok());
    assert_eq!(codex_wire::from_str::<Raw>(text).unwrap().get(), text);
    let error = codex_wire::from_str::<String>(text).unwrap_err();
    assert_eq!((error.offset(), error.column()), (2, 3));
    assert!(matches!(error.kind(), ErrorKind::Syntax(_)));
}

/// One thing to do with a cursor.
type Step = fn(&mut Cursor<'_>) -> Result<(), Error>;

const STEPS: &[Step] = &[
    |c| c.kind().map(drop),
    |c| c.end(),
    |c| c.skip(),
    |c| c.raw().map(drop),
    |c| c.string().map(drop),
    |c| c.number().map(drop),
    |c| c.bool().map(drop),
    |c| c.null().map(drop),
    |c| c.object(|c, _| c.skip()),
    |c| c.object(|_, _| Ok(())),
    |c| c.array(|c, _| c.string().map(drop)),
    |c| c.array(|_, _| Ok(())),
    |c| c.peek_tag("a").map(drop),
    |c| Err(c.fault(ErrorKind::TooDeep)),
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn json_texts(text in texts::json(texts::string)) {
        prop_assert!(theirs(&text), "the generator is wrong");
        compare(&text);
    }

    #[test]
    fn json_texts_with_lone_surrogates(text in texts::json(texts::string_with_surrogates)) {
        prop_assert!(theirs(&text), "the generator is wrong");
        compare(&text);
    }

    #[test]
    fn broken_texts(text in texts::json(texts::string), accidents in texts::accidents()) {
        compare_bytes(&texts::after(&text, &accidents));
    }

    #[test]
    fn nested_texts(text in texts::json(texts::string), levels in 0..DEFAULT_DEPTH - 5) {
        let text = format!("{}{text}{}", "[".repeat(levels), "]".repeat(levels));
        prop_assert_eq!(ours(&text).is_ok(), theirs(&text));
    }

    #[test]
    fn nothing_panics_even_after_an_error(
        text in texts::json(texts::string_with_surrogates),
        accidents in texts::accidents(),
        steps in prop::collection::vec(0..STEPS.len(), 1..12),
    ) {
        let text = String::from_utf8_lossy(&texts::after(&text, &accidents)).into_owned();
        let mut cursor = Cursor::new(&text);
        for step in steps {
            // An error leaves the cursor anywhere; the next step must handle that.
            let _ = STEPS[step](&mut cursor);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn broken_lines(line in line(), accidents in texts::accidents()) {
        let bytes = texts::after(&line, &accidents);
        compare_bytes(&bytes);
        let Ok(event) = codex_wire::from_slice::<Event>(&bytes) else {
            return Ok(());
        };
        // What is still an event is JSON, and is written as something that reads the same.
        let text = std::str::from_utf8(&bytes).unwrap();
        prop_assert!(theirs(text));
        let written = codex_wire::to_string(&event);
        let again = codex_wire::from_str::<Event>(&written).unwrap();
        prop_assert_eq!(&codex_wire::to_string(&again), &written);
        // What is written is one line: a break between tokens of what has no type is a space there.
        if !text.contains(['\n', '\r']) {
            prop_assert_eq!(&again, &event);
        }
        // The tree's names are Rust strings, so it cannot hold a lone surrogate in one.
        if let (Ok(left), Ok(right)) = (Node::parse(text), Node::parse(&written)) {
            prop_assert_eq!(size(&left), size(&right), "{}", text);
        }
    }
}

/// The number of values in a tree: nothing is dropped, nothing is added.
fn size(node: &Node) -> usize {
    match node {
        Node::Scalar(_) => 1,
        Node::Array(elements) => 1 + elements.iter().map(size).sum::<usize>(),
        Node::Object(members) => 1 + members.iter().map(|(_, value)| size(value)).sum::<usize>(),
    }
}

/// Recorded lines of moderate length, and one of every kind.
fn line() -> impl Strategy<Value = String> {
    let mut lines: Vec<String> = samples::LINES
        .iter()
        .map(|line| (*line).to_owned())
        .collect();
    for path in files::recorded() {
        let short = files::lines(&path)
            .into_iter()
            .filter(|(_, line)| line.len() < 2000);
        lines.extend(short.map(|(_, line)| line));
    }
    prop::sample::select(lines)
}
