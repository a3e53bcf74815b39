//! Lines of Codex.

use codex_wire_base::{MessageSet, Release};

use super::super::facts::Phase;
use super::super::parse;
use super::super::stream::Told;
use super::super::unsupported::UnsupportedByRelease;
use super::talk::Talk;
use super::tools::TOOL_ITEMS;
use crate::compose::json::{Node, object};

const NOTIFICATIONS: MessageSet = MessageSet::AppServerServerNotifications;

/// The first release whose recordings have `turn/completed`.
const ENDS: Release = Release::new(0, 63, 0);

impl Talk {
    pub(super) fn codex_request(
        &mut self,
        told: &Told,
        at: usize,
        method: &str,
        mut node: Node,
    ) -> Result<(), UnsupportedByRelease> {
        let set = MessageSet::AppServerServerRequests;
        let params = parse::get(&node, "params").cloned();
        let thread = self.thread_of(told, params.as_ref());
        self.about(told, thread.clone());
        let name = thread.clone().unwrap_or_default();
        self.turns.rename(&name, &mut node);
        let params = parse::get(&node, "params").cloned();
        if let (Some(thread), Some(params)) = (&thread, &params) {
            match method {
                "item/tool/call" if self.old.release < TOOL_ITEMS => {
                    self.tool_first(told, thread, params)?;
                }
                "item/commandExecution/requestApproval" => {
                    self.command_first(told, at, thread, params)?;
                }
                _ => {}
            }
            self.before_question(told, thread, method)?;
            self.about(told, Some(thread.clone()));
        }
        let recorded = parse::get(&node, "id").cloned().unwrap_or(Node::Null);
        let id = self.connection(told).ask(&recorded);
        parse::set(&mut node, "id", id);
        self.describe(told, method, &mut node);
        // What a request has nothing to say for, Codex leaves out.
        let fitted = self.new.message(set, &self.facts, &node);
        let old = || self.old.message(set, &self.facts, &node);
        match self.said(told, fitted, old)? {
            Some(node) => self.push(told, node),
            None => self.out.push(told.clone()),
        }
        Ok(())
    }

    /// Adds what newer releases say of the command that needs approval, which is what its item says.
    fn describe(&mut self, told: &Told, method: &str, node: &mut Node) {
        if method != "item/commandExecution/requestApproval" {
            return;
        }
        let Some(params) = parse::get_mut(node, "params") else {
            return;
        };
        let id = parse::text(params, &["itemId"])
            .unwrap_or_default()
            .to_owned();
        let Some((_, item)) = self.connection(told).open.get(&id).cloned() else {
            return;
        };
        for name in ["command", "cwd", "commandActions"] {
            if let (None, Some(value)) = (parse::get(params, name), parse::get(&item, name)) {
                let value = value.clone();
                params.push(name, value);
            }
        }
        if parse::get(params, "kind").is_none() {
            params.push("kind", "command");
        }
    }

