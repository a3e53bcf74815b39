//! One release as its official document describes it, in the terms of the model.

use std::collections::{BTreeMap, BTreeSet};

use codex_wire::Release;

use crate::types::{Signature, Type};

/// Who sends a method and whether an answer is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A request of the client.
    ClientRequest,
    /// A notification of the client.
    ClientNotification,
    /// A request of the server.
    ServerRequest,
    /// A notification of the server.
    ServerNotification,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Kind; 4] = [
        Kind::ClientRequest,
        Kind::ClientNotification,
        Kind::ServerRequest,
        Kind::ServerNotification,
    ];

    /// The name of the official union of its methods.
    pub fn union(self) -> &'static str {
        match self {
            Kind::ClientRequest => "ClientRequest",
            Kind::ClientNotification => "ClientNotification",
            Kind::ServerRequest => "ServerRequest",
            Kind::ServerNotification => "ServerNotification",
        }
    }

    /// The words in the model's text.
    pub fn words(self) -> &'static str {
        match self {
            Kind::ClientRequest => "client request",
            Kind::ClientNotification => "client notification",
            Kind::ServerRequest => "server request",
            Kind::ServerNotification => "server notification",
        }
    }

    /// Whether an answer is due.
    pub fn is_request(self) -> bool {
        matches!(self, Kind::ClientRequest | Kind::ServerRequest)
    }
}

/// What one official document says: of a release, for clients with or without the
/// experimental API.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    /// The release.
    pub release: Release,
    /// The `params` member of each method; `None` where the method has none.
    pub methods: BTreeMap<(Kind, String), Option<Signature>>,
    /// The members that stand beside `method` and `params` in all messages of a kind.
    pub beside: BTreeMap<(Kind, String), Signature>,
    /// The definitions by name.
    pub definitions: BTreeMap<String, Body>,
}

/// The members of an object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Members {
    /// By name.
    pub members: BTreeMap<String, Signature>,
    /// Whether Codex refuses members beside these.
    pub closed: bool,
    /// Whether Codex itself writes members beside these.
    pub others: bool,
    /// Sets of members of which at least one has to be there whole; empty where none has to.
    pub choice: Choice,
}

/// Sets of members of which at least one is there whole: `{url}` or `{fileId}`.
pub type Choice = BTreeSet<BTreeSet<String>>;

/// What a definition is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Body {
    /// An object.
    Object(Members),
    /// An object whose further members depend on a tag.
    Tagged {
        /// The name of the tag member.
        tag: String,
        /// The members of every variant.
        base: BTreeMap<String, Signature>,
        /// The variants.
        branches: BTreeMap<String, Members>,
    },
    /// `"kind"`, or `{"kind": …}` where a type is given.
    ExternallyTagged {
        /// The kinds.
        branches: BTreeMap<String, BTreeSet<Option<Type>>>,
        /// Whether any other string or object is taken too.
        open: bool,
    },
    /// One of several types, or a name for one.
    AnyOf(BTreeSet<Type>),
    /// Several forms at the same time, in the order of [`FormBody`](crate::model::FormBody). No
    /// official document has such; a correction can say that Codex reads an older form too.
    Several(Vec<Body>),
}

impl Body {
    /// Calls `visit` with every definition it refers to.
    pub fn references<'a>(&'a self, visit: &mut dyn FnMut(&'a str)) {
        let mut members = |members: &'a BTreeMap<String, Signature>| {
            for signature in members.values() {
                signature.value.references(visit);
            }
        };
        match self {
            Body::Object(object) => members(&object.members),
            Body::Tagged { base, branches, .. } => {
                members(base);
                branches
                    .values()
                    .for_each(|branch| members(&branch.members));
            }
            Body::ExternallyTagged { branches, .. } => {
                for content in branches.values().flatten().flatten() {
                    content.references(visit);
                }
            }
            Body::AnyOf(all) => all.iter().for_each(|one| one.references(visit)),
            Body::Several(bodies) => bodies.iter().for_each(|body| body.references(visit)),
        }
    }
}
