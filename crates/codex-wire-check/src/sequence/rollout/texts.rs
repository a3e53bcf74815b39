//! Checks that events and items of a session file tell the same.
//!
//! A legacy thread has each message twice: as an event for clients and as an item for the model. A
//! paginated thread has a finished item in place of the event. The two stand side by side.

use codex_wire_prefilter::View;

use super::evidence::{LINES, files};
use super::header::Header;
use super::line::{Kind, RolloutLine, Spoken};
use super::turns::Turns;
use crate::rule::{since, v};
use crate::rule_macros::rules;
use crate::sequence::machine::Observed;
use crate::sequence::value::digest;
use crate::violation::{Broken, MessageRef, Violation};

/// How many reasoning events in front of their item are remembered.
const MOST_REASONING: usize = 256;

/// The texts of a file.
#[derive(Debug, Default)]
pub(super) struct Texts {
    /// The last line.
    last: Kind,
    last_ref: MessageRef,
    /// What the last line says, if it is a message.
    said: Option<Spoken>,
    /// Whether the last line is an event of the assistant whose item has not come, or an item whose
    /// event has not come.
    is_single: bool,
    /// Whether the line before that one is known.
    is_sure: bool,
    /// An item of the assistant without event. Only a compaction writes one.
    silent: Option<MessageRef>,
    /// What the assistant said last, in an event and in an item.
    event: Option<Spoken>,
    item: Option<Spoken>,
    /// Reasoning events whose item comes next, if all of them are known.
    reasoning: Option<Vec<u64>>,
}

impl Texts {
    /// A line could not be read.
    pub(super) fn lost(&mut self) {
        *self = Texts::default();
    }

    /// Takes a line, before the turns take it.
    pub(super) fn line(
        &mut self,
        line: &RolloutLine<'_>,
        seen: &Observed<'_>,
        header: &Header,
        turns: &Turns,
        out: &mut Vec<Violation>,
    ) {
        let kind = line.kind;
        let is_message = matches!(
            kind,
            Kind::UserItem | Kind::UserEvent | Kind::AgentItem | Kind::AgentEvent
        );
        let said = is_message.then(|| line.spoken());
        // A migrated thread has the start of a turn between the two.
        let is_migrated = self.last == Kind::TaskStarted && turns.is_migrated();
        if kind == Kind::UserEvent && !turns.is_review() && !is_migrated {
            self.user_event(line, said, out);
        }
        // What an older release adds to a paginated thread has no events.
        // Nor stand the items of a migrated thread beside their events.
        // Without a header nothing is known of these.
        // Nor are all lines there that a sub-agent copies of its parent.
        let is_other = header.is_foreign_copy
            || header.is_agent_copy
            || header.is_paginated.is_none()
            || turns.is_migrated()
            || header.is_paginated == Some(true) && seen.message.get("ordinal").is_none();
        if is_other {
            self.lost();
        } else {
            self.silent(line, header, turns, out);
            self.agent(line, said, turns, out);
            self.reasoning(line, out);
        }
        if kind == Kind::TaskComplete && turns.is_open() && !header.is_agent_copy {
            self.last_message(line, header, out);
        }
        match kind {
            Kind::AgentEvent => self.event = said,
            Kind::AgentItem if said.is_none_or(|said| !said.is_letter) => self.item = said,
            _ => {}
        }
        self.last = kind;
        self.last_ref = line.message_ref;
        self.said = said;
    }

    /// The event of a message of the user stands behind its item.
    fn user_event(&self, line: &RolloutLine<'_>, said: Option<Spoken>, out: &mut Vec<Violation>) {
        if self.last == Kind::Unknown {
            return;
        }
        if self.last != Kind::UserItem {
            out.push(UserItemNotBefore.at(line.at));
        } else if let (Some(item), Some(event)) = (self.said, said)
            && !item.may_be_shown_as(event)
        {
            let violation = UserTextDiffers.at(line.at);
            out.push(violation.earlier(self.last_ref, "the item is here"));
        }
    }

