//! Which part of a protocol leads to which: from messages down to members and values.

use std::collections::{HashSet, VecDeque};
use std::sync::OnceLock;

use codex_wire_base::{MessageSet, ReleaseBounds, pointer};

use super::parts::{Part, PartKind};
use super::place::{Place, both, sorted};
use super::words::{Fit, Fits, Words};
use crate::documents::{Document, Family, annotated};
use crate::ir::{Availability, Kind, Member, Object, Schema};

/// The parts of a family of message sets, and the ways between them.
pub(super) struct Graph {
    /// The names of the definitions, then those of the message sets: the owners.
    names: Vec<&'static str>,
    message_sets: Vec<MessageSet>,
    parts: Vec<Part>,
    /// Where each part stands in its owner.
    ways: Vec<Way>,
    edges: Vec<Edge>,
    /// The edges that lead to each definition.
    to: Vec<Vec<usize>>,
}

/// A way from an owner to something that stands in it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Way {
    /// The owner.
    pub from: usize,
    /// The place in the owner, as a JSON pointer with `*`.
    pub pointer: String,
    /// The kinds on the way.
    pub kinds: Vec<&'static str>,
    /// The members and kinds on the way.
    pub names: Vec<&'static str>,
    /// The releases that have all that is on the way; `None` if there are none.
    pub bounds: Option<ReleaseBounds>,
}

/// A way from an owner to a definition.
#[derive(Debug)]
#[non_exhaustive]
pub struct Edge {
    /// The way.
    pub way: Way,
    /// The definition, as an owner.
    pub to: usize,
}

/// What [`find`](super::find) goes by, for those who look up elsewhere: a page in a browser.
///
/// An owner is a definition, or after all of them a message set. Numbers of owners count from 0 in `names`.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Index {
    /// The names of the owners.
    pub names: &'static [&'static str],
    /// The message sets, which are the last owners.
    pub message_sets: &'static [MessageSet],
    /// The parts, in the order in which equally good ones are found.
    pub parts: &'static [Part],
    /// Where each part stands in its owner.
    pub ways: &'static [Way],
    /// The ways from owners to definitions.
    pub edges: &'static [Edge],
}

/// What is found in the message sets of a family.
pub fn index(family: Family) -> Index {
    let graph = Graph::of(family);
    Index {
        names: &graph.names,
        message_sets: &graph.message_sets,
        parts: &graph.parts,
        ways: &graph.ways,
        edges: &graph.edges,
    }
}

/// Which words each owner and each edge has.
pub(super) struct Marks {
    owners: Vec<(u32, u32)>,
    edges: Vec<(u32, u32)>,
}

