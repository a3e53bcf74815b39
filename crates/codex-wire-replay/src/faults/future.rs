//! What later releases added, from the schema model; invented where nothing came.

use codex_wire_base::{MessageSet, Protocol, Release};
use codex_wire_schema::ir::{Availability, Kind, Object, Schema, Tagged, Variant};
use codex_wire_schema::{Document, annotated};
use serde_json::Value;

use super::random::Random;
use super::sample::Sample;

/// What came after one release.
#[derive(Clone, Debug)]
pub(super) struct Future {
    protocol: Protocol,
    release: Release,
    random: Random,
}

/// Which kinds of message a line is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Written {
    /// An event of `codex exec`, or a notification.
    Message,
    /// A request of Codex.
    Request,
    /// A response.
    Response,
}

/// Members whose value a client acts on: they keep theirs.
const DECIDING: &[&str] = &[
    "codexErrorInfo",
    "decision",
    "error",
    "phase",
    "reason",
    "role",
    "tool",
    "type",
];

/// Kinds of item that are new names of older ones.
const RENAMED: &[&str] = &["agent_message"];

/// The events in which an item has not ended. Elsewhere its status says how it did.
const BEGINNINGS: &[&str] = &["item.started", "item.updated"];

impl Future {
    pub(super) fn new(protocol: Protocol, release: Option<Release>, random: Random) -> Self {
        let list = protocol.release_list();
        let release = release.and_then(|release| list.floor(release));
        Future {
            protocol,
            release: release.unwrap_or_else(|| list.latest()),
            random,
        }
    }

    pub(super) fn release(&self) -> Release {
        self.release
    }

