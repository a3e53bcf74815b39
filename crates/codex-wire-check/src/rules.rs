//! The registry of rules: every rule, with its text, evidence, releases and default level.
//!
//! Each rule is declared with `rules!` in the file that checks it. The `pub use` lines below show
//! which file that is. Every rule has two transcripts under `fixtures/rules`: one respects it, one
//! breaks it.

pub use crate::framing::frame::{
    BLANK_LINE, BOM, CRLF, CUT_LINE, INVALID_UTF8, LINE_TOO_LONG, MALFORMED_JSON, NOT_AN_OBJECT,
    NUL_BYTE, TOO_DEEP,
};
pub use crate::framing::record::{BAD_RECORD, WRONG_SIDE};
pub use crate::framing::tree::TOO_MANY_VALUES;
pub use crate::history_base::ROLLOUT_BASE;
pub use crate::inference::state::MIXED_RELEASES;
pub use crate::inference::unspoken::WRONG_RELEASE;
pub use crate::rpc::array::RPC_ARRAY;
pub use crate::rpc::tracker::{
    RPC_ANSWER_UNASKED, RPC_ANSWERED_TWICE, RPC_ID_IN_USE, RPC_ID_KIND, RPC_NEVER_ANSWERED,
};
pub use crate::rule::{Exception, Rule, Status};
pub use crate::sequence::app_server::APP_TURN_UNFINISHED;
pub use crate::sequence::app_server::content::{APP_ITEM_CHANGED, APP_TEXT_DIFFERS};
pub use crate::sequence::app_server::deltas::{APP_DELTA_UNOPENED, APP_REASONING_PART};
pub use crate::sequence::app_server::handshake::{
    APP_BEFORE_INITIALIZE, APP_INITIALIZE_AGAIN, APP_INITIALIZE_FIRST, APP_INITIALIZED,
    APP_OPTED_OUT, APP_TRUNCATED_START,
};
pub use crate::sequence::app_server::item::{
    APP_ITEM_COMPLETED_AGAIN, APP_ITEM_LATE, APP_ITEM_NEVER_STARTED, APP_ITEM_OPEN,
    APP_ITEM_STARTED_AGAIN, APP_ITEM_STATUS,
};
pub use crate::sequence::app_server::requests::{
    APP_APPROVAL_ITEM, APP_DECISION, APP_NOT_RESOLVED, APP_RESOLVED_AGAIN, APP_RESOLVED_UNASKED,
    APP_SERVER_ID,
};
pub use crate::sequence::app_server::response::{APP_THREAD_STARTED_EARLY, APP_TURN_STARTED_EARLY};
pub use crate::sequence::app_server::result::{APP_ITEM_RESULT, APP_STARTED_RESULT};
pub use crate::sequence::app_server::thread::{
    APP_AFTER_CLOSED, APP_STATUS_REPEATED, APP_THREAD_NOT_STARTED, APP_THREAD_STARTED_AGAIN,
    APP_THREAD_UNKNOWN, APP_TOKENS_FALL, APP_TOKENS_PART, APP_TOKENS_SUM, APP_WAITING,
};
pub use crate::sequence::app_server::tracks::{APP_HOOK_ORDER, APP_OUTPUT_LATE};
pub use crate::sequence::app_server::turn::{
    APP_INTERRUPT, APP_INTERRUPT_CAUSE, APP_OUTSIDE_TURN, APP_STATUS_TURN, APP_TURN_ENDED_AGAIN,
    APP_TURN_ERROR, APP_TURN_NAMED, APP_TURN_NEVER_STARTED, APP_TURN_OVERLAP,
    APP_TURN_STARTED_AGAIN, APP_TURN_STATUS,
};
pub use crate::sequence::app_server::turn_errors::{APP_ERROR_REPORTED, APP_STATUS_FAILED};
pub use crate::sequence::core::calls::{
    CORE_APPROVAL_WAITS, CORE_CALL_BEGUN_AGAIN, CORE_CALL_CHANGED, CORE_CALL_INTERRUPTED,
    CORE_CALL_NEVER_BEGUN, CORE_CALL_OPEN, CORE_OUTPUT_DIFFERS, CORE_OUTPUT_NOT_RUNNING,
};
pub use crate::sequence::core::client::{
    CORE_ABORT_UNASKED, CORE_ANSWER_UNASKED, CORE_ID_UNKNOWN, CORE_REPLY_DIFFERS,
    CORE_REPLY_MISSING, CORE_REPLY_UNASKED, CORE_SUBMISSION_ID_AGAIN,
    CORE_SUBMITTED_AFTER_SHUTDOWN,
};
pub use crate::sequence::core::task::{
    CORE_AFTER_ERROR, CORE_DIFF_UNFOUNDED, CORE_LAST_MESSAGE, CORE_OUTSIDE_TASK, CORE_REVIEW_MODE,
    CORE_TEXT_DIFFERS, CORE_TEXT_UNFINISHED,
};
pub use crate::sequence::core::tokens::{CORE_TOKENS_FALL, CORE_TOKENS_PART};
pub use crate::sequence::core::{
    CORE_AFTER_SHUTDOWN, CORE_SESSION_AGAIN, CORE_SESSION_FIRST, CORE_SHUTDOWN_OPEN, CORE_TASK_END,
    CORE_TASK_STARTED_AGAIN, CORE_UNFINISHED, LEGACY_HEADER,
};
pub use crate::sequence::exec::items::{
    EXEC_ITEM_AFTER_COMPLETION, EXEC_ITEM_CHANGED, EXEC_ITEM_ID, EXEC_ITEM_NEVER_STARTED,
    EXEC_ITEM_STARTED_TWICE, EXEC_ITEM_STATUS, EXEC_OPEN_AT_COMPLETION, EXEC_OPEN_AT_FAILURE,
    EXEC_SECOND_TODO_LIST, EXEC_STARTED_KIND, EXEC_TODO_LIST_LAST, EXEC_TODO_LIST_OPEN,
    EXEC_TODO_LIST_STATE, EXEC_UPDATED_KIND,
};
pub use crate::sequence::exec::results::{EXEC_STARTED_RESULT, EXEC_STATUS_AND_RESULT};
pub use crate::sequence::exec::{
    EXEC_AFTER_END, EXEC_EXIT_STATUS, EXEC_EXIT_WITHOUT_END, EXEC_FAILED_WITHOUT_ERROR,
    EXEC_OUTSIDE_TURN, EXEC_THREAD_STARTED_AGAIN, EXEC_THREAD_STARTED_FIRST, EXEC_TOKENS_PART,
    EXEC_TURN_STARTED_AGAIN, EXEC_UNFINISHED, EXEC_USAGE_DECREASES,
};
pub use crate::sequence::hooks::run::{
    HOOK_EXIT_STATUS, HOOK_EXIT_WITHOUT_REASON, HOOK_TEXT_IGNORED, HOOK_TEXT_REFUSED,
};
pub use crate::sequence::hooks::{
    HOOK_CONTEXT_EARLY, HOOK_INPUT_EARLY, HOOK_INPUT_WITHOUT_ALLOW, HOOK_INPUT_WITHOUT_COMMAND,
    HOOK_NO_EFFECT, HOOK_NO_REASON, HOOK_OTHER_EVENT, HOOK_REASON_ALONE, HOOK_UNSUPPORTED,
};
pub use crate::sequence::rollout::calls::{
    ROLLOUT_CALL_AGAIN, ROLLOUT_CALL_ALONE, ROLLOUT_CALL_EVENT, ROLLOUT_OUTPUT_AGAIN,
    ROLLOUT_OUTPUT_KIND, ROLLOUT_OUTPUT_MISSING, ROLLOUT_OUTPUT_UNASKED, ROLLOUT_SEARCH_EVENT,
};
pub use crate::sequence::rollout::early::ROLLOUT_STATE_LINE;
pub use crate::sequence::rollout::header::{
    ROLLOUT_HEADER_AGAIN, ROLLOUT_HEADER_FIRST, ROLLOUT_LINE_AGAIN, ROLLOUT_ORDINAL,
    ROLLOUT_ORDINAL_MODE, ROLLOUT_TIME_FALLS,
};
pub use crate::sequence::rollout::texts::{
    ROLLOUT_AGENT_MESSAGE, ROLLOUT_LAST_MESSAGE, ROLLOUT_REASONING, ROLLOUT_USER_MESSAGE,
};
pub use crate::sequence::rollout::tokens::{
    ROLLOUT_TOKENS_FALL, ROLLOUT_TOKENS_PART, ROLLOUT_TOKENS_SUM,
};
pub use crate::sequence::rollout::turns::{
    ROLLOUT_ITEM_ID, ROLLOUT_OF_TURN, ROLLOUT_OUTSIDE_TURN, ROLLOUT_REVIEW_MODE,
    ROLLOUT_TURN_CONTEXT, ROLLOUT_TURN_END, ROLLOUT_TURN_OPENING, ROLLOUT_TURN_STARTED_AGAIN,
    ROLLOUT_TURN_TIMES,
};
pub use crate::sequence::rollout::window::{ROLLOUT_COMPACTED, ROLLOUT_WORLD_STATE};
pub use crate::validation::duplicates::{DUPLICATE_ID, DUPLICATE_KEY};
pub use crate::validation::explanation::{
    MISSING_MEMBER, NULL, UNKNOWN_KIND, UNKNOWN_MEMBER, UNKNOWN_VALUE, WRONG_TYPE,
};
pub use crate::validation::validate::RPC_EXPERIMENTAL;
pub use crate::validation::violation::OUT_OF_RANGE;
pub use crate::with_rollout::rules::{
    WITH_ROLLOUT_ITEM_ADDED, WITH_ROLLOUT_ITEM_DIFFERS, WITH_ROLLOUT_ITEM_MISSING,
    WITH_ROLLOUT_ORDER, WITH_ROLLOUT_TEXT_DIFFERS, WITH_ROLLOUT_TURN_ADDED, WITH_ROLLOUT_TURN_END,
    WITH_ROLLOUT_TURN_MISSING, WITH_ROLLOUT_USAGE_DIFFERS,
};

