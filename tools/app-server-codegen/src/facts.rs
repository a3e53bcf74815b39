//! Takes a document apart into facts, so that two documents can be compared fact by fact.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crate::snapshot::{Body, Kind, Members, Snapshot};
use crate::text::choice_text;
use crate::types::{Signature, Type};

/// The statements of a document, by what they are about.
pub type Facts = BTreeMap<Place, String>;

/// What a statement is about.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The method or definition.
    pub owner: Owner,
    /// Which part of it.
    pub part: Part,
}

/// A method or definition.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Owner {
    /// All messages of a kind.
    Messages(Kind),
    /// A method.
    Method(Kind, String),
    /// A definition.
    Definition(String),
}

/// A part of a method or definition.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// That it is there, and what it is.
    Whole,
    /// A variant of a tagged union.
    Variant(String),
    /// A member: of the variant that is named, or of all.
    Member(Option<String>, String),
    /// A kind or value.
    Value(String),
    /// A kind with content.
    Content(String),
    /// A variant without a tag.
    Alternative(String),
    /// Of which members at least one is there: in the variant that is named, or in all.
    Choice(Option<String>),
    /// What answers a request.
    Result,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.owner {
            Owner::Messages(kind) => write!(f, "every {}", kind.words())?,
            Owner::Method(kind, method) => write!(f, "{} {method}", kind.words())?,
            Owner::Definition(name) => f.write_str(name)?,
        }
        match &self.part {
            Part::Whole => Ok(()),
            Part::Variant(tag) => write!(f, "::{tag}"),
            Part::Member(Some(tag), name) => write!(f, "::{tag}.{name}"),
            Part::Member(None, name) => write!(f, ".{name}"),
            Part::Value(value) => write!(f, " \"{value}\""),
            Part::Content(kind) => write!(f, " {{\"{kind}\"}}"),
            Part::Alternative(shape) => write!(f, " | {shape}"),
            Part::Choice(Some(tag)) => write!(f, "::{tag} at least one of"),
            Part::Choice(None) => f.write_str(" at least one of"),
            Part::Result => f.write_str(" result"),
        }
    }
}

impl Snapshot {
    /// The facts of a document.
    pub fn facts(&self) -> Facts {
        let mut facts = Facts::new();
        for ((kind, name), signature) in &self.beside {
            let part = Part::Member(None, name.clone());
            state(&mut facts, &Owner::Messages(*kind), part, stated(signature));
        }
        for ((kind, method), params) in &self.methods {
            let owner = Owner::Method(*kind, method.clone());
            state(&mut facts, &owner, Part::Whole, String::new());
            if let Some(params) = params {
                let part = Part::Member(None, "params".to_owned());
                state(&mut facts, &owner, part, stated(params));
            }
        }
        for (name, body) in &self.definitions {
            definition(&mut facts, &Owner::Definition(name.clone()), body);
        }
        facts
    }
}

fn state(facts: &mut Facts, owner: &Owner, part: Part, statement: String) {
    let owner = owner.clone();
    facts.insert(Place { owner, part }, statement);
}

fn definition(facts: &mut Facts, owner: &Owner, body: &Body) {
    match body {
        Body::Object(members) => {
            state(facts, owner, Part::Whole, closedness("object", members));
            object(facts, owner, None, &members.members);
            choice(facts, owner, None, members);
        }
        Body::Tagged {
            tag,
            base,
            branches,
        } => {
            state(facts, owner, Part::Whole, format!("tagged by {tag}"));
            object(facts, owner, None, base);
            for (tag, branch) in branches {
                let part = Part::Variant(tag.clone());
                state(facts, owner, part, closedness("", branch));
                object(facts, owner, Some(tag), &branch.members);
                choice(facts, owner, Some(tag), branch);
            }
        }
        Body::ExternallyTagged { branches, open } => {
            let openness = if *open { "open list" } else { "list" };
            state(facts, owner, Part::Whole, openness.to_owned());
            for (tag, contents) in branches {
                if contents.contains(&None) {
                    state(facts, owner, Part::Value(tag.clone()), String::new());
                }
                let contents: Vec<String> =
                    contents.iter().flatten().map(Type::to_string).collect();
                if !contents.is_empty() {
                    let part = Part::Content(tag.clone());
                    state(facts, owner, part, contents.join(" | "));
                }
            }
        }
        Body::Several(bodies) => {
            bodies
                .iter()
                .for_each(|body| definition(facts, owner, body));
            let forms = format!("{} forms", bodies.len());
            state(facts, owner, Part::Whole, forms);
        }
        Body::AnyOf(branches) => {
            state(facts, owner, Part::Whole, "one of several".to_owned());
            for branch in branches {
                let part = Part::Alternative(branch.to_string());
                state(facts, owner, part, String::new());
            }
        }
    }
}

fn closedness(what: &str, members: &Members) -> String {
    if members.others {
        return "object with others beside".to_owned();
    }
    match (members.closed, what) {
        (false, _) => what.to_owned(),
        (true, "") => "closed".to_owned(),
        (true, _) => format!("closed {what}"),
    }
}

fn object(
    facts: &mut Facts,
    owner: &Owner,
    variant: Option<&String>,
    members: &BTreeMap<String, Signature>,
) {
    for (name, signature) in members {
        let part = Part::Member(variant.cloned(), name.clone());
        state(facts, owner, part, stated(signature));
    }
}

fn choice(facts: &mut Facts, owner: &Owner, variant: Option<&String>, members: &Members) {
    if !members.choice.is_empty() {
        let part = Part::Choice(variant.cloned());
        state(facts, owner, part, choice_text(&members.choice));
    }
}

/// A signature with whether the member may be left out.
fn stated(signature: &Signature) -> String {
    if signature.optional {
        format!("optional {signature}")
    } else {
        signature.to_string()
    }
}

/// A place of which two documents say different things.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The place.
    pub place: Place,
    /// What the first says; `None` where it does not have it.
    pub first: Option<String>,
    /// What the second says.
    pub second: Option<String>,
}

/// Where two documents differ.
pub fn differences(first: &Facts, second: &Facts) -> Vec<Difference> {
    let places: BTreeSet<&Place> = first.keys().chain(second.keys()).collect();
    places
        .into_iter()
        .filter(|place| first.get(*place) != second.get(*place))
        .map(|place| Difference {
            place: place.clone(),
            first: first.get(place).cloned(),
            second: second.get(place).cloned(),
        })
        .collect()
}