    /// The event of a message of the assistant stands beside its item.
    fn agent(
        &mut self,
        line: &RolloutLine<'_>,
        said: Option<Spoken>,
        turns: &Turns,
        out: &mut Vec<Violation>,
    ) {
        let fits = match (self.said, said) {
            (Some(item), Some(event)) if line.kind == Kind::AgentEvent => {
                item.may_be_shown_as(event)
            }
            (Some(event), Some(item)) => item.may_be_shown_as(event),
            _ => true,
        };
        // Agents may write to each other at any time. Such an item has no event, wherever it stands.
        let is_letter = line.kind == Kind::AgentItem
            && said.is_some_and(|said| said.is_letter)
            && !(self.last == Kind::AgentEvent && fits);
        let before = self.is_single.then_some(self.last);
        self.is_single = false;
        let is_sure = std::mem::replace(&mut self.is_sure, self.last != Kind::Unknown);
        match (before, line.kind) {
            (Some(Kind::AgentEvent), Kind::AgentItem)
            | (Some(Kind::AgentItem), Kind::AgentEvent)
                if !is_letter && (fits || is_sure) =>
            {
                self.silent = None;
                let violation = match (fits, line.kind) {
                    (false, _) => AgentTextDiffers.at(line.at),
                    (true, Kind::AgentEvent) if !turns.is_review() => AgentItemBefore.at(line.at),
                    (true, Kind::AgentItem) if turns.has_left_review() => {
                        ReviewItemBehind.at(line.at)
                    }
                    _ => return,
                };
                out.push(violation.earlier(self.last_ref, "the line before is here"));
                return;
            }
            (Some(Kind::AgentEvent), kind)
                if is_sure && !kind.may_begin() && kind != Kind::TurnAborted =>
            {
                let violation = AgentItemMissing.at(line.at);
                out.push(violation.earlier(self.last_ref, "the event is here"));
            }
            _ => {}
        }
        match line.kind {
            Kind::AgentItem if !is_letter => {
                self.is_single = true;
                // A message that is a plan and nothing else has only the finished item of the plan.
                let needs_event = said.is_none_or(|said| !said.is_marked);
                self.silent = (needs_event && self.is_sure).then_some(line.message_ref);
            }
            Kind::AgentEvent => self.is_single = true,
            _ => {}
        }
    }

    /// An item of the assistant without event must be that of a compaction.
    fn silent(
        &mut self,
        line: &RolloutLine<'_>,
        header: &Header,
        turns: &Turns,
        out: &mut Vec<Violation>,
    ) {
        let goes_on = match line.kind {
            // What a client injects is not counted. Where turns have no marks, compactions leave no item.
            Kind::TokenCount | Kind::Usage => header.marks_turns(),
            Kind::AgentEvent => self.is_single,
            _ => false,
        };
        let Some(item) = self.silent.filter(|_| !goes_on) else {
            return;
        };
        self.silent = None;
        let is_due = !line.kind.may_begin() && (turns.is_open() || !header.marks_turns());
        if line.kind != Kind::Compacted && is_due {
            let violation = AgentEventMissing.at(line.at).of("item without event");
            out.push(violation.earlier(item, "the item is here"));
        }
    }

    /// The events of a reasoning item stand before it.
    fn reasoning(&mut self, line: &RolloutLine<'_>, out: &mut Vec<Violation>) {
        let known = self.reasoning.take();
        self.reasoning = match line.kind {
            Kind::ReasoningEvent => {
                let said = known.map(|known| [known, summary_of(line)].concat());
                said.filter(|said| said.len() < MOST_REASONING)
            }
            Kind::RawReasoning => known,
            Kind::ReasoningItem => {
                let summary = line.payload.get("summary").into_iter();
                let parts = summary.flat_map(View::elements);
                let texts = parts.filter_map(|part| part.get_str("text"));
                let texts: Vec<u64> = texts.map(|text| digest(&text)).collect();
                if known.is_some_and(|known| known != texts) {
                    out.push(SummaryDiffers.at(line.pointer("summary")));
                }
                Some(Vec::new())
            }
            kind => {
                let is_cut = kind.may_begin() || kind == Kind::TurnAborted;
                if known.is_some_and(|known| !known.is_empty()) && !is_cut {
                    let violation = ReasoningItemMissing.at(line.at);
                    out.push(violation.earlier(self.last_ref, "the last event is here"));
                }
                Some(Vec::new())
            }
        };
    }

