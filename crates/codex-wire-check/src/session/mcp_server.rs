//! A stream of `codex mcp-server`. It speaks MCP, which is not checked; but what its notifications
//! `codex/event` hold are core events, and these are checked in the releases that have the core
//! protocol.
//!
//! One stream may have several sessions whose events alternate, so their order is not checked.

use super::state::Session;
use crate::dialect::Dialect;
use crate::dialect::mcp_server::{self, McpServer};
use crate::framing::message::Message;
use crate::line::{LineContext, offset};
use codex_wire_base::{Protocol, Release};
use codex_wire_prefilter::View;

/// What an event has beside the members of a core event.
const META: &str = "_meta";

impl Session<'_> {
    /// Whether a message is of `codex mcp-server`, or of its client. Then it is done with.
    pub(super) fn is_of_mcp_server(
        &mut self,
        context: &LineContext<'_>,
        message: &Message<'_>,
    ) -> bool {
        let view = message.view;
        if self.dialect.mcp_server == McpServer::Unknown && self.dialect.recognized == 0 {
            self.dialect.mcp_server = self.mcp_server_of(view);
        }
        match self.dialect.mcp_server {
            McpServer::Unknown | McpServer::Event => false,
            McpServer::Named(_) => true,
            McpServer::Checked => {
                // Only events are counted.
                self.messages -= 1;
                if mcp_server::is_event(view) {
                    self.event_of_mcp_server(context, view);
                }
                true
            }
        }
    }

    /// What a first message shows.
    fn mcp_server_of(&mut self, message: View<'_>) -> McpServer {
        let stated = self.checker.options.protocol;
        let may_be_core = self.releases.identity.is_none()
            && stated.is_none_or(|protocol| protocol == Protocol::Core);
        let speaks = |release: &Release| may_be_core && Dialect::Core.speaks(*release);
        let is_checked = self.releases.stated.as_ref().is_some_and(speaks);
        // No app-server is of these releases.
        if is_checked && mcp_server::is_opening(message) {
            return McpServer::Checked;
        }
        if !mcp_server::is_message(message) {
            return McpServer::Unknown;
        }
        // Where its answer comes first, nothing was taken for something else.
        let named = mcp_server::release(message).filter(|_| self.messages == 1);
        if self.releases.stated.is_none()
            && let Some(release) = named.filter(speaks)
        {
            self.releases.stated = Some(release);
            self.is_identified = false;
            return McpServer::Checked;
        }
        match is_checked {
            true => McpServer::Checked,
            false => McpServer::Named(mcp_server::about(message)),
        }
    }

    /// Checks the core event that a notification holds, where it stands.
    fn event_of_mcp_server(&mut self, context: &LineContext<'_>, message: View<'_>) {
        let Some(params) = message.get("params") else {
            return;
        };
        let Some((event, start)) = bare(context.text, params) else {
            return;
        };
        let mut inner = context.inner(&event, context.recorded, context.connection);
        inner.skipped = context.skipped + start;
        let before = context.text.get(..start).unwrap_or_default();
        let before = before.chars().count() as u64;
        inner.skipped_characters = context.skipped_characters.map(|skipped| skipped + before);
        self.dialect.mcp_server = McpServer::Event;
        self.text(&mut inner);
        self.dialect.mcp_server = McpServer::Checked;
    }
}

/// A core event as `params` holds it, and where it begins in the line: spaces stand for what is no part
/// of one. `None` if it does not stand in the line.
fn bare(line: &str, params: View<'_>) -> Option<(String, usize)> {
    let start = offset(line, params)?;
    let written = params.as_written();
    let mut event = String::with_capacity(written.len());
    let mut is_first = true;
    // Behind the brace, or behind the member before.
    let mut from = 1;
    let mut copied = 0;
    for (name, value) in params.members() {
        let mut end = offset(written, value)? + value.as_written().len();
        if name.is(META) {
            let rest = written.get(end..)?.trim_start();
            // The comma before goes with it, or that behind if it is the first member.
            if is_first && rest.starts_with(',') {
                end = written.len() - rest.len() + 1;
            }
            event.push_str(written.get(copied..from)?);
            event.extend(std::iter::repeat_n(' ', end.checked_sub(from)?));
            copied = end;
        } else {
            is_first = false;
        }
        from = end;
    }
    event.push_str(written.get(copied..)?);
    Some((event, start))
}

#[cfg(test)]
mod tests {
    use super::*;
    use codex_wire_prefilter::{Keys, Tape};

    fn bare_of(line: &str) -> (String, usize) {
        let mut tape = Tape::default();
        let view = View::of(line, &mut tape, Keys::Last);
        bare(line, view.get("params").unwrap()).unwrap()
    }

    /// What is left stands where it stood, and is JSON.
    #[test]
    fn only_an_event_is_left() {
        let event: serde_json::Value =
            serde_json::from_str(r#"{"id":"ü","msg":{"a":[1]}}"#).unwrap();
        for params in [
            r#"{"id":"ü","msg":{"a":[1]}}"#,
            r#"{"_meta":{"requestId":2},"id":"ü","msg":{"a":[1]}}"#,
            r#"{ "_meta" : {"t":"ü"} , "id":"ü" , "msg":{"a":[1]} }"#,
            r#"{"id":"ü","_meta":null,"msg":{"a":[1]}}"#,
            r#"{"id":"ü","msg":{"a":[1]} , "_meta":"}"}"#,
            r#"{"_meta":1,"_meta":2,"id":"ü","_meta":3,"msg":{"a":[1]},"_meta":4}"#,
            r#"{"\u005fmeta":{},"id":"ü","msg":{"a":[1]}}"#,
        ] {
            let line = format!(r#"{{"x":"ü","params":{params},"jsonrpc":"2.0"}}"#);
            let (left, start) = bare_of(&line);
            assert_eq!(start, line.find(params).unwrap());
            assert_eq!(left.len(), params.len(), "{params}");
            assert_eq!(left.find("\"id\""), params.find("\"id\""), "{left}");
            assert_eq!(left.find("\"msg\""), params.find("\"msg\""), "{left}");
            let read: serde_json::Value = serde_json::from_str(&left).unwrap();
            assert_eq!(read, event, "{left}");
        }
        assert_eq!(bare_of(r#"{"params":{"_meta":1}}"#).0, "{         }");
        assert_eq!(bare_of(r#"{"params":[1]}"#).0, "[1]");
        assert_eq!(bare_of(r#"{"params":{}}"#).0, "{}");
    }
}
