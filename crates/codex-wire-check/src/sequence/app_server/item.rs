//! Checks the items of a turn: that they start, complete, and keep what must not change.

use std::borrow::Cow;

use codex_wire_prefilter::View;

use super::evidence::{ENDS, NAMED, NOTIFICATIONS};
use super::result;
use super::state::Decision;
use super::state::Item;
use super::state::{App, MessageContext};
use super::text::Parts;
use crate::bounded_map::{ID_BYTES, Id, short};
use crate::phrasing::Word;
use crate::pointer::begin;
use crate::rule::{Exception, Status, between, since, until, v};
use crate::rule_macros::{connections, rules};
use crate::sequence::value::ValueFingerprint;
use crate::severity::Severity;
use crate::violation::{Broken, MessageRef};
use codex_wire_base::Release;
use codex_wire_base::shape::ReleaseBounds;

/// How many open items of one turn are followed.
const MOST_OPEN: usize = 4096;

impl Item {
    fn new(kind: &str, message_ref: MessageRef) -> Self {
        Item {
            kind: kind.into(),
            message_ref,
            ..Item::default()
        }
    }
}

impl Decision {
    /// Whether an item that completes respects it.
    fn check(self, at: &mut MessageContext<'_, '_>, item: View<'_>) {
        let place = "/params/item/status";
        at.violation(match (self, item.get_str("status")) {
            (Decision::Declined, Some("completed")) => DeclinedDone.at(place),
            (Decision::Accepted, Some("declined")) => AcceptedDeclined.at(place),
            _ => return,
        });
    }
}

/// Kinds that carry a status, and the members of each kind that stay as they were.
const KINDS: [(&str, bool, &[&str]); 9] = [
    (
        "collabAgentToolCall",
        true,
        &["tool", "senderThreadId", "prompt"],
    ),
    ("commandExecution", true, &["command", "cwd"]),
    ("dynamicToolCall", true, &["tool", "arguments"]),
    ("enteredReviewMode", false, &["review"]),
    ("exitedReviewMode", false, &["review"]),
    ("fileChange", true, &["changes"]),
    ("mcpToolCall", true, &["server", "tool", "arguments"]),
    ("subAgentActivity", false, &["kind", "agentThreadId"]),
    ("userMessage", false, &["content"]),
];

/// Kinds of item that belong to a review.
const REVIEWS: [&str; 3] = ["codeReview", "enteredReviewMode", "exitedReviewMode"];

fn has_status(kind: &str) -> bool {
    KINDS.iter().any(|(name, has, _)| *name == kind && *has)
}

fn fixed(kind: &str, item: View<'_>) -> Vec<(&'static str, ValueFingerprint)> {
    let of = KINDS.iter().find(|(name, ..)| *name == kind);
    let members = of.map_or(&[][..], |(_, _, members)| members);
    let each = members
        .iter()
        .filter_map(|name| Some((*name, ValueFingerprint::of(item.get(name)?))));
    each.collect()
}

/// What an item is known by within its turn. Entering and leaving a review share one id.
fn key_of<'a>(kind: &str, id: &'a str) -> Cow<'a, str> {
    match kind {
        "exitedReviewMode" => Cow::Owned(format!("{} left", short(id))),
        _ => short(id),
    }
}

/// An item as one message shows it.
struct Named<'a> {
    item: View<'a>,
    kind: &'a str,
    thread: &'a str,
    turn: Cow<'a, str>,
    /// The number of its turn.
    serial: u64,
    key: Cow<'a, str>,
}

impl Named<'_> {
    /// What it is looked up by.
    fn id(&self) -> (u64, &str) {
        (self.serial, &self.key)
    }

    fn is_declined(&self) -> bool {
        self.item.get_str("status") == Some("declined")
    }

    /// What it is remembered by.
    fn owned(&self) -> (u64, String) {
        (self.serial, self.key.as_ref().to_owned())
    }
}

