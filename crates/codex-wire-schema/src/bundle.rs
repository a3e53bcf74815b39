//! A typed model of one protocol at one release: all its message sets, each definition once.
//!
//! [`project`](crate::project) makes one JSON Schema per message set. A client of the app-server
//! needs seven of them, which repeat hundreds of definitions. A [`Bundle`] has one namespace for
//! all: code generators start from it. It differs from the projections in these ways:
//!
//! - Members that Codex always writes are required, as in the exact profile: types say what is written.
//! - Members, variants and values keep their [`Availability`], so that comments can name it.
//!   Whether a member is required is said by [`Member::optional`] alone.
//! - A definition that Codex writes in one way and reads in another has two names. In the app-server
//!   what Codex reads has its own, since clients make it by that name, and what Codex writes has
//!   `Written` appended. In other protocols what Codex writes has its own, and what it reads `Input`.
//! - Definitions that only tell releases apart are replaced by what they are in this release, under
//!   the name without the releases.
//! - The objects of an untagged union do not refuse the tag of the variant beside them.
//! - Descriptions have no examples in Rust.

mod settle;

use std::collections::{BTreeMap, BTreeSet};

use codex_wire_base::{MessageSet, Release, ReleaseRange};

use crate::bundle_name::BundleName;
use crate::documents::{Document, annotated};
use crate::ir::{Availability, Kind, Member, Schema, Text};
use crate::methods::MethodKind;
use crate::profile::Profile;
use crate::project::{View, as_declared};
use crate::stability::Stability;

/// One protocol at one release.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Bundle {
    /// The protocol.
    pub name: BundleName,
    /// The releases that it is valid for.
    pub releases: ReleaseRange,
    /// Whether it includes the experimental API.
    pub stability: Stability,
    /// The message sets that these releases speak, each with its definition.
    pub roots: Vec<Root>,
    /// All definitions that the roots lead to, by name.
    pub definitions: BTreeMap<Text, Schema>,
    /// The methods of the app-server, by who sends them, kind and name; none in other protocols.
    pub methods: Vec<BundleMethod>,
}

/// What a message of a message set can be.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Root {
    /// The message set.
    pub message_set: MessageSet,
    /// The definition of its messages.
    pub definition: Text,
    /// Whether its messages are lines of the wire. Responses of the app-server are not: they have
    /// the method of their request beside them. Outputs of hooks have the event beside them, and
    /// items are parts of messages.
    pub is_wire: bool,
}

/// A method of the app-server in one release.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct BundleMethod {
    /// The name on the wire.
    pub name: Text,
    /// Whether Codex sends it; otherwise the client does.
    pub by_codex: bool,
    /// Whether it is a request or a notification.
    pub kind: MethodKind,
    /// What it is for.
    pub description: Option<Text>,
    /// The definition of the message: an object with `method` and perhaps `params`.
    pub message: Text,
    /// The member `params` of the message, if it has one.
    pub params: Option<Member>,
    /// What the result of the response is; `None` for notifications.
    pub result: Option<Schema>,
    /// The releases that have it.
    pub availability: Availability,
    /// Whether only clients that opted into the experimental API have it in this release.
    pub is_experimental: bool,
}

impl Bundle {
    /// Makes the bundle of a release. An unlisted release is treated as the listed release before
    /// it; a release older than the protocol as the first one.
    pub fn new(name: BundleName, release: Release, stability: Stability) -> Self {
        let ranges = name.ranges();
        let after = ranges.partition_point(|range| range.since <= release);
        let releases = ranges[after.saturating_sub(1)];
        let mut roots = Vec::new();
        let mut sides: BTreeMap<bool, Side> = BTreeMap::new();
        for set in name.message_sets() {
            if !set.release_list().releases().contains(&releases.since) {
                continue;
            }
            let view = View {
                release: releases.since,
                profile: Profile::Known,
                as_declared: as_declared(*set),
                stability,
                message_set: Some(*set),
                requires_written: set.is_written(),
                keeps_availability: true,
            };
            let side = sides.entry(set.is_written()).or_default();
            let definition = side.add(annotated(*set), &view);
            roots.push((*set, definition));
        }
        sides.values_mut().for_each(Side::settle);
        let written = sides.remove(&true).unwrap_or_default();
        let read = sides.remove(&false).unwrap_or_default();
        let reading_keeps_names = name == BundleName::AppServer;
        let (definitions, renamed) = match reading_keeps_names {
            true => settle::unite(read.definitions, written.definitions, settle::WRITTEN),
            false => settle::unite(written.definitions, read.definitions, settle::READ),
        };
        let roots = roots.into_iter().map(|(message_set, name)| Root {
            message_set,
            definition: match renamed.get(&name) {
                Some(renamed) if message_set.is_written() == reading_keeps_names => renamed.clone(),
                _ => name,
            },
            is_wire: is_wire(message_set),
        });
        let mut bundle = Bundle {
            name,
            releases,
            stability,
            roots: roots.collect(),
            definitions,
            methods: Vec::new(),
        };
        bundle.methods = bundle.find_methods();
        bundle
    }

