//! Checks the items of a run: their numbers, starts and completions.

use codex_wire_program::View;

use crate::bounded_map::{BoundedMap, ID_BYTES};
use crate::phrasing::shown;
use crate::pointer::begin;
use crate::rules;
use crate::sequence::machine::Observed;
use crate::sequence::value::ValueFingerprint;
use crate::violation::{MessageRef, Violation};

/// Kinds that are started before they are completed, in the releases that start them.
const STARTED: [&str; 6] = [
    "command_execution",
    "mcp_tool_call",
    "collab_tool_call",
    "web_search",
    "file_change",
    "todo_list",
];

/// Kinds that are completed at once.
const AT_ONCE: [&str; 4] = ["agent_message", "assistant_message", "reasoning", "error"];

/// Kinds that were completed at once by earlier releases.
const AT_ONCE_BEFORE: [&str; 2] = ["file_change", "web_search"];

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
    open: BoundedMap<String, Open>,
    done: BoundedMap<String, MessageRef>,
    /// The number of the next item that has not appeared.
    next: u64,
    /// The to-do list of the run.
    list: Option<(String, MessageRef)>,
    /// Where the to-do list was completed, while nothing followed.
    closed_list: Option<MessageRef>,
    /// Whether a line was lost since numbers were last in order.
    renumber: bool,
}

/// An item that was started and not completed.
struct Open {
    message_ref: MessageRef,
    kind: String,
    /// What it was called with, by name.
    fixed: Vec<(&'static str, ValueFingerprint)>,
    /// The entries of a to-do list as it was last.
    entries: Option<ValueFingerprint>,
}

/// An item that can be read: it has an id and a kind.
pub(super) struct Ready<'a> {
    id: &'a str,
    pub(super) kind: &'a str,
    members: View<'a>,
}

impl<'a> Ready<'a> {
    pub(super) fn of(message: View<'a>) -> Option<Self> {
        let members = message.get("item")?;
        // The early form spells the tag so.
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
        let text = format!("`{}` comes after the to-do list was completed", shown(tag));
        out.push(
            Violation::new(&rules::EXEC_TODO_LIST_LAST, "/type", text)
                .of(kind)
                .earlier(message_ref),
        );
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
        self.number(item, out);
        if let Some(message_ref) = self.done.get(item.id) {
            let text = match tag {
                "item.completed" => "the item is completed a second time",
                "item.updated" => "the item is updated after its completion",
                _ => "the item is started after its completion",
            };
            let rule = &rules::EXEC_ITEM_AFTER_COMPLETION;
            out.push(
                Violation::new(rule, "/item/id", text)
                    .of(item.kind)
                    .earlier(*message_ref),
            );
            return;
        }
        if item.kind == "todo_list" {
            self.todo_list(seen.message_ref, item, out);
        }
        match tag {
            "item.started" => self.start(seen.message_ref, item, out),
            "item.updated" => self.update(item, lost, out),
            _ => self.complete(seen.message_ref, item, lost, out),
        }
    }

