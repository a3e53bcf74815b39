//! What the oracle says of items.

use codex_wire::Release;
use serde_json::Value;

use super::turns::{Turn, turn_of};
use super::view::{View, minor};

/// An item as one message shows it.
struct ReportedItem<'v, 'a> {
    view: &'v View<'a>,
    thread: &'v str,
    turn: Turn<'v, 'a>,
    kind: &'a str,
    id: &'a str,
    at: usize,
}

pub(super) fn items(view: &View<'_>) -> bool {
    view.threads.iter().all(|(thread, own)| {
        own.iter().all(|at| {
            if view.sends(*at, "turn/completed") {
                return none_open(view, thread, *at);
            }
            let named = view.text(*at, "/params/turnId").is_some() && view.release >= minor(72);
            let begun = ["hook/started", "item/autoApprovalReview/started"];
            let asks = view.lines[*at].kind() == super::line::Kind::Request;
            let belongs = named && (asks || begun.contains(&view.method(*at)));
            let reported = ["turn/diff/updated", "turn/plan/updated"].contains(&view.method(*at));
            if (belongs || reported) && !within(view, thread, *at, "") {
                return false;
            }
            if reported {
                return true;
            }
            let method = view.method(*at);
            let Some(reported) = ReportedItem::of(view, thread, *at) else {
                return kinds(method).is_none() || delta(view, thread, *at);
            };
            match method {
                "item/started" => reported.starts() && within(view, thread, *at, reported.kind),
                "item/completed" => reported.completes(),
                _ => true,
            }
        })
    })
}

/// Whether a message about a turn as a whole, or the start of an item, is inside of its turn.
fn within(view: &View<'_>, thread: &str, at: usize, kind: &str) -> bool {
    let turn = Turn::new(view, thread, turn_of(view, thread, at));
    if view.release < minor(63) {
        return true;
    }
    let early = turn.started(at).is_none();
    let excused = view.is_void(thread, at)
        || turn.is_review(at)
        || view.is_silent("turn/started")
        || view.release < minor(111) && ["contextCompaction", "userMessage"].contains(&kind);
    turn.ended(at).is_none() && (!early || excused)
}

fn is_between(release: Release, since: u32, until: u32) -> bool {
    minor(since) <= release && release < minor(until + 1)
}

impl<'v, 'a> ReportedItem<'v, 'a> {
    fn of(view: &'v View<'a>, thread: &'v str, at: usize) -> Option<Self> {
        let turn = turn_of(view, thread, at);
        Some(ReportedItem {
            view,
            thread,
            turn: Turn::new(view, thread, turn),
            kind: view.text(at, "/params/item/type")?,
            id: view.text(at, "/params/item/id")?,
            at,
        })
    }

    /// The earlier messages with a method about the same item, newest first.
    fn earlier(&self, method: &str) -> impl Iterator<Item = usize> {
        let leaves = |kind: &str| kind == "exitedReviewMode";
        self.view.before(self.thread, self.at).filter(move |at| {
            self.view.sends(*at, method)
                && turn_of(self.view, self.thread, *at) == self.turn.id
                && self.view.text(*at, "/params/item/id") == Some(self.id)
                && leaves(self.view.text(*at, "/params/item/type").unwrap_or_default())
                    == leaves(self.kind)
        })
    }

