//! What kinds of request there are: those that only read, and those that move a turn on.

/// Requests that only read although their names do not end as the others' do.
const READS: &[&str] = &[
    "account/gatewayOAuth/read",
    "attestation/generate",
    "externalAgentConfig/detect",
    "externalAgentConfig/import/readHistories",
    "fuzzyFileSearch",
    "getAuthStatus",
    "getConversationSummary",
    "getUserAgent",
    "getUserSavedConfig",
    "gitDiffToRemote",
    "get_history_entry_request",
    "get_path",
    "list_custom_prompts",
    "list_mcp_tools",
    "listConversations",
    "memory/status",
    "server/diagnostics",
    "userInfo",
    "userVerification/status",
];

/// The last part of the name of requests that only read.
const READ_ENDINGS: &[&str] = &[
    "read",
    "list",
    "get",
    "info",
    "status",
    "search",
    "readiness",
    "getMetadata",
    "readFile",
    "readDirectory",
    "listVoices",
    "installed",
    "searchOccurrences",
    "detect",
];

/// Requests that begin a turn or a thread, move it on or end it: what Codex writes of a turn is because
/// of the last of them.
const FLOW: &[&str] = &[
    "newConversation",
    "resumeConversation",
    "forkConversation",
    "sendUserMessage",
    "sendUserTurn",
    "interruptConversation",
    "review/start",
    "thread/start",
    "thread/delete",
    "thread/resume",
    "thread/fork",
    "thread/rollback",
    "thread/revert",
    "thread/shellCommand",
    "thread/prepareApprovedPlan",
];

/// The beginnings of the names of such requests.
const FLOW_BEGINNINGS: &[&str] = &[
    "turn/",
    "thread/compact",
    "thread/queue/",
    "thread/realtime/",
];

/// Whether a request only reads.
pub(crate) fn is_read(method: &str) -> bool {
    let last = method.rsplit_once('/').map_or("", |(_, last)| last);
    READS.contains(&method) || READ_ENDINGS.contains(&last)
}

/// Whether what Codex writes of a turn may be because of this request.
pub(crate) fn is_flow(method: &str) -> bool {
    FLOW.contains(&method) || FLOW_BEGINNINGS.iter().any(|b| method.starts_with(b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_do_not_move_a_turn_on() {
        for method in [
            "model/list",
            "account/read",
            "thread/goal/get",
            "fs/readFile",
        ] {
            assert!(is_read(method) && !is_flow(method), "{method}");
        }
        for method in ["turn/start", "turn/interrupt", "thread/compact/start"] {
            assert!(is_flow(method) && !is_read(method), "{method}");
        }
        for method in ["thread/name/set", "initialize", "config/value/write"] {
            assert!(!is_flow(method) && !is_read(method), "{method}");
        }
    }
}
