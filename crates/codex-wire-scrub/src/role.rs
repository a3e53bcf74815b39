//! What the name of a member says of its value, where the schema model says nothing: that it is an
//! id, a delta of a text, or a text that deltas may join to.

/// What a value is, by the name of its member. Elements are what their array is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Other,
    /// An id. Some are counted, and the numbers matter.
    Id,
    /// A text that deltas may join to. Its placeholder must not depend on its form.
    Text,
    /// A delta of a text.
    Delta,
    /// A delta of output in base64, or as numbers.
    Bytes,
    /// What a Codex calls itself.
    Agent,
    /// A method, or several.
    Methods,
    /// Who speaks, in an item of the model.
    Author,
    /// The name of a tool, for a hook.
    Tool,
    /// What a tool is called with, as JSON of any kind.
    Arguments,
    /// The version of JSON-RPC, or of a protocol that clients may confuse with ours.
    Version,
}

const TEXTS: [&str; 11] = [
    "aggregatedOutput",
    "aggregated_output",
    "content",
    "formatted_output",
    "lastAgentMessage",
    "last_agent_message",
    "message",
    "stderr",
    "stdout",
    "summary",
    "text",
];

/// The role of values of a member.
pub(crate) fn of(name: &str) -> Role {
    match name {
        "delta" => Role::Delta,
        "chunk" | "deltaBase64" => Role::Bytes,
        "userAgent" => Role::Agent,
        "optOutNotificationMethods" => Role::Methods,
        "jsonrpc" => Role::Version,
        "role" => Role::Author,
        "arguments" => Role::Arguments,
        "tool_name" => Role::Tool,
        "id" => Role::Id,
        _ if ["Id", "_id", "-id"].iter().any(|end| name.ends_with(end)) => Role::Id,
        _ if TEXTS.contains(&name) => Role::Text,
        _ => Role::Other,
    }
}

/// Names of members that the model does not have and by which protocols are told apart.
pub(crate) const ENVELOPE: [&str; 2] = ["jsonrpc", "protocolVersion"];

/// Those who speak. The model of session files and of the app-server has any text there.
pub(crate) const AUTHORS: [&str; 4] = ["assistant", "developer", "system", "user"];

/// Tools of which the rules about hooks know what they take.
pub(crate) const TOOLS: [&str; 2] = ["Bash", "apply_patch"];

/// What `codex mcp-server` calls itself, and its events. The model has no place for them.
pub(crate) const MCP_SERVER: [&str; 2] = ["codex-mcp-server", "codex/event"];

/// Texts that Codex writes itself, and that rules about order depend on.
pub(crate) const FIXED: [&[u8]; 2] = [b"Turn interrupted", b"Not initialized"];

/// What begins a part of a message that is not shown.
pub(crate) const MARKS: [&[u8]; 2] = [b"<oai-mem-citation>", b"<proposed_plan>"];

/// How the text of a message from one agent to another begins, which is JSON.
pub(crate) const LETTER: &[u8] = b"{\"author\":";

/// The longest version.
pub(crate) const VERSION: usize = 4;
