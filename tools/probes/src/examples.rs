//! Messages that show a breaking change, to be tried on every release.
//!
//! `codex-wire-diff` makes them, as small as they can be: their texts are empty. Here texts get a form that
//! readers take.

use serde_json::{Value, json};

use crate::question::{Put, Question, Slot};

/// Takes the place of an empty id.
pub(crate) const UUID: &str = "00000000-0000-7000-8000-000000000000";

/// Takes the place of another empty text. It is an absolute path, and a text like any other.
const TEXT: &str = "/x";

/// Reads the list of examples: for each a line with the change, and one with a request, indented.
///
/// # Errors
/// In words, when a line is malformed.
pub fn parse(list: &str) -> Result<Vec<Question>, String> {
    let mut out = Vec::new();
    let mut about = "";
    for line in list.lines() {
        let Some(request) = line.strip_prefix("  ") else {
            about = line;
            continue;
        };
        let fault = || format!("`{line}` is not a request");
        let request: Value = serde_json::from_str(request).map_err(|_| fault())?;
        let method = request["method"].as_str().ok_or_else(fault)?;
        let put = match request.get("params") {
            Some(params) => {
                let mut params = params.clone();
                fit(&mut params, false);
                Put::Value(params)
            }
            None => Put::Absent,
        };
        out.push(Question {
            about: about.to_owned(),
            slot: Slot::params(method),
            put,
        });
    }
    Ok(out)
}

/// Gives empty texts a form.
fn fit(value: &mut Value, is_id: bool) {
    match value {
        Value::String(text) if text.is_empty() => {
            *value = json!(if is_id { UUID } else { TEXT });
        }
        Value::Array(elements) => elements.iter_mut().for_each(|element| fit(element, is_id)),
        Value::Object(members) => {
            for (name, value) in members {
                fit(value, name.ends_with("Id") || name.ends_with("_id"));
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_texts_get_a_form() {
        let list = "\
message-removed a/b
  {\"id\":0,\"method\":\"a/b\",\"params\":{\"threadId\":\"\",\"cwd\":\"\",\"of\":[{\"type\":\"x\"}]}}
message-removed c
  {\"id\":0,\"method\":\"c\"}
";
        let examples = parse(list).unwrap();
        let lines: Vec<String> = examples
            .iter()
            .map(|question| format!("{}: {}", question.about, question.line(1)))
            .collect();
        let expected = [
            format!(
                "message-removed a/b: {{\"id\":1,\"method\":\"a/b\",\"params\":{{\"cwd\":\"/x\",\"of\":[{{\"type\":\"x\"}}],\
                 \"threadId\":\"{UUID}\"}}}}"
            ),
            "message-removed c: {\"id\":1,\"method\":\"c\"}".to_owned(),
        ];
        assert_eq!(lines, expected);
        assert!(parse("a\n  {}\n").is_err());
    }
}
