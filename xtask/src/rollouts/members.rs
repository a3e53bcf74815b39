//! What the lines of session files consist of.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use anyhow::{Context as _, Result};
use codex_wire::Release;
use serde_json::Value;

/// Members whose texts are values of a list, not free.
const LISTED: [&str; 17] = [
    "approval_policy",
    "approvals_reviewer",
    "collaboration_mode_kind",
    "codex_error_info",
    "effort",
    "history_mode",
    "kind",
    "mode",
    "multi_agent_version",
    "phase",
    "reason",
    "role",
    "source",
    "status",
    "summary",
    "thread_source",
    "turn_trigger",
];

/// What the lines of session files of a release consist of: members by kind of line, and what their
/// values are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Members {
    /// The release.
    pub release: Release,
    /// `response_item:message.content[]<input_text>.text` → `string`. Values of lists are among them, as
    /// `"user"`.
    members: BTreeMap<String, BTreeSet<String>>,
}

impl Members {
    /// No members.
    pub fn new(release: Release) -> Self {
        Members {
            release,
            members: BTreeMap::new(),
        }
    }

    /// Adds the lines of a session file.
    ///
    /// # Errors
    /// When a line is not JSON.
    pub fn add_file(&mut self, bytes: &[u8]) -> Result<()> {
        for (index, line) in bytes.split(|byte| *byte == b'\n').enumerate() {
            if !line.is_empty() {
                let line: Value =
                    serde_json::from_slice(line).with_context(|| format!("line {}", index + 1))?;
                self.add_line(&line);
            }
        }
        Ok(())
    }

    fn add_line(&mut self, line: &Value) {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let mut kind = text(&line["type"]);
        let payload = &line["payload"];
        if let Some(inner) = payload["type"].as_str() {
            let _ = write!(kind, ":{inner}");
        }
        for (name, value) in line.as_object().into_iter().flatten() {
            match name.as_str() {
                "payload" => self.add_members(&kind, value, true),
                "type" => {}
                // What stands beside the payload is the same for all kinds.
                name => self.add(&format!("line.{name}"), name, value),
            }
        }
    }

    /// Adds a value of a member.
    fn add(&mut self, path: &str, name: &str, value: &Value) {
        let what = match value {
            Value::Null => "null",
            Value::Bool(_) => "boolean",
            Value::Number(number) if number.is_f64() => "number",
            Value::Number(_) => "integer",
            Value::String(_) => "string",
            Value::Array(_) => "array",
            Value::Object(_) => "object",
        };
        self.insert(path, what.to_owned());
        match value {
            Value::String(text) if LISTED.contains(&name) => {
                self.insert(path, format!("\"{text}\""));
            }
            Value::Array(elements) => {
                for element in elements {
                    self.add(&format!("{path}[]"), name, element);
                }
            }
            Value::Object(_) => self.add_members(path, value, false),
            _ => {}
        }
    }

    /// Adds the members of an object. Objects with a `type` are told apart by it; that of the payload
    /// is in the kind of the line already.
    fn add_members(&mut self, path: &str, object: &Value, is_payload: bool) {
        let mut path = path.to_owned();
        if let Some(kind) = object["type"].as_str()
            && !is_payload
        {
            let _ = write!(path, "<{kind}>");
        }
        self.insert(&path, "object".to_owned());
        for (name, value) in object.as_object().into_iter().flatten() {
            if name != "type" || !value.is_string() {
                // Paths and ids are keys of maps.
                let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
                let shown = match name.chars().all(is_name) {
                    true => name,
                    false => "*",
                };
                self.add(&format!("{path}.{shown}"), name, value);
            }
        }
    }

    fn insert(&mut self, path: &str, what: String) {
        let known = self.members.entry(path.to_owned()).or_default();
        known.insert(what);
    }

    /// What is new, changed and gone against other members, a line each. Of what is new or gone as a whole
    /// only the whole is named.
    pub fn changes_since(&self, known: &Members) -> Vec<String> {
        let mut out = Vec::new();
        let only = |one: &Members, other: &Members, word: &str, out: &mut Vec<String>| {
            for (path, values) in &one.members {
                let above = parents(path);
                let is_part = above.into_iter().any(|path| {
                    one.members.contains_key(path) && !other.members.contains_key(path)
                });
                if !other.members.contains_key(path) && !is_part {
                    out.push(format!("{word:<8} {path}: {}", joined(values)));
                }
            }
        };
        only(self, known, "new", &mut out);
        for (path, now) in &self.members {
            if let Some(then) = known.members.get(path)
                && now != then
            {
                let (now, then) = (joined(now), joined(then));
                out.push(format!("{:<8} {path}: {then}, now {now}", "changed"));
            }
        }
        only(known, self, "gone", &mut out);
        out
    }

