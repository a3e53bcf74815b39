//! Loads the two sides of a comparison: a release, or schema documents of any origin.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use codex_wire_base::pointer::escaped;
use codex_wire_base::{MessageSet, Protocol, Release};
use codex_wire_schema::{
    Draft, Method, Profile, ReleaseRange, Stability, methods, project, release_ranges,
};
use serde_json::{Value, json};

use crate::change::Direction;
use crate::document::{Document, id_of, normalised};
use crate::nodes::is_folder;
use crate::official;

/// Why documents cannot be compared.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The document is not a JSON Schema.
    #[error("{name}: not a JSON Schema: it is not an object and has no definitions")]
    NoSchema {
        /// The name of the document.
        name: String,
    },
    /// There is no schema among the documents.
    #[error("{name}: no JSON Schema in it")]
    Nothing {
        /// The name of the side.
        name: String,
    },
    /// Comparing would take more than is reasonable.
    #[error("{before} and {after} are not compared: {limit}")]
    TooMuch {
        /// The name of the older side.
        before: String,
        /// The name of the newer side.
        after: String,
        /// What is too much, and how much is allowed.
        limit: String,
    },
    /// The two sides have no part in common.
    #[error("{before} and {after} describe different things: {parts}")]
    NothingInCommon {
        /// The name of the older side.
        before: String,
        /// The name of the newer side.
        after: String,
        /// What each of them describes.
        parts: String,
    },
}

/// One side of a comparison.
#[derive(Clone, Debug)]
pub struct Side {
    pub(crate) name: String,
    /// By message set, or by the name of the file.
    pub(crate) parts: BTreeMap<String, Part>,
    /// Whether all there is to compare is in it: missing messages are gone.
    pub(crate) whole: bool,
    /// Whether the names of its definitions are those others write code against.
    pub(crate) foreign: bool,
    /// The release it is, if it is one.
    pub(crate) release: Option<Release>,
}

#[derive(Clone, Debug)]
pub(crate) struct Part {
    pub(crate) document: Document,
    /// Who writes what it describes; both where that is not known.
    pub(crate) directions: &'static [Direction],
    /// The methods that belong to the experimental API.
    pub(crate) experimental: Vec<&'static str>,
    /// Whether it describes answers, which come and go with their requests.
    pub(crate) answers: bool,
    /// Whether a union it begins with is one of messages.
    pub(crate) unions: bool,
    /// Whether it is of what Codex itself generates.
    official: bool,
    /// The releases that speak like it, where it is of a release.
    range: Option<ReleaseRange>,
}

/// The message sets of a protocol in a release: what [`Side::release`] takes to compare the whole
/// protocol. `exec` had the legacy dialect only, then both for one release, and since then only the
/// current one. The list is empty for a release that no longer speaks the protocol.
pub fn message_sets(protocol: Protocol, release: Release) -> &'static [MessageSet] {
    let spoken = |message_set: MessageSet| {
        let release_list = message_set.release_list();
        release >= release_list.first()
            && (message_set.is_current() || release <= release_list.latest())
    };
    match protocol {
        Protocol::Rollout if spoken(MessageSet::RolloutEarly) => {
            MessageSet::RolloutEarly.conversation()
        }
        Protocol::Exec => match (spoken(MessageSet::Exec), spoken(MessageSet::ExecLegacy)) {
            (true, true) => protocol.message_sets(),
            (false, true) => MessageSet::ExecLegacy.conversation(),
            _ => MessageSet::Exec.conversation(),
        },
        protocol if spoken(protocol.into()) => MessageSet::from(protocol).conversation(),
        _ => &[],
    }
}

impl Side {
    /// What a release speaks in these message sets. An unlisted release is treated as the listed
    /// release before it.
    pub fn release(message_sets: &[MessageSet], release: Release, stability: Stability) -> Side {
        Side::release_beside(message_sets, release, stability, None)
    }

