//! Adds the version of JSON-RPC, `"jsonrpc": "2.0"`, to exact schemas of what app-server clients
//! write.
//!
//! The protocol has no such member and Codex writes none. But Codex ignores it, and clients built
//! on a JSON-RPC library send it. Open schemas allow it as they allow any member. Exact schemas
//! close objects, so they have to name it.

use codex_wire_base::Surface;
use serde_json::{Map, Value, json};

use crate::documents::{Document, object};

const NAME: &str = "jsonrpc";

/// Whether clients write such messages.
fn may_stand(surface: Surface) -> bool {
    matches!(
        surface,
        Surface::AppServerClientRequests
            | Surface::AppServerClientNotifications
            | Surface::AppServerClientResponses
            | Surface::AppServerErrors
    )
}

/// Names it in all messages of an exact schema.
pub(crate) fn allow(surface: Surface, root: &mut Map<String, Value>) {
    if !may_stand(surface) {
        return;
    }
    let names: Vec<String> = messages(root).map(str::to_owned).collect();
    if let Some(Value::Object(definitions)) = root.get_mut("$defs") {
        for name in names {
            allow_in(surface, definitions.get_mut(&name));
        }
    }
    name_in(root);
}

/// Names it in one message.
pub(crate) fn allow_in(surface: Surface, message: Option<&mut Value>) {
    if let (Some(Value::Object(message)), true) = (message, may_stand(surface)) {
        name_in(message);
    }
}

/// Whether a definition of a document is a message, rather than what stands in one.
pub(crate) fn is_message(document: &'static Document, definition: &str) -> bool {
    messages(object(document.top())).any(|name| name == definition)
}

fn messages(root: &Map<String, Value>) -> impl Iterator<Item = &str> {
    let arms = root.get("oneOf").and_then(Value::as_array);
    arms.into_iter()
        .flatten()
        .filter_map(|arm| arm.get("$ref")?.as_str()?.rsplit('/').next())
}

fn name_in(object: &mut Map<String, Value>) {
    if let Some(Value::Object(properties)) = object.get_mut("properties") {
        let about = "The version of JSON-RPC, which clients may send and Codex reads over.";
        properties.insert(NAME.to_owned(), json!({"description": about}));
    }
}