    /// The members as text, one per line.
    pub fn text(&self) -> String {
        let mut out = format!(
            "# What lines of session files consist of, in the scenes of `cargo xtask record`.\n\
             # Written by `cargo xtask sync`.\nrelease {}\n",
            self.release
        );
        for (path, values) in &self.members {
            let _ = writeln!(out, "{path}: {}", joined(values));
        }
        out
    }

    /// Reads the text.
    ///
    /// # Errors
    /// When it is none.
    pub fn parse(text: &str) -> Result<Self> {
        let mut lines = text.lines().filter(|line| !line.starts_with('#'));
        let release = lines.next().and_then(|line| line.strip_prefix("release "));
        let release = release.context("the members of no release")?;
        let mut members = Members::new(release.parse()?);
        for line in lines {
            let (path, values) = line.rsplit_once(": ").context("a line without values")?;
            for value in values.split(" | ") {
                members.insert(path, value.to_owned());
            }
        }
        Ok(members)
    }
}

fn joined(values: &BTreeSet<String>) -> String {
    let values: Vec<&str> = values.iter().map(String::as_str).collect();
    values.join(" | ")
}

/// The paths that a path is a part of: `a.b` and `a` of `a.b[].c`.
fn parents(path: &str) -> Vec<&str> {
    let ends = path.match_indices(['.', '[', '<']).map(|(at, _)| at);
    ends.map(|at| &path[..at]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn members(minor: u32, text: &str) -> Members {
        let mut members = Members::new(Release::new(0, minor, 0));
        members.add_file(text.as_bytes()).unwrap();
        members
    }

    const LINES: &str = r#"{"timestamp":"t","ordinal":0,"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"a"}]},"metadata":{"client_authored":true}}
{"timestamp":"t","type":"event_msg","payload":{"type":"item_completed","item":{"type":"FileChange","changes":{"/a":{"type":"add"}},"status":"failed"}}}
{"timestamp":"t","type":"compacted","payload":{"message":"","window_id":7,"history":null}}
"#;

    #[test]
    fn members_have_a_place_and_values_of_lists_are_kept() {
        let members = members(170, LINES);
        assert_eq!(
            members.text(),
            r#"# What lines of session files consist of, in the scenes of `cargo xtask record`.
# Written by `cargo xtask sync`.
release 0.170.0
compacted: object
compacted.history: null
compacted.message: string
compacted.window_id: integer
event_msg:item_completed: object
event_msg:item_completed.item: object
event_msg:item_completed.item<FileChange>: object
event_msg:item_completed.item<FileChange>.changes: object
event_msg:item_completed.item<FileChange>.changes.*: object
event_msg:item_completed.item<FileChange>.changes.*<add>: object
event_msg:item_completed.item<FileChange>.status: "failed" | string
line.metadata: object
line.metadata.client_authored: boolean
line.ordinal: integer
line.timestamp: string
response_item:message: object
response_item:message.content: array
response_item:message.content[]: object
response_item:message.content[]<input_text>: object
response_item:message.content[]<input_text>.text: string
response_item:message.role: "user" | string
"#
        );
        assert_eq!(Members::parse(&members.text()).unwrap(), members);
        assert!(Members::parse("").is_err());
        assert!(members.clone().add_file(b"{\"type\"").is_err());
    }

    #[test]
    fn what_is_new_changed_and_gone_is_named_once() {
        let known = members(169, LINES);
        assert_eq!(known.changes_since(&known), Vec::<String>::new());
        let now = LINES
            .replace(r#""window_id":7"#, r#""window_id":"w""#)
            .replace("FileChange", "ImageView")
            .replace(r#""role":"user""#, r#""role":"tool""#);
        assert_eq!(
            members(170, &now).changes_since(&known),
            [
                "new      event_msg:item_completed.item<ImageView>: object",
                "changed  compacted.window_id: integer, now string",
                "changed  response_item:message.role: \"user\" | string, now \"tool\" | string",
                "gone     event_msg:item_completed.item<FileChange>: object",
            ]
        );
    }
}
