//! Names the kinds of messages.

use codex_wire_base::{MessageSet, Protocol};
use codex_wire_check::{Event, Step, Writer};
use codex_wire_report::Kinds;
use serde_json::Value;

/// Counts the message of a line, if it has one.
pub(crate) fn count(step: &Step<'_>, kinds: &mut Kinds) {
    let Event::Message {
        message,
        protocol: Some(protocol),
        answers,
    } = step.event
    else {
        return;
    };
    let text = |holder: &'_ Value, name: &str| Some(holder.get(name)?.as_str()?.to_owned());
    let session = |message: &Value| {
        let tag = text(message, "type")?;
        let payload = message
            .get("payload")
            .and_then(|payload| text(payload, "type"));
        Some(payload.map_or(tag.clone(), |inner| format!("{tag}/{inner}")))
    };
    let named = match protocol {
        Protocol::Rollout => session(message).map(|name| (MessageSet::Rollout, name)),
        Protocol::Hooks => {
            let event = text(message, "hook_event_name");
            event.map(|name| (MessageSet::HooksInput, name))
        }
        Protocol::Notify => text(message, "type").map(|name| (MessageSet::Notify, name)),
        _ => {
            let answered = answers.and_then(|answers| answers.method.as_deref());
            let kind = kind(protocol, message, step.writer, answered);
            kind.map(|(message_set, name)| (message_set, name.to_owned()))
        }
    };
    if let Some((message_set, name)) = named {
        kinds.add(message_set, &name);
    }
}

/// The message set of a message, and the name of its kind there.
pub(crate) fn kind<'m>(
    protocol: Protocol,
    message: &'m Value,
    writer: Option<Writer>,
    answered: Option<&'m str>,
) -> Option<(MessageSet, &'m str)> {
    let tag = |holder: &'m Value| holder.get("type")?.as_str();
    match protocol {
        // The legacy dialect contains core events.
        Protocol::Exec => match message.get("msg") {
            Some(inner) => Some((MessageSet::ExecLegacy, tag(inner)?)),
            None => Some((MessageSet::Exec, tag(message)?)),
        },
        Protocol::Core => match (message.get("msg"), message.get("op")) {
            (Some(inner), _) => Some((MessageSet::CoreEvents, tag(inner)?)),
            (None, Some(inner)) => Some((MessageSet::CoreSubmissions, tag(inner)?)),
            (None, None) => None,
        },
        _ => {
            let by_codex = writer == Some(Writer::Codex);
            let request = message.get("id").is_some();
            let Some(method) = message.get("method").and_then(Value::as_str) else {
                message.get("result")?;
                let message_set = if by_codex {
                    MessageSet::AppServerServerResponses
                } else {
                    MessageSet::AppServerClientResponses
                };
                return Some((message_set, answered?));
            };
            let message_set = match (by_codex, request) {
                (true, true) => MessageSet::AppServerServerRequests,
                (true, false) => MessageSet::AppServerServerNotifications,
                (false, true) => MessageSet::AppServerClientRequests,
                (false, false) => MessageSet::AppServerClientNotifications,
            };
            Some((message_set, method))
        }
    }
}
