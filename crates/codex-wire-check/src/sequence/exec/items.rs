//! Checks the items of a run: their numbers, starts and completions.

use codex_wire_prefilter::View;

use super::evidence::{EXEC, LEAK, streams};
use super::results;
use crate::bounded_map::{BoundedMap, ID_BYTES, Lookup, MapKey, short};
use crate::phrasing::Word;
use crate::pointer::begin;
use crate::rule::{Exception, Status, between, since, until, v};
use crate::rule_macros::rules;
use crate::sequence::machine::Observed;
use crate::sequence::value::ValueFingerprint;
use crate::severity::Severity;
use crate::violation::{Broken, MessageRef, Violation};
use codex_wire_base::shape::ReleaseBounds;

/// Kinds that are started before they are completed, in the releases that start them.
const STARTED: [&str; 6] = [
    "command_execution",
    "mcp_tool_call",
    "collab_tool_call",
    "web_search",
    "file_change",
    "todo_list",
];

/// Kinds that are completed at once, the last two of them by earlier releases.
const AT_ONCE: [&str; 6] = [
    "agent_message",
    "assistant_message",
    "reasoning",
    "error",
    "file_change",
    "web_search",
];

/// What an item of a kind was called with, which does not change.
fn called_with(kind: &str) -> &'static [&'static str] {
    match kind {
        "command_execution" => &["command"],
        "mcp_tool_call" => &["server", "tool", "arguments"],
        "collab_tool_call" => &["tool", "prompt", "sender_thread_id"],
        "file_change" => &["changes"],
        _ => &[],
    }
}

/// The items of a run.
pub(super) struct Items {
    open: BoundedMap<ItemId, Open>,
    done: BoundedMap<ItemId, MessageRef>,
    /// The number of the next item that has not appeared.
    next: u64,
    /// The to-do list of the run.
    list: Option<(String, MessageRef)>,
    /// Where the to-do list was completed, while nothing followed.
    closed_list: Option<MessageRef>,
    /// Whether a line was lost since numbers were last in order.
    renumber: bool,
}

/// The id of an item, as it is kept.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum ItemId {
    /// `item_0`, `item_1`, …: those that Codex writes.
    Numbered(u64),
    Other(String),
}

impl ItemId {
    fn of(id: &str) -> Self {
        let number = id
            .strip_prefix("item_")
            .filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))
            .filter(|digits| digits.len() == 1 || !digits.starts_with('0'))
            .and_then(|digits| digits.parse().ok());
        number.map_or_else(|| ItemId::Other(short(id).into_owned()), ItemId::Numbered)
    }
}

impl MapKey for ItemId {}
impl Lookup for ItemId {}

/// An item that was started and not completed.
struct Open {
    message_ref: MessageRef,
    kind: String,
    /// What it was called with, by name.
    fixed: Vec<(&'static str, ValueFingerprint)>,
    /// The entries of a to-do list as it was last.
    entries: Option<ValueFingerprint>,
}

/// What the start of an item is to a later message.
const STARTED_HERE: &str = "the item started here";

/// An item that can be read: it has an id and a kind.
pub(super) struct Ready<'a> {
    id: &'a str,
    pub(super) kind: &'a str,
    members: View<'a>,
}

impl<'a> Ready<'a> {
    pub(super) fn of(message: View<'a>) -> Option<Self> {
        let members = message.get("item")?;
        // The early format spells the tag like this.
        let kind = members.get("type").or_else(|| members.get("item_type"))?;
        Some(Ready {
            id: members.get("id")?.as_str()?,
            // No kind is as long; what begins alike is the same to rules about order.
            kind: begin(kind.as_str()?, ID_BYTES),
            members,
        })
    }

    fn fixed(&self) -> Vec<(&'static str, ValueFingerprint)> {
        let members = called_with(self.kind).iter();
        let fixed =
            members.filter_map(|name| Some((*name, ValueFingerprint::of(self.members.get(name)?))));
        fixed.collect()
    }

    fn entries(&self) -> Option<View<'_>> {
        (self.kind == "todo_list").then(|| self.members.get("items"))?
    }

    fn status(&self) -> Option<&'a str> {
        self.members.get("status")?.as_str()
    }
}

