//! Answers that nobody recorded: the smallest valid answer of a release, made from its schema.

use std::cell::{Cell, RefCell};

use codex_wire_base::{MessageSet, Protocol, Release};
use codex_wire_schema::ir::{Kind, Schema};
use codex_wire_schema::{Parts, Profile, Stability};
use serde_json::Value;

use crate::accepts::accepts;
use crate::compose::ids::Ids;
use crate::compose::json::{Node, object};
use crate::compose::observed::Observed;
use crate::compose::settings::Settings;
use crate::compose::writer::Writer;

const REQUESTS: MessageSet = MessageSet::AppServerClientRequests;
const RESPONSES: MessageSet = MessageSet::AppServerServerResponses;

/// Where an answer says that a server of this machine is. Nobody listens there.
const URL: &str = "http://127.0.0.1/";

/// Makes answers of one release of the app-server.
#[derive(Debug)]
pub(crate) struct Synthesis {
    release: Release,
    requests: Parts,
    writer: Writer,
    ids: RefCell<Ids>,
    settings: Settings,
    /// The name of the model.
    model: String,
}

/// A result that was made.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Made {
    /// The result, as JSON.
    pub(crate) result: String,
    /// The id of the thread that it is about, if that is a new one.
    pub(crate) thread: Option<String>,
}

impl Synthesis {
    /// Makes the answers of a release. A release that is not known answers as the one before it; one
    /// before all of them answers nothing.
    pub(crate) fn new(release: Release, settings: Settings, model: &str) -> Option<Self> {
        let listed = Protocol::AppServer.release_list().floor(release)?;
        let exact = |set| Parts::new(set, listed, Profile::Exact, Stability::Experimental);
        Some(Synthesis {
            release,
            requests: exact(REQUESTS),
            writer: Writer::new(&[RESPONSES], listed),
            // Other ids than those of a script with the same seed.
            ids: RefCell::new(Ids::new(!settings.seed, settings.now_ms)),
            settings,
            model: model.to_owned(),
        })
    }

    /// The smallest valid result of a request; none if the release does not have such a request.
    pub(crate) fn result(&self, method: &str, params: Option<&Value>) -> Option<Made> {
        if !self.reads(method, params) {
            return None;
        }
        let params = params.unwrap_or(&Value::Null);
        let is_new = matches!(method, "thread/start" | "thread/fork");
        let (thread, turn) = {
            let mut ids = self.ids.borrow_mut();
            ids.tick();
            (ids.uuid(), ids.uuid())
        };
        let named = |name: &str| params.get(name).and_then(Value::as_str).map(Node::from);
        let has_begun = Cell::new(false);
        let fill = |owner: &str, member: &str| match (owner, member) {
            // A new thread is its own session.
            ("Thread", "id" | "sessionId")
            | (_, "threadId" | "reviewThreadId" | "conversationId") => {
                let known = named("threadId").or_else(|| named("conversationId"));
                Some(known.filter(|_| !is_new).unwrap_or_else(|| {
                    has_begun.set(true);
                    Node::from(&thread)
                }))
            }
            ("Thread", "status") => Some(object! { "type" => "idle" }),
            ("Turn", "status") => Some(Node::from("inProgress")),
            ("Turn", "id") | (_, "turnId") => {
                let known = named("turnId").or_else(|| named("expectedTurnId"));
                Some(known.unwrap_or_else(|| Node::from(&turn)))
            }
            _ => self.member(member, params),
        };
        let result = match method {
            // Without any model, clients have nothing to offer.
            "model/list" => self.writer.result(RESPONSES, method, &self.models()),
            _ => None,
        };
        let result = result.or_else(|| self.writer.smallest_result(RESPONSES, method, &fill))?;
        Some(Made {
            result: result.to_string(),
            thread: has_begun.get().then_some(thread),
        })
    }

