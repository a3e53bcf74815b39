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
    let tag = |holder: &'m Value| text(holder, "type");
    let (message_set, name) = match protocol {
        // The legacy dialect contains core events.
        Protocol::Exec => match message.get("msg") {
            Some(inner) => (MessageSet::ExecLegacy, tag(inner)),
            None => (MessageSet::Exec, tag(message)),
        },
        Protocol::Core => match (message.get("msg"), message.get("op")) {
            (Some(inner), _) => (MessageSet::CoreEvents, tag(inner)),
            (None, inner) => (MessageSet::CoreSubmissions, tag(inner?)),
        },
        Protocol::Rollout => match (tag(message), message.get("payload")) {
            (Some(tag), Some(_)) => (MessageSet::Rollout, Some(tag)),
            (Some(tag), None) => (MessageSet::RolloutEarly, Some(tag)),
            (None, _) => (MessageSet::RolloutEarly, text(message, "record_type")),
        },
        Protocol::Hooks => {
            let message_set = match writer {
                Some(Writer::Client) => MessageSet::HooksOutput,
                _ => MessageSet::HooksInput,
            };
            (message_set, text(message, "hook_event_name"))
        }
        Protocol::Notify => (MessageSet::Notify, tag(message)),
        _ => {
            let by_codex = writer == Some(Writer::Codex);
            let method = text(message, "method");
            let is_request = message.get("id").is_some();
            let message_set = match (by_codex, method.is_some(), is_request) {
                (true, true, true) => MessageSet::AppServerServerRequests,
                (true, true, false) => MessageSet::AppServerServerNotifications,
                (false, true, true) => MessageSet::AppServerClientRequests,
                (false, true, false) => MessageSet::AppServerClientNotifications,
                (_, false, _) if message.get("result").is_none() => return None,
                (true, false, _) => MessageSet::AppServerServerResponses,
                (false, false, _) => MessageSet::AppServerClientResponses,
            };
            (message_set, method.or(answered))
        }
    };
    Some((message_set, name?))
}
