//! Checks the deltas of items: which item they belong to, and in which order they come.
//!
//! Most of a model's answer is deltas of one item. If a delta belongs to the same item as the
//! message before it, the item is not looked up again.

use codex_wire_prefilter::View;

use super::evidence::NOTIFICATIONS;
use super::state::Item;
use super::state::LastDelta;
use super::state::{App, MessageContext};
use crate::bounded_map::Id;
use crate::dialect::json_rpc::Kind;
use crate::phrasing::Word;
use crate::rpc::call::Call;
use crate::rule::{Exception, Status, until, v};
use crate::rule_macros::{connections, rules};
use crate::sequence::machine::Observed;
use crate::severity::Severity;
use crate::violation::{Broken, Violation};
use crate::writer::Writer;

/// The members of a delta that name its thread, its turn and its item.
const OWNERS: [&str; 3] = ["/params/threadId", "/params/turnId", "/params/itemId"];

/// The kinds of item that a delta can belong to.
fn kinds_of(method: &str) -> Option<&'static [&'static str]> {
    Some(match method {
        "item/agentMessage/delta" => &["agentMessage"],
        "item/plan/delta" => &["plan"],
        "item/reasoning/summaryPartAdded"
        | "item/reasoning/summaryTextDelta"
        | "item/reasoning/textDelta" => &["reasoning"],
        // Up to 0.63.0 both kinds use it.
        "item/commandExecution/outputDelta" => &["commandExecution", "fileChange"],
        "item/commandExecution/terminalInteraction" => &["commandExecution"],
        "item/fileChange/outputDelta" => &["fileChange"],
        "item/mcpToolCall/progress" => &["mcpToolCall"],
        _ => return None,
    })
}

/// Whether a notification is a delta of an open item.
pub(super) fn is_delta(method: &str) -> bool {
    kinds_of(method).is_some()
}

/// The member of a delta that names its part of the item.
fn index_of(method: &str) -> Option<&'static str> {
    match method {
        "item/reasoning/summaryPartAdded" | "item/reasoning/summaryTextDelta" => {
            Some("summaryIndex")
        }
        "item/reasoning/textDelta" => Some("contentIndex"),
        _ => None,
    }
}

fn part_of(method: &str, params: View<'_>) -> Option<u64> {
    params.get(index_of(method)?)?.as_u64()
}

fn no_part(method: &str, item: &Item) -> Violation {
    let pointer = format!("/params/{}", index_of(method).unwrap_or_default());
    PartNotNext
        .at(pointer)
        .earlier(item.message_ref, "the item started here")
}

impl App {
    /// A delta of an item.
    pub(super) fn item_delta(&mut self, at: &mut MessageContext<'_, '_>) {
        let Some(id) = at.param("itemId").and_then(View::as_str) else {
            return self.unread(at);
        };
        let Some((thread, turn)) = self.turn_of(at) else {
            return;
        };
        let known = self.thread(at, thread);
        let (serial, was_joined) = (known.serial, known.was_joined);
        let turn = self.turn(serial, &turn);
        let is_unstarted = turn.started.is_none() && was_joined;
        let key = (turn.serial, id);
        let place = "/params/itemId";
        let Some(item) = self.items.get_mut(&key as &dyn Id) else {
            let is_unseen = is_unstarted
                || at.wire.partial
                || self.items.forgot()
                || self.is_silent(at, "item/started");
            if !is_unseen {
                let of = match at.method {
                    // In old releases, patches are not items, and their output comes like this.
                    "item/commandExecution/outputDelta" => "output",
                    _ => "none",
                };
                let method = Word::of(at.method);
                at.out.push(DeltaOfNoItem { method }.at(place).of(of));
            }
            return;
        };
        let kinds = kinds_of(at.method).unwrap_or_default();
        if let Some((message_ref, _)) = item.done {
            let method = Word::of(at.method);
            let violation = DeltaAfterItem { method }.at(place).of("completed");
            return at.violation(violation.earlier(message_ref, "the item completed here"));
        }
        if !kinds.contains(&&*item.kind) {
            let (method, kind) = (Word::of(at.method), Word::of(&item.kind));
            let violation = DeltaOfOtherKind { method, kind }.at(place).of("kind");
            return at.violation(violation.earlier(item.message_ref, "the item started here"));
        }
        let Some(params) = at.params else {
            return;
        };
        let part = part_of(at.method, params);
        if !item.add_delta(at.method, part, params.get_str("delta").unwrap_or_default()) {
            at.out.push(no_part(at.method, item));
        }
        if at.out.is_empty() && !at.seen.is_invalid {
            self.last = Some(LastDelta {
                connection: at.seen.connection,
                method: at.method.to_owned(),
                owners: OWNERS.map(|name| at.text(name).map(str::to_owned)),
                key: (key.0, id.to_owned()),
                part,
                is_further: false,
            });
        }
    }