    pub(super) fn codex_answer(
        &mut self,
        told: &Told,
        of: usize,
        method: &str,
        is_error: bool,
        mut node: Node,
    ) -> Result<(), UnsupportedByRelease> {
        let set = MessageSet::AppServerServerResponses;
        let request = self.lines[of].node.clone().unwrap_or(Node::Null);
        let asked = parse::get(&request, "params").cloned();
        let Some(result) = parse::get(&node, "result").cloned().filter(|_| !is_error) else {
            self.out.push(told.clone());
            return Ok(());
        };
        let named = parse::text(&result, &["thread", "id"])
            .or_else(|| parse::text(&result, &["reviewThreadId"]))
            .or_else(|| parse::text(&result, &["conversationId"]));
        let thread = match named {
            Some(named) => Some(named.to_owned()),
            None => self.thread_of(told, asked.as_ref()),
        };
        let begins = matches!(method, "turn/start" | "review/start");
        let name = thread.clone().unwrap_or_default();
        if let (true, Some(turn)) = (begins, parse::text(&result, &["turn", "id"])) {
            self.turns.begin(&name, turn);
            if method == "review/start" {
                let reviews = &mut self.connection(told).asked_reviews;
                reviews.insert(name.clone(), turn.to_owned());
            }
        }
        self.turns.rename(&name, &mut node);
        self.learn(told, asked.as_ref());
        self.learn(told, Some(&result));
        self.learn(told, parse::get(&result, "thread"));
        self.about(told, thread.clone());
        self.facts.request = asked;
        let result = parse::get(&node, "result").cloned().unwrap_or(Node::Null);
        let fitted = self
            .new
            .result_since(Some(&self.old), set, method, &self.facts, &result);
        let old = || self.old.result(set, method, &self.facts, &result);
        let Some(mut result) = self.said(told, fitted, old)? else {
            self.out.push(told.clone());
            return Ok(());
        };
        self.version(told, &mut result);
        let turn = parse::text(&result, &["turn", "id"]).map(str::to_owned);
        let status = parse::at(&result, &["thread", "status"]).cloned();
        parse::set(&mut node, "result", result);
        self.push(told, node);
        let Some(thread) = thread else {
            return Ok(());
        };
        let connection = self.connection(told);
        connection.threads.insert(thread.clone());
        if let Some(status) = status {
            connection.status.insert(thread.clone(), status);
        }
        if named_thread(method) {
            connection.thread = Some(thread.clone());
        }
        if let (true, Some(turn)) = (begins, turn) {
            if method == "review/start" {
                connection.reviews.insert(turn.clone());
            }
            connection.turns.insert(thread, turn);
        }
        if method == "turn/interrupt" {
            self.end_turn(told)?;
        }
        Ok(())
    }

    /// Keeps what is said of a thread.
    fn learn(&mut self, told: &Told, said: Option<&Node>) {
        let Some(said) = said else {
            return;
        };
        let text = |name: &str| parse::text(said, &[name]).map(str::to_owned);
        let (cwd, home) = (text("cwd"), text("codexHome"));
        let (model, provider) = (text("model"), text("modelProvider"));
        let connection = self.connection(told);
        connection.cwd = cwd.or(connection.cwd.take());
        connection.codex_home = home.or(connection.codex_home.take());
        connection.model = model.or(connection.model.take());
        connection.provider = provider.or(connection.provider.take());
    }

    /// Says the other version wherever the recorded one is said.
    fn version(&mut self, told: &Told, node: &mut Node) {
        let (recorded, release) = (self.facts.recorded, self.facts.release);
        let client = self.connection(told).client.clone();
        let old = format!("{}/{recorded} ", self.old.observed.agent(&client));
        let new = format!("{}/{release} ", self.new.observed.agent(&client));
        versions(
            node,
            &recorded.to_string(),
            &release.to_string(),
            (&old, &new),
        );
    }

