//! A view against the tree of the same line. The fuzz target uses it too.

use codex_wire_prefilter::{Prefilter, Tape, View};
use serde_json::Value;

/// Holds a view against the tree of the same line.
pub(crate) fn hold(view: View<'_>, value: &Value) {
    match value {
        Value::Null => assert!(view.is_null(), "{view:?}"),
        Value::Bool(yes) => assert_eq!(view.as_bool(), Some(*yes)),
        Value::Number(number) => {
            assert_eq!(view.as_i64(), number.as_i64(), "{view:?}");
            assert_eq!(view.as_u64(), number.as_u64(), "{view:?}");
        }
        Value::String(text) => assert_eq!(view.as_str(), Some(text.as_str()), "{view:?}"),
        Value::Array(values) => {
            assert!(view.is_array());
            assert_eq!(view.elements().count(), values.len(), "{view:?}");
            for (element, value) in view.elements().zip(values) {
                hold(element, value);
            }
        }
        Value::Object(members) => {
            assert!(view.is_object());
            let mut names: Vec<&str> = view.members().map(|(name, _)| name.as_str()).collect();
            names.sort_unstable();
            names.dedup();
            let mut keys: Vec<&str> = members.keys().map(String::as_str).collect();
            keys.sort_unstable();
            assert_eq!(names, keys, "{view:?}");
            for (name, value) in members {
                hold(view.get(name).expect("it was listed"), value);
            }
        }
    }
    let string = value.as_str();
    assert_eq!(view.as_str(), string);
    assert_eq!(view.is_string(), string.is_some());
    let number = value.as_number();
    assert_eq!(
        view.as_i64().is_some(),
        number.is_some_and(serde_json::Number::is_i64)
    );
    if !value.is_array() {
        assert_eq!(view.elements().count(), 0);
    }
    if !value.is_object() {
        assert_eq!(view.members().count(), 0);
    }
}

/// Places that lines of all protocols have, and some that are found in another way.
pub(crate) const PATHS: &[&str] = &[
    "",
    "/type",
    "/method",
    "/id",
    "/msg/type",
    "/msg/message",
    "/item",
    "/item/type",
    "/item/status",
    "/item/command",
    "/item/action/type",
    "/usage/input_tokens",
    "/params",
    "/params/threadId",
    "/params/turn/id",
    "/params/item/id",
    "/params/item/content/0/type",
    "/result/thread/id",
    "/type",
    "/item/type/",
    "/nowhere",
    "type",
];

/// Holds what a prefilter finds at [`PATHS`] in a line it accepts against the tree of the line.
pub(crate) fn hold_paths(prefilter: &Prefilter, line: &str, value: &Value) {
    let mut tape = Tape::new();
    let seen = prefilter.project(line, &mut tape).expect("it is accepted");
    for (place, pointer) in PATHS.iter().enumerate() {
        match (seen.get(place), value.pointer(pointer)) {
            (None, None) => {}
            (Some(view), Some(value)) => hold(view, value),
            (view, value) => panic!("{pointer}: {view:?} for {value:?} in {line}"),
        }
    }
    assert!(seen.get(PATHS.len()).is_none());
}

/// Examines everything a view of some text shows, whatever that is.
pub(crate) fn walk(view: View<'_>, depth: usize) {
    let _ = (view.as_written(), view.as_str(), view.as_u64());
    if depth > 0 {
        view.members().for_each(|(name, value)| {
            let _ = name.as_str();
            walk(value, depth - 1);
        });
        view.elements().for_each(|element| walk(element, depth - 1));
    }
}
