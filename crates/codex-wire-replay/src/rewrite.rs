//! Writes a recorded line with the names of the running session, and leaves every other byte as it is.

use codex_wire_base::Error;
use codex_wire_base::json::{Cursor, Kind};
use serde_json::Value;

use crate::names::{NameKind, Names, kind_of};

/// The kinds of item and event that repeat what the user wrote.
const OF_THE_USER: &[&str] = &["userMessage", "UserMessage", "user_message"];

/// The line with each name replaced by its live form. `id` replaces the id of the message, as JSON.
///
/// A line that is not JSON is returned as it is.
pub(crate) fn rewritten(line: &str, names: &Names, id: Option<&str>) -> String {
    if id.is_none() && names.is_plain() {
        return line.to_owned();
    }
    let mut walk = Walk {
        text: line,
        names,
        out: String::with_capacity(line.len()),
        copied: 0,
    };
    let mut cursor = Cursor::new(line);
    let done = cursor.object(|cursor, key| match (key, id) {
        ("id", Some(id)) => {
            cursor.kind()?;
            let start = cursor.offset();
            cursor.skip()?;
            walk.replace(start, cursor.offset(), id);
            Ok(())
        }
        // The id of a submission or an event of `codex proto`.
        ("id", None) => walk.value(cursor, "turn", key, false),
        _ => walk.value(cursor, "", key, false),
    });
    if done.is_err() {
        return line.to_owned();
    }
    walk.out.push_str(&line[walk.copied..]);
    walk.out
}

/// Calls `found` with each name in a value, with its kind, and the value at the same place of
/// another value, if it has one there.
pub(crate) fn pairs<'a>(
    value: &'a Value,
    other: Option<&'a Value>,
    parent: &str,
    key: &str,
    found: &mut dyn FnMut(NameKind, &'a str, Option<&'a str>),
) {
    match value {
        Value::Object(members) => {
            let inside = if key.is_empty() { parent } else { key };
            for (name, value) in members {
                let other = other.and_then(|other| other.get(name));
                pairs(value, other, inside, name, found);
            }
        }
        Value::Array(elements) => {
            for (at, element) in elements.iter().enumerate() {
                let other = other.and_then(|other| other.get(at));
                pairs(element, other, parent, key, found);
            }
        }
        Value::String(text) => {
            if let Some(kind) = kind_of(parent, key) {
                found(kind, text, other.and_then(Value::as_str));
            }
        }
        _ => {}
    }
}

struct Walk<'a> {
    text: &'a str,
    names: &'a Names,
    out: String,
    /// How much of the text is in `out`.
    copied: usize,
}

impl Walk<'_> {
    fn value(
        &mut self,
        cursor: &mut Cursor<'_>,
        parent: &str,
        key: &str,
        of_user: bool,
    ) -> Result<(), Error> {
        match cursor.kind()? {
            Kind::Object => {
                let mut of_user = of_user;
                cursor.object(|cursor, name| {
                    if name == "type"
                        && let Ok(kind) = cursor.clone().string()
                    {
                        of_user |= OF_THE_USER.contains(&kind.as_ref());
                    }
                    self.value(cursor, key, name, of_user)
                })
            }
            Kind::Array => {
                // Elements stand where their array stands.
                let (parent, key) = (parent.to_owned(), key.to_owned());
                cursor.array(|cursor, _| self.value(cursor, &parent, &key, of_user))
            }
            Kind::String => {
                let start = cursor.offset();
                let text = cursor.string()?;
                let is_text = of_user && matches!(key, "text" | "message") || key == "preview";
                let live = match key {
                    "userAgent" => self.names.user_agent(&text),
                    _ if is_text => self.names.text(&text),
                    _ => None,
                };
                let live = live.or_else(|| self.names.string(kind_of(parent, key), &text));
                if let Some(live) = live {
                    self.replace(start, cursor.offset(), &Value::from(live).to_string());
                }
                Ok(())
            }
            Kind::Number => {
                let start = cursor.offset();
                let number = cursor.number()?;
                match kind_of(parent, key) {
                    Some(NameKind::Time) => {
                        if let Some(live) = self.names.time(key, number) {
                            self.replace(start, cursor.offset(), &live);
                        }
                    }
                    Some(NameKind::Request) => {
                        if let Some(live) = self.names.live(NameKind::Request, number) {
                            self.replace(start, cursor.offset(), live);
                        }
                    }
                    _ => {}
                }
                Ok(())
            }
            Kind::Bool | Kind::Null => cursor.skip(),
        }
    }

    fn replace(&mut self, start: usize, end: usize, by: &str) {
        self.out.push_str(&self.text[self.copied..start]);
        self.out.push_str(by);
        self.copied = end;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_other_byte_stays() {
        let mut names = Names::shifted(1);
        names.bind(NameKind::Thread, "t", "u");
        let line = r#"{"method":"m", "params":{"threadId":"t","id":"t","id":"t", "x":1.50,"startedAt":1795187459,"list":["t"]}}"#;
        let expected = r#"{"method":"m", "params":{"threadId":"u","id":"t","id":"t", "x":1.50,"startedAt":1795187460,"list":["t"]}}"#;
        assert_eq!(rewritten(line, &names, None), expected);
    }

    #[test]
    fn the_id_of_a_message_is_replaced_alone() {
        let line = r#"{"id":3,"result":{"id":3}}"#;
        let expected = r#"{"id":"c-1","result":{"id":3}}"#;
        assert_eq!(
            rewritten(line, &Names::default(), Some("\"c-1\"")),
            expected
        );
    }

    #[test]
    fn texts_of_the_user_are_replaced_in_their_items() {
        let mut names = Names::default();
        names.bind_text("ok", "yes \"sir\"");
        let line = r#"{"params":{"item":{"type":"userMessage","content":[{"type":"text","text":"ok"}]},"text":"ok"}}"#;
        let expected = r#"{"params":{"item":{"type":"userMessage","content":[{"type":"text","text":"yes \"sir\""}]},"text":"ok"}}"#;
        assert_eq!(rewritten(line, &names, None), expected);
    }

    #[test]
    fn what_is_no_json_stays() {
        let mut names = Names::default();
        names.bind(NameKind::Thread, "t", "u");
        assert_eq!(
            rewritten("{\"threadId\":\"t\"", &names, None),
            "{\"threadId\":\"t\""
        );
    }
}