    /// The definition of the messages of a message set, if the release speaks it.
    pub fn root(&self, message_set: MessageSet) -> Option<&Schema> {
        let mut roots = self.roots.iter();
        let root = roots.find(|root| root.message_set == message_set)?;
        self.definitions.get(&root.definition)
    }

    /// The definitions that a definition leads to, itself included.
    pub fn reached<'s>(&'s self, name: &str) -> BTreeSet<&'s str> {
        settle::reached(&self.definitions, [name])
    }

    fn find_methods(&self) -> Vec<BundleMethod> {
        use MessageSet as M;
        use MethodKind::{Notification, Request};
        let groups = [
            (M::AppServerClientRequests, false, Request),
            (M::AppServerClientNotifications, false, Notification),
            (M::AppServerServerRequests, true, Request),
            (M::AppServerServerNotifications, true, Notification),
        ];
        let mut out = Vec::new();
        for (set, by_codex, kind) in groups {
            let answers = match (kind, by_codex) {
                (Notification, _) => None,
                (Request, true) => self.root(M::AppServerClientResponses),
                (Request, false) => self.root(M::AppServerServerResponses),
            };
            let answers = answers.and_then(Schema::tagged);
            let union = self.root(set).and_then(Schema::tagged);
            for variant in union.into_iter().flat_map(|union| &union.variants) {
                let message = self.definitions.get(&variant.definition);
                let answer = answers.and_then(|union| union.variant(&variant.tag));
                let answer = answer.and_then(|answer| self.definitions.get(&answer.definition));
                let result = answer.and_then(|answer| answer.member("result"));
                out.push(BundleMethod {
                    name: variant.tag.clone(),
                    by_codex,
                    kind,
                    description: message.and_then(|message| message.description.clone()),
                    message: variant.definition.clone(),
                    params: message
                        .and_then(|message| message.member("params"))
                        .cloned(),
                    result: result.map(|result| result.schema.clone()),
                    availability: variant.availability.clone(),
                    is_experimental: variant.availability.is_experimental(self.releases.since),
                });
            }
        }
        out.sort_by(|a, b| (a.by_codex, a.kind, &a.name).cmp(&(b.by_codex, b.kind, &b.name)));
        out
    }
}

/// What one direction of a protocol leads to.
#[derive(Debug, Default)]
struct Side {
    definitions: BTreeMap<Text, Schema>,
    /// The definitions that only tell releases apart.
    selectors: BTreeSet<Text>,
}

impl Side {
    /// Adds what a message set leads to. Returns the name of its messages.
    fn add(&mut self, document: &'static Document, view: &View) -> Text {
        let mut root = view.schema(document.root());
        if view.message_set == Some(MessageSet::Exec) {
            // Its name upstream; that of the core protocol has the short one.
            root.title = Some("ThreadEvent".into());
        }
        let mut waiting: Vec<Text> = Vec::new();
        root.references(&mut |name| waiting.push(name.to_owned().into()));
        while let Some(name) = waiting.pop() {
            if self.definitions.contains_key(&name) {
                continue;
            }
            let Some(schema) = document.schema(&name) else {
                continue;
            };
            if schema.title.is_none() && matches!(schema.kind, Kind::Untagged(_)) {
                self.selectors.insert(name.clone());
            }
            let schema = view.schema(schema);
            schema.references(&mut |name| waiting.push(name.to_owned().into()));
            self.definitions.insert(name, schema);
        }
        let title = root.title.clone().unwrap_or_default();
        // The items of the app-server are also a definition in messages.
        let name = match self.definitions.get(&title) {
            Some(known) if known.kind != root.kind => format!("{title}Message").into(),
            _ => title,
        };
        self.definitions.insert(name.clone(), root);
        name
    }

    fn settle(&mut self) {
        settle::replace_selectors(&mut self.definitions, &self.selectors);
        self.definitions.values_mut().for_each(settle::trim);
    }
}

fn is_wire(message_set: MessageSet) -> bool {
    !matches!(
        message_set,
        MessageSet::AppServerServerResponses
            | MessageSet::AppServerClientResponses
            | MessageSet::AppServerItems
            | MessageSet::HooksOutput
    )
}

#[cfg(test)]
mod tests;