impl Graph {
    /// That of a family; made once.
    pub(super) fn of(family: Family) -> &'static Graph {
        static GRAPHS: [OnceLock<Graph>; Family::ALL.len()] =
            [const { OnceLock::new() }; Family::ALL.len()];
        let at = Family::ALL.iter().position(|one| *one == family);
        GRAPHS[at.unwrap_or_default()].get_or_init(|| Graph::new(family))
    }

    /// All parts.
    pub(super) fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// The words that each owner and each edge has.
    pub(super) fn marks(&self, words: &Words) -> Marks {
        Marks {
            owners: self
                .names
                .iter()
                .map(|name| words.of_names([*name]))
                .collect(),
            edges: self
                .edges
                .iter()
                .map(|edge| words.of_names(edge.way.names.iter().copied()))
                .collect(),
        }
    }

    /// Where a part stands by the words, and how well they fit; `None` if some word fits nothing on the way.
    pub(super) fn places(
        &self,
        part: usize,
        words: &Words,
        own: &Fits,
        marks: &Marks,
    ) -> Option<(Fit, Vec<Place>)> {
        if own.whole != 0 {
            let places = self.ways_up(part, words.all(), own.whole, |mark| mark.0, marks);
            if !places.is_empty() {
                return Some((Fit::Whole, sorted(places)));
            }
        }
        if own.in_name != 0 {
            let places = self.ways_up(part, words.all(), own.in_name, |mark| mark.1, marks);
            if !places.is_empty() {
                return Some((Fit::InName, sorted(places)));
            }
        }
        if !own.in_text {
            return None;
        }
        let any = self.ways_up(part, 0, 0, |_| 0, marks);
        Some((Fit::Text, sorted(any)))
    }

    /// The shortest ways from messages to a part on which all words of `wanted` stand.
    fn ways_up(
        &self,
        part: usize,
        wanted: u32,
        own: u32,
        pick: fn(&(u32, u32)) -> u32,
        marks: &Marks,
    ) -> Vec<Place> {
        let start = &self.ways[part];
        let mut states = vec![State {
            owner: start.from,
            words: own | pick(&marks.owners[start.from]),
            via: None,
        }];
        let mut seen: HashSet<(usize, u32)> = HashSet::new();
        let mut waiting = VecDeque::from([0]);
        let mut found = Vec::new();
        while let Some(at) = waiting.pop_front() {
            let State { owner, words, .. } = states[at];
            if let Some(message_set) = self.message_set(owner) {
                if words & wanted == wanted {
                    found.extend(self.place(message_set, &states, at, start));
                }
                continue;
            }
            for edge in &self.to[owner] {
                let from = self.edges[*edge].way.from;
                let words = words | pick(&marks.edges[*edge]) | pick(&marks.owners[from]);
                // Each way into a message is one of its own.
                if self.message_set(from).is_none() && !seen.insert((from, words)) {
                    continue;
                }
                waiting.push_back(states.len());
                states.push(State {
                    owner: from,
                    words,
                    via: Some((at, *edge)),
                });
            }
        }
        found
    }

    /// The place at the end of a way; `None` if no release has all that is on it.
    fn place(
        &self,
        message_set: MessageSet,
        states: &[State],
        mut at: usize,
        last: &Way,
    ) -> Option<Place> {
        let mut pointer = String::new();
        let mut kinds: Vec<&str> = Vec::new();
        let mut bounds = ReleaseBounds::ALWAYS;
        let mut take = |way: &Way| {
            pointer.push_str(&way.pointer);
            kinds.extend(&way.kinds);
            bounds = both(bounds, way.bounds?)?;
            Some(())
        };
        while let Some((next, edge)) = states[at].via {
            take(&self.edges[edge].way)?;
            at = next;
        }
        take(last)?;
        Some(Place {
            message_set,
            message_len: kinds.first().map_or(0, |first| first.len()),
            kind: kinds.join("/"),
            pointer,
            bounds,
        })
    }

    /// The message set of an owner, unless it is a definition.
    fn message_set(&self, owner: usize) -> Option<MessageSet> {
        let at = owner.checked_sub(self.to.len())?;
        Some(self.message_sets[at])
    }

    fn new(family: Family) -> Graph {
        let message_sets: Vec<MessageSet> = family.message_sets().collect();
        let document = annotated(message_sets[0]);
        let mut names: Vec<&'static str> =
            (0..document.len()).map(|at| document.name_at(at)).collect();
        names.extend(message_sets.iter().map(|message_set| message_set.as_str()));
        let mut made = Graph {
            names,
            to: vec![Vec::new(); document.len()],
            message_sets,
            parts: Vec::new(),
            ways: Vec::new(),
            edges: Vec::new(),
        };
        // The first message set that leads to each definition.
        let mut first: Vec<Option<MessageSet>> = vec![None; document.len()];
        for message_set in made.message_sets.clone() {
            for (name, _) in annotated(message_set).schemas() {
                if let Some(at) = document.position(name) {
                    first[at].get_or_insert(message_set);
                }
            }
        }
        for (at, message_set) in first.into_iter().enumerate() {
            if let Some(message_set) = message_set {
                made.definition(document, at, message_set);
            }
        }
        for (at, message_set) in made.message_sets.clone().into_iter().enumerate() {
            let root = annotated(message_set).root();
            // The union of the items is a definition as well.
            let title = root.title.as_deref().unwrap_or_default();
            let twice = root.tagged().is_some() && document.position(title).is_some();
            let of = Owner {
                at: document.len() + at,
                message_set,
                document,
                edges_only: twice,
            };
            made.walk(&of, root, &Way::at(of.at));
        }
        for (at, edge) in made.edges.iter().enumerate() {
            let target = edge.to;
            made.to[target].push(at);
        }
        made
    }

    fn definition(&mut self, document: &'static Document, at: usize, message_set: MessageSet) {
        let of = Owner {
            at,
            message_set,
            document,
            edges_only: false,
        };
        let schema = document.schema_at(at);
        let part = Part {
            kind: PartKind::Type,
            name: self.names[at],
            owner: self.names[at],
            message_set,
            availability: &ALWAYS,
            about: about(schema),
            member: None,
            is_required: false,
            definition: None,
            schema: Some(schema),
        };
        self.part(&of, part, Way::at(at));
        self.walk(&of, schema, &Way::at(at));
    }

    fn part(&mut self, of: &Owner, part: Part, way: Way) {
        if !of.edges_only {
            self.parts.push(part);
            self.ways.push(way);
        }
    }

    /// What stands in a schema of an owner.
    fn walk(&mut self, of: &Owner, schema: &'static Schema, way: &Way) {
        match &schema.kind {
            Kind::Array(inner) | Kind::Map(inner) => self.walk(of, inner, &way.to_each()),
            Kind::Reference(name) => self.edge(of, name, way.clone()),
            Kind::Object(object) => self.object(of, object, way),
            Kind::Untagged(variants) => {
                for variant in variants {
                    self.walk(of, &variant.schema, &way.within(&variant.availability));
                }
            }
            Kind::Tagged(union) => {
                for variant in &union.variants {
                    let way = way.to_kind(&variant.tag, &variant.availability);
                    self.kind(
                        of,
                        &variant.tag,
                        &variant.definition,
                        &variant.availability,
                        way,
                    );
                }
            }
            Kind::External(variants) => {
                for variant in variants {
                    let way = way.to_kind(&variant.kind, &variant.availability);
                    self.kind(
                        of,
                        &variant.kind,
                        &variant.definition,
                        &variant.availability,
                        way,
                    );
                }
            }
            Kind::Enum(values) => {
                for value in values {
                    let part = Part {
                        kind: PartKind::Value,
                        name: &value.value,
                        owner: self.names[of.at],
                        message_set: of.message_set,
                        availability: &value.availability,
                        about: value.description.as_deref().unwrap_or_default(),
                        member: None,
                        is_required: false,
                        definition: None,
                        schema: None,
                    };
                    self.part(of, part, way.within(&value.availability));
                }
            }
            _ => {}
        }
    }

    fn object(&mut self, of: &Owner, object: &'static Object, way: &Way) {
        let members = object.members.iter();
        let seconds = object.members.iter().filter_map(|m| m.second.as_deref());
        for member in members
            .chain(seconds)
            .filter(|member| !member.is_plain_tag())
        {
            let way = way.to_member(member);
            let part = Part {
                kind: PartKind::Member,
                name: &member.name,
                owner: self.names[of.at],
                message_set: of.message_set,
                availability: &member.availability,
                about: about(&member.schema),
                member: Some(member),
                is_required: object.required.contains(&member.name),
                definition: None,
                schema: Some(&member.schema),
            };
            self.part(of, part, way.clone());
            self.walk(of, &member.schema, &way);
        }
    }

    fn kind(
        &mut self,
        of: &Owner,
        name: &'static str,
        definition: &'static str,
        availability: &'static Availability,
        way: Way,
    ) {
        let is_message = of.at >= of.document.len();
        let schema = of.document.schema(definition);
        let part = Part {
            kind: if is_message {
                PartKind::Message
            } else {
                PartKind::Kind
            },
            name,
            owner: self.names[of.at],
            message_set: of.message_set,
            availability,
            about: schema.map(about).unwrap_or_default(),
            member: None,
            is_required: false,
            definition: Some(definition),
            schema,
        };
        self.part(of, part, way.clone());
        self.edge(of, definition, way);
    }

    fn edge(&mut self, of: &Owner, definition: &str, way: Way) {
        if let Some(to) = of.document.position(definition) {
            self.edges.push(Edge { way, to });
        }
    }
}

