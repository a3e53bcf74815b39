//! Lines of the client.

use codex_wire_base::MessageSet;

use super::super::parse;
use super::super::stream::Told;
use super::super::unsupported::UnsupportedByRelease;
use super::talk::Talk;
use crate::compose::json::{Node, object};

impl Talk {
    pub(super) fn client_request(
        &mut self,
        told: &Told,
        method: &str,
        succeeds: bool,
        mut node: Node,
    ) -> Result<(), UnsupportedByRelease> {
        let set = MessageSet::AppServerClientRequests;
        let params = parse::get(&node, "params").cloned();
        if method == "initialize"
            && let Some(params) = &params
        {
            self.greet(told, params);
        }
        let thread = self.thread_of(told, params.as_ref());
        self.about(told, thread.clone());
        if let Some(thread) = &thread {
            self.connection(told).threads.insert(thread.clone());
        }
        self.turns.rename(&thread.unwrap_or_default(), &mut node);
        let fitted = self.new.message(set, &self.facts, &node);
        if fitted.is_err() && !succeeds {
            self.out.push(told.clone());
            return Ok(());
        }
        let old = || self.old.message(set, &self.facts, &node);
        match self.said(told, fitted, old)? {
            Some(node) => self.push(told, node),
            None => self.out.push(told.clone()),
        }
        Ok(())
    }

    fn greet(&mut self, told: &Told, params: &Node) {
        let connection = self.connection(told);
        if let Some(name) = parse::text(params, &["clientInfo", "name"]) {
            name.clone_into(&mut connection.client);
        }
        let path = ["capabilities", "optOutNotificationMethods"];
        if let Some(Node::List(methods)) = parse::at(params, &path) {
            let methods = methods.iter().filter_map(Node::as_str);
            connection.opted_out.extend(methods.map(str::to_owned));
        }
    }

    pub(super) fn client_notification(
        &mut self,
        told: &Told,
        method: &str,
        node: Node,
    ) -> Result<(), UnsupportedByRelease> {
        let set = MessageSet::AppServerClientNotifications;
        if self.old.has(set, method) && !self.new.has(set, method) {
            return Ok(());
        }
        let fitted = self.new.message(set, &self.facts, &node);
        let old = || self.old.message(set, &self.facts, &node);
        match self.said(told, fitted, old)? {
            Some(node) => self.push(told, node),
            None => self.out.push(told.clone()),
        }
        Ok(())
    }

    /// The answer of the client to a request of Codex.
    pub(super) fn client_answer(
        &mut self,
        told: &Told,
        of: usize,
        method: &str,
        is_error: bool,
        mut node: Node,
    ) -> Result<(), UnsupportedByRelease> {
        let set = MessageSet::AppServerClientResponses;
        let request = self.lines[of].node.clone().unwrap_or(Node::Null);
        let params = parse::get(&request, "params").cloned();
        let thread = self.thread_of(told, params.as_ref());
        self.about(told, thread.clone());
        let recorded = parse::get(&node, "id").cloned().unwrap_or(Node::Null);
        let id = self.connection(told).asked(&recorded).unwrap_or(recorded);
        parse::set(&mut node, "id", id.clone());
        let result = parse::get(&node, "result").cloned();
        if let (false, Some(result)) = (is_error, &result) {
            let fitted = self.new.result(set, method, &self.facts, result);
            let old = || self.old.result(set, method, &self.facts, result);
            if let Some(result) = self.said(told, fitted, old)? {
                parse::set(&mut node, "result", result);
            }
        }
        self.push(told, node);
        if let Some(thread) = thread {
            self.after_answer(told, &thread, method, &id, params, result)?;
        }
        Ok(())
    }

    /// What a release says once the client has answered, and an older one does not.
    fn after_answer(
        &mut self,
        told: &Told,
        thread: &str,
        method: &str,
        id: &Node,
        params: Option<Node>,
        result: Option<Node>,
    ) -> Result<(), UnsupportedByRelease> {
        let method_of = |name: &str| super::order::flag(name).is_some();
        let told = told.beside(Node::Null);
        let name = "serverRequest/resolved";
        if method_of(method) {
            if !self.old.notifies(name) {
                let resolved = object! { "threadId" => thread, "requestId" => id.clone() };
                self.notify(&told, name, resolved)?;
            }
            if !self.old.notifies("thread/status/changed") {
                self.status(&told, thread, super::order::active(None))?;
            }
        }
        if method == "item/tool/call"
            && let Some(params) = params
        {
            self.tool_answered(&told, &params, result)?;
        }
        Ok(())
    }
}
