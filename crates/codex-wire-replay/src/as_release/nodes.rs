//! Values as they are: how large they are, and what kind they say they are.

use codex_wire_schema::ir::{Kind, Schema};

use crate::compose::json::{Node, object};

/// How many values there are in one, beside `null`.
pub(super) fn values(value: &Node) -> u32 {
    match value {
        Node::Null => 0,
        Node::List(list) => 1 + list.iter().map(values).sum::<u32>(),
        Node::Object(members) => 1 + members.iter().map(|(_, value)| values(value)).sum::<u32>(),
        _ => 1,
    }
}

/// The kind of an object, and its other members: `{"type": "a", …}`, or `{"a": {…}}`.
pub(super) fn kind_of(members: &[(String, Node)]) -> Option<(&str, Vec<(String, Node)>)> {
    let tag = tag_among(members).and_then(|at| Some((at, members[at].1.as_str()?)));
    match (tag, members) {
        (Some((at, kind)), _) => {
            let mut rest = members.to_vec();
            rest.remove(at);
            Some((kind, rest))
        }
        (None, [(kind, Node::Object(rest))]) => Some((kind, rest.clone())),
        _ => None,
    }
}

/// Whether elements of a list are bytes.
pub(super) fn is_byte(items: &Schema) -> bool {
    let Kind::Integer { minimum, maximum } = items.kind else {
        return false;
    };
    (minimum, maximum) == (0, u8::MAX.into())
}

/// The bytes of a list of numbers.
pub(super) fn numbers(bytes: &[Node]) -> Vec<u8> {
    let number = |node: &Node| match node {
        Node::Number(number) => number.as_u64().and_then(|n| u8::try_from(n).ok()),
        _ => None,
    };
    bytes.iter().filter_map(number).collect()
}

/// The beginning of a value, for a message.
pub(super) fn short(value: &Node) -> String {
    let text = match value {
        Node::Object(members) => {
            let names: Vec<&str> = members.iter().map(|(name, _)| name.as_str()).collect();
            format!("{{{}}}", names.join(", "))
        }
        value => value.to_string(),
    };
    match text.char_indices().nth(60) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text,
    }
}

/// An object without members.
pub(super) fn empty() -> Node {
    object! {}
}

/// The place of the member that says of which kind an object is.
pub(super) fn tag_of(value: &Node) -> Option<usize> {
    match value {
        Node::Object(members) => tag_among(members),
        _ => None,
    }
}

fn tag_among(members: &[(String, Node)]) -> Option<usize> {
    let mut tags = ["type", "item_type", "mode"].iter();
    tags.find_map(|tag| {
        let is_tag = |(name, value): &(String, Node)| name == tag && value.as_str().is_some();
        members.iter().position(is_tag)
    })
}
