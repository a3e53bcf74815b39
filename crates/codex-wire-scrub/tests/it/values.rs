//! What happens to single values: properties of placeholders, over made values.

use std::collections::HashMap;

use codex_wire_scrub::{Key, Pointer, Scrubber, scrub};
use proptest::prelude::*;
use serde_json::{Value, json};

fn scrubbed(value: &Value) -> Value {
    let mut out = Vec::new();
    Scrubber::new(Key::new([5; 16]), &[]).line(value.to_string().as_bytes(), &mut out);
    serde_json::from_slice(&out).unwrap_or_else(|error| {
        panic!("{error}: {}", String::from_utf8_lossy(&out));
    })
}

/// The message of the app-server with a delta of an item.
fn delta(item: &str, text: &str) -> Value {
    json!({"method": "item/agentMessage/delta", "params": {
        "threadId": "t", "turnId": "u", "itemId": item, "delta": text,
    }})
}

fn completed(item: &str, text: &str) -> Value {
    json!({"method": "item/completed", "params": {
        "item": {"type": "agentMessage", "id": item, "text": text},
    }})
}

/// Arguments that are JSON stay so, of the same kind.
#[test]
fn arguments_stay_json() {
    for (arguments, kind) in [
        ("74", "7"),
        ("\"secret\"", "\""),
        (" true", "t"),
        ("null", "n"),
    ] {
        let new = scrubbed(&json!({"arguments": arguments}));
        let new = new["arguments"].as_str().unwrap();
        let value: Value =
            serde_json::from_str(new).unwrap_or_else(|error| panic!("{error}: {new}"));
        let is_same = match kind {
            "7" => value.is_number(),
            "\"" => value.is_string() && value != "secret",
            _ => new == arguments,
        };
        assert!(is_same, "{arguments}: {new}");
    }
}

/// What a tool is called with may have the names that deltas have: it continues nothing.
#[test]
fn arguments_are_no_deltas() {
    let mut scrubber = Scrubber::new(Key::new([9; 16]), &[]);
    let mut arguments = |kind: &str, arguments: &Value| {
        let item = json!({"id": "item_0", "type": "mcp_tool_call", "arguments": arguments});
        let mut out = Vec::new();
        let line = json!({"type": kind, "item": item}).to_string();
        scrubber.line(line.as_bytes(), &mut out);
        let mut new: Value = serde_json::from_slice(&out).unwrap();
        new["item"]["arguments"].take()
    };
    let values = json!({"delta": "some text", "chunk": "c29tZQ==", "path": {"delta": "some text"}});
    for values in [&values, &json!(values.to_string())] {
        let started = arguments("item.started", values);
        assert_ne!(&started, values);
        assert_eq!(arguments("item.completed", values), started);
    }
}

proptest! {
    #[test]
    fn deltas_join_to_the_text(
        texts in prop::collection::vec(prop::collection::vec(".{0,6}", 0..6), 1..4),
    ) {
        let mut scrubber = Scrubber::new(Key::new([9; 16]), &[]);
        let mut scrub = |value: &Value| -> Value {
            let mut out = Vec::new();
            scrubber.line(value.to_string().as_bytes(), &mut out);
            serde_json::from_slice(&out).unwrap()
        };
        let most = texts.iter().map(Vec::len).max().unwrap_or_default();
        let mut joined = vec![String::new(); texts.len()];
        // Items take turns.
        for at in 0..most {
            for (item, deltas) in texts.iter().enumerate() {
                if let Some(text) = deltas.get(at) {
                    let new = scrub(&delta(&format!("msg_{item}"), text));
                    joined[item] += new["params"]["delta"].as_str().unwrap();
                }
            }
        }
        for (item, deltas) in texts.iter().enumerate() {
            let whole = scrub(&completed(&format!("msg_{item}"), &deltas.concat()));
            prop_assert_eq!(whole["params"]["item"]["text"].as_str(), Some(&*joined[item]));
        }
    }

    #[test]
    fn values_and_placeholders_go_in_pairs(values in prop::collection::vec("[a-z0-9/_. -]{0,6}|.{0,5}", 1..40)) {
        let lines = json!({"threadId": values, "cwd": values});
        let new = scrubbed(&lines);
        for member in ["threadId", "cwd"] {
            let mut of: HashMap<&str, &str> = HashMap::new();
            let mut to: HashMap<&str, &str> = HashMap::new();
            for (value, new) in values.iter().zip(new[member].as_array().unwrap()) {
                let new = new.as_str().unwrap();
                prop_assert_eq!(value.len(), new.len());
                prop_assert_eq!(*of.entry(value).or_insert(new), new);
                prop_assert_eq!(*to.entry(new).or_insert(value), value);
            }
        }
    }

    #[test]
    fn any_bytes_can_be_scrubbed(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let mut out = Vec::new();
        Scrubber::new(Key::new([2; 16]), &[]).line(&bytes, &mut out);
    }

    #[test]
    fn a_line_stays_as_long_and_keeps_its_form(
        line in r#"[{}\[\]",:a-c0-2 \\nu]{0,40}"#,
    ) {
        let mut out = Vec::new();
        Scrubber::new(Key::new([2; 16]), &[]).line(line.as_bytes(), &mut out);
        prop_assert_eq!(out.len(), line.len());
        let is_json = |text: &[u8]| serde_json::from_slice::<serde::de::IgnoredAny>(text).is_ok();
        prop_assert_eq!(is_json(line.as_bytes()), is_json(&out));
    }
}

