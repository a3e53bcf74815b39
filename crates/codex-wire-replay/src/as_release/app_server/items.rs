//! Items: which of them a release has, and when it starts them.

use codex_wire_base::MessageSet;

use super::super::facts::Phase;
use super::super::parse;
use super::super::stream::Told;
use super::super::unsupported::UnsupportedByRelease;
use super::talk::Talk;
use crate::compose::json::Node;

impl Talk {
    /// The start or the end of an item.
    pub(super) fn item(
        &mut self,
        told: &Told,
        method: &str,
        thread: &str,
        mut node: Node,
    ) -> Result<(), UnsupportedByRelease> {
        let set = MessageSet::AppServerServerNotifications;
        let params = parse::get(&node, "params").cloned().unwrap_or(Node::Null);
        let item = parse::get(&params, "item").cloned().unwrap_or(Node::Null);
        let id = parse::text(&item, &["id"]).unwrap_or_default().to_owned();
        let kind = parse::text(&item, &["type"]).unwrap_or_default().to_owned();
        if let Some(lines) = self.review(method, &kind) {
            for (method, kind) in lines {
                let mut node = node.clone();
                parse::set(&mut node, "method", *method);
                let params = parse::get_mut(&mut node, "params");
                if let Some(item) = params.and_then(|params| parse::get_mut(params, "item")) {
                    parse::set(item, "type", *kind);
                }
                self.item(told, method, thread, node)?;
            }
            return Ok(());
        }
        if self.old.has_item(&kind) && !self.new.has_item(&kind) {
            self.connection(told).without.insert(id);
            return Ok(());
        }
        let turn = self.facts.turn.clone().unwrap_or_default();
        if self.begins_turn(&kind) {
            self.turn_first(told, thread, &turn)?;
        }
        let starts = method == "item/started";
        // Old releases number items within a turn.
        let key = format!("{turn}/{kind}/{id}");
        let now = self.facts.now_ms;
        let connection = self.connection(told);
        if starts {
            connection.item_ms.insert(key.clone(), now);
            let open = (turn.clone(), item.clone());
            connection.open.insert(id.clone(), open);
            // A message may start again after a retry, which older releases do not tell.
            let again = !connection.started.insert(key);
            if again && (kind != "agentMessage" || !self.new.notifies("error")) {
                return Ok(());
            }
            self.facts.item_ms = Some(now);
            self.facts.phase = Phase::Started;
        } else {
            connection.open.remove(&id);
            let is_first = connection.completed.insert(key.clone());
            let twice = matches!(kind.as_str(), "commandExecution" | "fileChange");
            if !is_first && twice {
                return Ok(());
            }
            let is_known = connection.started.contains(&key);
            let ours = connection.started_turns.contains(&turn);
            let late = kind == "commandExecution" && self.new.observed.starts_commands_late();
            if !is_known && ours && !late {
                self.start_item(told, thread, &turn, &item)?;
            }
            let connection = self.connection(told);
            connection.started.insert(key.clone());
            self.facts.item_ms = connection.item_ms.get(&key).copied().or(Some(now));
            self.facts.phase = Phase::Completed;
        }
        if kind == "commandExecution" {
            self.shell(&mut node);
        }
        let fitted = self
            .new
            .message_since(Some(&self.old), set, &self.facts, &node);
        if let Err(lack) = &fitted
            && self.old.message(set, &self.facts, &node).is_ok()
        {
            // The release does not have it in that form.
            if lack.pointer != "/params/item/status" {
                self.connection(told).without.insert(id);
                return Ok(());
            }
        }
        let old = || self.old.message(set, &self.facts, &node);
        let Some(node) = self.said(told, fitted, old)? else {
            self.out.push(told.clone());
            return Ok(());
        };
        if kind == "agentMessage"
            && !starts
            && let Some(item) = parse::at(&node, &["params", "item"])
        {
            let item = item.clone();
            let connection = self.connection(told);
            connection.messages.insert(thread.to_owned(), item);
        }
        self.push(told, node);
        Ok(())
    }

    /// How the release reports a review. Up to 0.63.0 it is one item, `codeReview`; in 0.80.0 and
    /// later entering it and leaving it are two.
    pub(super) fn review(
        &self,
        method: &str,
        kind: &str,
    ) -> Option<&'static [(&'static str, &'static str)]> {
        const ENTERED: &str = "enteredReviewMode";
        let starts = method == "item/started";
        let (one, two) = (self.new.has_item("codeReview"), self.new.has_item(ENTERED));
        Some(match kind {
            "codeReview" if !one && two && starts => {
                &[("item/started", ENTERED), ("item/completed", ENTERED)]
            }
            "codeReview" if !one && two => &[
                ("item/started", "exitedReviewMode"),
                ("item/completed", "exitedReviewMode"),
            ],
            ENTERED if one && !two && starts => &[("item/started", "codeReview")],
            "exitedReviewMode" if one && !two && !starts => &[("item/completed", "codeReview")],
            ENTERED | "exitedReviewMode" if one && !two => &[],
            _ => return None,
        })
    }

    /// A command as the release starts it: 0.63.0 and later name the path of the shell.
    fn shell(&self, node: &mut Node) {
        let (old, new) = (self.old.observed.shell(), self.new.observed.shell());
        let params = parse::get_mut(node, "params");
        let item = params.and_then(|params| parse::get_mut(params, "item"));
        if let Some(Node::Text(command)) = item.and_then(|item| parse::get_mut(item, "command"))
            && let Some(rest) = command.strip_prefix(old)
        {
            *command = format!("{new}{rest}");
        }
    }
}
