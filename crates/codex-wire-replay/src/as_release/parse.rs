//! Reads JSON into nodes, which keep the order of members, and members that come twice.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::Number;

use crate::compose::json::Node;

/// A line as JSON; none if it is none.
pub(super) fn node(line: &str) -> Option<Node> {
    serde_json::from_str(line).ok()
}

/// The member of an object.
pub(super) fn get<'n>(node: &'n Node, name: &str) -> Option<&'n Node> {
    let Node::Object(members) = node else {
        return None;
    };
    let found = members.iter().find(|(other, _)| other == name);
    found.map(|(_, value)| value)
}

/// The value at the end of a path of members.
pub(super) fn at<'n>(node: &'n Node, path: &[&str]) -> Option<&'n Node> {
    path.iter().try_fold(node, |node, name| get(node, name))
}

/// The text at the end of a path of members.
pub(super) fn text<'n>(node: &'n Node, path: &[&str]) -> Option<&'n str> {
    at(node, path)?.as_str()
}

/// The place of a member in an object.
pub(super) fn get_mut<'n>(node: &'n mut Node, name: &str) -> Option<&'n mut Node> {
    let Node::Object(members) = node else {
        return None;
    };
    let found = members.iter_mut().find(|(other, _)| other == name);
    found.map(|(_, value)| value)
}

/// Sets a member, where it stands or at the end.
pub(super) fn set(node: &mut Node, name: &str, value: impl Into<Node>) {
    match get_mut(node, name) {
        Some(place) => *place = value.into(),
        None => node.push(name, value),
    }
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Nodes)
    }
}

struct Nodes;

impl<'de> Visitor<'de> for Nodes {
    type Value = Node;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Node, E> {
        Ok(Node::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Node, E> {
        Ok(Node::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Node, E> {
        Ok(Node::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Node, E> {
        Ok(Node::Number(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Node, E> {
        Ok(Number::from_f64(value).map_or(Node::Null, Node::Number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Node, E> {
        Ok(Node::from(value))
    }

    fn visit_string<E>(self, value: String) -> Result<Node, E> {
        Ok(Node::Text(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Node, A::Error> {
        let mut list = Vec::new();
        while let Some(element) = elements.next_element()? {
            list.push(element);
        }
        Ok(Node::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Node, A::Error> {
        let mut members = Vec::new();
        while let Some(member) = entries.next_entry()? {
            members.push(member);
        }
        Ok(Node::Object(members))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_written_as_it_was_read() {
        let line = r#"{"type":"b","id":"item_0","id":"ws_1","a":[1,-2,0.5,null,true,"\n"],"o":{}}"#;
        assert_eq!(node(line).expect("JSON").to_string(), line);
        assert_eq!(node("not json"), None);
    }
}
