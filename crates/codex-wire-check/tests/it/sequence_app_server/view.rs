//! A connection as the oracle sees it: all of it at once.

use std::collections::{BTreeMap, BTreeSet};

use codex_wire::Release;
use serde_json::Value;

use super::line::{Kind, Line};

pub(super) const fn minor(minor: u32) -> Release {
    Release::new(0, minor, 0)
}

/// One connection. Places are places among its lines.
pub(super) struct View<'a> {
    pub(super) release: Release,
    /// Whether it is the only connection.
    pub(super) alone: bool,
    pub(super) lines: Vec<&'a Line>,
    /// The request that each answer belongs to.
    pub(super) request: Vec<Option<usize>>,
    /// The answer to each request.
    pub(super) answer: Vec<Option<usize>>,
    /// Whether an answer belongs to no request, or a request uses an id that is in use.
    pub(super) mispaired: bool,
    /// What the client opted out of.
    silent: BTreeSet<String>,
    /// By thread: the notifications and requests of Codex about it.
    pub(super) threads: BTreeMap<String, Vec<usize>>,
    joins: BTreeMap<String, Vec<(usize, bool)>>,
}

/// What of Codex belongs to a thread.
fn is_of_thread(line: &Line) -> bool {
    let method = line.text("/method").unwrap_or_default();
    let items = method.starts_with("item/") && method != "item/commandExecution/updated";
    match line.kind() {
        Kind::Request => true,
        Kind::Notification => {
            items
                || method == "error"
                || method == "serverRequest/resolved"
                || ["turn/started", "turn/completed"].contains(&method)
                || ["turn/diff/updated", "turn/plan/updated"].contains(&method)
                || method.starts_with("hook/")
                || method.starts_with("thread/")
        }
        _ => false,
    }
}

impl<'a> View<'a> {
    pub(super) fn new(release: Release, alone: bool, lines: Vec<&'a Line>) -> Self {
        let mut view = View {
            release,
            alone,
            request: vec![None; lines.len()],
            answer: vec![None; lines.len()],
            lines,
            mispaired: false,
            silent: BTreeSet::new(),
            threads: BTreeMap::new(),
            joins: BTreeMap::new(),
        };
        view.pair();
        view.opt_out();
        view.sort();
        let threads: Vec<String> = view.threads.keys().cloned().collect();
        for thread in threads {
            let joins = view.joins(&thread);
            view.joins.insert(thread, joins);
        }
        view
    }

    fn pair(&mut self) {
        let mut waiting = BTreeMap::<(bool, String), usize>::new();
        let mut resolved = BTreeSet::new();
        for at in 0..self.lines.len() {
            let line = self.lines[at];
            let id = line.value["id"].to_string();
            match line.kind() {
                Kind::Request => {
                    let key = (line.client, id);
                    let before = waiting.insert(key.clone(), at);
                    self.mispaired |= before.is_some() && !resolved.contains(&key);
                }
                Kind::Result | Kind::Error => match waiting.remove(&(!line.client, id)) {
                    Some(request) => {
                        self.request[at] = Some(request);
                        self.answer[request] = Some(at);
                    }
                    None => self.mispaired = true,
                },
                Kind::Notification if line.text("/method") == Some("serverRequest/resolved") => {
                    resolved.insert((false, line.value["params"]["requestId"].to_string()));
                }
                _ => {}
            }
        }
    }

    fn opt_out(&mut self) {
        let begins = |line: &&&Line| line.client && line.text("/method") == Some("initialize");
        if let Some(begins) = self.lines.iter().find(begins) {
            let pointer = "/params/capabilities/optOutNotificationMethods";
            let names = begins.value.pointer(pointer).and_then(Value::as_array);
            let names = names.into_iter().flatten().filter_map(Value::as_str);
            self.silent = names.map(str::to_owned).collect();
        }
    }

    fn sort(&mut self) {
        for (at, line) in self.lines.iter().enumerate() {
            if line.client || !is_of_thread(line) {
                continue;
            }
            let named = line
                .text("/params/threadId")
                .or(line.text("/params/thread/id"));
            let old = self.release < minor(72) && line.kind() == Kind::Notification;
            let thread = match (named, old) {
                (Some(named), _) => named,
                // A plan of 0.64.0: its turn is named, and is one of the only thread.
                (None, true) if line.text("/params/turnId").is_some() => {
                    let mut names = self.names_until(at).into_iter();
                    match (names.next(), names.next()) {
                        (Some(only), None) => only,
                        _ => continue,
                    }
                }
                (None, true) => "",
                (None, false) => continue,
            };
            self.threads.entry(thread.to_owned()).or_default().push(at);
        }
        // Old releases name no thread, so that several cannot be distinguished.
        let names = self.names_until(self.lines.len());
        if names.len() > 1 || names.contains("of the old API") {
            self.threads.remove("");
        }
    }