impl Items {
    pub(super) fn new(limit: usize) -> Self {
        Items {
            open: BoundedMap::new(limit),
            done: BoundedMap::new(limit),
            next: 0,
            list: None,
            closed_list: None,
            renumber: false,
        }
    }

    /// Nothing of a run has come yet.
    pub(super) fn restart(&mut self) {
        let Items {
            open,
            done,
            next,
            list,
            closed_list,
            renumber,
        } = self;
        open.restart();
        done.restart();
        (*next, *list, *closed_list, *renumber) = (0, None, None, false);
    }

    pub(super) fn lost(&mut self) {
        self.renumber = true;
        self.closed_list = None;
    }

    /// What any message within the run means for the items before it.
    pub(super) fn before(&mut self, seen: &Observed<'_>, tag: &str, out: &mut Vec<Violation>) {
        let Some(message_ref) = self.closed_list.take() else {
            return;
        };
        if matches!(tag, "turn.completed" | "turn.failed") {
            return;
        }
        let kind = Ready::of(seen.first).map_or(tag, |item| item.kind);
        let tag = Word::of(tag);
        let not_last = TodoListNotLast { tag }.at("/type").of(kind);
        out.push(not_last.earlier(message_ref, "the list was completed here"));
    }

    /// An event of an item.
    pub(super) fn take(
        &mut self,
        seen: &Observed<'_>,
        tag: &str,
        item: &Ready<'_>,
        lost: bool,
        out: &mut Vec<Violation>,
    ) {
        let id = ItemId::of(item.id);
        self.number(&id, item.kind, out);
        if let Some(message_ref) = self.done.get(&id) {
            let pointer = "/item/id";
            let violation = match tag {
                "item.completed" => CompletedAgain.at(pointer),
                "item.updated" => UpdatedAfterCompletion.at(pointer),
                _ => StartedAfterCompletion.at(pointer),
            };
            let violation = violation.of(item.kind);
            out.push(violation.earlier(*message_ref, "the item was completed here"));
            return;
        }
        if item.kind == "todo_list" {
            self.todo_list(seen.message_ref, item, out);
        }
        match tag {
            "item.started" => self.start(seen.message_ref, id, item, out),
            "item.updated" => self.update(&id, item, lost, out),
            _ => self.complete(seen.message_ref, id, item, lost, out),
        }
    }

    /// Items are numbered as they appear.
    fn number(&mut self, id: &ItemId, kind: &str, out: &mut Vec<Violation>) {
        let ItemId::Numbered(number) = *id else {
            // A search that has lost its own id leaves a gap.
            self.renumber |= kind == "web_search";
            out.push(IdNotNumbered.at("/item/id").of(kind));
            return;
        };
        if number > self.next && !self.renumber {
            let next = self.next;
            // Of no kind: the exception is about ids that are not numbers.
            out.push(IdSkipped { number, next }.at("/item/id"));
        }
        if number >= self.next {
            self.next = number.saturating_add(1);
            self.renumber = false;
        }
    }

    fn todo_list(&mut self, message_ref: MessageRef, item: &Ready<'_>, out: &mut Vec<Violation>) {
        match &self.list {
            None => self.list = Some((item.id.to_owned(), message_ref)),
            Some((id, first)) if id != item.id => {
                let second = SecondTodoList.at("/item/id");
                out.push(second.earlier(*first, "the first list appeared here"));
                self.list = Some((item.id.to_owned(), message_ref));
            }
            Some(_) => {}
        }
    }

    fn start(
        &mut self,
        message_ref: MessageRef,
        id: ItemId,
        item: &Ready<'_>,
        out: &mut Vec<Violation>,
    ) {
        let kind = item.kind;
        if AT_ONCE.contains(&kind) {
            let started = StartedKind {
                kind: Word::of(kind),
            };
            out.push(started.at("/type").of(kind));
        }
        if item.status().is_some_and(|status| status != "in_progress") {
            out.push(StartedNotInProgress.at("/item/status").of(kind));
        }
        results::none_yet(item.kind, item.members, out);
        if let Some(open) = self.open.get(&id) {
            let again = StartedAgain.at("/item/id").of(kind);
            out.push(again.earlier(open.message_ref, STARTED_HERE));
            return;
        }
        let open = Open {
            message_ref,
            kind: kind.to_owned(),
            fixed: item.fixed(),
            entries: item.entries().map(ValueFingerprint::of),
        };
        self.open.insert(id, open);
    }

