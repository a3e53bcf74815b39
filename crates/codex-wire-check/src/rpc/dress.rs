//! Adds the method of its request to a response, which names none, and removes `jsonrpc`: so its message set
//! describes it.

use std::borrow::Cow;

use serde_json::Value;

use super::call::Call;
use crate::dialect::json_rpc::Kind;
use crate::writer::Writer;

/// A message as its message set describes it; see [`dress`]. `hook` is the event of the hook that
/// printed it.
pub(crate) fn dressed<'m>(
    call: Option<&Call>,
    hook: Option<&str>,
    message: &'m Value,
) -> Cow<'m, Value> {
    if let Some(event) = hook {
        return Cow::Owned(serde_json::json!({"hook_event_name": event, "output": message}));
    }
    match call {
        Some(call) => {
            let method = call.method.filter(|_| call.kind == Kind::Response);
            match call.writer {
                Writer::Client => dress(message, method),
                Writer::Codex => answering(message, method),
            }
        }
        None => Cow::Borrowed(message),
    }
}

/// A request of the client whose params are an empty object, without them.
pub(crate) fn without_params(call: Option<&Call>, message: &Value) -> Option<Value> {
    let is_request = |call: &Call| call.kind == Kind::Request && call.writer == Writer::Client;
    let is_empty = message.get("params")?.as_object()?.is_empty();
    (is_empty && call.is_some_and(is_request)).then(|| {
        let mut bare = message.clone();
        if let Value::Object(members) = &mut bare {
            members.remove("params");
        }
        bare
    })
}

/// A message without the version of JSON-RPC, which clients may send, and a result with the method
/// it answers beside it.
pub(crate) fn dress<'m>(message: &'m Value, method: Option<&str>) -> Cow<'m, Value> {
    let mut dressed = answering(message, method);
    if message.get("jsonrpc").is_some()
        && let Value::Object(members) = dressed.to_mut()
    {
        members.remove("jsonrpc");
    }
    dressed
}

/// A result with the method it answers beside it.
fn answering<'m>(message: &'m Value, method: Option<&str>) -> Cow<'m, Value> {
    let Some(method) = method else {
        return Cow::Borrowed(message);
    };
    let mut dressed = message.clone();
    if let Value::Object(members) = &mut dressed {
        members.insert("method".to_owned(), method.into());
    }
    Cow::Owned(dressed)
}
