//! Lists the methods of the app-server: who sends each, its params, its result, and its releases.

use codex_wire_base::shape::ReleaseBounds;
use codex_wire_base::{MessageSet, Protocol, Release};
use serde_json::{Map, Value, json};

use crate::documents::annotated;
use crate::ir::{Kind, Schema};

/// What kind of message a method is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MethodKind {
    /// A request, which has a response.
    Request,
    /// A notification, which has none.
    Notification,
}

impl MethodKind {
    /// The word in the index.
    pub fn as_str(self) -> &'static str {
        match self {
            MethodKind::Request => "request",
            MethodKind::Notification => "notification",
        }
    }
}

/// A method of the app-server protocol.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Method {
    /// The name on the wire.
    pub name: &'static str,
    /// Whether Codex sends it; otherwise the client does.
    pub by_codex: bool,
    /// Whether it is a request or a notification.
    pub kind: MethodKind,
    /// What it is for.
    pub about: &'static str,
    /// The definitions that its params can have; empty if it has no params.
    pub params: Vec<&'static str>,
    /// The definitions that its result can have; empty for notifications.
    pub results: Vec<&'static str>,
    /// The releases that have it, both ends included.
    pub availability: ReleaseBounds,
    /// The releases in which only clients that opted into the experimental API have it.
    pub experimental: Vec<ReleaseBounds>,
}

impl Method {
    /// Whether it is part of the experimental API in `release`.
    pub fn is_experimental(&self, release: Release) -> bool {
        self.experimental
            .iter()
            .any(|availability| availability.contains(release))
    }
}

/// All methods, by who sends them, kind and name.
pub fn methods() -> Vec<Method> {
    let groups = [
        (
            MessageSet::AppServerClientRequests,
            false,
            MethodKind::Request,
        ),
        (
            MessageSet::AppServerClientNotifications,
            false,
            MethodKind::Notification,
        ),
        (
            MessageSet::AppServerServerRequests,
            true,
            MethodKind::Request,
        ),
        (
            MessageSet::AppServerServerNotifications,
            true,
            MethodKind::Notification,
        ),
    ];
    let mut out = Vec::new();
    for (message_set, by_codex, kind) in groups {
        let answers = match (kind, by_codex) {
            (MethodKind::Notification, _) => None,
            (MethodKind::Request, true) => Some(MessageSet::AppServerClientResponses),
            (MethodKind::Request, false) => Some(MessageSet::AppServerServerResponses),
        };
        let union = annotated(message_set).root().tagged();
        for variant in union.into_iter().flat_map(|union| &union.variants) {
            let definition = annotated(message_set).schema(&variant.definition);
            let params = definition.and_then(|message| message.member("params"));
            let results = answers.and_then(|answers| {
                let answer = annotated(answers).root().tagged()?.variant(&variant.tag)?;
                let answer = annotated(answers).schema(&answer.definition)?;
                Some(named(answers, &answer.member("result")?.schema))
            });
            let about = definition.and_then(|message| message.description.as_deref());
            out.push(Method {
                name: &variant.tag,
                by_codex,
                kind,
                about: about.unwrap_or_default(),
                params: params.map_or_else(Vec::new, |params| named(message_set, &params.schema)),
                results: results.unwrap_or_default(),
                availability: variant.availability.range,
                experimental: variant.availability.experimental.clone(),
            });
        }
    }
    out.sort_by_key(|method| (method.by_codex, method.kind, method.name));
    out
}

/// The definitions a member can be. Unions that only tell releases apart are looked through.
fn named(message_set: MessageSet, member: &'static Schema) -> Vec<&'static str> {
    let Some(name) = member.reference() else {
        return Vec::new();
    };
    match annotated(message_set).schema(name) {
        Some(Schema {
            title: None,
            kind: Kind::Untagged(variants),
            ..
        }) => variants
            .iter()
            .flat_map(|variant| named(message_set, &variant.schema))
            .collect(),
        _ => vec![name],
    }
}

/// The index as it is published.
pub(crate) fn index() -> Value {
    let release_list = Protocol::AppServer.release_list();
    let methods: Vec<Value> = methods()
        .into_iter()
        .map(|method| {
            let last = method.availability.until.unwrap_or(release_list.latest());
            let mut line = Map::new();
            line.insert("method".into(), json!(method.name));
            let side = if method.by_codex { "server" } else { "client" };
            line.insert("side".into(), json!(side));
            line.insert("kind".into(), json!(method.kind.as_str()));
            line.insert("params".into(), one_or_more(&method.params));
            if method.kind == MethodKind::Request {
                line.insert("result".into(), one_or_more(&method.results));
            }
            let stability = if method.is_experimental(last) {
                "experimental"
            } else {
                "stable"
            };
            line.insert("stability".into(), json!(stability));
            let since = method.availability.since.unwrap_or(release_list.first());
            line.insert("since".into(), json!(since.to_string()));
            let until = method.availability.until.map(|until| until.to_string());
            line.insert("until".into(), json!(until));
            line.insert("description".into(), json!(method.about));
            Value::Object(line)
        })
        .collect();
    json!({
        "version": 1,
        "releases": {
            "since": release_list.first().to_string(),
            "until": release_list.latest().to_string(),
        },
        "methods": methods,
    })
}

fn one_or_more(names: &[&str]) -> Value {
    match names {
        [] => Value::Null,
        [only] => json!(only),
        several => json!(several),
    }
}