    /// The end of a turn repeats the last message.
    fn last_message(&self, line: &RolloutLine<'_>, header: &Header, out: &mut Vec<Violation>) {
        let Some(last) = line.text("last_agent_message") else {
            return;
        };
        let last = Spoken::new(last, 1);
        if header.is_unsure || header.is_foreign_copy {
            return;
        }
        let is_event = self.event.is_some_and(|event| event == last);
        let is_item = self.item.is_some_and(|item| item.may_be_shown_as(last));
        if !is_event && !is_item && (self.event.is_some() || self.item.is_some()) {
            out.push(NotLastMessage.at(line.pointer("last_agent_message")));
        }
    }
}

/// Digests of the parts of a summary that an event or a finished item has.
fn summary_of(line: &RolloutLine<'_>) -> Vec<u64> {
    let Some(item) = line.item else {
        return line.text("text").iter().map(digest).collect();
    };
    let parts = item.get("summary_text").into_iter();
    let texts = parts.flat_map(View::elements).filter_map(View::as_str);
    texts.map(|text| digest(&text)).collect()
}

rules! {
    ROLLOUT_USER_MESSAGE {
        summary: "the event of a message of the user follows its item",
        id: "sequence/rollout-user-message",
        about: LINES,
        explanation: "A message of the user is an item for the model and an event for clients, directly \
            one after the other, with the same text. Context that Codex adds has an item only. In a \
            review the parent's file has events without items; these are not reported. If the item has \
            several parts, such as images, texts are not compared.",
        evidence: files!("All 726 events outside reviews follow their item."),
    } => {
        UserItemNotBefore: "the item of the message does not stand before its event",
        UserTextDiffers: "the item before has another text than the event",
    }
    ROLLOUT_AGENT_MESSAGE {
        summary: "the event of a message of the assistant stands beside its item",
        id: "sequence/rollout-agent-message",
        about: LINES,
        releases: since(v(66)),
        explanation: "A message of the assistant is an event for clients, and an item for the model directly \
            behind it, with the same text. In a review the item comes first. Before 0.66.0 other lines stand between. Items \
            without event are the summary of a compaction, messages between agents, and what a client \
            injects between turns; tokens are not counted behind that. A plan or a citation is cut out of the text of the event; a message \
            that is only a plan has none.",
        evidence: files!("All 658 events from 0.66.0 on have their item; of the items without event, \
            34 are known."),
    } => {
        AgentTextDiffers: "the event and the item of the message differ",
        AgentItemBefore: "the item of the message comes before its event",
        ReviewItemBehind: "the item of a review comes behind its event",
        AgentItemMissing: "the item of the message does not follow its event",
        AgentEventMissing: "the event of the message is missing",
    }
    ROLLOUT_REASONING {
        summary: "a reasoning item follows the events of its summary",
        id: "sequence/rollout-reasoning",
        about: LINES,
        releases: since(v(66)),
        explanation: "Each part of the summary is an `agent_reasoning` event; a paginated thread has one \
            finished item for all of them. The reasoning item follows, with the same texts. Before \
            0.66.0 other lines stand between, and a failed turn has events without an item.",
        evidence: files!("All 74 items from 0.66.0 on do."),
    } => {
        SummaryDiffers: "the summary is not what the events before it say",
        ReasoningItemMissing: "the item of the reasoning does not follow its events",
    }
    ROLLOUT_LAST_MESSAGE {
        summary: "`last_agent_message` is the last message of the assistant",
        id: "sequence/rollout-last-message",
        about: LINES,
        releases: since(v(100)),
        explanation: "`task_complete` repeats it; it is `null` after a failure and in the parent's file \
            of a review. A plan or a citation is cut out of it.",
        evidence: files!("All of them are, if they are not `null`."),
    } => {
        NotLastMessage: "`last_agent_message` is not the last message of the assistant",
    }
}
