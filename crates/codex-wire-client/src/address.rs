//! Which thread and turn a line of Codex belongs to.
//!
//! Notifications and requests have `threadId` and `turnId` since 0.64.0; a turn that begins or ends has its id in
//! `turn`. Up to 0.63.0 most have neither. The events of the core that old app-servers relayed (`codex/event/…`, until
//! 0.114.0) have `conversationId` and the turn as `id`. What a member of such a name is in an unknown method
//! is not guessed: if it is not text, it is not an address.

use std::borrow::Cow;

use codex_wire::app_server::{Id, ServerSide};
use codex_wire::from_str;
use serde::Deserialize;
use serde_json::value::RawValue;

/// Where a line belongs, as far as it says so.
#[derive(Debug, Default)]
pub(crate) struct Address {
    pub(crate) method: Option<String>,
    /// Its id: it is a request, or an answer.
    pub(crate) id: Option<Id<ServerSide>>,
    pub(crate) thread: Option<String>,
    pub(crate) turn: Option<String>,
}

#[derive(Deserialize)]
struct Line<'a> {
    #[serde(borrow)]
    method: Option<&'a RawValue>,
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Params<'a> {
    #[serde(borrow)]
    thread_id: Option<&'a RawValue>,
    #[serde(borrow)]
    turn_id: Option<&'a RawValue>,
    #[serde(borrow)]
    conversation_id: Option<&'a RawValue>,
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    #[serde(borrow)]
    turn: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct WithId<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
}

/// The address of a line, also of one whose texts are not UTF-8. Nothing is known of one that is not a JSON object.
pub(crate) fn address(line: &[u8]) -> Address {
    let line = String::from_utf8_lossy(line);
    let Ok(line) = serde_json::from_str::<Line<'_>>(&line) else {
        return Address::default();
    };
    let method = text(line.method);
    let params: Params<'_> = line.params.and_then(object).unwrap_or_default();
    let is_event = method.as_deref().is_some_and(is_core_event);
    let in_turn = || text(params.turn.and_then(object::<WithId<'_>>)?.id);
    let of_event = || text(params.id).filter(|id| is_event && !id.is_empty());
    Address {
        id: line.id.and_then(|id| from_str(id.get()).ok()),
        thread: text(params.thread_id).or_else(|| text(params.conversation_id)),
        turn: text(params.turn_id).or_else(in_turn).or_else(of_event),
        method,
    }
}

/// Whether it is an event of the core, relayed.
pub(crate) fn is_core_event(method: &str) -> bool {
    method.starts_with("codex/event/")
}

fn object<'a, T: Deserialize<'a>>(raw: &'a RawValue) -> Option<T> {
    serde_json::from_str(raw.get()).ok()
}

fn text(raw: Option<&RawValue>) -> Option<String> {
    object::<Cow<'_, str>>(raw?).map(Cow::into_owned)
}
