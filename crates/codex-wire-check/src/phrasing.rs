//! Phrases values, places and names for messages.

use std::fmt;

use codex_wire_base::pointer::unescaped;
use serde_json::Value;

/// The JSON type of a value, with its article.
pub(crate) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "`null`",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

/// The types a schema asks for, with their articles.
pub(crate) fn types(kind: &jsonschema::error::TypeKind) -> String {
    match kind {
        jsonschema::error::TypeKind::Single(kind) => with_article(&kind.to_string()),
        jsonschema::error::TypeKind::Multiple(kinds) => kinds
            .iter()
            .map(|kind| with_article(&kind.to_string()))
            .collect::<Vec<_>>()
            .join(" or "),
    }
}

fn with_article(kind: &str) -> String {
    match kind {
        "null" => "`null`".to_owned(),
        "array" | "object" | "integer" => format!("an {kind}"),
        _ => format!("a {kind}"),
    }
}

/// What a pointer leads to.
pub(crate) fn subject(pointer: &str) -> String {
    match pointer.rsplit_once('/') {
        None => "the message".to_owned(),
        Some((parent, last)) if last.bytes().all(|b| b.is_ascii_digit()) => {
            format!("element {last} of {}", subject(parent))
        }
        Some((_, last)) if last.len() > LONG => member(&unescaped(last)),
        Some((_, last)) => format!("`{}`", unescaped(last)),
    }
}

/// Names a tag or value if it looks like a name, with a space before it: what looks like text
/// might be payload.
pub(crate) fn named(text: &str) -> String {
    if is_name(text) {
        format!(" `{text}`")
    } else {
        String::new()
    }
}

/// Whether a text looks like a word of some protocol.
pub(crate) fn is_name(text: &str) -> bool {
    !text.is_empty()
        && text.len() <= 64
        && text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"_-./$".contains(&b))
}

/// A word of a stream as it may be shown: a name, or that it is none.
pub(crate) fn shown(word: &str) -> &str {
    match is_name(word) {
        true => word,
        false => "…",
    }
}

/// A word of a stream as findings show it: a name, or `…` for what may be payload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Word(Box<str>);

impl Word {
    pub(crate) fn of(word: &str) -> Self {
        Word(shown(word).into())
    }
}

impl fmt::Display for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Parts of a sentence, with `and` between them.
#[derive(Debug)]
pub(crate) struct Joined<T>(pub(crate) Vec<T>);

impl<T: fmt::Display> fmt::Display for Joined<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, part) in self.0.iter().enumerate() {
            let and = if index > 0 { " and " } else { "" };
            write!(f, "{and}{part}")?;
        }
        Ok(())
    }
}

/// How many characters of a name are shown. No name of a protocol has as many.
const LONG: usize = 64;

/// Whether a character moves the cursor, changes colours, ends a line or turns the direction of
/// writing: none is shown as it is.
pub(crate) fn steers(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
        )
}

/// The name of a member, cut to a readable length.
pub(crate) fn member(name: &str) -> String {
    let mut shown: String = name
        .chars()
        .take(LONG)
        .flat_map(char::escape_debug)
        .collect();
    if name.chars().nth(LONG).is_some() {
        shown.push('…');
    }
    format!("`{shown}`")
}