    /// The same with a neighbour at hand: what both releases speak alike is made once.
    pub(crate) fn release_beside(
        message_sets: &[MessageSet],
        release: Release,
        stability: Stability,
        neighbour: Option<&Side>,
    ) -> Side {
        let part = |message_set: &MessageSet| {
            let name = message_set.as_str();
            let range = release_ranges(*message_set)
                .iter()
                .find(|range| range.contains(release));
            let alike = neighbour.and_then(|neighbour| neighbour.parts.get(name));
            let alike = alike.filter(|part| range.is_some() && part.range == range.copied());
            let document = match alike {
                Some(part) => part.document.clone(),
                None => {
                    let schema = project(
                        *message_set,
                        release,
                        Profile::Known,
                        Draft::Draft202012,
                        stability,
                    );
                    Document::new(normalised(schema))
                }
            };
            let mut part = Part::new(*message_set, document);
            part.range = range.copied();
            if stability == Stability::Experimental {
                part.experimental = experimental(*message_set, release);
            }
            (name.to_owned(), part)
        };
        Side {
            name: release.to_string(),
            parts: message_sets.iter().map(part).collect(),
            whole: true,
            foreign: false,
            release: Some(release),
        }
    }

    /// A schema document: one of ours, an official bundle, or any other.
    ///
    /// The writer of its messages follows from the id of our documents and from the unions of a
    /// bundle; other documents count as written by both sides. `name` is its name in reports.
    ///
    /// # Errors
    /// When it is not a JSON Schema.
    pub fn document(name: impl Into<String>, schema: Value) -> Result<Side, Error> {
        let name = name.into();
        let parts =
            parts_of("schema", schema).ok_or_else(|| Error::NoSchema { name: name.clone() })?;
        Ok(Side {
            name,
            parts,
            whole: false,
            foreign: true,
            release: None,
        })
    }

    /// The schema documents of a folder, by their paths below it. Files that are not schemas are
    /// skipped, and so are duplicates in another form: of published projections only the exact
    /// ones in the newer draft are compared, and of what Codex generates only the most complete bundle.
    ///
    /// # Errors
    /// When there is none.
    pub fn folder(
        name: impl Into<String>,
        files: impl IntoIterator<Item = (String, Value)>,
    ) -> Result<Side, Error> {
        let name = name.into();
        let mut parts = BTreeMap::new();
        let (files, official) = official::once(files.into_iter().collect());
        for (path, schema) in files {
            let closed = [Some(Profile::Exact), Some(Profile::Known)];
            let rendering = id_of(&schema).is_some_and(|id| {
                id.draft == Draft::Draft07 || id.is_stable || !closed.contains(&id.profile)
            });
            if schema.get("$schema").is_some() && !rendering {
                parts.extend(parts_of(&path, schema).into_iter().flatten());
            }
        }
        if parts.is_empty() {
            return Err(Error::Nothing { name });
        }
        Ok(Side {
            name,
            parts,
            // What a bundle leaves out is not gone.
            whole: !official,
            foreign: true,
            release: None,
        })
    }

    /// Renames the side, for example to the name of a fork.
    #[must_use]
    pub fn named(mut self, name: impl Into<String>) -> Side {
        self.name = name.into();
        self
    }

    /// Sets the writer of those messages whose document does not say who writes them.
    #[must_use]
    pub fn written_by(mut self, direction: Direction) -> Side {
        for part in self.parts.values_mut() {
            if part.directions.len() > 1 {
                part.directions = one(direction);
            }
        }
        self
    }

    /// Whether any of it is what Codex itself generates.
    pub(crate) fn is_official(&self) -> bool {
        self.parts.values().any(|part| part.official)
    }

    /// The part of a document that describes one thing.
    pub(crate) fn alone(&self) -> Option<&Part> {
        let mut parts = self.parts.values();
        match (parts.next(), parts.next()) {
            (Some(only), None) if self.foreign && !self.whole => Some(only),
            _ => None,
        }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }
}

fn one(direction: Direction) -> &'static [Direction] {
    match direction {
        Direction::CodexWrites => &[Direction::CodexWrites],
        Direction::ClientWrites => &[Direction::ClientWrites],
    }
}

impl Part {
    fn new(message_set: MessageSet, document: Document) -> Self {
        let direction = if message_set.is_written() {
            Direction::CodexWrites
        } else {
            Direction::ClientWrites
        };
        Part {
            directions: one(direction),
            answers: matches!(
                message_set,
                MessageSet::AppServerClientResponses | MessageSet::AppServerServerResponses
            ),
            ..Part::of_anyone(document, message_set != MessageSet::AppServerItems)
        }
    }

    /// Whether it is what a release speaks, rather than a document.
    pub(crate) fn is_of_release(&self) -> bool {
        self.range.is_some()
    }