    pub(super) fn notification(
        &mut self,
        told: &Told,
        at: usize,
        method: &str,
        mut node: Node,
    ) -> Result<(), UnsupportedByRelease> {
        let params = parse::get(&node, "params").cloned().unwrap_or(Node::Null);
        let thread = self.thread_of(told, Some(&params));
        let name = thread.clone().unwrap_or_default();
        if let ("turn/started", Some(turn)) = (method, parse::text(&params, &["turn", "id"])) {
            self.turns.begin(&name, turn);
            if let Some(review) = self.connection(told).asked_reviews.remove(&name) {
                self.turns.join(&name, turn, &review);
            }
        }
        self.turns.rename(&name, &mut node);
        let ended = parse::text(&params, &["turn", "id"]).filter(|_| method == "turn/completed");
        if let Some(turn) = ended {
            self.turns.end(&name, turn);
        }
        self.about(told, thread.clone());
        self.core_ended(told, method, &name, &params);
        if self.old.notifies(method) && !self.new.notifies(method) {
            return self.after_relay(told, method);
        }
        let mut params = parse::get(&node, "params").cloned().unwrap_or(Node::Null);
        if let Some(turn) = parse::text(&params, &["turnId"]) {
            self.facts.turn = Some(turn.to_owned());
        }
        let item = parse::text(&params, &["itemId"]).map(str::to_owned);
        let connection = self.connection(told);
        if item.is_some_and(|i| connection.without.contains(&i) || connection.closed.contains(&i)) {
            return Ok(());
        }
        match method {
            "item/started" | "item/completed" => {
                if self.is_strange(told, &params) {
                    return Ok(());
                }
                return self.item(told, method, &name, node);
            }
            "thread/status/changed" => match self.recorded_status(told, at, &params) {
                Some(changed) => params = changed,
                None => return Ok(()),
            },
            "serverRequest/resolved" => {
                let id = parse::get(&params, "requestId").cloned();
                match id.and_then(|id| self.connection(told).asked(&id)) {
                    Some(id) => parse::set(&mut params, "requestId", id),
                    None => return Ok(()),
                }
            }
            "turn/started" => self.turn_starts(told, &name, &mut params)?,
            "turn/completed" => self.turn_ends(told, &name, &mut params)?,
            "thread/started" => {
                let connection = self.connection(told);
                connection.thread.clone_from(&thread);
                connection.threads.extend(thread.clone());
            }
            _ => {}
        }
        if self.is_strange(told, &params) {
            return Ok(());
        }
        if let Node::Object(_) = params {
            parse::set(&mut node, "params", params);
        }
        let fitted = self
            .new
            .message_since(Some(&self.old), NOTIFICATIONS, &self.facts, &node);
        if fitted.is_err() && !carries(method) && self.is_known(&node) {
            // The release does not say such a thing, or says it in another notification.
            return self.after_relay(told, method);
        }
        let old = || self.old.message(NOTIFICATIONS, &self.facts, &node);
        let Some(mut node) = self.said(told, fitted, old)? else {
            self.out.push(told.clone());
            return Ok(());
        };
        self.version(told, &mut node);
        if method == "error"
            && parse::at(&node, &["params", "willRetry"]) == Some(&Node::Bool(false))
            && let Some(turn) = parse::text(&node, &["params", "turnId"])
        {
            let turn = turn.to_owned();
            self.connection(told).failed.insert(turn);
        }
        self.push(told, node);
        match method {
            "turn/started" => self.after_turn(told, &name),
            _ => self.after_relay(told, method),
        }
    }

    /// Whether the thread is one that another agent began, in a release that does not introduce it.
    fn is_strange(&mut self, told: &Told, params: &Node) -> bool {
        let lacks = self.old.notifies("thread/status/changed")
            && !self.new.notifies("thread/status/changed");
        let thread = parse::text(params, &["threadId"]);
        lacks && thread.is_some_and(|thread| !self.connection(told).threads.contains(thread))
    }

    /// Whether the recorded release says it.
    fn is_known(&self, node: &Node) -> bool {
        self.old.message(NOTIFICATIONS, &self.facts, node).is_ok()
    }

    fn turn_starts(
        &mut self,
        told: &Told,
        thread: &str,
        params: &mut Node,
    ) -> Result<(), UnsupportedByRelease> {
        self.before_turn(told, thread)?;
        let now = self.facts.now_ms;
        self.facts.phase = Phase::Started;
        self.facts.turn_ms = Some(now);
        if let Some(turn) = parse::text(params, &["turn", "id"]).map(str::to_owned) {
            let connection = self.connection(told);
            connection.started_turns.insert(turn.clone());
            connection.turn_ms.insert(turn.clone(), now);
            connection.turns.insert(thread.to_owned(), turn);
            connection.messages.remove(thread);
        }
        Ok(())
    }

