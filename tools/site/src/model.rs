//! The parts of all protocols, each with its page and anchor.

use std::collections::BTreeMap;
use std::collections::HashSet;

use codex_wire_base::{MessageSet, Release};
use codex_wire_schema::find::{Index, PartKind, families, index};
use codex_wire_schema::{Document, Family, annotated};

use crate::address;

/// The parts of all protocols.
pub(crate) struct Model {
    /// The families, in the order in which they are searched.
    pub(crate) families: Vec<FamilyModel>,
}

/// The parts of a family of message sets.
pub(crate) struct FamilyModel {
    pub(crate) family: Family,
    pub(crate) index: Index,
    pub(crate) document: &'static Document,
    /// The releases of all its message sets, oldest first.
    pub(crate) releases: Vec<Release>,
    /// The anchor of each part on the page of its owner; empty of a type, which has the page.
    pub(crate) anchors: Vec<String>,
    /// The parts of each owner.
    pub(crate) parts_of: Vec<Vec<usize>>,
    /// The messages by name: the parts of all message sets that have it.
    pub(crate) messages: BTreeMap<&'static str, Vec<usize>>,
    /// The owners that lead to each definition.
    pub(crate) used_by: Vec<Vec<usize>>,
}

impl Model {
    pub(crate) fn new() -> Self {
        Model {
            families: families().map(FamilyModel::new).collect(),
        }
    }

    /// That of a message set.
    pub(crate) fn of(&self, message_set: MessageSet) -> Option<&FamilyModel> {
        let family = Family::of(message_set);
        self.families.iter().find(|one| one.family == family)
    }
}

impl FamilyModel {
    fn new(family: Family) -> Self {
        let index = index(family);
        let mut releases: Vec<Release> = index
            .message_sets
            .iter()
            .flat_map(|message_set| message_set.release_list().releases())
            .copied()
            .collect();
        releases.sort();
        releases.dedup();
        let mut parts_of = vec![Vec::new(); index.names.len()];
        let mut messages: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        let mut taken = HashSet::new();
        let mut anchors = Vec::new();
        for (at, part) in index.parts.iter().enumerate() {
            let way = &index.ways[at];
            parts_of[way.from].push(at);
            if part.kind == PartKind::Message {
                messages.entry(part.name).or_default().push(at);
            }
            anchors.push(anchor(
                part.kind, part.name, &way.names, way.from, &mut taken,
            ));
        }
        let mut used_by = vec![Vec::new(); index.names.len()];
        for edge in index.edges {
            let users: &mut Vec<usize> = &mut used_by[edge.to];
            if !users.contains(&edge.way.from) {
                users.push(edge.way.from);
            }
        }
        FamilyModel {
            family,
            index,
            document: annotated(index.message_sets[0]),
            releases,
            anchors,
            parts_of,
            messages,
            used_by,
        }
    }

    /// The message set of an owner, unless it is a definition.
    pub(crate) fn message_set(&self, owner: usize) -> Option<MessageSet> {
        let definitions = self.index.names.len() - self.index.message_sets.len();
        let at = owner.checked_sub(definitions)?;
        self.index.message_sets.get(at).copied()
    }

    /// The page of an owner.
    pub(crate) fn page_of(&self, owner: usize) -> String {
        match self.message_set(owner) {
            Some(message_set) => address::message_set(message_set),
            None => address::definition(self.family, self.index.names[owner]),
        }
    }

    /// The page of a definition, if it is one that messages lead to.
    pub(crate) fn page_of_definition(&self, name: &str) -> Option<String> {
        let at = self.document.position(name)?;
        let is_there = !self.parts_of[at].is_empty();
        is_there.then(|| address::definition(self.family, name))
    }

    /// The page of a place as differences name it: `Usage.output_tokens`, `ThreadItem`, `item/started`.
    pub(crate) fn page_of_place(&self, place: &str) -> Option<String> {
        if self.messages.contains_key(place) {
            return Some(address::message(self.family, place));
        }
        let (name, member) = place.split_once('.').unwrap_or((place, ""));
        let owner = self.document.position(name)?;
        let of_owner = self.parts_of[owner].iter();
        let part = of_owner
            .copied()
            .find(|at| self.index.parts[*at].name == member);
        match part {
            Some(part) => Some(self.link_of(part)),
            None => self.page_of_definition(name),
        }
    }

    /// Where a part is: its page with the anchor, of a message its page.
    pub(crate) fn link_of(&self, part: usize) -> String {
        let found = &self.index.parts[part];
        if found.kind == PartKind::Message {
            return address::message(self.family, found.name);
        }
        let page = self.page_of(self.index.ways[part].from);
        match self.anchors[part].as_str() {
            "" => page,
            anchor => format!("{page}#{}", escaped(anchor)),
        }
    }
}

/// The anchor of a part: its name; below that of what it stands in, if its type has no page of its own.
fn anchor(
    kind: PartKind,
    name: &str,
    names: &[&str],
    owner: usize,
    taken: &mut HashSet<(usize, String)>,
) -> String {
    if kind == PartKind::Type {
        return String::new();
    }
    let mut anchor = names.join("/");
    if kind == PartKind::Value {
        let of = if anchor.is_empty() { "" } else { "=" };
        anchor = format!("{anchor}{of}{name}");
    }
    // No identifier of HTML has a space.
    let mut anchor = anchor.replace(char::is_whitespace, "_");
    if anchor.is_empty() {
        anchor = "empty".to_owned();
    }
    let first = anchor.clone();
    let mut number = 2;
    while !taken.insert((owner, anchor.clone())) {
        anchor = format!("{first}-{number}");
        number += 1;
    }
    anchor
}

/// An anchor as links have it.
pub(crate) fn escaped(anchor: &str) -> String {
    let mut out = String::new();
    for c in anchor.chars() {
        match c {
            '%' => out.push_str("%25"),
            '"' => out.push_str("%22"),
            '<' => out.push_str("%3C"),
            '>' => out.push_str("%3E"),
            '#' => out.push_str("%23"),
            '`' => out.push_str("%60"),
            c => out.push(c),
        }
    }
    out
}
