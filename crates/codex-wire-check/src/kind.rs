//! Names the kinds of messages.

use codex_wire_base::{MessageSet, Protocol};
use serde_json::Value;

use crate::pipeline::observed::Event;
use crate::step::Step;
use crate::writer::Writer;

impl<'a> Step<'a> {
    /// The message set of the message in this line, and the name of its kind there: the tag or the method, of a
    /// response the method of its request. `None` where the line holds no message, or one that names no kind.
    pub fn kind(&self) -> Option<(MessageSet, &'a str)> {
        let Event::Message {
            message,
            protocol: Some(protocol),
            answers,
        } = self.event
        else {
            return None;
        };
        let answered = answers.and_then(|answers| answers.method.as_deref());
        kind(protocol, message, self.writer, answered)
    }
}

/// The message set of a message, and the name of its kind there.
fn kind<'m>(
    protocol: Protocol,
    message: &'m Value,
    writer: Option<Writer>,
    answered: Option<&'m str>,
) -> Option<(MessageSet, &'m str)> {
    let text = |holder: &'m Value, name: &str| holder.get(name)?.as_str();
    Some(match protocol {
        Protocol::Rollout => match (text(message, "type"), message.get("payload")) {
            (Some(tag), Some(_)) => (MessageSet::Rollout, tag),
            (Some(tag), None) => (MessageSet::RolloutEarly, tag),
            (None, _) => (MessageSet::RolloutEarly, text(message, "record_type")?),
        },
        Protocol::Hooks => {
            let message_set = match writer {
                Some(Writer::Client) => MessageSet::HooksOutput,
                _ => MessageSet::HooksInput,
            };
            (message_set, text(message, "hook_event_name")?)
        }
        Protocol::Notify => (MessageSet::Notify, text(message, "type")?),
        _ => return of_stream(protocol, message, writer, answered),
    })
}

/// The same for a stream.
fn of_stream<'m>(
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