    fn value(&self) -> &'a Value {
        &self.view.lines[self.at].value["params"]["item"]
    }

    fn has_status(&self) -> bool {
        let kinds = [
            "collabAgentToolCall",
            "commandExecution",
            "dynamicToolCall",
            "fileChange",
            "mcpToolCall",
        ];
        kinds.contains(&self.kind) && self.value()["status"].is_string()
    }

    fn starts(&self) -> bool {
        let again = self.earlier("item/started").next();
        let done = self.earlier("item/completed").next();
        let retried = again.is_some_and(|again| {
            self.kind == "agentMessage"
                && done.is_none_or(|done| done < again)
                && self.turn.is_retried(again, self.at)
        });
        let status = !self.has_status() || self.value()["status"] == "inProgress";
        let status = status && self.has_no_result();
        (again.is_none() && done.is_none() || retried) && status
    }

    fn completes(&self) -> bool {
        let view = self.view;
        let started = self.earlier("item/started").next();
        let unseen = self.turn.started(self.at).is_none() && view.was_joined(self.thread, self.at);
        let status = self.value()["status"].as_str().unwrap_or_default();
        let refused = self.kind == "commandExecution" && ["declined", "failed"].contains(&status);
        let unlisted = ["hookPrompt", "subAgentActivity"].contains(&self.kind)
            && is_between(view.release, 128, 150);
        let known = started.is_some()
            || unseen
            || view.is_silent("item/started")
            || refused && is_between(view.release, 87, 124)
            || unlisted;
        let before = self.earlier("item/completed").next();
        let once = before.is_none_or(|before| {
            let declined = view.text(before, "/params/item/status") == Some("declined");
            let command = self.kind == "commandExecution" && view.release < minor(98);
            let change = self.kind == "fileChange" && is_between(view.release, 73, 132);
            declined && (command || change) || command && self.is_declined_late()
        });
        let is_open = started.is_some() && before.is_none();
        let background =
            self.kind == "commandExecution" && (view.release >= minor(73) || status == "declined");
        let late = is_open && self.turn.ended(self.at).is_some() && view.release >= minor(63);
        let ends = !self.has_status() || status != "inProgress";
        let same = started
            .filter(|_| before.is_none())
            .is_none_or(|started| self.is_as_started(started) && self.is_as_told(started));
        known && once && (!late || background) && ends && same && self.fits_its_result()
    }

    /// It is declined after its turn, and the client has answered that it be.
    fn is_declined_late(&self) -> bool {
        let view = self.view;
        let answered = view.threads[self.thread].iter().any(|question| {
            view.lines[*question].kind() == super::line::Kind::Request
                && view.text(*question, "/params/itemId") == Some(self.id)
                && turn_of(view, self.thread, *question) == self.turn.id
                && view.answer[*question].is_some_and(|answer| answer < self.at)
        });
        let received = view.alone && view.lines.iter().any(|line| line.client);
        self.value()["status"] == "declined"
            && self.turn.ended(self.at).is_some()
            && (answered || !received || self.thread.is_empty())
    }

    /// A command or a call that starts has only what it was called with.
    fn has_no_result(&self) -> bool {
        let reported: &[&str] = match self.kind {
            "commandExecution" => &["aggregatedOutput", "exitCode", "durationMs"],
            "dynamicToolCall" => &["contentItems", "success", "durationMs"],
            "mcpToolCall" => &["result", "error", "durationMs"],
            _ => &[],
        };
        reported.iter().all(|name| {
            let value = &self.value()[*name];
            value.is_null() || value == ""
        })
    }

    /// The status says how it went, as the result does.
    fn fits_its_result(&self) -> bool {
        let item = self.value();
        let went_well = match self.kind {
            "commandExecution" => item["exitCode"].as_i64().map(|code| code == 0),
            "dynamicToolCall" => item["success"].as_bool(),
            "mcpToolCall" if !item["error"].is_null() => Some(false),
            _ => None,
        };
        match (went_well, item["status"].as_str()) {
            (Some(well), Some("completed")) => well,
            (Some(well), Some("failed")) => !well,
            _ => true,
        }
    }

    /// It is of the same kind and about the same thing.
    fn is_as_started(&self, started: usize) -> bool {
        let before = &self.view.lines[started].value["params"]["item"];
        let fixed: &[&str] = match self.kind {
            "collabAgentToolCall" => &["tool", "senderThreadId", "prompt"],
            "commandExecution" => &["command", "cwd"],
            "dynamicToolCall" => &["tool", "arguments"],
            "enteredReviewMode" | "exitedReviewMode" => &["review"],
            "fileChange" => &["changes"],
            "mcpToolCall" => &["server", "tool", "arguments"],
            "subAgentActivity" => &["kind", "agentThreadId"],
            "userMessage" => &["content"],
            _ => &[],
        };
        let same = |name: &str| {
            let now = self.value().get(name);
            now.is_none() || before.get(name).is_none_or(|before| Some(before) == now)
        };
        before["type"] == self.kind && fixed.iter().all(|name| same(name))
    }

    /// The deltas add up to the complete text.
    fn is_as_told(&self, started: usize) -> bool {
        let view = self.view;
        let of_item: Vec<usize> = view.threads[self.thread]
            .iter()
            .copied()
            .filter(|at| started < *at && *at < self.at)
            .filter(|at| view.text(*at, "/params/itemId") == Some(self.id))
            .filter(|at| turn_of(view, self.thread, *at) == self.turn.id)
            .collect();
        let deltas = |method: &str| {
            let own = of_item.iter().copied().filter(|at| view.sends(*at, method));
            own.collect::<Vec<usize>>()
        };
        let joined = |places: &[usize]| {
            let each = places.iter().map(|at| view.text(*at, "/params/delta"));
            each.map(Option::unwrap_or_default).collect::<String>()
        };
        let plain = match self.kind {
            "agentMessage" => deltas("item/agentMessage/delta"),
            "plan" => deltas("item/plan/delta"),
            _ => Vec::new(),
        };
        let text = plain.is_empty() || joined(&plain) == self.value()["text"];
        let parts = |method: &str, index: &str, name: &str| {
            let reported = deltas(method);
            let index = |at: usize| view.value(at, index).and_then(Value::as_u64);
            let Some(whole) = self.value()[name]
                .as_array()
                .filter(|_| !reported.is_empty())
            else {
                return true;
            };
            whole.iter().zip(0..).all(|(whole, number)| {
                let own: Vec<usize> = reported
                    .iter()
                    .copied()
                    .filter(|at| index(*at) == Some(number))
                    .collect();
                joined(&own) == *whole
            })
        };
        let added = deltas("item/reasoning/summaryPartAdded");
        let listed = self.value()["summary"]
            .as_array()
            .filter(|_| !added.is_empty());
        text && listed.is_none_or(|listed| listed.len() == added.len())
            && parts(
                "item/reasoning/summaryTextDelta",
                "/params/summaryIndex",
                "summary",
            )
            && parts(
                "item/reasoning/textDelta",
                "/params/contentIndex",
                "content",
            )
    }
}

