//! Recognizes `codex mcp-server`: Codex as a tool of an MCP client, up to 0.153.0. Its streams look
//! like those of the app-server, but speak MCP.

use codex_wire_base::Release;
use codex_wire_prefilter::View;

use super::dialects::Dialect;

/// What Codex calls itself there.
const NAME: &str = "codex-mcp-server";

/// The tools it has.
const TOOLS: [&str; 2] = ["codex", "codex-reply"];

/// What is known of a stream.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) enum McpServer {
    /// It may be anything.
    #[default]
    Unknown,
    /// It is one of `codex mcp-server`, in words. It is given up.
    Named(String),
    /// It is one, and its events are checked.
    Checked,
    /// One of its events is being checked.
    Event,
}

/// What is known of a stream when a message of `codex mcp-server` may come.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Known {
    /// The release that the user or the recording states.
    pub(crate) release: Option<Release>,
    /// Whether the stream may be one of core events, which are checked.
    pub(crate) may_be_core: bool,
    /// Whether it is the first message.
    pub(crate) is_first: bool,
}

impl McpServer {
    /// What a first message shows, and the release that it names, if the stream is checked for that.
    pub(crate) fn of(message: View<'_>, known: Known) -> (Self, Option<Release>) {
        let speaks = |release: &Release| known.may_be_core && Dialect::Core.speaks(*release);
        let is_checked = known.release.as_ref().is_some_and(speaks);
        // No app-server is of these releases.
        if is_checked && is_opening(message) {
            return (McpServer::Checked, None);
        }
        if !is_message(message) {
            return (McpServer::Unknown, None);
        }
        // Where its answer comes first, nothing was taken for something else.
        let named = release(message).filter(|_| known.is_first);
        if known.release.is_none()
            && let Some(release) = named.filter(speaks)
        {
            return (McpServer::Checked, Some(release));
        }
        match is_checked {
            true => (McpServer::Checked, None),
            false => (McpServer::Named(about(message)), None),
        }
    }
}

/// Whether only `codex mcp-server` or its client writes such a message: the answer to
/// `initialize`, an event, a request for an approval, a call of one of its tools.
fn is_message(message: View<'_>) -> bool {
    let has = |pointer: &str| message.pointer(pointer).is_some();
    match message.get_str("method") {
        Some("codex/event") => is_event(message),
        Some("elicitation/create") => has("/params/codex_elicitation"),
        Some("tools/call") => {
            let name = message.pointer("/params/name").and_then(View::as_str);
            name.is_some_and(|name| TOOLS.contains(&name)) && has("/params/arguments/prompt")
        }
        Some(_) => false,
        None => server(message, "name").is_some_and(|name| name == NAME),
    }
}

/// Whether it is a notification that holds a core event.
pub(crate) fn is_event(message: View<'_>) -> bool {
    message.get_str("method") == Some("codex/event") && message.pointer("/params/msg").is_some()
}

/// Whether a client of MCP begins with it. One of the app-server names no version of a protocol.
fn is_opening(message: View<'_>) -> bool {
    let version = message.pointer("/params/protocolVersion");
    message.get_str("method") == Some("initialize") && version.is_some_and(View::is_string)
}

/// The release that its answer to `initialize` names.
fn release(message: View<'_>) -> Option<Release> {
    server(message, "version")?.parse().ok()
}

/// What the input is, in words. Its answer to `initialize` names the release.
fn about(message: View<'_>) -> String {
    let release = release(message);
    let version = release.map(|release| format!(" {release}"));
    let checked = match release.filter(|release| Dialect::Core.speaks(*release)) {
        Some(release) => format!("`check --release {release}` checks these and nothing else"),
        None => "It is recognized, but not checked".to_owned(),
    };
    format!(
        "`codex mcp-server`{}: MCP, with core events in `codex/event`. {checked}",
        version.unwrap_or_default()
    )
}

/// A member of what a server says of itself.
fn server<'a>(message: View<'a>, member: &str) -> Option<&'a str> {
    let pointer = format!("/result/serverInfo/{member}");
    message.pointer(&pointer)?.as_str()
}
