//! What open schemas have for kinds and values that a release does not have, and how published
//! schemas say in words what annotations say.

use std::fmt::Write as _;

use serde_json::{Map, Value, json};

use super::model::EnumValue;

/// The alternative of a tagged union for every kind that is not listed. A known tag is not one of
/// those, so that a known kind with a wrong body is refused.
pub(crate) fn other_tags(tag: &str, known: &[&str]) -> Value {
    let mut member = json!({"type": "string"});
    if !known.is_empty() {
        member["not"] = json!({"enum": known});
    }
    json!({
        "description": "A kind that this release does not have.",
        "type": "object",
        "properties": {tag: member},
        "required": [tag],
    })
}

/// The alternatives of a union of `"kind"` and `{"kind": …}` for every kind that is not listed.
pub(crate) fn other_kinds(known: &[&str]) -> [Value; 2] {
    let about = "A kind that this release does not have.";
    let refused: Map<String, Value> = known
        .iter()
        .map(|kind| ((*kind).to_owned(), json!({"not": {}})))
        .collect();
    let mut bare = json!({"description": about, "type": "string"});
    if !known.is_empty() {
        bare["not"] = json!({"enum": known});
    }
    [
        bare,
        json!({
            "description": about,
            "type": "object",
            "properties": refused,
            "minProperties": 1,
        }),
    ]
}

/// Lists the values of an enumeration in its description: all of them if the schema does not list
/// them, else those that have something said of them.
pub(crate) fn describe_values(values: &[EnumValue], is_open: bool, out: &mut Map<String, Value>) {
    let mut text = String::new();
    for value in values {
        let about = value.description.as_deref();
        match about {
            Some(about) => {
                let about = about.replace('\n', "\n  ");
                let _ = write!(text, "\n- `{}`: {about}", value.value);
            }
            None if is_open => {
                let _ = write!(text, "\n- `{}`", value.value);
            }
            None => {}
        }
    }
    if !text.is_empty() {
        let head = if is_open { "Known values:" } else { "Values:" };
        describe(&format!("{head}\n{text}"), out);
    }
}

/// Adds a paragraph to a description.
pub(crate) fn describe(paragraph: &str, out: &mut Map<String, Value>) {
    let text = match out.get("description").and_then(Value::as_str) {
        Some(before) => format!("{before}\n\n{paragraph}"),
        None => paragraph.to_owned(),
    };
    out.insert("description".into(), json!(text));
}