impl App {
    fn named<'s>(&mut self, at: &mut MessageContext<'_, 's>) -> Option<Named<'s>> {
        let item = at.param("item");
        let text = |name: &str| item.and_then(|item| item.get_str(name));
        let (Some(item), Some(kind), Some(id)) = (item, text("type"), text("id")) else {
            self.unread(at);
            return None;
        };
        let (thread, turn) = self.turn_of(at)?;
        let is_review = REVIEWS.contains(&kind);
        let tracked = self.thread(at, thread);
        let serial = tracked.serial;
        if is_review {
            // Up to 0.86.0 the counts in between are those of the reviewer, from zero.
            tracked.recount();
        }
        let known = self.turn(serial, &turn);
        known.review |= is_review;
        Some(Named {
            item,
            kind: begin(kind, ID_BYTES),
            thread,
            serial: known.serial,
            turn,
            key: key_of(kind, id),
        })
    }

    pub(super) fn item_started(&mut self, at: &mut MessageContext<'_, '_>) {
        let Some(named) = self.named(at) else {
            return;
        };
        self.within(at, named.thread, &named.turn, named.kind);
        self.status_of(at, &named, true);
        result::none_yet(at, named.kind, named.item);
        let thread = self.thread(at, named.thread).serial;
        let retries = self.turn(thread, &named.turn).retries;
        if let Some(before) = self.items.get(&named.id() as &dyn Id) {
            let again = named.kind == "agentMessage" && retries > before.retries;
            let of = match again && before.done.is_none() {
                true => "retried agentMessage",
                false => named.kind,
            };
            let kind = Word::of(named.kind);
            let violation = ItemStartedAgain { kind }.at("/params/item/id").of(of);
            at.violation(violation.earlier(before.message_ref, "the item started here"));
        }
        if named.kind == "agentMessage" {
            let open = self.turn(thread, &named.turn).open.clone();
            for other in &open {
                if let Some(item) = self
                    .items
                    .get_mut(&(named.serial, other.as_str()) as &dyn Id)
                {
                    item.is_superseded = true;
                }
            }
        }
        let mut item = Item::new(named.kind, at.seen.message_ref);
        item.fixed = fixed(named.kind, named.item);
        item.retries = retries;
        self.items.insert(named.owned(), item);
        let open = &mut self.turn(thread, &named.turn).open;
        if !open.iter().any(|open| *open == named.key) && open.len() < MOST_OPEN {
            open.push(named.key.into_owned());
        }
    }

    pub(super) fn item_completed(&mut self, at: &mut MessageContext<'_, '_>) {
        let Some(mut named) = self.named(at) else {
            return;
        };
        self.of_the_last_turn(at, &mut named);
        self.status_of(at, &named, false);
        result::fits(at, named.kind, named.item);
        let message_ref = at.seen.message_ref;
        let declined = named.is_declined();
        let id = named.id();
        let key = &id as &dyn Id;
        if self.items.find(key).is_none() {
            self.never_started(at, &named);
            let item = Item::new(named.kind, message_ref);
            self.items.insert(named.owned(), item);
        } else {
            self.completed_in_time(at, &named);
        }
        let thread = self.thread(at, named.thread).serial;
        self.turn(thread, &named.turn)
            .open
            .retain(|open| *open != named.key);
        if let Some(decided) = self.decisions.get(key) {
            decided.check(at, named.item);
        }
        let late = declined && self.may_be_answered_late(at, &named);
        let Some(item) = self.items.get_mut(key) else {
            return;
        };
        if let Some((before, was_declined)) = item.done {
            let of = match (was_declined, late) {
                (true, _) => format!("declined {}", named.kind),
                (false, true) => format!("late declined {}", named.kind),
                (false, false) => named.kind.to_owned(),
            };
            let kind = Word::of(named.kind);
            let violation = ItemCompletedAgain { kind }.at("/params/item/id").of(of);
            at.violation(violation.earlier(before, "the item completed here"));
        } else {
            item.compare(at, named.kind, named.item);
        }
        item.done = Some((message_ref, declined));
        // Nothing is compared with these any more.
        item.fixed = Vec::new();
        item.text = None;
        item.summary = Parts::default();
        item.content = Parts::default();
    }

