//! Checks the core events that Codex relays, beside the notifications about the same.

use super::evidence::NOTIFICATIONS;
use super::state::MessageContext;
use crate::phrasing::Word;
use crate::rule::{until, v};
use crate::rule_macros::{connections, rules};
use crate::violation::Broken;

/// What the methods of relayed events begin with.
pub(super) const RELAYED: &str = "codex/event/";

/// A relayed event is of the type that its method names.
pub(super) fn typed(at: &mut MessageContext<'_, '_>) {
    let named = at.method.strip_prefix(RELAYED);
    let (Some(named), Some(own)) = (named, at.text("/params/msg/type")) else {
        return;
    };
    // A type that the release does not know is a finding already.
    if named != own && !at.seen.is_invalid {
        let method = Word::of(at.method);
        at.violation(OtherEvent { method }.at("/params/msg/type"));
    }
}

rules! {
    APP_EVENT_TYPE {
        summary: "a core event is of the type that its method names: the `msg.type` of \
            `codex/event/task_started` is `task_started`",
        id: "sequence/app-server-event-type",
        about: NOTIFICATIONS,
        releases: until(v(114)),
        explanation: "Clients take the event from the method or from the type. Here they would take \
            it for two different events.",
        evidence: connections!("All 5,109 events of 0.63.0 and 0.98.0, and those of 0.58.0, 0.72.0, \
            0.80.0, 0.105.0 and 0.111.0, agree."),
    } => {
        OtherEvent { method: Word }: "the event in `{method}` is of another type",
    }
}