/// All rules, in the order in which `codex-wire rules` and the SARIF report list them: rules about
/// lines and about single messages (`framing`, `schema`), then about sequences of `exec`, `core` and
/// the app-server (`sequence`), then about requests and responses (`rpc`), then about what hooks print
/// (`hooks`), then about a session file and another input (`rollout`). Put a new rule beside
/// rules about the same thing. Nothing else depends on its position.
pub static RULES: &[&Rule] = &[
    &BAD_RECORD,
    &BLANK_LINE,
    &BOM,
    &CRLF,
    &CUT_LINE,
    &DUPLICATE_ID,
    &DUPLICATE_KEY,
    &INVALID_UTF8,
    &LINE_TOO_LONG,
    &MALFORMED_JSON,
    &NOT_AN_OBJECT,
    &NUL_BYTE,
    &TOO_MANY_VALUES,
    &TOO_DEEP,
    &MISSING_MEMBER,
    &MIXED_RELEASES,
    &NULL,
    &OUT_OF_RANGE,
    &UNKNOWN_KIND,
    &UNKNOWN_MEMBER,
    &UNKNOWN_VALUE,
    &WRONG_RELEASE,
    &WRONG_SIDE,
    &WRONG_TYPE,
    &EXEC_AFTER_END,
    &EXEC_EXIT_STATUS,
    &EXEC_EXIT_WITHOUT_END,
    &EXEC_FAILED_WITHOUT_ERROR,
    &EXEC_ITEM_AFTER_COMPLETION,
    &EXEC_ITEM_CHANGED,
    &EXEC_ITEM_ID,
    &EXEC_ITEM_NEVER_STARTED,
    &EXEC_ITEM_STARTED_TWICE,
    &EXEC_ITEM_STATUS,
    &EXEC_OPEN_AT_COMPLETION,
    &EXEC_OPEN_AT_FAILURE,
    &EXEC_OUTSIDE_TURN,
    &EXEC_SECOND_TODO_LIST,
    &EXEC_STARTED_KIND,
    &EXEC_STATUS_AND_RESULT,
    &EXEC_STARTED_RESULT,
    &EXEC_THREAD_STARTED_AGAIN,
    &EXEC_THREAD_STARTED_FIRST,
    &EXEC_TODO_LIST_LAST,
    &EXEC_TODO_LIST_OPEN,
    &EXEC_TODO_LIST_STATE,
    &EXEC_TOKENS_PART,
    &EXEC_TURN_STARTED_AGAIN,
    &EXEC_UNFINISHED,
    &EXEC_UPDATED_KIND,
    &EXEC_USAGE_DECREASES,
    &CORE_ABORT_UNASKED,
    &CORE_AFTER_ERROR,
    &CORE_AFTER_SHUTDOWN,
    &CORE_ANSWER_UNASKED,
    &CORE_APPROVAL_WAITS,
    &CORE_CALL_BEGUN_AGAIN,
    &CORE_CALL_CHANGED,
    &CORE_CALL_INTERRUPTED,
    &CORE_CALL_NEVER_BEGUN,
    &CORE_CALL_OPEN,
    &CORE_DIFF_UNFOUNDED,
    &CORE_ID_UNKNOWN,
    &CORE_LAST_MESSAGE,
    &CORE_OUTPUT_DIFFERS,
    &CORE_OUTPUT_NOT_RUNNING,
    &CORE_OUTSIDE_TASK,
    &CORE_REPLY_DIFFERS,
    &CORE_REPLY_MISSING,
    &CORE_REPLY_UNASKED,
    &CORE_REVIEW_MODE,
    &CORE_SESSION_AGAIN,
    &CORE_SESSION_FIRST,
    &CORE_SHUTDOWN_OPEN,
    &CORE_SUBMISSION_ID_AGAIN,
    &CORE_SUBMITTED_AFTER_SHUTDOWN,
    &CORE_TASK_END,
    &CORE_TASK_STARTED_AGAIN,
    &CORE_TEXT_DIFFERS,
    &CORE_TEXT_UNFINISHED,
    &CORE_TOKENS_FALL,
    &CORE_TOKENS_PART,
    &CORE_UNFINISHED,
    &LEGACY_HEADER,
    &APP_AFTER_CLOSED,
    &APP_APPROVAL_ITEM,
    &APP_BEFORE_INITIALIZE,
    &APP_DECISION,
    &APP_ERROR_REPORTED,
    &APP_TRUNCATED_START,
    &APP_HOOK_ORDER,
    &APP_INITIALIZE_AGAIN,
    &APP_INITIALIZE_FIRST,
    &APP_INITIALIZED,
    &APP_INTERRUPT,
    &APP_INTERRUPT_CAUSE,
    &APP_NOT_RESOLVED,
    &APP_OPTED_OUT,
    &APP_OUTSIDE_TURN,
    &APP_RESOLVED_AGAIN,
    &APP_RESOLVED_UNASKED,
    &APP_SERVER_ID,
    &APP_STATUS_FAILED,
    &APP_STATUS_REPEATED,
    &APP_STATUS_TURN,
    &APP_THREAD_NOT_STARTED,
    &APP_THREAD_STARTED_AGAIN,
    &APP_THREAD_STARTED_EARLY,
    &APP_THREAD_UNKNOWN,
    &APP_TOKENS_FALL,
    &APP_TOKENS_PART,
    &APP_TOKENS_SUM,
    &APP_TURN_ENDED_AGAIN,
    &APP_TURN_ERROR,
    &APP_TURN_NAMED,
    &APP_TURN_NEVER_STARTED,
    &APP_TURN_OVERLAP,
    &APP_TURN_STARTED_AGAIN,
    &APP_TURN_STARTED_EARLY,
    &APP_TURN_STATUS,
    &APP_TURN_UNFINISHED,
    &APP_WAITING,
    &APP_ITEM_CHANGED,
    &APP_ITEM_COMPLETED_AGAIN,
    &APP_ITEM_LATE,
    &APP_ITEM_NEVER_STARTED,
    &APP_ITEM_OPEN,
    &APP_ITEM_RESULT,
    &APP_ITEM_STARTED_AGAIN,
    &APP_ITEM_STATUS,
    &APP_OUTPUT_LATE,
    &APP_DELTA_UNOPENED,
    &APP_REASONING_PART,
    &APP_STARTED_RESULT,
    &APP_TEXT_DIFFERS,
    &ROLLOUT_AGENT_MESSAGE,
    &ROLLOUT_CALL_AGAIN,
    &ROLLOUT_CALL_ALONE,
    &ROLLOUT_CALL_EVENT,
    &ROLLOUT_COMPACTED,
    &ROLLOUT_HEADER_AGAIN,
    &ROLLOUT_HEADER_FIRST,
    &ROLLOUT_ITEM_ID,
    &ROLLOUT_LAST_MESSAGE,
    &ROLLOUT_LINE_AGAIN,
    &ROLLOUT_OF_TURN,
    &ROLLOUT_ORDINAL,
    &ROLLOUT_ORDINAL_MODE,
    &ROLLOUT_OUTPUT_AGAIN,
    &ROLLOUT_OUTPUT_KIND,
    &ROLLOUT_OUTPUT_MISSING,
    &ROLLOUT_OUTPUT_UNASKED,
    &ROLLOUT_OUTSIDE_TURN,
    &ROLLOUT_REASONING,
    &ROLLOUT_REVIEW_MODE,
    &ROLLOUT_SEARCH_EVENT,
    &ROLLOUT_STATE_LINE,
    &ROLLOUT_TIME_FALLS,
    &ROLLOUT_TOKENS_FALL,
    &ROLLOUT_TOKENS_PART,
    &ROLLOUT_TOKENS_SUM,
    &ROLLOUT_TURN_CONTEXT,
    &ROLLOUT_TURN_END,
    &ROLLOUT_TURN_OPENING,
    &ROLLOUT_TURN_STARTED_AGAIN,
    &ROLLOUT_TURN_TIMES,
    &ROLLOUT_USER_MESSAGE,
    &ROLLOUT_WORLD_STATE,
    &RPC_ANSWER_UNASKED,
    &RPC_ANSWERED_TWICE,
    &RPC_ARRAY,
    &RPC_EXPERIMENTAL,
    &RPC_ID_IN_USE,
    &RPC_ID_KIND,
    &RPC_NEVER_ANSWERED,
    &HOOK_CONTEXT_EARLY,
    &HOOK_EXIT_STATUS,
    &HOOK_EXIT_WITHOUT_REASON,
    &HOOK_INPUT_EARLY,
    &HOOK_INPUT_WITHOUT_ALLOW,
    &HOOK_INPUT_WITHOUT_COMMAND,
    &HOOK_NO_EFFECT,
    &HOOK_NO_REASON,
    &HOOK_OTHER_EVENT,
    &HOOK_REASON_ALONE,
    &HOOK_TEXT_IGNORED,
    &HOOK_TEXT_REFUSED,
    &HOOK_UNSUPPORTED,
    &ROLLOUT_BASE,
    &WITH_ROLLOUT_ITEM_ADDED,
    &WITH_ROLLOUT_ITEM_DIFFERS,
    &WITH_ROLLOUT_ITEM_MISSING,
    &WITH_ROLLOUT_ORDER,
    &WITH_ROLLOUT_TEXT_DIFFERS,
    &WITH_ROLLOUT_TURN_ADDED,
    &WITH_ROLLOUT_TURN_END,
    &WITH_ROLLOUT_TURN_MISSING,
    &WITH_ROLLOUT_USAGE_DIFFERS,
];

