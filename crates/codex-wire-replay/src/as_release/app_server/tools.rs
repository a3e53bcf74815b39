//! Items of client tools, which older releases do not have.

use codex_wire_base::Release;

use super::super::facts::Phase;
use super::super::parse;
use super::super::stream::Told;
use super::super::unsupported::UnsupportedByRelease;
use super::talk::Talk;
use crate::compose::json::{Node, object};

/// The first release whose client tools have items; see `fixtures/app-server/0.111.0`.
pub(super) const TOOL_ITEMS: Release = Release::new(0, 111, 0);

impl Talk {
    /// Starts the item of a client tool whose release had none.
    pub(super) fn tool_first(
        &mut self,
        told: &Told,
        thread: &str,
        params: &Node,
    ) -> Result<(), UnsupportedByRelease> {
        if self.new.release < TOOL_ITEMS || !self.new.has_item("dynamicToolCall") {
            return Ok(());
        }
        let turn = parse::text(params, &["turnId"]).unwrap_or_default();
        let item = tool_item(params, "inProgress");
        let params = object! { "item" => item, "threadId" => thread, "turnId" => turn };
        self.facts.phase = Phase::Started;
        self.notify(told, "item/started", params)
    }

    /// Completes the item of a client tool whose release had none.
    pub(super) fn tool_answered(
        &mut self,
        told: &Told,
        params: &Node,
        result: Option<Node>,
    ) -> Result<(), UnsupportedByRelease> {
        let has = self.new.release >= TOOL_ITEMS && self.new.has_item("dynamicToolCall");
        if self.old.release >= TOOL_ITEMS || !has {
            return Ok(());
        }
        let success = result
            .as_ref()
            .and_then(|result| parse::get(result, "success").cloned());
        let failed = success == Some(Node::Bool(false)) || result.is_none();
        let mut item = tool_item(params, if failed { "failed" } else { "completed" });
        if let Some(result) = &result {
            for name in ["contentItems", "success"] {
                if let Some(value) = parse::get(result, name) {
                    parse::set(&mut item, name, value.clone());
                }
            }
        }
        let of = |name: &str| parse::text(params, &[name]).unwrap_or_default().to_owned();
        let thread = of("threadId");
        let turn = self.turns.name(&thread, &of("turnId"));
        self.facts.phase = Phase::Completed;
        self.facts.item_ms = Some(self.facts.now_ms);
        let params = object! { "item" => item, "threadId" => thread, "turnId" => turn };
        self.notify(told, "item/completed", params)
    }
}

/// An item of a client tool, as its request names it.
fn tool_item(params: &Node, status: &str) -> Node {
    let of = |name: &str| parse::get(params, name).cloned().unwrap_or(Node::Null);
    object! {
        "type" => "dynamicToolCall", "id" => of("callId"), "namespace" => of("namespace"),
        "tool" => of("tool"), "arguments" => of("arguments"), "status" => status,
        "contentItems" => Node::Null, "success" => Node::Null, "durationMs" => Node::Null,
    }
}