    /// A further delta of the same item as the last message. Nothing has happened in between, so only
    /// the order of the deltas is checked. Returns whether the message was one.
    pub(super) fn continues(
        &mut self,
        seen: &Observed<'_>,
        call: &Call,
        out: &mut Vec<Violation>,
    ) -> bool {
        let Some(last) = &mut self.last else {
            return false;
        };
        let same = call.kind == Kind::Notification
            && call.writer == Writer::Codex
            && call.method == Some(&*last.method)
            && seen.connection == last.connection
            && !seen.is_invalid;
        if !same {
            return false;
        }
        let Some(params) = seen.message.get("params") else {
            return false;
        };
        let stays = |(name, before): (&str, &Option<String>)| {
            params.get_str(&name["/params/".len()..]) == before.as_deref()
        };
        if !OWNERS.into_iter().zip(&last.owners).all(stays) {
            return false;
        }
        let Some(item) = self.items.get_mut(&last.key) else {
            return false;
        };
        last.part = part_of(&last.method, params);
        last.is_further = true;
        let delta = params.get_str("delta").unwrap_or_default();
        if !item.add_delta(&last.method, last.part, delta) {
            out.push(no_part(&last.method, item));
            self.last = None;
        }
        true
    }

    /// Takes a message that differs from the last one only in its delta. Returns whether it is valid.
    pub(super) fn further_delta(&mut self, delta: &str) -> bool {
        let last = self.last.as_ref().filter(|last| last.is_further);
        last.is_some_and(|last| {
            let item = self.items.get_mut(&last.key);
            item.is_some_and(|item| item.add_delta(&last.method, last.part, delta))
        })
    }
}

rules! {
    APP_DELTA_UNOPENED {
        summary: "Codex sends deltas of an item only between its `item/started` and \
            `item/completed`",
        id: "sequence/app-server-delta-unopened",
        about: NOTIFICATIONS,
        status: Status::Advisory,
        exceptions: &[Exception {
            releases: until(v(61)),
            of: &["output"],
            level: Some(Severity::Note),
            seen: "in recordings of 0.61.0 a patch of `applyPatchApproval` has no item; Codex \
                sends its output as `item/commandExecution/outputDelta` with the id of the call",
        }],
        explanation: "This includes text and output deltas, terminal input and MCP progress. File \
            changes that Codex reports while the model still writes them come before the item \
            and are not checked.",
        evidence: connections!("7,016 deltas; none breaks it. In later recordings, 3 do (see the \
            exception)."),
    } => {
        DeltaOfNoItem { method: Word }: "`{method}` belongs to no item that was started",
        DeltaAfterItem { method: Word }: "`{method}` comes after its item was completed",
        DeltaOfOtherKind { method: Word, kind: Word }: "`{method}` belongs to a `{kind}`",
    }
    APP_REASONING_PART {
        summary: "`summaryIndex` and `contentIndex` of a reasoning item count up from 0, and \
            `item/reasoning/summaryPartAdded` comes before the text of its part",
        id: "sequence/app-server-reasoning-part",
        about: NOTIFICATIONS,
        explanation: "`item/reasoning/summaryPartAdded` starts a part of the summary. A part of the \
            content starts with its first delta.",
        evidence: connections!("85 summaries and 25 contents with deltas."),
    } => {
        PartNotNext: "the part is not the next one, or was not added",
    }
}