    fn of_anyone(document: Document, unions: bool) -> Self {
        Part {
            document,
            directions: &Direction::ALL,
            experimental: Vec::new(),
            answers: false,
            unions,
            official: false,
            range: None,
        }
    }

    /// What has no messages.
    pub(crate) fn nothing() -> Self {
        Part::of_anyone(Document::new(json!({"oneOf": []})), true)
    }
}

/// The methods of a message set that `release` promises only to clients that opted in.
fn experimental(message_set: MessageSet, release: Release) -> Vec<&'static str> {
    let release = message_set.release_list().floor(release).unwrap_or(release);
    let requests = matches!(
        message_set,
        MessageSet::AppServerClientRequests
            | MessageSet::AppServerServerRequests
            | MessageSet::AppServerClientNotifications
            | MessageSet::AppServerServerNotifications
    );
    if !requests {
        return Vec::new();
    }
    static METHODS: LazyLock<Vec<Method>> = LazyLock::new(methods);
    METHODS
        .iter()
        .filter(|method| method.is_experimental(release))
        .map(|method| method.name)
        .collect()
}

/// What a document describes, by name. `None` if it is not a schema.
fn parts_of(name: &str, schema: Value) -> Option<BTreeMap<String, Part>> {
    let root = schema.as_object()?;
    let message_set = id_of(&schema).map(|id| id.message_set);
    let describes = [
        "oneOf",
        "anyOf",
        "allOf",
        "properties",
        "$ref",
        "enum",
        "const",
        "items",
    ]
    .iter()
    .any(|key| root.contains_key(*key));
    let definitions = ["$defs", "definitions"]
        .into_iter()
        .find(|key| root.get(*key).is_some_and(Value::is_object));
    if !describes && definitions.is_none() && !root.contains_key("type") {
        return None;
    }
    let bundle = match definitions {
        Some(key) if !describes => Some(key),
        _ => None,
    };
    let mut schema = schema;
    let mut messages: Vec<(&str, MessageSet)> = Vec::new();
    if let Some(definitions) = bundle.and_then(|key| schema.get_mut(key)?.as_object_mut())
        && official::is_bundle(definitions)
    {
        let there = official::MESSAGES.iter().copied();
        messages.extend(there.filter(|(name, _)| definitions.contains_key(*name)));
        messages.extend(official::with_answers(
            definitions,
            bundle.unwrap_or_default(),
        ));
    }
    // A file of a folder that Codex generates holds one of the unions alone.
    let title = schema.get("title").and_then(Value::as_str);
    let file = official::MESSAGES
        .iter()
        .find(|(union, _)| message_set.is_none() && bundle.is_none() && title == Some(union))
        .map(|(_, message_set)| *message_set)
        .filter(|_| definitions == Some("definitions"));
    let message_set = message_set.or(file);
    let document = Document::new(normalised(schema));
    let Some(key) = bundle else {
        let mut part = match message_set {
            Some(message_set) => Part::new(message_set, document),
            None => Part::of_anyone(document, true),
        };
        part.official = file.is_some();
        let name = message_set.map_or_else(
            || name.to_owned(),
            |message_set| message_set.as_str().to_owned(),
        );
        return Some([(name, part)].into());
    };
    let definitions = document.base.get(key).and_then(Value::as_object)?;
    let official: BTreeMap<String, Part> = messages
        .into_iter()
        .map(|(union, message_set)| {
            let document = document.from(format!("/{key}/{union}"));
            let mut part = Part::new(message_set, document);
            part.official = true;
            (message_set.as_str().to_owned(), part)
        })
        .collect();
    if !official.is_empty() {
        return Some(official);
    }
    // Nothing says what is a message: every definition may be one.
    let mut out = BTreeMap::new();
    for (name, definition) in definitions {
        match definition.as_object() {
            Some(folder) if is_folder(folder) => {
                for inner in folder.keys() {
                    let start = format!("/{key}/{}/{}", escaped(name), escaped(inner));
                    out.insert(
                        format!("{name}/{inner}"),
                        Part::of_anyone(document.from(start), false),
                    );
                }
            }
            _ => {
                let start = format!("/{key}/{}", escaped(name));
                out.insert(name.clone(), Part::of_anyone(document.from(start), false));
            }
        }
    }
    Some(out)
}