    /// An item completes that no message has named before.
    fn never_started(&mut self, at: &mut MessageContext<'_, '_>, named: &Named<'_>) {
        let silent = self.is_silent(at, "item/started") || at.wire.partial || self.items.forgot();
        let known = self.thread(at, named.thread);
        let (serial, was_joined) = (known.serial, known.was_joined);
        let turn = self.turn(serial, &named.turn);
        // Of turns from before the client joined it knows nothing.
        let unseen = turn.started.is_none() && was_joined;
        if silent || unseen {
            return;
        }
        let refused = matches!(named.item.get_str("status"), Some("declined" | "failed"));
        let of = match refused && named.kind == "commandExecution" {
            true => "declined or failed commandExecution",
            false => named.kind,
        };
        let kind = Word::of(named.kind);
        at.violation(ItemNeverStarted { kind }.at("/params/item/id").of(of));
    }

    /// Where items name no turn, one that completes while none runs is of the turn that ended last,
    /// if that has it: an approval may be answered after the turn was interrupted.
    fn of_the_last_turn(&mut self, at: &mut MessageContext<'_, '_>, named: &mut Named<'_>) {
        if !named.turn.is_empty() || self.items.find(&named.id() as &dyn Id).is_some() {
            return;
        }
        let known = self.thread(at, named.thread);
        let (thread, Some(last)) = (known.serial, known.last.clone()) else {
            return;
        };
        let serial = self.turn(thread, &last).serial;
        if self.items.find(&(serial, &*named.key) as &dyn Id).is_some() {
            (named.serial, named.turn) = (serial, Cow::Owned(last));
        }
    }

    /// Whether the turn of an item has ended and an approval of the item was answered, or may
    /// have been where the lines of the client are not there, or it is not alone, or where items name no thread.
    fn may_be_answered_late(&mut self, at: &MessageContext<'_, '_>, named: &Named<'_>) -> bool {
        let received = self.met == 1 && !at.wire.partial && self.connection(at).is_two_way();
        let answered = self.decisions.get(&named.id() as &dyn Id).is_some();
        let serial = self.thread(at, named.thread).serial;
        self.turn(serial, &named.turn).ended.is_some()
            && (answered || !received || named.thread.is_empty())
    }

    /// An open item completes before its turn does.
    fn completed_in_time(&mut self, at: &mut MessageContext<'_, '_>, named: &Named<'_>) {
        let serial = self.thread(at, named.thread).serial;
        let ended = self.turn(serial, &named.turn).ended;
        let item = self.items.get(&named.id() as &dyn Id);
        let open = item.is_some_and(|item| item.done.is_none());
        if let (Some(ended), true) = (ended, open) {
            let of = match named.is_declined() {
                true => format!("declined {}", named.kind),
                false => named.kind.to_owned(),
            };
            let kind = Word::of(named.kind);
            let violation = ItemLate { kind }.at("/params/turnId").of(of);
            at.violation(violation.earlier(ended, "the turn completed here"));
        }
    }

    /// Items that are started are in progress, and those that are completed are not.
    fn status_of(&self, at: &mut MessageContext<'_, '_>, named: &Named<'_>, starts: bool) {
        let Some(status) = named
            .item
            .get_str("status")
            .filter(|_| has_status(named.kind))
        else {
            return;
        };
        if (status == "inProgress") != starts {
            let place = "/params/item/status";
            at.violation(match starts {
                true => StartedNotInProgress.at(place),
                false => CompletedInProgress.at(place),
            });
        }
    }

    /// Items that are open when their turn completes.
    pub(super) fn open_at_end(
        &mut self,
        at: &mut MessageContext<'_, '_>,
        thread: u64,
        id: &str,
        status: &str,
    ) {
        let silent = self.is_silent(at, "item/completed");
        let turn = self.turn(thread, id);
        let (serial, retries, review) = (turn.serial, turn.retries, turn.review);
        for key in turn.open.clone() {
            let Some(item) = self.items.get_mut(&(serial, key)) else {
                continue;
            };
            if silent || item.done.is_some() || std::mem::replace(&mut item.left_open, true) {
                continue;
            }
            let broken_off =
                status != "completed" || retries > item.retries || review || item.is_superseded;
            let of = match &*item.kind {
                "agentMessage" if broken_off => "broken-off agentMessage".to_owned(),
                kind if status == "interrupted" => format!("interrupted {kind}"),
                kind => kind.to_owned(),
            };
            let kind = Word::of(&item.kind);
            let violation = ItemOpen { kind }.at("/params/turn/id").of(of);
            at.violation(violation.earlier(item.message_ref, "the item started here"));
        }
    }