/// The rule with that id.
pub fn find(id: &str) -> Option<&'static Rule> {
    RULES.iter().copied().find(|rule| rule.id == id)
}

/// The rule that had another id before 0.1.0: `id` is the old one.
pub fn renamed(id: &str) -> Option<&'static Rule> {
    const GROUPS: [(&str, &str); 3] = [
        ("frame", "framing"),
        ("life", "sequence"),
        ("shape", "schema"),
    ];
    const NAMES: [(&str, &str); 5] = [
        ("app-server-error-told", "app-server-error-reported"),
        ("app-server-head-missing", "app-server-truncated-start"),
        ("app-server-piece-unopened", "app-server-delta-unopened"),
        ("doubled-id", "duplicate-id"),
        ("legacy-head", "legacy-header"),
    ];
    let (group, name) = id.split_once('/')?;
    let (_, group) = GROUPS.iter().find(|(old, _)| *old == group)?;
    let new = NAMES.iter().find(|(old, _)| *old == name);
    find(&format!("{group}/{}", new.map_or(name, |(_, new)| new)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_rule_is_left_out() {
        let declared = [
            crate::sequence::core::tokens::ALL,
            crate::sequence::exec::results::ALL,
            crate::sequence::app_server::content::ALL,
            crate::sequence::app_server::turn_errors::ALL,
            crate::framing::record::ALL,
            crate::history_base::ALL,
            crate::framing::frame::ALL,
            crate::validation::duplicates::ALL,
            crate::framing::tree::ALL,
            crate::validation::explanation::ALL,
            crate::inference::state::ALL,
            crate::validation::violation::ALL,
            crate::inference::unspoken::ALL,
            crate::sequence::exec::ALL,
            crate::sequence::exec::items::ALL,
            crate::sequence::core::client::ALL,
            crate::sequence::core::task::ALL,
            crate::sequence::core::ALL,
            crate::sequence::core::calls::ALL,
            crate::sequence::app_server::thread::ALL,
            crate::sequence::app_server::requests::ALL,
            crate::sequence::app_server::handshake::ALL,
            crate::sequence::app_server::turn::ALL,
            crate::sequence::app_server::tracks::ALL,
            crate::sequence::app_server::response::ALL,
            crate::sequence::app_server::ALL,
            crate::sequence::app_server::item::ALL,
            crate::sequence::app_server::result::ALL,
            crate::sequence::app_server::deltas::ALL,
            crate::sequence::hooks::ALL,
            crate::sequence::hooks::run::ALL,
            crate::sequence::rollout::calls::ALL,
            crate::sequence::rollout::early::ALL,
            crate::sequence::rollout::header::ALL,
            crate::sequence::rollout::texts::ALL,
            crate::sequence::rollout::tokens::ALL,
            crate::sequence::rollout::turns::ALL,
            crate::sequence::rollout::window::ALL,
            crate::rpc::tracker::ALL,
            crate::rpc::array::ALL,
            crate::validation::validate::ALL,
            crate::with_rollout::rules::ALL,
        ];
        let declared = declared.concat();
        for rule in &declared {
            assert!(RULES.contains(rule), "{rule} is not listed");
        }
        assert_eq!(RULES.len(), declared.len());
    }
}
