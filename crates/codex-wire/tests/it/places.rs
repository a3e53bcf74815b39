//! Every fault is reported at its exact place: line, column, offset and JSON Pointer.

use codex_wire::exec::Event;
use codex_wire::mcp::ContentBlock;
use codex_wire::{Error, ErrorKind};
use std::path::PathBuf;

use crate::support::edits::{self, Random};
use crate::support::files;
use crate::support::tree::Node;

/// Cases and what is said about them: a name after `==`, a line, then the answer after `>`.
///
/// In the line, `{{ff}}` is the byte 0xFF and `{{200*[}}` is two hundred brackets; well-formed
/// JSON has no repeated braces of its own outside of strings.
fn golden() -> PathBuf {
    files::root().join("crates/codex-wire/tests/it/places.txt")
}

fn bytes(line: &str) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rest = line;
    while let Some((before, after)) = rest.split_once("{{") {
        let (code, after) = after.split_once("}}").expect("the code ends");
        out.extend(before.bytes());
        match code.split_once('*') {
            Some((count, text)) => {
                out.extend(text.repeat(count.parse().expect("a count")).bytes());
            }
            None => out.push(u8::from_str_radix(code, 16).expect("a byte in hexadecimal")),
        }
        rest = after;
    }
    out.extend(rest.bytes());
    out
}

/// What an error says, with the text that stands at its place.
fn answer(input: &[u8], error: &Error) -> String {
    let pointer = error.pointer();
    let within = if pointer.is_empty() {
        String::new()
    } else {
        format!(" in {pointer}")
    };
    let (line, column, offset) = (error.line(), error.column(), error.offset());
    assert_eq!(
        error.to_string(),
        format!("{}{within} at line {line} column {column}", error.kind())
    );
    assert_eq!(place(input, offset), (line, column));
    let text = String::from_utf8_lossy(&input[offset..]);
    let here: String = match text.chars().take(16).collect::<String>() {
        text if text.is_empty() => "the end".to_owned(),
        text => format!("{text:?}"),
    };
    format!("> {error}\n> offset {offset}, at {here}\n")
}

/// Line and column, counted again.
fn place(input: &[u8], offset: usize) -> (u64, usize) {
    let mut place = (1, 1);
    for byte in &input[..offset] {
        place = if *byte == b'\n' {
            (place.0 + 1, 1)
        } else {
            (place.0, place.1 + 1)
        };
    }
    place
}

#[test]
fn the_place_of_every_fault() {
    let text = files::read(&golden());
    let mut actual = String::new();
    let mut cases = 0;
    for line in text.lines().filter(|line| !line.starts_with('>')) {
        actual.push_str(line);
        actual.push('\n');
        if line.is_empty() || line.starts_with("==") || line.starts_with('#') {
            continue;
        }
        cases += 1;
        let input = bytes(line);
        match codex_wire::from_slice::<Event>(&input) {
            Ok(_) => actual.push_str("> no fault\n"),
            Err(error) => actual.push_str(&answer(&input, &error)),
        }
    }
    assert!(cases > 50, "only {cases} cases");
    golden_files::assert_file(&golden(), &actual);
}