#[test]
fn json_in_a_string_stays_json() {
    let inner = json!({"path": "/home/anna/notes.txt", "salary": 123_450, "none": 0, "ok": true});
    let line = json!({"method": "item/tool/call", "params": {"extra": inner.to_string()}});
    let new = scrubbed(&line);
    let new: Value = serde_json::from_str(
        new["params"]
            .as_object()
            .unwrap()
            .values()
            .next()
            .unwrap()
            .as_str()
            .unwrap(),
    )
    .unwrap();
    assert!(new["path"].as_str().unwrap().starts_with("/"), "{new}");
    assert_ne!(new["path"], inner["path"]);
    let numbers: Vec<u64> = new
        .as_object()
        .unwrap()
        .values()
        .filter_map(Value::as_u64)
        .collect();
    assert_eq!(numbers.len(), 2);
    assert!(numbers.contains(&0) && !numbers.contains(&123_450), "{new}");
}

#[test]
fn numbers_of_the_protocol_stay() {
    let line = json!({"type": "turn.completed", "usage": {
        "input_tokens": 12345, "cached_input_tokens": 0, "output_tokens": 67, "new_tokens": 8,
    }});
    let new = scrubbed(&line);
    let numbers = |value: &Value| {
        let mut all: Vec<u64> = value["usage"]
            .as_object()
            .unwrap()
            .values()
            .filter_map(Value::as_u64)
            .collect();
        all.sort_unstable();
        all
    };
    assert_eq!(numbers(&new), numbers(&line));
    // No release has it.
    assert_eq!(new["usage"].get("new_tokens"), None);
}

#[test]
fn words_stay_where_the_protocol_has_them() {
    let line = json!({"type": "item.completed", "item": {
        "id": "item_0", "type": "command_execution", "command": "completed",
        "aggregated_output": "command_execution", "exit_code": 0, "status": "completed",
    }});
    let new = scrubbed(&line);
    for (pointer, stays) in [
        ("/type", true),
        ("/item/id", true),
        ("/item/type", true),
        ("/item/status", true),
        ("/item/command", false),
        ("/item/aggregated_output", false),
    ] {
        assert_eq!(
            new.pointer(pointer) == line.pointer(pointer),
            stays,
            "{pointer}: {new}"
        );
    }
}

#[test]
fn kept_values_stay_and_are_checked() {
    let keep: Vec<Pointer> = ["/item/changes/*/path", "/item/id"]
        .map(|text| text.parse().unwrap())
        .to_vec();
    let line = |path: &str, text: &str| {
        json!({"type": "item.completed", "item": {"id": "anything", "type": "file_change",
            "changes": [{"path": path, "kind": "add"}], "text": text}})
        .to_string()
    };
    let key = Key::new([1; 16]);
    let new = scrub(line("/a/b.rs", "secret text").as_bytes(), key, &keep).unwrap();
    let new: Value = serde_json::from_slice(&new).unwrap();
    assert_eq!(new["item"]["changes"][0]["path"], "/a/b.rs");
    assert_eq!(new["item"]["id"], "anything");
    assert_ne!(new["item"]["text"], "secret text");
    let survivor = scrub(
        line("/a/secret text", "a secret text").as_bytes(),
        key,
        &keep,
    );
    assert!(survivor.is_err_and(|survivor| survivor.is_kept && survivor.line == 1));
    assert!("item".parse::<Pointer>().is_err());
}

