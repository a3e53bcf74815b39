//! The model: facts, each with its releases.

use std::collections::BTreeMap;

use codex_wire::Release;

use crate::availability::Availability;
use crate::snapshot::{Choice, Kind};
use crate::types::{Signature, Type};

/// The spellings a fact has had, each with the releases that used it.
pub type Versions<T> = BTreeMap<T, Availability>;

/// Members by name.
pub type MemberVersions = BTreeMap<String, Versions<Signature>>;

/// Everything known of the protocol.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Model {
    /// The releases folded in, oldest first.
    pub releases: Vec<Release>,
    /// The `params` of each method.
    pub methods: BTreeMap<(Kind, String), Versions<Option<Signature>>>,
    /// The members beside `method` and `params`.
    pub beside: BTreeMap<(Kind, String), Versions<Signature>>,
    /// The definitions. One that changed its form has several.
    pub definitions: BTreeMap<String, Vec<Form>>,
}

/// A definition while it had one form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Form {
    /// The releases.
    pub availability: Availability,
    /// What it is.
    pub body: FormBody,
}

/// The forms of definitions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FormBody {
    /// An object.
    Object(Object),
    /// An object whose further members depend on a tag.
    Tagged {
        /// The name of the tag member.
        tag: String,
        /// The members of every variant.
        base: MemberVersions,
        /// The variants.
        branches: BTreeMap<String, (Availability, Object)>,
    },
    /// `"kind"`, or `{"kind": …}` where there is a type.
    ExternallyTagged {
        /// The kinds.
        branches: BTreeMap<String, Versions<Option<Type>>>,
        /// The releases that take any other string or object too.
        open: Availability,
    },
    /// One of several types, or a name for one.
    AnyOf(Versions<Type>),
}

/// The members of an object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Object {
    /// By name.
    pub members: MemberVersions,
    /// The releases in which Codex refuses members beside these.
    pub closed: Availability,
    /// The releases in which Codex itself writes members beside these.
    pub others: Availability,
    /// Sets of members of which at least one has to be there whole.
    pub choices: Versions<Choice>,
}

impl Model {
    /// The availability of a method: all its versions together.
    pub fn method_availability(&self, kind: Kind, method: &str) -> Availability {
        let versions = self.methods.get(&(kind, method.to_owned()));
        whole(versions.into_iter().flat_map(BTreeMap::values))
    }

    /// The availability of a definition: all its forms together.
    pub fn definition_availability(&self, name: &str) -> Availability {
        let forms = self.definitions.get(name);
        whole(forms.into_iter().flatten().map(|form| &form.availability))
    }
}

impl FormBody {
    /// The word for it in the model's text.
    pub fn kind(&self) -> &'static str {
        match self {
            FormBody::Object(_) => "object",
            FormBody::Tagged { .. } => "tagged",
            FormBody::ExternallyTagged { .. } => "external",
            FormBody::AnyOf(_) => "any-of",
        }
    }

    /// Calls `visit` with every definition it refers to.
    pub fn references<'a>(&'a self, visit: &mut dyn FnMut(&'a str)) {
        fn members<'a>(members: &'a MemberVersions, visit: &mut dyn FnMut(&'a str)) {
            for signature in members.values().flat_map(BTreeMap::keys) {
                signature.value.references(visit);
            }
        }
        match self {
            FormBody::Object(object) => members(&object.members, visit),
            FormBody::Tagged { base, branches, .. } => {
                members(base, visit);
                branches
                    .values()
                    .for_each(|(_, branch)| members(&branch.members, visit));
            }
            FormBody::ExternallyTagged { branches, .. } => {
                for content in branches.values().flat_map(BTreeMap::keys).flatten() {
                    content.references(visit);
                }
            }
            FormBody::AnyOf(branches) => {
                branches.keys().for_each(|branch| branch.references(visit));
            }
        }
    }
}

/// Several availabilities together.
pub fn whole<'a>(all: impl Iterator<Item = &'a Availability>) -> Availability {
    let mut out = Availability::default();
    all.for_each(|availability| out.extend(availability));
    out
}

/// Notes that releases have a fact.
pub(crate) fn note<T: Ord>(versions: &mut Versions<T>, fact: T, availability: &Availability) {
    versions.entry(fact).or_default().extend(availability);
}
