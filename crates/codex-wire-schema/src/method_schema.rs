//! Makes the schema of the params or of the result of one method of the app-server.

use codex_wire_base::{MessageSet, Release};
use serde_json::{Map, Value, json};

use crate::draft::Draft;
use crate::parts::Parts;
use crate::profile::Profile;
use crate::stability::Stability;

/// What of a method a schema is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MethodPart {
    /// The `params` of the request or notification.
    Params,
    /// The `result` of the response to the request.
    Result,
}

impl MethodPart {
    /// The name of the member that holds it.
    pub fn as_str(self) -> &'static str {
        match self {
            MethodPart::Params => "params",
            MethodPart::Result => "result",
        }
    }

    fn message_sets(self) -> &'static [MessageSet] {
        match self {
            MethodPart::Params => &[
                MessageSet::AppServerClientRequests,
                MessageSet::AppServerClientNotifications,
                MessageSet::AppServerServerRequests,
                MessageSet::AppServerServerNotifications,
            ],
            MethodPart::Result => &[
                MessageSet::AppServerServerResponses,
                MessageSet::AppServerClientResponses,
            ],
        }
    }
}

/// The JSON Schema of the `params` or the `result` of a method, in draft 2020-12, with the definitions it needs and without
/// descriptions. A response on the wire does not name its method, so the schema of its `result` is found by the
/// request's.
///
/// `None` if the release has no such method, or the method has no such part. A release that is not listed speaks as
/// the listed one before it.
///
/// ```
/// use codex_wire_base::Release;
/// use codex_wire_schema::{MethodPart, Profile, Stability, method_schema};
///
/// let newest = (Release::new(0, 169, 0), Profile::Exact, Stability::Experimental);
/// let schema = method_schema("turn/steer", MethodPart::Result, newest.0, newest.1, newest.2);
/// let schema = schema.expect("0.169.0 has the method");
/// assert_eq!(schema["$ref"], "#/$defs/TurnSteerResponse");
/// assert!(schema["$defs"]["TurnSteerResponse"]["properties"]["turnId"].is_object());
/// // Came with 0.99.0.
/// let early = method_schema("turn/steer", MethodPart::Result, Release::new(0, 98, 0), newest.1, newest.2);
/// assert_eq!(early, None);
/// ```
pub fn method_schema(
    method: &str,
    part: MethodPart,
    release: Release,
    profile: Profile,
    stability: Stability,
) -> Option<Value> {
    part.message_sets().iter().find_map(|message_set| {
        let parts = Parts::new(*message_set, release, profile, stability);
        let variant = parts.root().tagged()?.variant(method)?;
        let member = &parts
            .schema(&variant.definition)?
            .member(part.as_str())?
            .schema;
        let message = parts.definition(&variant.definition)?;
        let own = message.get("properties")?.get(part.as_str())?;
        let definitions: Map<String, Value> = parts
            .reached(member)
            .into_keys()
            .filter_map(|name| Some((name.to_owned(), parts.definition(name)?.clone())))
            .collect();
        let mut out = match own {
            Value::Object(own) => own.clone(),
            // `true`: any value.
            _ => Map::new(),
        };
        out.insert("$schema".into(), json!(Draft::Draft202012.meta_schema()));
        if !definitions.is_empty() {
            out.insert("$defs".into(), Value::Object(definitions));
        }
        Some(Value::Object(out))
    })
}