    /// Whether an item is open, in a turn whose start was seen; `None` if that is not known.
    pub(super) fn is_open(
        &mut self,
        at: &MessageContext<'_, '_>,
        thread: &str,
        turn: &str,
        id: &str,
    ) -> Option<bool> {
        let silent = self.is_silent(at, "item/started") || self.items.forgot();
        let serial = self.thread(at, thread).serial;
        let turn = self.turns.get(&(serial, turn) as &dyn Id)?;
        if silent || turn.started.is_none() {
            return None;
        }
        let item = self.items.get(&(turn.serial, id) as &dyn Id);
        Some(item.is_some_and(|item| item.done.is_none()))
    }

    /// What the client decides about an item.
    pub(super) fn decide(
        &mut self,
        at: &MessageContext<'_, '_>,
        thread: &str,
        turn: &str,
        id: &str,
        decided: Decision,
    ) {
        let serial = self.thread(at, thread).serial;
        let Some(turn) = self.turns.get(&(serial, turn) as &dyn Id) else {
            return;
        };
        let key = (turn.serial, id.to_owned());
        let decided = match self.decisions.get(&key) {
            Some(before) if *before != decided => Decision::Unsure,
            _ => decided,
        };
        self.decisions.insert(key, decided);
    }
}

rules! {
    APP_ITEM_COMPLETED_AGAIN {
        summary: "an item completes once",
        id: "sequence/app-server-item-completed-again",
        about: NOTIFICATIONS,
        status: Status::Advisory,
        exceptions: &[
            Exception {
                releases: until(v(97)),
                of: &["declined commandExecution"],
                level: Some(Severity::Note),
                seen: "0.63.0, 0.72.0 and 0.80.0 complete a declined command twice: `declined`, then \
                    `failed`",
            },
            Exception {
                releases: until(v(97)),
                of: &["late declined commandExecution"],
                level: Some(Severity::Note),
                seen: "in recordings of 0.63.0, 0.64.0 and 0.90.0, if a turn is interrupted \
                    while a command waits for approval, the command completes as `failed`, and \
                    again as `declined` when the client declines after the turn",
            },
            Exception {
                releases: between(v(73), v(132)),
                of: &["declined fileChange"],
                level: Some(Severity::Note),
                seen: "from 0.80.0 to 0.125.0 declined file changes complete twice",
            },
        ],
        explanation: "A client that counts or shows completed items does so twice. Entering and \
            leaving a review are two items, even if they share an id.",
        evidence: connections!("4,967 items; 18 declined ones complete twice, and 3 in later \
            recordings (see the exceptions)."),
    } => {
        ItemCompletedAgain { kind: Word }: "the `{kind}` is completed a second time",
    }
    APP_ITEM_LATE {
        summary: "an item completes before its turn does",
        id: "sequence/app-server-item-late",
        about: NOTIFICATIONS,
        releases: ENDS,
        status: Status::Advisory,
        exceptions: &[
            Exception {
                releases: ENDS,
                of: &["declined commandExecution"],
                level: Some(Severity::Note),
                seen: "in recordings of 0.66.0, 0.75.0 and 0.77.0, if a turn is interrupted \
                    while a command waits for approval, the command completes only when the \
                    client declines, after the turn",
            },
            Exception {
                releases: since(v(73)),
                of: &["commandExecution"],
                level: Some(Severity::Note),
                seen: "background terminals end later, from 0.80.0 on; in 0.125.0 to 0.142.0 \
                    ordinary commands often do",
            },
            Exception {
                releases: since(v(142)),
                of: &["subAgentActivity"],
                level: Some(Severity::Note),
                seen: "0.157.0 sends the item about the end of an agent after `turn/completed`",
            },
        ],
        explanation: "Codex does not say when the last item has completed: read on after \
            `turn/completed`.",
        evidence: connections!("29 commands complete late; in later recordings also an agent and \
            3 declined commands."),
    } => {
        ItemLate { kind: Word }: "the `{kind}` completes after its turn",
    }
    APP_ITEM_NEVER_STARTED {
        summary: "an item that completes was started",
        id: "sequence/app-server-item-never-started",
        about: NOTIFICATIONS,
        status: Status::Advisory,
        exceptions: &[
            Exception {
                releases: between(v(87), v(124)),
                of: &["declined or failed commandExecution"],
                level: Some(Severity::Note),
                seen: "from 0.98.0 to 0.116.0 commands that are declined, or whose approval is \
                    answered with an error, are not started",
            },
            Exception {
                releases: between(v(128), Release::new(0, 150, 0)),
                of: &["hookPrompt", "subAgentActivity"],
                level: Some(Severity::Note),
                seen: "0.133.0 and 0.142.0 do not start prompts of hooks; 0.142.0 does not start \
                    one activity of an agent",
            },
        ],
        explanation: "The line with its start is missing, or the ids are mixed up. A client that \
            joins a thread late has not seen the start, which is allowed.",
        evidence: connections!("4,967 items; 19 were not started, all of the exceptions."),
    } => {
        ItemNeverStarted { kind: Word }: "the `{kind}` was not started",
    }
    APP_ITEM_OPEN {
        summary: "an item that was started completes before its turn does",
        id: "sequence/app-server-item-open",
        about: NOTIFICATIONS,
        releases: ENDS,
        status: Status::Advisory,
        exceptions: &[
            Exception {
                releases: ReleaseBounds::ALWAYS,
                of: &["broken-off agentMessage"],
                level: Some(Severity::Note),
                seen: "a message of the agent that is stopped: by an interrupt, an error, a \
                    retry, a review, or by its next message",
            },
            Exception {
                releases: ReleaseBounds::ALWAYS,
                of: &["interrupted commandExecution"],
                level: Some(Severity::Note),
                seen: "a command that runs, or waits for its approval, when the turn is interrupted",
            },
            Exception {
                releases: since(v(128)),
                of: &["interrupted fileChange"],
                level: Some(Severity::Note),
                seen: "a file change that is cancelled, from 0.133.0 on",
            },
            Exception {
                releases: since(v(73)),
                of: &["commandExecution"],
                level: Some(Severity::Note),
                seen: "a background terminal, from 0.80.0 on; in 0.125.0 to 0.142.0 also ordinary \
                    commands, which complete a moment later",
            },
        ],
        explanation: "A client would show the item as running forever. When the turn ends, close all \
            open items.",
        evidence: connections!("1,828 turns complete; 225 items are open then, all of the \
            exceptions."),
    } => {
        ItemOpen { kind: Word }: "the `{kind}` has not completed, but its turn has",
    }
    APP_ITEM_STARTED_AGAIN {
        summary: "an item is started once",
        id: "sequence/app-server-item-started-again",
        about: NOTIFICATIONS,
        status: Status::Advisory,
        exceptions: &[Exception {
            releases: ReleaseBounds::ALWAYS,
            of: &["retried agentMessage"],
            level: Some(Severity::Note),
            seen: "after a retry, the model may reuse the id of the incomplete message; its text \
                starts again",
        }],
        explanation: "An item id is unique within a turn.",
        evidence: connections!("5,183 starts; only messages after a retry come again."),
    } => {
        ItemStartedAgain { kind: Word }: "the `{kind}` is started a second time",
    }
    APP_ITEM_STATUS {
        summary: "an item is `inProgress` in `item/started` and not `inProgress` in \
            `item/completed`",
        id: "sequence/app-server-item-status",
        about: NOTIFICATIONS,
        explanation: "This is checked for commands, file changes and tool calls. Images have \
            statuses of their own.",
        evidence: connections!("None breaks it."),
    } => {
        StartedNotInProgress: "an item that is started is not `inProgress`",
        CompletedInProgress: "an item that is completed is `inProgress`",
    }
    APP_DECISION {
        summary: "an item does not complete as `completed` after the client declined it, and not \
            as `declined` after the client accepted it",
        id: "sequence/app-server-decision",
        about: NOTIFICATIONS,
        releases: NAMED,
        explanation: "`decline` and `cancel` mean declined; `accept` and `acceptForSession` mean \
            accepted. This is not checked with several clients, because another client may have \
            answered first, or if Codex asked several times about one item and got different \
            decisions.",
        evidence: connections!("None breaks it."),
    } => {
        DeclinedDone: "the client declined it, and it was done",
        AcceptedDeclined: "the client accepted it, but it is `declined`",
    }
}
