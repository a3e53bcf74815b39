//! Lists the methods of the app-server: who sends each, its params, its result, and its releases.

use codex_wire_base::shape::Lifetime;
use codex_wire_base::{Protocol, Release, Surface};
use serde_json::{Map, Value, json};

use crate::annotations::{lifetime_beside, lifetimes_in};
use crate::documents::annotated;

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
    pub life: Lifetime,
    /// The releases in which only clients that opted into the experimental API have it.
    pub experimental: Vec<Lifetime>,
}

impl Method {
    /// Whether it is part of the experimental API in `release`.
    pub fn is_experimental(&self, release: Release) -> bool {
        self.experimental.iter().any(|life| life.contains(release))
    }
}

/// All methods, by who sends them, kind and name.
pub fn methods() -> Vec<Method> {
    let groups = [
        (Surface::AppServerClientRequests, false, MethodKind::Request),
        (
            Surface::AppServerClientNotifications,
            false,
            MethodKind::Notification,
        ),
        (Surface::AppServerServerRequests, true, MethodKind::Request),
        (
            Surface::AppServerServerNotifications,
            true,
            MethodKind::Notification,
        ),
    ];
    let mut out = Vec::new();
    for (surface, by_codex, kind) in groups {
        let answers = match (kind, by_codex) {
            (MethodKind::Notification, _) => None,
            (MethodKind::Request, true) => Some(Surface::AppServerClientResponses),
            (MethodKind::Request, false) => Some(Surface::AppServerServerResponses),
        };
        for arm in arms(surface) {
            let Some(name) = arm["x-tag"].as_str() else {
                continue;
            };
            let definition = definition(surface, arm);
            let answer = answers.and_then(|answers| {
                let arm = arms(answers).find(|arm| arm["x-tag"] == name)?;
                Some(&self::definition(answers, arm)["properties"]["result"])
            });
            let life = lifetime_beside(arm);
            out.push(Method {
                name,
                by_codex,
                kind,
                about: definition["description"].as_str().unwrap_or_default(),
                params: named(surface, &definition["properties"]["params"]),
                results: match (answers, answer) {
                    (Some(surface), Some(answer)) => named(surface, answer),
                    _ => Vec::new(),
                },
                life,
                experimental: arm
                    .get("x-experimental")
                    .map_or_else(Vec::new, lifetimes_in),
            });
        }
    }
    out.sort_by_key(|method| (method.by_codex, method.kind, method.name));
    out
}

fn arms(surface: Surface) -> impl Iterator<Item = &'static Value> {
    annotated(surface).top()["oneOf"]
        .as_array()
        .into_iter()
        .flatten()
}

fn definition(surface: Surface, arm: &Value) -> &'static Value {
    let name = arm["$ref"].as_str().and_then(|r| r.rsplit('/').next());
    let definition = name.and_then(|name| annotated(surface).definition(name));
    definition.unwrap_or(&Value::Null)
}

/// The definitions a member can be. Shapes that only tell releases apart are looked through.
fn named(surface: Surface, member: &'static Value) -> Vec<&'static str> {
    let inner = match member["allOf"].as_array().map(Vec::as_slice) {
        Some([only]) => only,
        _ => member,
    };
    let Some(name) = inner["$ref"].as_str().and_then(|r| r.rsplit('/').next()) else {
        return Vec::new();
    };
    let definition = annotated(surface).definition(name).unwrap_or(&Value::Null);
    match definition["anyOf"].as_array() {
        Some(arms) if !definition.get("title").is_some_and(Value::is_string) => {
            arms.iter().flat_map(|arm| named(surface, arm)).collect()
        }
        _ => vec![name],
    }
}

/// The index as it is published.
pub(crate) fn index() -> Value {
    let timeline = Protocol::AppServer.timeline();
    let methods: Vec<Value> = methods()
        .into_iter()
        .map(|method| {
            let last = method.life.until.unwrap_or(timeline.latest());
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
            let since = method.life.since.unwrap_or(timeline.first());
            line.insert("since".into(), json!(since.to_string()));
            let until = method.life.until.map(|until| until.to_string());
            line.insert("until".into(), json!(until));
            line.insert("description".into(), json!(method.about));
            Value::Object(line)
        })
        .collect();
    json!({
        "version": 1,
        "releases": {
            "since": timeline.first().to_string(),
            "until": timeline.latest().to_string(),
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