/// Lines with one value replaced by `"@"`, a value that is wrong there, and the pointer.
const WRONG: &[(&str, &str, &str)] = &[
    (r#"{"type":"error","message":"@","x":1}"#, "5", "/message"),
    (
        r#"{"type":"thread.started","y":{"a":[]},"thread_id":"@"}"#,
        "null",
        "/thread_id",
    ),
    (
        r#"{"type":"turn.completed","usage":{"input_tokens":"@","cached_input_tokens":0,"output_tokens":2}}"#,
        "1.5",
        "/usage/input_tokens",
    ),
    (
        r#"{"type":"turn.completed","usage":{"input_tokens":1,"cached_input_tokens":0,"output_tokens":2,"cache_write_input_tokens":"@"}}"#,
        "\"7\"",
        "/usage/cache_write_input_tokens",
    ),
    (
        r#"{"type":"turn.completed","usage":"@","x":[1,2]}"#,
        "[]",
        "/usage",
    ),
    (
        r#"{"type":"turn.failed","error":{"message":"@","code":{"b":1}}}"#,
        "false",
        "/error/message",
    ),
    (
        r#"{"type":"item.started","item":"@"}"#,
        "\"item_0\"",
        "/item",
    ),
    (
        r#"{"type":"item.completed","item":{"id":"@","type":"reasoning","text":"t"}}"#,
        "0",
        "/item/id",
    ),
    (
        r#"{"type":"item.completed","item":{"id":"item_0","type":"reasoning","text":"@","n":null}}"#,
        "{}",
        "/item/text",
    ),
    (
        r#"{"type":"item.completed","item":{"id":"item_0","item_type":"assistant_message","text":"@"}}"#,
        "[\"t\"]",
        "/item/text",
    ),
    (
        r#"{"type":"item.completed","item":{"id":"i","type":"command_execution","command":"c","aggregated_output":"o","exit_code":"@","status":"failed"}}"#,
        "2147483648",
        "/item/exit_code",
    ),
    (
        r#"{"type":"item.completed","item":{"id":"i","type":"file_change","changes":[{"path":"a","kind":"add"},{"path":"b","kind":"@","x":0}],"status":"failed"}}"#,
        "{\"type\":\"add\"}",
        "/item/changes/1/kind",
    ),
    (
        r#"{"type":"item.completed","item":{"id":"i","type":"mcp_tool_call","server":"s","tool":"t","arguments":{"a":[{"b":1}]},"result":{"content":"@","structured_content":null},"error":null,"status":"failed"}}"#,
        "{}",
        "/item/result/content",
    ),
    (
        r#"{"type":"item.completed","item":{"id":"i","type":"collab_tool_call","tool":"wait","sender_thread_id":"s","receiver_thread_ids":["a","@"],"prompt":null,"agents_states":{},"status":"failed"}}"#,
        "null",
        "/item/receiver_thread_ids/1",
    ),
    (
        r#"{"type":"item.completed","item":{"id":"i","type":"collab_tool_call","tool":"wait","sender_thread_id":"s","receiver_thread_ids":[],"prompt":null,"agents_states":{"a/b~c":{"status":"running","message":"@"}},"status":"failed"}}"#,
        "0",
        "/item/agents_states/a~1b~0c/message",
    ),
    (
        r#"{"type":"item.completed","item":{"id":"i","type":"web_search","query":"q","action":{"type":"search","query":"q","queries":["@"]}}}"#,
        "-1",
        "/item/action/queries/0",
    ),
    (
        r#"{"type":"item.updated","item":{"id":"i","type":"todo_list","items":[{"text":"a","completed":true},{"text":"b","completed":"@"}]}}"#,
        "\"yes\"",
        "/item/items/1/completed",
    ),
    // The tags themselves.
    (r#"{"a":{"type":1},"type":"@"}"#, "1", "/type"),
    (
        r#"{"type":"item.started","item":{"id":"i","type":"@","text":"t"}}"#,
        "null",
        "/item/type",
    ),
    (
        r#"{"type":"item.completed","item":{"id":"i","type":"web_search","query":"q","action":{"url":"u","type":"@"}}}"#,
        "{}",
        "/item/action/type",
    ),
];

#[test]
fn a_wrong_value_is_found_in_any_order_of_keys() {
    for (line, wrong, pointer) in WRONG {
        for seed in 0..60 {
            let mut node = Node::parse(line).unwrap();
            let mut random = Random::new(seed);
            edits::shuffle(&mut node, &mut random);
            let text = node.write(&mut || edits::odd_space(&mut random));
            let offset = text.find("\"@\"").expect("the mark");
            let text = text.replace("\"@\"", wrong);
            let error = codex_wire::from_str::<Event>(&text).unwrap_err();
            assert_eq!(error.offset(), offset, "{error}: {text}");
            assert_eq!(error.pointer(), *pointer, "{error}: {text}");
            assert_eq!(
                (error.line(), error.column()),
                place(text.as_bytes(), offset)
            );
            assert!(
                matches!(
                    error.kind(),
                    ErrorKind::WrongType { .. } | ErrorKind::OutOfRange { .. }
                ),
                "{error}"
            );
        }
    }
}

/// Where the text stops being JSON does not depend on which member is examined first. The
/// pointer may stop short: what is passed over in search of a tag is not followed by name.
#[test]
fn malformed_json_is_found_in_any_order_of_keys() {
    for (line, _, pointer) in WRONG {
        for seed in 0..20 {
            let mut node = Node::parse(line).unwrap();
            edits::shuffle(&mut node, &mut Random::new(seed));
            let text = node.to_line();
            let offset = text.find("\"@\"").expect("the mark");
            let text = text.replace("\"@\"", "?");
            let error = codex_wire::from_str::<Event>(&text).unwrap_err();
            assert!(
                matches!(error.kind(), ErrorKind::Syntax(_)),
                "{error}: {text}"
            );
            assert_eq!(error.offset(), offset, "{error}: {text}");
            assert!(pointer.starts_with(&error.pointer()), "{error}: {text}");
        }
    }
}

/// Removing any member that is required is reported at the object that lacks it.
#[test]
fn a_missing_member_is_reported_at_its_object() {
    let lines = [
        (
            "",
            "thread_id",
            r#"{"type":"thread.started","thread_id":"t"}"#,
        ),
        (
            "",
            "item",
            r#"{"type":"item.started","item":{"id":"i","type":"reasoning","text":"t"}}"#,
        ),
        (
            "/item",
            "id",
            r#"{"type":"item.started","item":{"id":"i","type":"reasoning","text":"t"}}"#,
        ),
        (
            "/item",
            "type",
            r#"{"type":"item.started","item":{"id":"i","type":"reasoning","text":"t"}}"#,
        ),
        (
            "/item",
            "text",
            r#"{"type":"item.started","item":{"id":"i","type":"reasoning","text":"t"}}"#,
        ),
        (
            "/item/changes/0",
            "path",
            r#"{"type":"item.completed","item":{"id":"i","type":"file_change","changes":[{"path":"a","kind":"add"}],"status":"failed"}}"#,
        ),
        (
            "/item/action",
            "type",
            r#"{"type":"item.completed","item":{"id":"i","type":"web_search","query":"q","action":{"type":"other"}}}"#,
        ),
    ];
    for (pointer, name, line) in lines {
        for seed in 0..20 {
            let mut node = Node::parse(line).unwrap();
            edits::shuffle(&mut node, &mut Random::new(seed));
            remove(&mut node, pointer, name);
            let text = node.to_line();
            let error = codex_wire::from_str::<Event>(&text).unwrap_err();
            assert!(
                matches!(error.kind(), ErrorKind::Missing(found) if *found == name),
                "{error}: {text}"
            );
            assert_eq!(error.pointer(), pointer, "{text}");
            assert_eq!(text.as_bytes()[error.offset()], b'{', "{error}: {text}");
        }
    }
}

fn remove(node: &mut Node, pointer: &str, name: &str) {
    let mut at = node;
    for segment in pointer.split('/').skip(1) {
        at = match at {
            Node::Object(members) => members
                .iter_mut()
                .find(|(key, _)| key == segment)
                .map(|(_, value)| value)
                .expect("the member"),
            Node::Array(elements) => &mut elements[segment.parse::<usize>().expect("an index")],
            Node::Scalar(text) => panic!("{text} has no {segment}"),
        };
    }
    let Node::Object(members) = at else {
        panic!("{pointer} is not an object");
    };
    members.retain(|(key, _)| key != name);
}

#[test]
fn what_a_call_returned_is_placed_in_its_own_text() {
    let text = "{\"type\":\"text\",\n\"text\":[]}";
    let error = codex_wire::from_str::<ContentBlock>(text).unwrap_err();
    assert_eq!(
        error.to_string(),
        "expected a string, found an array in /text at line 2 column 8"
    );
    let raw = codex_wire::json::Raw::new(text).unwrap();
    assert_eq!(raw.parse::<ContentBlock>().unwrap_err(), error);
    let broken = codex_wire::json::Raw::new("{\n\n  \"a\": ?}").unwrap_err();
    assert_eq!(
        (broken.line(), broken.column(), broken.offset()),
        (3, 8, 10)
    );
}

/// Stray text between the lines is malformed JSON, whatever its first letter looks like.
#[test]
fn what_only_looks_like_a_value_is_malformed() {
    for text in [
        "not a message",
        "failed to connect",
        r#"{"type":"error","message":nope}"#,
        r#"{"type":"error","message":-}"#,
        r#"{"type":"error","message":{"half"#,
    ] {
        let error = codex_wire::from_str::<Event>(text).unwrap_err();
        assert!(
            matches!(error.kind(), ErrorKind::Syntax(_)),
            "{error}: {text}"
        );
    }
}