/// The kinds of item that a delta can belong to.
fn kinds(method: &str) -> Option<&'static [&'static str]> {
    Some(match method {
        "item/agentMessage/delta" => &["agentMessage"],
        "item/plan/delta" => &["plan"],
        "item/reasoning/summaryPartAdded"
        | "item/reasoning/summaryTextDelta"
        | "item/reasoning/textDelta" => &["reasoning"],
        "item/commandExecution/outputDelta" => &["commandExecution", "fileChange"],
        "item/commandExecution/terminalInteraction" => &["commandExecution"],
        "item/fileChange/outputDelta" => &["fileChange"],
        "item/mcpToolCall/progress" => &["mcpToolCall"],
        _ => return None,
    })
}

/// A delta belongs to an item that is open, and parts come one after another.
fn delta(view: &View<'_>, thread: &str, at: usize) -> bool {
    let id = view.text(at, "/params/itemId");
    let turn = turn_of(view, thread, at);
    let last = view.before(thread, at).find(|other| {
        view.text(*other, "/params/item/id") == id && turn_of(view, thread, *other) == turn
    });
    let started = Turn::new(view, thread, turn).started(at).is_some();
    let unseen = !started && view.was_joined(thread, at) || view.is_silent("item/started");
    let Some(last) = last else {
        // The output of patches, which are not items there.
        let output = view.sends(at, "item/commandExecution/outputDelta");
        return unseen || output && view.release < minor(63);
    };
    let kind = view.text(last, "/params/item/type").unwrap_or_default();
    let fits = kinds(view.method(at)).is_some_and(|kinds| kinds.contains(&kind));
    let own = |method: &'static str| {
        (last..at).filter(move |other| {
            view.sends(*other, method) && view.text(*other, "/params/itemId") == id
        })
    };
    let index = |at: usize, pointer: &str| view.value(at, pointer).and_then(Value::as_u64);
    let summary = "/params/summaryIndex";
    let added = own("item/reasoning/summaryPartAdded").count() as u64;
    let content = "/params/contentIndex";
    let next = own("item/reasoning/textDelta")
        .filter_map(|other| index(other, content))
        .max()
        .map_or(0, |most| most + 1);
    let in_order = match view.method(at) {
        "item/reasoning/summaryPartAdded" => index(at, summary) == Some(added),
        "item/reasoning/summaryTextDelta" => index(at, summary).is_some_and(|own| own < added),
        "item/reasoning/textDelta" => index(at, content).is_some_and(|own| own <= next),
        _ => true,
    };
    view.sends(last, "item/started") && fits && in_order
}

/// No item is left open by a turn, except for those that real turns leave.
fn none_open(view: &View<'_>, thread: &str, at: usize) -> bool {
    let id = view.text(at, "/params/turn/id").unwrap_or_default();
    let status = view.text(at, "/params/turn/status").unwrap_or_default();
    let own = &view.threads[thread];
    let turn = Turn::new(view, thread, id);
    if view.release < minor(63) || view.is_silent("item/completed") || turn.ended(at).is_some() {
        return true;
    }
    let since = view.time_of(thread, at);
    let starts = own.iter().copied().filter(|start| {
        since <= *start
            && *start < at
            && view.sends(*start, "item/started")
            && turn_of(view, thread, *start) == id
    });
    starts.into_iter().all(|start| {
        let Some(reported) = ReportedItem::of(view, thread, start) else {
            return true;
        };
        let leaves = |kind: &str| kind == "exitedReviewMode";
        let same = |place: usize| {
            view.text(place, "/params/item/id") == Some(reported.id)
                && turn_of(view, thread, place) == id
                && leaves(view.text(place, "/params/item/type").unwrap_or_default())
                    == leaves(reported.kind)
        };
        let done = (start..at).any(|end| view.sends(end, "item/completed") && same(end));
        let followed = (start + 1..at).any(|next| {
            view.sends(next, "item/started")
                && turn_of(view, thread, next) == id
                && view.text(next, "/params/item/type") == Some("agentMessage")
        });
        let broken_off =
            status != "completed" || followed || turn.is_retried(start, at) || turn.is_review(at);
        let interrupted = status == "interrupted";
        done || match reported.kind {
            "agentMessage" => broken_off,
            "commandExecution" => interrupted || view.release >= minor(73),
            "fileChange" => interrupted && view.release >= minor(128),
            _ => false,
        }
    })
}
