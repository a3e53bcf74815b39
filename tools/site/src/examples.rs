//! Recorded messages, as pages show them.

use codex_wire_base::MessageSet;
use codex_wire_schema::examples::{self, Example};
use serde::Serialize;

use crate::model::FamilyModel;

/// A recorded message.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Shown {
    pub(crate) release: String,
    /// The kind of what it holds, if the message is of several.
    pub(crate) kind: &'static str,
    /// Over several lines.
    pub(crate) text: String,
    /// As it was written, in one line; empty if bytes are left out.
    pub(crate) wire: &'static str,
    pub(crate) transcript: &'static str,
    pub(crate) line: u64,
    /// How many bytes are left out.
    pub(crate) cut: usize,
}

/// How much of a message is shown, in bytes.
const LONGEST: usize = 6000;

/// The examples of a message, newest first: one of each release, and the newest of each kind of what it holds.
pub(crate) fn of_message(model: &FamilyModel, message_set: MessageSet, name: &str) -> Vec<Shown> {
    // A method may begin as another one does.
    let own = |example: &&Example| {
        let of_another = example.kind != name && model.messages.contains_key(example.kind);
        example.message_set == message_set && !of_another
    };
    let mut all: Vec<&Example> = examples::of_kind(name).filter(own).collect();
    all.sort_by_key(|example| (std::cmp::Reverse(example.release), example.text.len()));
    let mut out: Vec<&Example> = Vec::new();
    for example in all {
        let is_new = |seen: &&Example| {
            seen.release == example.release && is_plain(example, name)
                || seen.kind == example.kind && !is_plain(example, name)
        };
        if !out.iter().any(is_new) {
            out.push(example);
        }
    }
    out.into_iter()
        .map(|example| shown(example, name))
        .collect()
}

fn is_plain(example: &Example, name: &str) -> bool {
    example.kind == name
}

fn shown(example: &Example, name: &str) -> Shown {
    let mut text = indented(example.text);
    let mut cut = 0;
    if text.len() > LONGEST {
        let at = (0..=LONGEST).rev().find(|at| text.is_char_boundary(*at));
        let at = at.unwrap_or(0);
        cut = text.len() - at;
        text.truncate(at);
    }
    Shown {
        release: example.release.to_string(),
        kind: example.kind[name.len()..].trim_start_matches('/'),
        text,
        wire: if cut == 0 { example.text } else { "" },
        transcript: example.transcript,
        line: example.line,
        cut,
    }
}

/// A message over several lines, token by token as it was written.
fn indented(text: &str) -> String {
    let mut out = String::new();
    let mut depth = 0_usize;
    let (mut in_string, mut is_escaped) = (false, false);
    let mut chars = text.chars().peekable();
    let line = |out: &mut String, depth: usize| {
        out.push('\n');
        out.push_str(&"  ".repeat(depth));
    };
    while let Some(c) = chars.next() {
        if in_string {
            out.push(c);
            (in_string, is_escaped) = (is_escaped || c != '"', !is_escaped && c == '\\');
            continue;
        }
        match c {
            '{' | '[' => {
                out.push(c);
                let close = chars.next_if(|next| matches!(next, '}' | ']'));
                match close {
                    Some(close) => out.push(close),
                    None => {
                        depth += 1;
                        line(&mut out, depth);
                    }
                }
            }
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                line(&mut out, depth);
                out.push(c);
            }
            ',' => {
                out.push(c);
                line(&mut out, depth);
            }
            ':' => out.push_str(": "),
            c if c.is_whitespace() => {}
            c => {
                in_string = c == '"';
                out.push(c);
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::indented;

    #[test]
    fn tokens_stay_as_they_were_written() {
        let line = r#"{"b":1.0,"a":["x, \"y\\",{}],"c":[]}"#;
        let expected =
            "{\n  \"b\": 1.0,\n  \"a\": [\n    \"x, \\\"y\\\\\",\n    {}\n  ],\n  \"c\": []\n}";
        assert_eq!(indented(line), expected);
    }
}