    fn update(&mut self, id: &ItemId, item: &Ready<'_>, lost: bool, out: &mut Vec<Violation>) {
        let kind = item.kind;
        if kind != "todo_list" {
            let updated = UpdatedKind {
                kind: Word::of(kind),
            };
            out.push(updated.at("/type").of(kind));
        }
        match self.open.get_mut(id) {
            Some(open) => {
                open.entries = item.entries().map(ValueFingerprint::of);
                Self::compare(open, item, out);
            }
            None => self.never_started(item, "updated", lost, out),
        }
    }

    fn complete(
        &mut self,
        message_ref: MessageRef,
        id: ItemId,
        item: &Ready<'_>,
        lost: bool,
        out: &mut Vec<Violation>,
    ) {
        let kind = item.kind;
        if item.status() == Some("in_progress") {
            out.push(CompletedInProgress.at("/item/status").of(kind));
        }
        results::fit(item.kind, item.members, out);
        match self.open.remove(&id) {
            Some(open) => {
                Self::compare(&open, item, out);
                let as_left = match (&open.entries, item.entries()) {
                    (Some(left), Some(entries)) => left.is(entries),
                    (left, entries) => left.is_none() && entries.is_none(),
                };
                if open.kind == kind && !as_left && !lost {
                    out.push(TodoListChanged.at("/item/items"));
                }
            }
            None => self.never_started(item, "completed", lost, out),
        }
        if kind == "todo_list" {
            self.closed_list = Some(message_ref);
        }
        self.done.insert(id, message_ref);
    }

    fn never_started(
        &self,
        item: &Ready<'_>,
        done: &'static str,
        lost: bool,
        out: &mut Vec<Violation>,
    ) {
        if lost || self.open.forgot() || !STARTED.contains(&item.kind) {
            return;
        }
        out.push(NeverStarted { done }.at("/item/id").of(item.kind));
    }

    /// Whether an item is still what it was started as.
    fn compare(open: &Open, item: &Ready<'_>, out: &mut Vec<Violation>) {
        if open.kind != item.kind {
            let kind = Word::of(&open.kind);
            let changed = OtherKind { kind }.at("/item").of(item.kind);
            out.push(changed.earlier(open.message_ref, STARTED_HERE));
            return;
        }
        for (name, before) in &open.fixed {
            let now = item.members.get(name);
            if now.is_some_and(|now| !before.is(now)) {
                let changed = InputChanged { name }.at(format!("/item/{name}"));
                let changed = changed.of(item.kind);
                out.push(changed.earlier(open.message_ref, STARTED_HERE));
            }
        }
    }

    /// The turn ends: nothing may be open.
    pub(super) fn end(&mut self, tag: &'static str, out: &mut Vec<Violation>) {
        for (_, open) in self.open.iter() {
            let kind = Word::of(&open.kind);
            let violation = match (open.kind.as_str(), tag) {
                ("todo_list", _) => TodoListOpen { tag }.at("/type"),
                (_, "turn.completed") => OpenAtCompletion { kind }.at("/type"),
                _ => OpenAtFailure { kind, tag }.at("/type"),
            };
            let violation = violation.of(&*open.kind);
            out.push(violation.earlier(open.message_ref, STARTED_HERE));
        }
        self.open.clear();
    }
}

