//! Checks what an item holds: deltas that join to its text, and members that stay as they were.

use codex_wire_prefilter::View;

use super::evidence::NOTIFICATIONS;
use super::state::{Item, MessageContext};
use crate::phrasing::Word;
use crate::rule_macros::{connections, rules};
use crate::violation::Broken;

impl Item {
    /// Adds a delta to the text of the item, or to one part of it. Returns whether a delta of that part
    /// may come.
    pub(super) fn add_delta(&mut self, method: &str, part: Option<u64>, delta: &str) -> bool {
        match method {
            "item/agentMessage/delta" | "item/plan/delta" => {
                self.text.get_or_insert_default().push(delta);
                true
            }
            "item/reasoning/summaryPartAdded" => part.is_none_or(|part| self.summary.begin(part)),
            "item/reasoning/summaryTextDelta" => {
                part.is_none_or(|part| self.summary.push(part, delta))
            }
            "item/reasoning/textDelta" => part.is_none_or(|part| {
                // Nothing announces these parts.
                let next = part == self.content.count() && self.content.begin(part);
                self.content.push(part, delta) || next
            }),
            _ => true,
        }
    }

    /// Compares the completed item with its start and its deltas.
    pub(super) fn compare(&self, at: &mut MessageContext<'_, '_>, kind: &str, item: View<'_>) {
        if *self.kind != *kind {
            let kind = Word::of(&self.kind);
            return at.violation(
                KindChanged { kind }
                    .at("/params/item/type")
                    .earlier(self.message_ref, "the item started here"),
            );
        }
        for (name, before) in &self.fixed {
            let after = item.get(name);
            if after.is_some_and(|after| !before.is(after)) {
                let violation = MemberChanged { name }.at(format!("/params/item/{name}"));
                at.violation(violation.earlier(self.message_ref, "the item started here"));
            }
        }
        let mut differs = |name: &'static str| {
            at.out.push(
                TextDiffers { name }
                    .at(format!("/params/item/{name}"))
                    .of(kind)
                    .earlier(self.message_ref, "the item started here"),
            );
        };
        if let (Some(reported), Some(text)) = (&self.text, item.get_str("text"))
            && !reported.is(text)
        {
            differs("text");
        }
        for (name, parts) in [("summary", &self.summary), ("content", &self.content)] {
            let Some(whole) = item.get(name).filter(|_| parts.count() > 0) else {
                continue;
            };
            let texts: Vec<&str> = whole.elements().filter_map(View::as_str).collect();
            if !parts.are(&texts) {
                differs(name);
            }
        }
    }
}

rules! {
    APP_ITEM_CHANGED {
        summary: "an item has the same kind and the same input in `item/started` and \
            `item/completed`",
        id: "sequence/app-server-item-changed",
        about: NOTIFICATIONS,
        explanation: "The rule compares the command and its folder, the changes of files, the server, \
            tool and arguments of a call, the content of a user message, and the subject of a \
            review. `commandActions`, `processId` and `source` of a command may change.",
        evidence: connections!("4,967 completions; none breaks it."),
    } => {
        KindChanged { kind: Word }: "the item was started as `{kind}`",
        MemberChanged { name: &'static str }: "`{name}` is not what it was when the item was started",
    }
    APP_TEXT_DIFFERS {
        summary: "the joined deltas of a message, a plan or a reasoning item equal the text in \
            `item/completed`",
        id: "sequence/app-server-text-differs",
        about: NOTIFICATIONS,
        explanation: "If they differ, a client that shows the deltas and a client that shows the \
            full text show different things. Without deltas, nothing is compared. The output of \
            commands is not compared, because its deltas are often incomplete.",
        evidence: connections!("1,591 messages, 12 plans, 85 summaries and 25 contents of \
            reasoning items were compared."),
    } => {
        TextDiffers { name: &'static str }: "the deltas do not add up to `{name}`",
    }
}