    /// What was named as a thread before a place.
    pub(super) fn names_until(&self, end: usize) -> BTreeSet<&'a str> {
        let names = (0..end).flat_map(|at| {
            let line = self.lines[at];
            let result = line.text("/result/thread/id");
            let conversation = line
                .text("/result/conversationId")
                .map(|_| "of the old API");
            let reported = line.text("/params/thread/id");
            let named = self.named_by_client(at);
            [named, result, conversation, reported]
                .into_iter()
                .flatten()
        });
        names.collect()
    }

    /// The method of a message, or of the request that it answers.
    pub(super) fn method(&self, at: usize) -> &'a str {
        let asked = self.request[at].unwrap_or(at);
        self.lines[asked].text("/method").unwrap_or_default()
    }

    pub(super) fn text(&self, at: usize, pointer: &str) -> Option<&'a str> {
        self.lines[at].text(pointer)
    }

    pub(super) fn value(&self, at: usize, pointer: &str) -> Option<&'a Value> {
        self.lines[at].value.pointer(pointer)
    }

    /// Whether Codex sent this notification or request.
    pub(super) fn sends(&self, at: usize, method: &str) -> bool {
        let line = self.lines[at];
        !line.client && line.text("/method") == Some(method)
    }

    pub(super) fn is_result(&self, at: usize) -> bool {
        self.lines[at].kind() == Kind::Result
    }

    pub(super) fn places(&self) -> std::ops::Range<usize> {
        0..self.lines.len()
    }

    pub(super) fn is_silent(&self, method: &str) -> bool {
        self.silent.contains(method)
    }

    /// The thread that a request of the client names.
    pub(super) fn named_by_client(&self, at: usize) -> Option<&'a str> {
        let line = self.lines[at];
        line.text("/params/threadId").filter(|_| line.client)
    }

    /// Where the client joins or leaves a thread, and whether that may be in the middle of a
    /// turn.
    fn joins(&self, thread: &str) -> Vec<(usize, bool)> {
        let mut joins = Vec::new();
        let mut known = false;
        let mut closed = false;
        for at in self.places() {
            let line = self.lines[at];
            let named = self.named_by_client(at) == Some(thread);
            if named {
                if !known || closed {
                    joins.push((at, true));
                }
                (known, closed) = (true, false);
            }
            let request = self.request[at].filter(|_| !line.client && self.is_result(at));
            if let Some(request) = request {
                let own = self.text(at, "/result/thread/id") == Some(thread);
                let asked = self.named_by_client(request) == Some(thread);
                match self.method(at) {
                    "thread/start" | "thread/fork" if own => known = true,
                    "thread/resume" if own => {
                        joins.push((at, runs(&line.value["result"]["thread"])));
                        known = true;
                    }
                    "thread/unsubscribe" if asked => joins.push((at, true)),
                    _ if self.text(at, "/result/conversationId") == Some(thread) => {
                        joins.push((at, true));
                        known = true;
                    }
                    _ => {}
                }
            }
            let own = self.threads[thread].binary_search(&at).is_ok();
            if own && !thread.is_empty() {
                if !known && !self.sends(at, "thread/started") {
                    joins.push((at, true));
                }
                known = true;
                closed = self.sends(at, "thread/closed") || self.sends(at, "thread/deleted");
            }
        }
        joins
    }

    /// Whether the client joined the thread before, at some time.
    pub(super) fn was_joined(&self, thread: &str, at: usize) -> bool {
        self.joins[thread].iter().any(|(join, _)| *join <= at)
    }

    /// Where the client last joined the thread by an answer: what came before is of an earlier
    /// time, with ids that may be given again.
    pub(super) fn time_of(&self, thread: &str, at: usize) -> usize {
        let answers = |join: &&(usize, bool)| {
            let line = self.lines[join.0];
            join.0 <= at && !line.client && line.kind() == Kind::Result
        };
        let last = self.joins[thread].iter().rfind(answers);
        last.map_or(0, |(join, _)| *join)
    }

    /// Whether the client may be in the middle of a turn whose start it has not seen.
    pub(super) fn is_void(&self, thread: &str, at: usize) -> bool {
        let mut joins = self.joins[thread].iter();
        let Some((join, middle)) = joins.rfind(|(join, _)| *join <= at) else {
            return false;
        };
        let clears = |place: &usize| {
            let own = self.text(*place, "/params/thread/id") == Some(thread);
            let answer = ["thread/start", "thread/fork"].contains(&self.method(*place))
                && self.text(*place, "/result/thread/id") == Some(thread);
            let starts = self.sends(*place, "turn/started")
                && self.threads[thread].binary_search(place).is_ok();
            self.sends(*place, "thread/started") && own || answer || starts && *place < at
        };
        *middle && !(*join..=at).any(|place| clears(&place))
    }

    /// The events of a thread before a place, of the same time, newest first.
    pub(super) fn before(&self, thread: &str, at: usize) -> impl DoubleEndedIterator<Item = usize> {
        let since = self.time_of(thread, at);
        let own: &[usize] = self.threads.get(thread).map_or(&[], Vec::as_slice);
        let begin = own.partition_point(|place| *place < since);
        let end = own.partition_point(|place| *place < at);
        own[begin.min(end)..end].iter().rev().copied()
    }
}

/// Whether a turn of a thread runs, by what Codex says of the thread.
fn runs(thread: &Value) -> bool {
    let turns = thread["turns"].as_array().into_iter().flatten();
    let mut running = turns.filter(|turn| turn["status"] == "inProgress");
    thread["status"]["type"] == "active" || running.next().is_some()
}