    fn turn_ends(
        &mut self,
        told: &Told,
        thread: &str,
        params: &mut Node,
    ) -> Result<(), UnsupportedByRelease> {
        let Some(turn) = parse::get(params, "turn").cloned() else {
            return Ok(());
        };
        if let Some(id) = parse::text(&turn, &["id"]).map(str::to_owned) {
            if self.starts_before_end() {
                self.turn_first(told, thread, &id)?;
            }
            let ms = self.connection(told).turn_ms.get(&id).copied();
            self.facts.turn_ms = ms;
            self.facts.turn = Some(id);
        }
        self.close_items(told, thread, &turn)?;
        self.before_end(told, thread, &turn)?;
        self.facts.phase = Phase::Completed;
        let (had, has) = (
            self.old.observed.summarizes_turns(),
            self.new.observed.summarizes_turns(),
        );
        let message = self.connection(told).messages.get(thread).cloned();
        let Some(turn) = parse::get_mut(params, "turn") else {
            return Ok(());
        };
        match message {
            Some(message) if has && !had => {
                parse::set(turn, "items", Node::List(vec![message]));
                parse::set(turn, "itemsView", "summary");
            }
            _ if had && !has => {
                parse::set(turn, "items", Node::List(Vec::new()));
                parse::set(turn, "itemsView", "notLoaded");
            }
            _ => {}
        }
        Ok(())
    }

    /// What the core says of the end of a turn, in releases that say it in no other way.
    fn core_ended(&mut self, told: &Told, method: &str, thread: &str, params: &Node) {
        if self.old.release >= ENDS || self.new.release < ENDS {
            return;
        }
        let turn = parse::text(params, &["id"]).unwrap_or_default();
        let turn = self.turns.name(thread, turn);
        let connection = self.connection(told);
        if !connection.started_turns.contains(&turn) {
            return;
        }
        let status = match method {
            "codex/event/task_complete" => "completed",
            "codex/event/turn_aborted" => "interrupted",
            _ => return,
        };
        connection.over = Some((thread.to_owned(), status));
    }

    /// Tokens, in releases of which only the core counts them.
    fn count(&mut self, told: &Told) -> Result<(), UnsupportedByRelease> {
        let name = "thread/tokenUsage/updated";
        let info = told
            .node
            .as_ref()
            .and_then(|node| parse::at(node, &["params", "msg", "info"]));
        let (Some(info), Some(thread)) = (info, self.facts.thread.clone()) else {
            return Ok(());
        };
        let of = |name: &str| parse::get(info, name).cloned();
        let (Some(total), Some(last)) = (of("total_token_usage"), of("last_token_usage")) else {
            return Ok(());
        };
        let has_turn = self.facts.turn.is_some();
        if self.old.notifies(name) || !has_turn {
            return Ok(());
        }
        let usage = object! {
            "total" => total, "last" => last, "modelContextWindow" => of("model_context_window"),
        };
        let turn = self.facts.turn.clone();
        let params = object! { "threadId" => thread, "turnId" => turn, "tokenUsage" => usage };
        self.notify(told, name, params)
    }

    /// The turn ends with the last event of the core, unless the client interrupts it: then it ends
    /// after the answer to that.
    fn after_relay(&mut self, told: &Told, method: &str) -> Result<(), UnsupportedByRelease> {
        match method {
            "codex/event/task_complete" => self.end_turn(told),
            "codex/event/token_count" => self.count(told),
            _ => Ok(()),
        }
    }
}

/// Whether what follows cannot be understood without the notification.
fn carries(method: &str) -> bool {
    let of_turn = method.starts_with("turn/") && method != "turn/moderationMetadata";
    of_turn || matches!(method, "thread/started" | "thread/status/changed" | "error")
}

/// Whether the answer names the thread that is spoken of from then on.
fn named_thread(method: &str) -> bool {
    matches!(
        method,
        "thread/start" | "thread/resume" | "thread/fork" | "newConversation" | "resumeConversation"
    )
}

fn versions(node: &mut Node, old: &str, new: &str, agents: (&str, &str)) {
    match node {
        Node::Object(members) => {
            for (name, value) in members {
                match (name.as_str(), &mut *value) {
                    ("cliVersion" | "cli_version", Node::Text(text)) if text == old => {
                        new.clone_into(text);
                    }
                    ("userAgent", Node::Text(text)) => {
                        if let Some(rest) = text.strip_prefix(agents.0) {
                            *text = format!("{}{rest}", agents.1);
                        }
                    }
                    _ => versions(value, old, new, agents),
                }
            }
        }
        Node::List(list) => {
            for item in list {
                versions(item, old, new, agents);
            }
        }
        _ => {}
    }
}
