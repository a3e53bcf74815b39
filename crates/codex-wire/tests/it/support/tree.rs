//! Two ways to look at a JSON text that keep what a map would lose. Neither uses the cursor
//! under test.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// A JSON value as written: member order, duplicate keys and the spelling of scalars are kept.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Node {
    /// `null`, a boolean, a number or a string, as spelt.
    Scalar(String),
    Array(Vec<Node>),
    Object(Vec<(String, Node)>),
}

/// A JSON value as meant: the order of members with different names does not matter, the order
/// of members with the same name does. Strings are decoded, numbers compare as spelt.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Tree {
    Scalar(String),
    String(String),
    Array(Vec<Tree>),
    Object(BTreeMap<String, Vec<Tree>>),
}

/// The members of an object in order, duplicate keys included.
struct Members(Vec<(String, Box<RawValue>)>);

impl<'de> Deserialize<'de> for Members {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Collect;
        impl<'de> Visitor<'de> for Collect {
            type Value = Members;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members, A::Error> {
                let mut out = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    out.push(entry);
                }
                Ok(Members(out))
            }
        }
        deserializer.deserialize_map(Collect)
    }
}

impl Node {
    pub(crate) fn parse(text: &str) -> serde_json::Result<Node> {
        let text = text.trim_matches([' ', '\t', '\n', '\r']);
        Ok(match text.as_bytes().first() {
            Some(b'{') => Node::Object(
                serde_json::from_str::<Members>(text)?
                    .0
                    .into_iter()
                    .map(|(key, raw)| Ok((key, Node::parse(raw.get())?)))
                    .collect::<serde_json::Result<_>>()?,
            ),
            Some(b'[') => Node::Array(
                serde_json::from_str::<Vec<Box<RawValue>>>(text)?
                    .iter()
                    .map(|raw| Node::parse(raw.get()))
                    .collect::<serde_json::Result<_>>()?,
            ),
            _ => Node::Scalar(
                serde_json::from_str::<Box<RawValue>>(text)?
                    .get()
                    .to_owned(),
            ),
        })
    }

    /// The text again, with `space` called for the white space at every place that allows some.
    pub(crate) fn write(&self, space: &mut impl FnMut() -> &'static str) -> String {
        let mut out = String::new();
        self.write_to(&mut out, space);
        out
    }

    fn write_to(&self, out: &mut String, space: &mut impl FnMut() -> &'static str) {
        out.push_str(space());
        match self {
            Node::Scalar(text) => out.push_str(text),
            Node::Array(elements) => {
                out.push('[');
                for (index, element) in elements.iter().enumerate() {
                    if index > 0 {
                        out.push(',');
                    }
                    element.write_to(out, space);
                }
                out.push_str(if elements.is_empty() { space() } else { "" });
                out.push(']');
            }
            Node::Object(members) => {
                out.push('{');
                for (index, (key, value)) in members.iter().enumerate() {
                    if index > 0 {
                        out.push(',');
                    }
                    out.push_str(space());
                    out.push_str(&serde_json::Value::from(key.as_str()).to_string());
                    out.push_str(space());
                    out.push(':');
                    value.write_to(out, space);
                }
                out.push_str(if members.is_empty() { space() } else { "" });
                out.push('}');
            }
        }
        out.push_str(space());
    }

    /// The text again on one line, without white space.
    pub(crate) fn to_line(&self) -> String {
        self.write(&mut || "")
    }
}

impl Tree {
    pub(crate) fn parse(text: &str) -> serde_json::Result<Tree> {
        Tree::of(Node::parse(text)?)
    }

    fn of(node: Node) -> serde_json::Result<Tree> {
        Ok(match node {
            Node::Scalar(text) if text.starts_with('"') => {
                Tree::String(serde_json::from_str(&text)?)
            }
            Node::Scalar(text) => Tree::Scalar(text),
            Node::Array(elements) => Tree::Array(
                elements
                    .into_iter()
                    .map(Tree::of)
                    .collect::<serde_json::Result<_>>()?,
            ),
            Node::Object(members) => {
                let mut out = BTreeMap::<String, Vec<Tree>>::new();
                for (key, value) in members {
                    out.entry(key).or_default().push(Tree::of(value)?);
                }
                Tree::Object(out)
            }
        })
    }
}

/// Asserts that two texts mean the same JSON value, duplicate keys included.
#[track_caller]
pub(crate) fn assert_same(written: &str, read: &str) {
    let (left, right) = (Tree::parse(written), Tree::parse(read));
    let (left, right) = (
        left.expect("what was written is JSON"),
        right.expect("JSON"),
    );
    assert!(left == right, "read    {read}\nwritten {written}");
}

#[test]
fn trees_tell_values_apart() {
    let same = |a: &str, b: &str| Tree::parse(a).unwrap() == Tree::parse(b).unwrap();
    assert!(same(r#"{"a":1,"b":2}"#, r#" { "b" : 2 , "a":1}"#));
    assert!(same(r#""\u0041""#, r#""A""#));
    assert!(!same(r#"{"a":1,"a":2}"#, r#"{"a":2}"#));
    assert!(!same(r#"{"a":1,"a":2}"#, r#"{"a":2,"a":1}"#));
    assert!(!same("[1,2]", "[2,1]"));
    assert!(!same("1.0", "1"));
    assert!(!same(r#"{"a":null}"#, "{}"));
}