    /// Items are numbered as they appear.
    fn number(&mut self, item: &Ready<'_>, out: &mut Vec<Violation>) {
        let number = item
            .id
            .strip_prefix("item_")
            .filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))
            .filter(|digits| digits.len() == 1 || !digits.starts_with('0'))
            .and_then(|digits| digits.parse::<u64>().ok());
        let rule = &rules::EXEC_ITEM_ID;
        let Some(number) = number else {
            let text = "the id of the item is not `item_` and a number";
            // A search that has lost its own id leaves a gap.
            self.renumber |= item.kind == "web_search";
            out.push(Violation::new(rule, "/item/id", text).of(item.kind));
            return;
        };
        if number > self.next && !self.renumber {
            let next = self.next;
            let text = format!("`item_{number}` appears where `item_{next}` is the next");
            // Of no kind: the exception is about ids that are no numbers.
            out.push(Violation::new(rule, "/item/id", text));
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
                let text = "a second to-do list appears";
                out.push(
                    Violation::new(&rules::EXEC_SECOND_TODO_LIST, "/item/id", text).earlier(*first),
                );
                self.list = Some((item.id.to_owned(), message_ref));
            }
            Some(_) => {}
        }
    }

    fn start(&mut self, message_ref: MessageRef, item: &Ready<'_>, out: &mut Vec<Violation>) {
        let kind = item.kind;
        if AT_ONCE.contains(&kind) || AT_ONCE_BEFORE.contains(&kind) {
            let text = format!("an item of the kind `{kind}` is started");
            out.push(Violation::new(&rules::EXEC_STARTED_KIND, "/type", text).of(kind));
        }
        if item.status().is_some_and(|status| status != "in_progress") {
            let text = "a started item is not `in_progress`";
            out.push(Violation::new(&rules::EXEC_ITEM_STATUS, "/item/status", text).of(kind));
        }
        no_result(item, out);
        if let Some(open) = self.open.get(item.id) {
            let rule = &rules::EXEC_ITEM_STARTED_TWICE;
            let text = "the item is started a second time";
            out.push(
                Violation::new(rule, "/item/id", text)
                    .of(kind)
                    .earlier(open.message_ref),
            );
            return;
        }
        let open = Open {
            message_ref,
            kind: kind.to_owned(),
            fixed: item.fixed(),
            entries: item.entries().map(ValueFingerprint::of),
        };
        self.open.insert(item.id.to_owned(), open);
    }

    fn update(&mut self, item: &Ready<'_>, lost: bool, out: &mut Vec<Violation>) {
        let kind = item.kind;
        if kind != "todo_list" {
            let text = format!("an item of the kind `{}` is updated", shown(kind));
            out.push(Violation::new(&rules::EXEC_UPDATED_KIND, "/type", text).of(kind));
        }
        match self.open.get_mut(item.id) {
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
        item: &Ready<'_>,
        lost: bool,
        out: &mut Vec<Violation>,
    ) {
        let kind = item.kind;
        if item.status() == Some("in_progress") {
            let text = "a completed item is `in_progress`";
            out.push(Violation::new(&rules::EXEC_ITEM_STATUS, "/item/status", text).of(kind));
        }
        result(item, out);
        match self.open.remove(item.id) {
            Some(open) => {
                Self::compare(&open, item, out);
                let as_left = match (&open.entries, item.entries()) {
                    (Some(left), Some(entries)) => left.is(entries),
                    (left, entries) => left.is_none() && entries.is_none(),
                };
                if open.kind == kind && !as_left && !lost {
                    let text = "the completed to-do list is not as its last update left it";
                    let rule = &rules::EXEC_TODO_LIST_STATE;
                    out.push(Violation::new(rule, "/item/items", text));
                }
            }
            None => self.never_started(item, "completed", lost, out),
        }
        if kind == "todo_list" {
            self.closed_list = Some(message_ref);
        }
        self.done.insert(item.id.to_owned(), message_ref);
    }

    fn never_started(&self, item: &Ready<'_>, done: &str, lost: bool, out: &mut Vec<Violation>) {
        if lost || self.open.forgot() || !STARTED.contains(&item.kind) {
            return;
        }
        let text = format!("the item is {done} and was never started");
        let rule = &rules::EXEC_ITEM_NEVER_STARTED;
        out.push(Violation::new(rule, "/item/id", text).of(item.kind));
    }

    /// Whether an item is still what it was started as.
    fn compare(open: &Open, item: &Ready<'_>, out: &mut Vec<Violation>) {
        let rule = &rules::EXEC_ITEM_CHANGED;
        if open.kind != item.kind {
            let kind = shown(&open.kind);
            let text = format!("the item was started as `{kind}`");
            out.push(
                Violation::new(rule, "/item", text)
                    .of(item.kind)
                    .earlier(open.message_ref),
            );
            return;
        }
        for (name, before) in &open.fixed {
            let now = item.members.get(name);
            if now.is_some_and(|now| !before.is(now)) {
                let text = format!("`{name}` is not what the item was started with");
                out.push(
                    Violation::new(rule, format!("/item/{name}"), text)
                        .of(item.kind)
                        .earlier(open.message_ref),
                );
            }
        }
    }

    /// The turn ends: nothing may be open.
    pub(super) fn end(&mut self, tag: &str, out: &mut Vec<Violation>) {
        for (_, open) in self.open.iter() {
            let (rule, text) = if open.kind == "todo_list" {
                let text = format!("a to-do list is open at `{tag}`");
                (&rules::EXEC_TODO_LIST_OPEN, text)
            } else {
                let rule = match tag {
                    "turn.completed" => &rules::EXEC_OPEN_AT_COMPLETION,
                    _ => &rules::EXEC_OPEN_AT_FAILURE,
                };
                let kind = shown(&open.kind);
                (
                    rule,
                    format!("an item of the kind `{kind}` is open at `{tag}`"),
                )
            };
            let breach = Violation::new(rule, "/type", text);
            out.push(breach.of(&*open.kind).earlier(open.message_ref));
        }
        self.open.clear();
    }
}

/// Members that tell what an item of a kind has come to.
fn results_of(kind: &str) -> &'static [&'static str] {
    match kind {
        "command_execution" => &["aggregated_output", "exit_code"],
        "mcp_tool_call" => &["result", "error"],
        "collab_tool_call" => &["agents_states"],
        _ => &[],
    }
}

/// Whether an item that is started has come to nothing yet.
fn no_result(item: &Ready<'_>, out: &mut Vec<Violation>) {
    for name in results_of(item.kind) {
        let told = item.members.get(name).is_some_and(|value| {
            let is_empty = value.is_null()
                || value.as_str() == Some("")
                || value.is_object() && value.members().next().is_none();
            !is_empty
        });
        if told {
            let rule = &rules::EXEC_STARTED_RESULT;
            let text = format!("a started item has `{name}` already");
            out.push(Violation::new(rule, format!("/item/{name}"), text).of(item.kind));
        }
    }
}

/// Whether the status of a completed item says the same as its result.
fn result(item: &Ready<'_>, out: &mut Vec<Violation>) {
    let Some(status) = item.status() else {
        return;
    };
    let text = match (item.kind, status) {
        ("command_execution", "completed" | "failed") => {
            match item.members.get("exit_code").and_then(View::as_i64) {
                Some(0) if status == "failed" => "a command with exit code 0 is `failed`",
                Some(code) if code != 0 && status == "completed" => {
                    "a command with another exit code than 0 is `completed`"
                }
                _ => return,
            }
        }
        ("mcp_tool_call", "completed")
            if item
                .members
                .get("error")
                .is_some_and(|error| !error.is_null()) =>
        {
            "a call with an error is `completed`"
        }
        _ => return,
    };
    let rule = &rules::EXEC_STATUS_AND_RESULT;
    out.push(Violation::new(rule, "/item/status", text).of(item.kind));
}