rules! {
    EXEC_ITEM_AFTER_COMPLETION {
        summary: "no event names an item after its `item.completed`",
        id: "sequence/exec-item-after-completion",
        about: EXEC,
        explanation: "A completed item is final. If it completes twice, a client that appends shows \
            it twice. If it is updated or started again, a client that closed it ignores that.",
        evidence: streams!("None breaks it."),
    } => {
        CompletedAgain: "the item is completed a second time",
        UpdatedAfterCompletion: "the item is updated after its completion",
        StartedAfterCompletion: "the item is started after its completion",
    }
    EXEC_ITEM_CHANGED {
        summary: "an item has the same kind and the same input from start to completion",
        id: "sequence/exec-item-changed",
        about: EXEC,
        explanation: "A client joins start and completion by the item's id. If `command`, `server`, \
            `tool`, `arguments`, `prompt`, `sender_thread_id` or `changes` differ, the ids are \
            mixed up. A search may change its query, and a wait call its receivers.",
        evidence: streams!("903 pairs of a stream and a kind of item that it starts and \
            completes were compared; none breaks it."),
    } => {
        OtherKind { kind: Word }: "the item was started as `{kind}`",
        InputChanged { name: &'static str }: "`{name}` is not what the item was started with",
    }
    EXEC_ITEM_ID {
        summary: "items are numbered in the order in which they first appear: `item_0`, `item_1`, …",
        id: "sequence/exec-item-id",
        about: EXEC,
        exceptions: &[Exception {
            releases: since(v(87)),
            of: &["web_search"],
            level: None,
            seen: "a web search has two `id` keys (see `framing/duplicate-id`); if a JSON tool \
                rewrote the line, only the second is left",
        }],
        explanation: "A gap means that messages are missing or came in another order. The numbers \
            begin at 0 in every run, also when a thread is resumed.",
        evidence: streams!("None breaks it, child agents' items included."),
    } => {
        IdNotNumbered: "the id of the item is not `item_` and a number",
        IdSkipped { number: u64, next: u64 }: "`item_{number}` appears where `item_{next}` is the next",
    }
    EXEC_ITEM_NEVER_STARTED {
        summary: "commands, calls, searches, file changes and to-do lists are started before they \
            are updated or completed",
        id: "sequence/exec-item-never-started",
        about: EXEC,
        exceptions: &[
            Exception {
                releases: until(v(116)),
                of: &["file_change"],
                level: None,
                seen: "up to 0.116.0 Codex sends only `item.completed` for file changes",
            },
            Exception {
                releases: until(v(90)),
                of: &["web_search"],
                level: None,
                seen: "up to 0.80.0 Codex sends only `item.completed` for web searches; from \
                    0.92.0 on it also sends `item.started`",
            },
        ],
        explanation: "A client that opens an item at its start has nothing to close. This rule \
            ignores messages, reasoning and errors: Codex never starts them.",
        evidence: streams!("473 have commands, 146 MCP calls, 100 to-do lists, 70 calls of other \
            agents, 58 searches and 56 file changes, all started first."),
    } => {
        NeverStarted { done: &'static str }: "the item is {done} but was never started",
    }
    EXEC_ITEM_STARTED_AGAIN {
        summary: "an item is started once",
        id: "sequence/exec-item-started-again",
        about: EXEC,
        explanation: "Two items have one id, or a line was written twice.",
        evidence: streams!("None breaks it."),
    } => {
        StartedAgain: "the item is started a second time",
    }
    EXEC_ITEM_STATUS {
        summary: "a started item is `in_progress`, and a completed one is not",
        id: "sequence/exec-item-status",
        about: EXEC,
        explanation: "The event and the status mean the same. If they differ, clients that read the \
            event and clients that read the status show different things.",
        evidence: streams!("None breaks it."),
    } => {
        StartedNotInProgress: "a started item is not `in_progress`",
        CompletedInProgress: "a completed item is `in_progress`",
    }
    EXEC_OPEN_AT_COMPLETION {
        summary: "every item that was started is completed before `turn.completed`",
        id: "sequence/exec-open-at-completion",
        about: EXEC,
        status: Status::Advisory,
        exceptions: &[
            Exception {
                releases: between(v(55), v(72)),
                of: &["command_execution"],
                level: Some(Severity::Note),
                seen: "0.63.0 never completes a command that keeps running in the background",
            },
            Exception {
                releases: since(v(117)),
                of: &["command_execution"],
                level: Some(Severity::Note),
                seen: "from 0.117.0 on a command that keeps running in the background is never \
                    completed; up to 0.145.0 also one of several commands that run at the same \
                    time",
            },
        ],
        explanation: "A client that waits for the completion never stops waiting. Treat the end of \
            the turn as the end of all items. The releases between these ranges complete a \
            background command late, with `exit_code: null`.",
        evidence: streams!("In 36, of 23 releases, commands are left open, and nothing else in any."),
    } => {
        OpenAtCompletion { kind: Word }: "an item of the kind `{kind}` is open at `turn.completed`",
    }
    EXEC_OPEN_AT_FAILURE {
        summary: "every item that was started is completed before `turn.failed`",
        id: "sequence/exec-open-at-failure",
        about: EXEC,
        level: Severity::Warning,
        status: Status::Advisory,
        exceptions: &[Exception {
            releases: ReleaseBounds::ALWAYS,
            of: &["web_search", "command_execution"],
            level: Some(Severity::Note),
            seen: "a search stays open when the stream of the model breaks off (0.98.0, 0.125.0, \
                0.157.0, 0.169.0); commands stay open as in `sequence/exec-open-at-completion`",
        }],
        explanation: "The turn failed while an item was running, and Codex did not send its \
            `item.completed`. Few failures with running items were recorded, so this is a \
            warning at most.",
        evidence: streams!("Of 325 that fail, four leave a search open."),
    } => {
        OpenAtFailure { kind: Word, tag: &'static str }: "an item of the kind `{kind}` is open at `{tag}`",
    }
    EXEC_TODO_LIST_AGAIN {
        summary: "a run has one to-do list",
        id: "sequence/exec-todo-list-again",
        about: EXEC,
        exceptions: &[Exception {
            releases: LEAK,
            of: &[],
            level: None,
            seen: "child agents write into the stream, and may have to-do lists of their own",
        }],
        explanation: "The agent's plan is one item that is updated when it changes. A second one is \
            a second plan, or an update with the wrong id.",
        evidence: streams!("None of the 120 with a list has two."),
    } => {
        SecondTodoList: "a second to-do list appears",
    }
    EXEC_STARTED_KIND {
        summary: "Codex sends no `item.started` for messages, reasoning and errors, only \
            `item.completed`",
        id: "sequence/exec-started-kind",
        about: EXEC,
        exceptions: &[
            Exception {
                releases: since(v(117)),
                of: &["file_change"],
                level: None,
                seen: "file changes are started from 0.117.0 on",
            },
            Exception {
                releases: since(v(87)),
                of: &["web_search"],
                level: None,
                seen: "web searches are started from 0.92.0 on",
            },
        ],
        explanation: "Clients expect the complete item in one event. Up to 0.116.0 this includes \
            file changes, and up to 0.80.0 web searches.",
        evidence: streams!("None breaks it."),
    } => {
        StartedKind { kind: Word }: "an item of the kind `{kind}` is started",
    }
    EXEC_TODO_LIST_LAST {
        summary: "a to-do list is completed last, directly before the end of the turn",
        id: "sequence/exec-todo-list-last",
        about: EXEC,
        exceptions: &[
            Exception {
                releases: LEAK,
                of: &[],
                level: None,
                seen: "child agents write into the stream, at any time",
            },
            Exception {
                releases: between(v(55), v(116)),
                of: &["command_execution"],
                level: None,
                seen: "commands that keep running in the background are completed late, at the \
                    end of the turn",
            },
        ],
        explanation: "Codex completes the list when the turn ends, successful or not. If the list \
            completes earlier, another program wrote the line, or the lines changed order.",
        evidence: streams!("In all 100 where a list is completed, the end of the turn or of the \
            stream follows."),
    } => {
        TodoListNotLast { tag: Word }: "`{tag}` comes after the to-do list was completed",
    }
    EXEC_TODO_LIST_OPEN {
        summary: "a to-do list is completed before the turn ends",
        id: "sequence/exec-todo-list-open",
        about: EXEC,
        explanation: "Codex completes the list also when the turn fails, so clients do not have to. \
            If the list stays open, its `item.completed` was lost.",
        evidence: streams!("All 73 turns with a list that end complete it first. Interrupted \
            runs do so from 0.117.0 on."),
    } => {
        TodoListOpen { tag: &'static str }: "a to-do list is open at `{tag}`",
    }
    EXEC_TODO_LIST_STATE {
        summary: "a completed to-do list has the same entries as its last update",
        id: "sequence/exec-todo-list-state",
        about: EXEC,
        explanation: "The completion changes nothing in the list. If it differs, an update is \
            missing.",
        evidence: streams!("All 100 completed lists have."),
    } => {
        TodoListChanged: "the completed to-do list is not as its last update left it",
    }
    EXEC_UPDATED_KIND {
        summary: "only to-do lists are updated",
        id: "sequence/exec-updated-kind",
        about: EXEC,
        explanation: "`codex exec` shows no progress of other items. Clients handle updates of to-do \
            lists and may ignore all others.",
        evidence: streams!("No other item was updated in any."),
    } => {
        UpdatedKind { kind: Word }: "an item of the kind `{kind}` is updated",
    }
}