    /// The member that holds what a message is about; empty if the message itself does.
    pub(super) fn body(&self, written: Written) -> &'static [&'static str] {
        match (self.protocol, written) {
            (Protocol::AppServer, Written::Response) => &["result"],
            (Protocol::AppServer, _) => &["params"],
            _ => &[],
        }
    }

    /// A member that a later release added to the body of a message.
    pub(super) fn member(
        &mut self,
        written: Written,
        kind: &str,
        has: &dyn Fn(&str) -> bool,
    ) -> (String, String) {
        let found = self.object(written, kind);
        self.member_of(found, has)
    }

    /// A member that a later release added to an item.
    pub(super) fn member_of_item(
        &mut self,
        kind: &str,
        tag: &str,
        has: &dyn Fn(&str) -> bool,
    ) -> (String, String) {
        let found = self.items(kind).and_then(|(document, union)| {
            let variant = union.variants.iter().find(|v| *v.tag == *tag)?;
            Some((document, document.schema(&variant.definition)?.object()?))
        });
        self.member_of(found, has)
    }

    fn member_of(
        &mut self,
        found: Option<(&'static Document, &'static Object)>,
        has: &dyn Fn(&str) -> bool,
    ) -> (String, String) {
        let mut later = Vec::new();
        if let Some((document, object)) = found {
            for member in &object.members {
                let Some(release) = self
                    .since(&member.availability)
                    .filter(|_| !has(&member.name))
                else {
                    continue;
                };
                // A name of something that does not exist would be another message, and so would an error
                // after which nothing is tried again.
                let name = &member.name;
                if name.ends_with("Id") || name.ends_with("_id") || *name == "willRetry" {
                    continue;
                }
                let sample = Sample {
                    document,
                    release,
                    known: &|_| None,
                };
                if let Some(json) = sample.member(member, 0) {
                    later.push((member.name.to_string(), json));
                }
            }
        }
        match self.pick(later) {
            Some(member) => member,
            None => (
                self.invented("future_member", "futureMember"),
                "{\"since\":\"the future\"}".to_owned(),
            ),
        }
    }

    /// A message of a kind that came later. `known` has the names of this turn.
    pub(super) fn message(&mut self, known: &dyn Fn(&str) -> Option<String>) -> String {
        let document = annotated(self.set(Written::Message));
        let mut later = Vec::new();
        for variant in document
            .root()
            .tagged()
            .into_iter()
            .flat_map(|union| &union.variants)
        {
            let Some(release) = self.since(&variant.availability) else {
                continue;
            };
            let object = document
                .schema(&variant.definition)
                .and_then(Schema::object);
            let sample = Sample {
                document,
                release,
                known,
            };
            let tag = self.tag();
            if let Some(json) = object.and_then(|o| sample.object(o, Some((tag, &variant.tag)), 0))
            {
                // A turn that this client did not start would not be this turn.
                let begins = |start: &&str| variant.tag.starts_with(start);
                if !["turn", "thread", "item."].iter().any(begins) {
                    later.push(json);
                }
            }
        }
        if let Some(message) = self.pick(later) {
            return message;
        }
        match self.protocol {
            Protocol::AppServer => {
                let names = ["threadId", "turnId"];
                let names = names
                    .into_iter()
                    .filter_map(|name| Some(format!("\"{name}\":{}", known(name)?)));
                let names: Vec<String> = names.collect();
                format!(
                    "{{\"method\":\"future/happened\",\"params\":{{{}}}}}",
                    names.join(",")
                )
            }
            _ => "{\"type\":\"future.happened\"}".to_owned(),
        }
    }

    /// An item of a kind that came later: as it starts, and as it completes.
    pub(super) fn item(&mut self, id: &str, known: &dyn Fn(&str) -> Option<String>) -> Vec<String> {
        let (start, end) = match self.protocol {
            Protocol::AppServer => ("item/started", "item/completed"),
            _ => ("item.started", "item.completed"),
        };
        let id = Value::from(id).to_string();
        let mut later = Vec::new();
        if let Some((document, union)) = self.items(start) {
            for variant in &union.variants {
                let since = self.since(&variant.availability);
                let Some(release) = since.filter(|_| !RENAMED.contains(&&*variant.tag)) else {
                    continue;
                };
                let object = document
                    .schema(&variant.definition)
                    .and_then(Schema::object);
                let with = |status: &str| {
                    let known = |name: &str| match name {
                        "id" => Some(id.clone()),
                        "status" => Some(Value::from(status).to_string()),
                        _ => known(name),
                    };
                    let sample = Sample {
                        document,
                        release,
                        known: &known,
                    };
                    sample.object(object?, Some((&union.tag, &variant.tag)), 0)
                };
                // `codex exec` starts only what has a status.
                let starts = object.is_some_and(|object| object.member("status").is_some());
                let running = self.invented("in_progress", "inProgress");
                if let (Some(started), Some(completed)) = (with(&running), with("completed")) {
                    later.push((started, completed, starts));
                }
            }
        }
        let (started, completed, starts) = self.pick(later).unwrap_or_else(|| {
            let tag = self.invented("future_item", "futureItem");
            let item = format!("{{\"type\":\"{tag}\",\"id\":{id}}}");
            (item.clone(), item, true)
        });
        let starts = starts || self.protocol == Protocol::AppServer;
        let kinds = [(start, started), (end, completed)].into_iter();
        let kinds = kinds.filter(|(kind, _)| starts || *kind == end);
        kinds
            .filter_map(|(kind, item)| self.around(kind, &item, known))
            .collect()
    }

    /// The message of this release that has an item.
    fn around(
        &self,
        kind: &str,
        item: &str,
        known: &dyn Fn(&str) -> Option<String>,
    ) -> Option<String> {
        let document = annotated(self.set(Written::Message));
        let variant = document.root().tagged()?.variant(kind)?;
        let object = document.schema(&variant.definition)?.object()?;
        let known = |name: &str| match name {
            "item" => Some(item.to_owned()),
            _ => known(name),
        };
        let sample = Sample {
            document,
            release: self.release,
            known: &known,
        };
        sample.object(object, Some((self.tag(), kind)), 0)
    }

    /// A place in a message that holds a value of an enumeration, and a value that came later.
    pub(super) fn value(
        &mut self,
        written: Written,
        kind: &str,
        line: &Value,
    ) -> Option<(Vec<String>, String)> {
        let document = annotated(self.set(written));
        let variant = document.root().tagged()?.variant(kind)?;
        let mut places = Vec::new();
        let start = document.schema(&variant.definition)?;
        self.places(document, start, line, &mut Vec::new(), &mut places);
        let may_change = |path: &[String]| {
            let has = |names: &[&str]| path.iter().any(|name| names.contains(&name.as_str()));
            let is_status = path.last().is_some_and(|name| name == "status");
            !has(DECIDING) && (!is_status || (BEGINNINGS.contains(&kind) && has(&["item"])))
        };
        places.retain(|(path, _)| may_change(path));
        // A value that really came is better than an invented one.
        let really: Vec<_> = places
            .iter()
            .filter(|(_, values)| !values.is_empty())
            .cloned()
            .collect();
        let (path, values) = self.pick(if really.is_empty() { places } else { really })?;
        let value = self.pick(values);
        let value = value.unwrap_or_else(|| self.invented("future_value", "futureValue"));
        Some((path, value))
    }

    /// The enumerations in a value, each with the values that came later.
    fn places(
        &self,
        document: &'static Document,
        schema: &'static Schema,
        value: &Value,
        path: &mut Vec<String>,
        out: &mut Vec<(Vec<String>, Vec<String>)>,
    ) {
        let schema = document.resolve(schema);
        match (&schema.kind, value) {
            (Kind::Enum(values), Value::String(_)) => {
                let later = values
                    .iter()
                    .filter(|v| self.since(&v.availability).is_some());
                out.push((path.clone(), later.map(|v| v.value.to_string()).collect()));
            }
            (Kind::Object(object), Value::Object(members)) => {
                for (name, value) in members {
                    if let Some(member) = object.member(name) {
                        path.push(name.clone());
                        self.places(document, &member.schema, value, path, out);
                        path.pop();
                    }
                }
            }
            (Kind::Tagged(union), Value::Object(members)) => {
                let names = union.spellings.iter().map(|spelling| &*spelling.name);
                let tag = names
                    .chain([&*union.tag])
                    .find_map(|name| members.get(name)?.as_str());
                let variant = tag.and_then(|tag| union.variant(tag));
                if let Some(inner) = variant.and_then(|v| document.schema(&v.definition)) {
                    self.places(document, inner, value, path, out);
                }
            }
            (Kind::Untagged(variants), _) => {
                let mut variants = variants.iter();
                if let Some(variant) = variants.find(|v| v.availability.contains(self.release)) {
                    self.places(document, &variant.schema, value, path, out);
                }
            }
            _ => {}
        }
    }

    /// The object that the body of a message is.
    fn object(&self, written: Written, kind: &str) -> Option<(&'static Document, &'static Object)> {
        let document = annotated(self.set(written));
        let variant = document.root().tagged()?.variant(kind)?;
        let message = document.schema(&variant.definition)?;
        let body = match self.body(written).first() {
            Some(name) => self.resolved(document, &message.member(name)?.schema),
            None => message,
        };
        Some((document, body.object()?))
    }

    /// The union of the items in a message.
    fn items(&self, kind: &str) -> Option<(&'static Document, &'static Tagged)> {
        let (document, body) = self.object(Written::Message, kind)?;
        let item = self.resolved(document, &body.member("item")?.schema);
        Some((document, item.tagged()?))
    }

    /// What a schema is in this release.
    fn resolved(&self, document: &'static Document, schema: &'static Schema) -> &'static Schema {
        let schema = document.resolve(schema);
        let own = schema.variants().find_map(|variant| match variant {
            Variant::Untagged(variant) if variant.availability.contains(self.release) => {
                Some(&variant.schema)
            }
            _ => None,
        });
        own.map_or(schema, |own| document.resolve(own))
    }

    /// Since when a later release has it; `None` if this one has it, or had it.
    fn since(&self, availability: &Availability) -> Option<Release> {
        availability
            .range
            .since
            .filter(|since| *since > self.release)
    }

    fn set(&self, written: Written) -> MessageSet {
        match (self.protocol, written) {
            (Protocol::AppServer, Written::Message) => MessageSet::AppServerServerNotifications,
            (Protocol::AppServer, Written::Request) => MessageSet::AppServerServerRequests,
            (Protocol::AppServer, Written::Response) => MessageSet::AppServerServerResponses,
            _ => MessageSet::Exec,
        }
    }

    /// The member that tells kinds of message apart.
    fn tag(&self) -> &'static str {
        match self.protocol {
            Protocol::AppServer => "method",
            _ => "type",
        }
    }

    fn invented(&self, exec: &str, app_server: &str) -> String {
        match self.protocol {
            Protocol::AppServer => app_server.to_owned(),
            _ => exec.to_owned(),
        }
    }

    fn pick<T>(&mut self, mut of: Vec<T>) -> Option<T> {
        match of.len() {
            0 => None,
            many => Some(of.swap_remove(self.random.below(many))),
        }
    }
}
