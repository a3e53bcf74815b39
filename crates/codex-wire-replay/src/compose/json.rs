//! JSON whose members keep their order, and may come twice.
//!
//! Codex writes the tag of a message first, and the `id` of a web search twice. A map of
//! `serde_json` keeps neither.

use std::fmt::{self, Write as _};

use serde_json::{Number, Value};

/// A value that is to be written.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Node {
    Null,
    Bool(bool),
    Number(Number),
    Text(String),
    List(Vec<Node>),
    Object(Vec<(String, Node)>),
    /// The first of these that the release has a place for.
    OneOf(Vec<Node>),
}

impl Node {
    /// The text, if it is one.
    pub(crate) fn as_str(&self) -> Option<&str> {
        match self {
            Node::Text(text) => Some(text),
            _ => None,
        }
    }

    /// A member, if this is an object that has it.
    pub(crate) fn get(&self, name: &str) -> Option<&Node> {
        let Node::Object(members) = self else {
            return None;
        };
        let mut members = members.iter();
        members.find_map(|(other, member)| (other == name).then_some(member))
    }

    /// Adds a member at the end, if this is an object.
    pub(crate) fn push(&mut self, name: &str, value: impl Into<Node>) {
        if let Node::Object(members) = self {
            members.push((name.to_owned(), value.into()));
        }
    }

    /// Changes a member, if this is an object that has it.
    pub(crate) fn set(&mut self, name: &str, value: impl Into<Node>) {
        if let Node::Object(members) = self
            && let Some((_, member)) = members.iter_mut().find(|(other, _)| other == name)
        {
            *member = value.into();
        }
    }
}

/// An object: `object! { "type" => "error", "message" => text }`.
macro_rules! object {
    ($($name:expr => $value:expr),* $(,)?) => {
        $crate::compose::json::Node::Object(vec![
            $(($name.to_owned(), $crate::compose::json::Node::from($value))),*
        ])
    };
}
pub(crate) use object;

/// A list of texts.
pub(crate) fn texts<T: AsRef<str>>(texts: impl IntoIterator<Item = T>) -> Node {
    Node::List(
        texts
            .into_iter()
            .map(|text| Node::from(text.as_ref()))
            .collect(),
    )
}

impl From<&str> for Node {
    fn from(text: &str) -> Self {
        Node::Text(text.to_owned())
    }
}

impl From<&String> for Node {
    fn from(text: &String) -> Self {
        Node::Text(text.clone())
    }
}

impl From<String> for Node {
    fn from(text: String) -> Self {
        Node::Text(text)
    }
}

impl From<bool> for Node {
    fn from(value: bool) -> Self {
        Node::Bool(value)
    }
}

impl From<i64> for Node {
    fn from(value: i64) -> Self {
        Node::Number(value.into())
    }
}

impl From<u64> for Node {
    fn from(value: u64) -> Self {
        Node::Number(value.into())
    }
}

impl From<i32> for Node {
    fn from(value: i32) -> Self {
        Node::Number(value.into())
    }
}

impl From<Vec<Node>> for Node {
    fn from(list: Vec<Node>) -> Self {
        Node::List(list)
    }
}

impl<T: Into<Node>> From<Option<T>> for Node {
    fn from(value: Option<T>) -> Self {
        value.map_or(Node::Null, Into::into)
    }
}

impl From<&Value> for Node {
    fn from(value: &Value) -> Self {
        match value {
            Value::Null => Node::Null,
            Value::Bool(value) => Node::Bool(*value),
            Value::Number(number) => Node::Number(number.clone()),
            Value::String(text) => Node::Text(text.clone()),
            Value::Array(list) => Node::List(list.iter().map(Node::from).collect()),
            Value::Object(members) => Node::Object(
                members
                    .iter()
                    .map(|(name, value)| (name.clone(), Node::from(value)))
                    .collect(),
            ),
        }
    }
}

impl fmt::Display for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Node::Null => f.write_str("null"),
            Node::Bool(value) => write!(f, "{value}"),
            Node::Number(number) => write!(f, "{number}"),
            Node::Text(text) => quoted(f, text),
            Node::List(list) => {
                f.write_char('[')?;
                for (index, item) in list.iter().enumerate() {
                    if index > 0 {
                        f.write_char(',')?;
                    }
                    write!(f, "{item}")?;
                }
                f.write_char(']')
            }
            Node::Object(members) => {
                f.write_char('{')?;
                for (index, (name, value)) in members.iter().enumerate() {
                    if index > 0 {
                        f.write_char(',')?;
                    }
                    quoted(f, name)?;
                    write!(f, ":{value}")?;
                }
                f.write_char('}')
            }
            Node::OneOf(list) => list.first().unwrap_or(&Node::Null).fmt(f),
        }
    }
}

/// As `serde_json` writes a string, which is how Codex writes one.
fn quoted(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    let quoted = serde_json::to_string(text).map_err(|_| fmt::Error)?;
    f.write_str(&quoted)
}
