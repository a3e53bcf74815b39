//! Tells variants apart: by a tag, by their only member, by their names.

use std::collections::BTreeSet;

use serde_json::Value;

use super::walk::short;
use crate::limits::shown;
use crate::shapes::Object;

/// The members of an envelope that hold what the message is.
pub(super) fn members_of_envelopes() -> &'static [&'static str] {
    &["msg", "op"]
}

/// Tags by these names are preferred to other constant members.
const TAGS: &[&str] = &["type", "method", "kind"];

/// The member of an envelope that holds the message.
pub(super) fn envelope(object: &Object<'_>) -> Option<&'static str> {
    members_of_envelopes()
        .iter()
        .copied()
        .find(|name| object.member(name).is_some() && object.requires(name))
}

/// The members by which the variants of two unions are told apart: the same where there is one.
pub(super) fn common_tags<'d>(a: &[Object<'d>], b: &[Object<'d>]) -> [Option<&'d str>; 2] {
    let (a, b) = (tags(a), tags(b));
    if let Some(common) = a.iter().find(|tag| b.contains(tag)) {
        return [Some(common), Some(common)];
    }
    [a.first().copied(), b.first().copied()]
}

/// The constant members all variants have, of more than one value, preferred first.
pub(super) fn tags<'d>(list: &[Object<'d>]) -> Vec<&'d str> {
    let Some(first) = list.first() else {
        return Vec::new();
    };
    let value = |object: &Object<'d>, tag: &str| {
        let text = object.member(tag)?.get("const")?.as_str()?;
        object.requires(tag).then_some(text)
    };
    let mut out: Vec<&'d str> = first.tags().map(|(tag, _)| tag).collect();
    out.sort_by_key(|tag| {
        TAGS.iter()
            .position(|known| known == tag)
            .unwrap_or(TAGS.len())
    });
    out.truncate(CANDIDATES);
    out.retain(|tag| {
        let values: Option<BTreeSet<&str>> = list.iter().map(|branch| value(branch, tag)).collect();
        // A variant may be split in two that share their tag.
        values.is_some_and(|values| values.len() > 1 || list.len() == 1)
    });
    out
}

/// How many constant members of a variant may be its tag.
const CANDIDATES: usize = 16;

/// What a variant is called: by its tag, its only member, its definition, or its members.
pub(super) fn label(branch: &Object<'_>, tag: Option<&str>, name: &str) -> String {
    let tagged = tag.and_then(|tag| branch.member(tag)?.get("const")?.as_str());
    if let Some(tagged) = tagged {
        return shown(tagged).into_owned();
    }
    let mut required: Vec<&str> = branch.required().collect();
    // `{"kind": …}`: the only member says what it is.
    if let ([only], 1) = (&required[..], branch.members().count()) {
        return shown(only).into_owned();
    }
    if let Some(name) = branch.name.or(title(branch)) {
        return shown(short(name)).into_owned();
    }
    if required.is_empty() && !name.is_empty() {
        return shown(name).into_owned();
    }
    if required.is_empty() {
        required.extend(branch.members().map(|(name, _)| name));
    }
    if required.is_empty() {
        return "any object".to_owned();
    }
    required.sort_unstable();
    shown(&required.join("+")).into_owned()
}

pub(super) fn title<'d>(object: &Object<'d>) -> Option<&'d str> {
    title_of(object.node)
}

pub(super) fn title_of(node: &Value) -> Option<&str> {
    node.get("title")?.as_str()
}