/// What a part stands in: a definition, or a message set.
struct Owner {
    at: usize,
    message_set: MessageSet,
    document: &'static Document,
    edges_only: bool,
}

/// An owner on the way up from a part.
#[derive(Clone, Copy)]
struct State {
    owner: usize,
    /// The words that were found on the way.
    words: u32,
    /// The state before it, and the edge from this owner to that one.
    via: Option<(usize, usize)>,
}

static ALWAYS: Availability = Availability::ALWAYS;

fn about(schema: &'static Schema) -> &'static str {
    schema.description.as_deref().unwrap_or_default()
}

impl Way {
    fn at(from: usize) -> Self {
        Way {
            from,
            pointer: String::new(),
            kinds: Vec::new(),
            names: Vec::new(),
            bounds: Some(ReleaseBounds::ALWAYS),
        }
    }

    fn within(&self, availability: &Availability) -> Self {
        Way {
            bounds: self
                .bounds
                .and_then(|bounds| both(bounds, availability.range)),
            ..self.clone()
        }
    }

    fn to_each(&self) -> Self {
        Way {
            pointer: format!("{}/*", self.pointer),
            ..self.clone()
        }
    }

    fn to_member(&self, member: &'static Member) -> Self {
        let mut way = self.within(&member.availability);
        pointer::push(&mut way.pointer, &member.name);
        way.names.push(&member.name);
        way
    }

    fn to_kind(&self, name: &'static str, availability: &Availability) -> Self {
        let mut way = self.within(availability);
        way.kinds.push(name);
        way.names.push(name);
        way
    }
}