#[test]
fn a_hook_alone_and_in_a_record() {
    let output = json!({"decision": "block", "reason": "secret words"});
    let new = scrubbed(&output);
    assert_eq!(new["decision"], "block");
    assert_ne!(new["reason"], output["reason"]);
    let blank = json!({"decision": "block", "reason": " \t"});
    assert_eq!(scrubbed(&blank), blank);

    let run = |stdout: &str, stderr: &str| {
        scrubbed(&json!({
            "event": "Stop", "stdin": r#"{"hook_event_name":"Stop","model":"secret"}"#,
            "stdout": stdout, "stderr": stderr, "exit": 2, "label": "secret",
        }))
    };
    let new = run(&output.to_string(), "");
    assert_eq!((&new["event"], &new["exit"]), (&json!("Stop"), &json!(2)));
    assert_eq!(new["stderr"], "");
    for member in ["stdin", "stdout", "label"] {
        assert!(!new[member].as_str().unwrap().contains("secret"), "{new}");
    }
    let read: Value = serde_json::from_str(new["stdin"].as_str().unwrap()).unwrap();
    assert_eq!(read["hook_event_name"], "Stop");
    // What is text does not become JSON or blank, and what is blank stays so.
    for text in ["!", "&&", "-", "a secret", "\u{e9}"] {
        let new = run(text, text);
        for member in ["stdout", "stderr"] {
            let told = new[member].as_str().unwrap().trim();
            assert!(!told.is_empty() && !told.starts_with(['{', '[']), "{new}");
        }
    }
    assert_eq!(run(" \n", "\t")["stdout"], " \n");
}

/// Only what is in base64 as a whole is a data URL: its type stays, and nothing else.
#[test]
fn what_is_no_data_url_is_text() {
    let text = |text: &str| {
        let new = scrubbed(&json!({"type": "item.completed", "item": {
            "id": "item_0", "type": "agent_message", "text": text,
        }}));
        new["item"]["text"].as_str().unwrap().to_owned()
    };
    let image = text("data:image/png;base64,QUJDRA==");
    assert!(image.starts_with("data:image/png;base64,"), "{image}");
    for (other, part) in [
        (
            "data: Alice Smith has SSN 078-05-1120 and hunter2;base64, is how",
            "Smith",
        ),
        (
            "data:application/pdf;name=Q3-layoffs-confidential.pdf;base64,QUJDRA==",
            "layoffs",
        ),
        ("data:Alice/Smith;base64,QUJDRA==", "Alice"),
        ("data:image/png;base64,QUJDRA==\nAlice Smith", "Smith"),
    ] {
        let new = text(other);
        assert!(!new.contains(part), "{new}");
        assert_eq!(new.len(), other.len());
    }
}

/// However long it is, a name gets no sign by which the release would be sought elsewhere, and that takes no time.
#[test]
fn a_long_name_of_a_client_ends() {
    for length in [10, 60, 20_000] {
        let name = "!".repeat(length);
        for name in [name.clone(), name.replace('!', "\\")] {
            let agent = format!("{name}/0.169.0 (x)");
            let new = scrubbed(&json!({"id": 1, "result": {"userAgent": agent}}));
            let new = new["result"]["userAgent"].as_str().unwrap();
            assert_eq!(new.find("/0.169.0 ("), Some(name.len()), "{new}");
            assert_eq!(new.find(" ("), Some(name.len() + 8), "{new}");
            assert_eq!(new.len(), agent.len());
        }
    }
}

/// Numbers of output may get another width. The text after them has other escapes then, even if the line is as long
/// in the end.
#[test]
fn quotes_behind_numbers_stay_escaped() {
    let output = |call: &str, chunk: [u8; 2]| json!({"call_id": call, "chunk": chunk});
    let mut one = output("c", [33, 120]);
    one["type"] = "exec_command_output_delta".into();
    one["x"] = "\"".repeat(5).into();
    one["y"] = output("d", [120, 33]);
    let line = json!({"id": "1", "msg": one}).to_string();
    let record = json!({"kind": "line", "from": "codex", "line": line}).to_string();
    for number in 0..=255 {
        let mut out = Vec::new();
        Scrubber::new(Key::new([number; 16]), &[]).line(record.as_bytes(), &mut out);
        let new: Value = serde_json::from_slice(&out).expect("JSON");
        let line = new["line"].as_str().expect("a line");
        serde_json::from_str::<Value>(line).expect("JSON");
    }
}

/// What should be base64 and is none is text.
#[test]
fn what_is_no_base64_is_replaced_whole() {
    let chunk = |text: &str| {
        let line = json!({"method": "x", "params": {"chunk": text}}).to_string();
        let new = scrub(line.as_bytes(), Key::new([5; 16]), &[]).expect("nothing is left");
        String::from_utf8(new).expect("UTF-8")
    };
    let new = chunk("M\u{fc}ller, Zo\u{eb} \u{fc}");
    assert!(!new.contains(['\u{fc}', '\u{eb}']), "{new}");
    let word = "\u{44d}\u{442}\u{43e}\u{442}\u{44d}";
    assert!(!chunk(word).contains(word));
}