    /// Whether the release reads a request.
    pub(crate) fn reads(&self, method: &str, params: Option<&Value>) -> bool {
        let variant = self
            .requests
            .root()
            .tagged()
            .and_then(|u| u.variant(method));
        let message = variant.and_then(|variant| self.requests.schema(&variant.definition));
        let Some(message) = message else {
            return false;
        };
        let Some(member) = message.member("params") else {
            return true;
        };
        // What has no parameters does not look at them.
        if self.is_nothing(&member.schema) {
            return true;
        }
        match params {
            None => !member.optional.is_empty() || member.has_default,
            Some(Value::Null) if !member.nullable.is_empty() => true,
            Some(params) => accepts(&self.requests, &member.schema, params),
        }
    }

    /// Whether a schema has no value but `null`: a release before the first parameters has a union without
    /// variants.
    fn is_nothing(&self, schema: &Schema) -> bool {
        match &schema.kind {
            Kind::Null | Kind::Never => true,
            Kind::Untagged(variants) => variants.is_empty(),
            Kind::Reference(name) => self
                .requests
                .schema(name)
                .is_some_and(|s| self.is_nothing(s)),
            _ => false,
        }
    }

    /// What a member holds: what the request says under that name, or what its name asks for.
    fn member(&self, name: &str, params: &Value) -> Option<Node> {
        let said = params.get(name);
        if let Some(said) = said.filter(|said| said.is_string() || said.is_number()) {
            return Some(Node::from(said));
        }
        let Settings {
            cwd, codex_home, ..
        } = &self.settings;
        let home = codex_home.trim_end_matches('/');
        Some(match name {
            "cwd" => Node::from(cwd),
            "codexHome" => Node::from(codex_home),
            "model" => Node::from(&self.model),
            "modelProvider" | "defaultProviderId" => Node::from("openai"),
            "approvalPolicy" => Node::from("on-request"),
            "approvalsReviewer" => Node::from("user"),
            "sandbox" => object! { "type" => "readOnly", "networkAccess" => false },
            "multiAgentMode" => Node::from("explicitRequestOnly"),
            "source" => Node::from("vscode"),
            "itemsView" => Node::from("notLoaded"),
            "cliVersion" => Node::from(self.release.to_string()),
            "userAgent" => Node::from(self.user_agent(params)),
            "platformFamily" => Node::from("unix"),
            "platformOs" => Node::from("linux"),
            "filePath" => Node::from(format!("{home}/config.toml")),
            name if ends_with(name, "path") || ends_with(name, "root") => Node::from(cwd),
            name if ends_with(name, "url") => Node::from(URL),
            name if ends_with(name, "atMs") => Node::from(self.ids.borrow().ms()),
            name if ends_with(name, "at") => Node::from(self.ids.borrow().seconds()),
            name if ends_with(name, "id") => Node::from(self.ids.borrow_mut().uuid()),
            _ => return None,
        })
    }

    /// The one model that there is.
    fn models(&self) -> Node {
        let effort = object! { "reasoningEffort" => "medium", "description" => "" };
        let model = object! {
            "id" => &self.model,
            "model" => &self.model,
            "displayName" => &self.model,
            "description" => "",
            "hidden" => false,
            "supportedReasoningEfforts" => vec![effort],
            "defaultReasoningEffort" => "medium",
            "isDefault" => true,
        };
        object! { "data" => vec![model], "nextCursor" => Node::Null }
    }

    fn user_agent(&self, params: &Value) -> String {
        let info = |name: &str| params["clientInfo"][name].as_str().unwrap_or_default();
        Observed(self.release).user_agent(info("name"), info("version"))
    }
}

/// Whether the last word of a name is this: `at` of `createdAt`, and not of `format`.
fn ends_with(name: &str, word: &str) -> bool {
    name == word
        || name.strip_suffix(&word[1..]).is_some_and(|start| {
            let first = word[..1].to_uppercase();
            start.ends_with(&first)
        })
}

#[cfg(test)]
mod tests;
