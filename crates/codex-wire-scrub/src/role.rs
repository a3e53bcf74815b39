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
        "id" => Role::Id,
        _ if name.ends_with("Id") || name.ends_with("_id") => Role::Id,
        _ if TEXTS.contains(&name) => Role::Text,
        _ => Role::Other,
    }
}

/// Names of members that the model does not have and by which protocols are told apart.
pub(crate) const ENVELOPE: [&str; 2] = ["jsonrpc", "protocolVersion"];

/// Texts that Codex writes itself, and that rules about order depend on.
pub(crate) const FIXED: [&[u8]; 2] = [b"Turn interrupted", b"Not initialized"];

/// The longest version.
pub(crate) const VERSION: usize = 4;
