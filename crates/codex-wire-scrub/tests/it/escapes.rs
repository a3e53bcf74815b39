//! However a string is escaped, it is the same string: so is its placeholder, and the line stays JSON.

use codex_wire_check::{Checker, Options};
use codex_wire_scrub::{Key, Scrubber};
use proptest::prelude::*;
use serde_json::Value;

use crate::findings::found;

/// Lines with a string, which stands where `@` is, and what that may be. There is one for each way in which
/// a string is replaced.
const KINDS: [(&str, &str); 22] = [
    (
        r#"{"type":"item.completed","item":{"id":"@","type":"agent_message","text":"x"}}"#,
        "id",
    ),
    (
        r#"{"type":"item.completed","item":{"id":"item_0","type":"agent_message","text":"@"}}"#,
        "text",
    ),
    (
        r#"{"type":"item.completed","item":{"id":"item_0","type":"command_execution","command":"@","status":"completed"}}"#,
        "text",
    ),
    (r#"{"type":"@"}"#, "word"),
    (r#"{"method":"@","params":{}}"#, "word"),
    (
        r#"{"method":"command/exec/outputDelta","params":{"processId":"@","stream":"stdout","deltaBase64":"aGVsbG8=","capReached":false}}"#,
        "text",
    ),
    (
        r#"{"method":"command/exec/outputDelta","params":{"processId":"p","stream":"stdout","deltaBase64":"@","capReached":false}}"#,
        "base64",
    ),
    (
        r#"{"id":"0","msg":{"type":"exec_command_output_delta","call_id":"c","stream":"stdout","chunk":"@"}}"#,
        "base64",
    ),
    (
        r#"{"method":"command/exec/write","id":1,"params":{"processId":"p","deltaBase64":"@"}}"#,
        "text",
    ),
    (
        r#"{"method":"item/agentMessage/delta","params":{"threadId":"t","turnId":"u","itemId":"i","delta":"@"}}"#,
        "text",
    ),
    (
        r#"{"timestamp":"@","type":"response_item","payload":{"type":"message","role":"user","content":[]}}"#,
        "time",
    ),
    (
        r#"{"timestamp":"2026-01-01T00:00:00Z","type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"@"}]}}"#,
        "marks",
    ),
    (
        r#"{"timestamp":"2026-01-01T00:00:00Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_image","image_url":"@"}]}}"#,
        "url",
    ),
    (
        r#"{"timestamp":"2026-01-01T00:00:00Z","type":"response_item","payload":{"type":"function_call","name":"f","call_id":"c","arguments":"@"}}"#,
        "json",
    ),
    (
        r#"{"id":1,"result":{"userAgent":"@","codexHome":"/h","platformFamily":"unix","platformOs":"linux"}}"#,
        "agent",
    ),
    (r#"{"kind":"line","from":"codex","line":"@"}"#, "json"),
    (r#"{"kind":"line","from":"codex","bytes":"@"}"#, "base64"),
    (r#"{"kind":"@","from":"codex","line":"{}"}"#, "word"),
    (r#"{"event":"@","stdout":"{}","exit":0}"#, "word"),
    (
        r#"{"event":"Stop","stdin":"@","stdout":"","exit":0}"#,
        "json",
    ),
    (
        r#"{"event":"Stop","stdout":"@","stderr":"@","exit":2}"#,
        "json",
    ),
    (r#"{"new":{"@":["@"]}}"#, "text"),
];

/// A text of that sort.
fn text(sort: &str) -> BoxedStrategy<String> {
    let words = prop::sample::select(vec![
        "turn.started",
        "item/started",
        "thread/start",
        "line",
        "exit",
        "Stop",
        "item_7",
        "0.169.0",
    ]);
    let other = prop_oneof![
        ".{0,12}",
        "[a-z/\"\\\\\n\t <]{0,12}",
        "[A-Za-z0-9+/]{0,40}={0,2}"
    ];
    let own: BoxedStrategy<String> = match sort {
        "id" => prop_oneof![
            Just("01a20fd6-0ade-76f0-8de9-1a442854c1d8".to_owned()),
            Just("item_12".to_owned()),
        ]
        .boxed(),
        "word" => words.prop_map(str::to_owned).boxed(),
        "time" => Just("2026-11-20T15:04:05.123Z".to_owned()).boxed(),
        "base64" => prop::collection::vec(any::<u8>(), 0..30)
            .prop_map(|bytes| {
                use base64::Engine as _;
                base64::engine::general_purpose::STANDARD.encode(bytes)
            })
            .boxed(),
        "url" => "data:image/png;base64,[A-Za-z0-9+/]{12}".boxed(),
        "marks" => "a{0,3}<proposed_plan>[a-z/]{0,12}</proposed_plan>[a-z]{0,3}<b".boxed(),
        "agent" => "[a-z ]{1,6}/0\\.169\\.0( \\(Debian; [a-z]{3}\\))?".boxed(),
        "json" => (".{0,9}", "[0-9]{1,6}")
            .prop_map(|(text, number)| {
                let number: u64 = number.parse().expect("digits");
                serde_json::json!({"method": "turn/start", "path": text, "n": [number, {"a": text}]})
                    .to_string()
            })
            .boxed(),
        _ => other.clone().boxed(),
    };
    prop_oneof![2 => own, 1 => other].boxed()
}

/// One character, as one of the escapes that JSON has for it.
fn escape(character: char, way: u8, out: &mut String) {
    let short = match character {
        '"' => Some("\\\""),
        '\\' => Some("\\\\"),
        '/' => Some("\\/"),
        '\n' => Some("\\n"),
        '\t' => Some("\\t"),
        '\r' => Some("\\r"),
        '\u{8}' => Some("\\b"),
        '\u{c}' => Some("\\f"),
        _ => None,
    };
    let must = character < ' ' || matches!(character, '"' | '\\');
    match (way % 4, short) {
        (0, _) if !must => out.push(character),
        (0 | 1, Some(short)) => out.push_str(short),
        (1, None) if !must => out.push(character),
        (way, _) => {
            for unit in character.encode_utf16(&mut [0; 2]) {
                out.push_str(&match way {
                    2 => format!("\\u{unit:04x}"),
                    _ => format!("\\u{unit:04X}"),
                });
            }
        }
    }
}

fn scrubbed(line: &str) -> Vec<u8> {
    let mut out = Vec::new();
    Scrubber::new(Key::new([5; 16]), &[]).line(line.as_bytes(), &mut out);
    out
}

/// A kind of line, a text for it, and how each of its characters is escaped.
fn case() -> impl Strategy<Value = (&'static str, String, Vec<u8>)> {
    (0..KINDS.len()).prop_flat_map(|kind| {
        let (line, sort) = KINDS[kind];
        let ways = prop::collection::vec(any::<u8>(), 1..40);
        (Just(line), text(sort), ways)
    })
}

fn line(kind: &str, text: &str, ways: &[u8]) -> String {
    let mut escaped = String::new();
    for (character, way) in text.chars().zip(ways.iter().cycle()) {
        escape(character, *way, &mut escaped);
    }
    kind.replace('@', &escaped)
}

fn checked(line: &[u8]) -> Vec<String> {
    found(
        &Checker::new(Options::new())
            .expect("options")
            .check("-", line),
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn escapes_change_nothing((kind, text, ways) in case()) {
        let [plain, escaped] = [&[0][..], &ways].map(|ways| line(kind, &text, ways));
        let read: Value = serde_json::from_str(&escaped).unwrap();
        prop_assert_eq!(&read, &serde_json::from_str::<Value>(&plain).unwrap());
        let [plain, new] = [&plain, &escaped].map(|line| scrubbed(line));
        let shown = String::from_utf8_lossy(&new).into_owned();
        let value = serde_json::from_slice::<Value>(&new);
        prop_assert!(value.is_ok(), "the fixture:\n{}\nscrubbed:\n{}", escaped, shown);
        prop_assert_eq!(value.unwrap(), serde_json::from_slice::<Value>(&plain).unwrap(), "the fixture:\n{}\nscrubbed:\n{}", escaped, shown);
    }

    /// Halves of pairs of surrogates, which stand for no character, stay where they are.
    #[test]
    fn halves_of_pairs_stay((kind, text, ways) in case(), at in any::<prop::sample::Index>()) {
        let mut characters: Vec<char> = text.chars().collect();
        characters.insert(at.index(characters.len() + 1), '\u{f8ff}');
        let text: String = characters.into_iter().collect();
        // No other character is written as what it has in UTF-16.
        let ways: Vec<u8> = ways.iter().map(|way| way % 2).collect();
        let escaped = line(kind, &text, &ways);
        let half = |line: &str| line.replace('\u{f8ff}', "\\ud83e");
        let escaped = half(&escaped);
        let new = scrubbed(&escaped);
        let shown = String::from_utf8_lossy(&new).into_owned();
        let is_json = |text: &[u8]| serde_json::from_slice::<serde::de::IgnoredAny>(text).is_ok();
        prop_assert!(is_json(escaped.as_bytes()) && is_json(&new), "the fixture:\n{}\nscrubbed:\n{}", escaped, shown);
        prop_assert_eq!(shown.matches("\\ud83e").count(), escaped.matches("\\ud83e").count(), "the fixture:\n{}\nscrubbed:\n{}", escaped, shown);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn the_same_is_found((kind, text, ways) in case()) {
        // A slash in base64 becomes another letter, and none has an escape of two bytes.
        let line = line(kind, &text, &ways).replace("\\/", "/");
        let new = scrubbed(&line);
        prop_assert_eq!(checked(line.as_bytes()), checked(&new), "the fixture:\n{}\nscrubbed:\n{}", line, String::from_utf8_lossy(&new));
    }
}

/// What is beyond the property: the line of a program that writes slashes as escapes.
#[test]
fn base64_with_escapes_stays_json() {
    for text in [
        "aGVs\\/bG8gd29ybGQ=",
        "no base64\\/\\n",
        "\\u0061GVs",
        "aGVs\\/\\",
    ] {
        for member in ["deltaBase64", "chunk", "bytes"] {
            let line = format!(r#"{{"method":"m","params":{{"{member}":"{text}"}}}}"#);
            let new = scrubbed(&line);
            let is_json = |text: &[u8]| serde_json::from_slice::<Value>(text).is_ok();
            assert_eq!(is_json(line.as_bytes()), is_json(&new), "{line}");
        }
    }
}

/// They are not a run of a value either.
#[test]
fn halves_of_pairs_do_not_survive() {
    for text in [
        "\\udc00\\ud800\\ud800 a text",
        "\\ud83e\\ud83e",
        "\\udc00\\x\\x\\x",
    ] {
        let line = format!(r#"{{"type":"error","message":"{text}"}}"#);
        let new = codex_wire_scrub::scrub(line.as_bytes(), Key::new([5; 16]), &[]);
        let new = new.expect("nothing private is left");
        assert_eq!(new.len(), line.len());
        assert!(!String::from_utf8_lossy(&new).contains("a text"));
    }
}
