//! What the schema of a hook's output refuses and Codex takes.
//!
//! Recordings of every case are in `fixtures/hooks-outcomes`.

use codex_wire_base::Release;

use super::explanation::NULL;
use super::schema_violation::SchemaViolation;
use crate::inference::unspoken::WRONG_RELEASE;

/// Members that cannot be `null`. Codex takes `null` for any other as if it were absent.
const NEVER_NULL: [&str; 5] = [
    "behavior",
    "continue",
    "hookEventName",
    "interrupt",
    "suppressOutput",
];

/// The name of the event within an output.
const EVENT_NAME: &str = "/hookSpecificOutput/hookEventName";

/// Leaves out what Codex takes, and turns pointers into the message with its event beside it into
/// pointers into the output alone. `newest` is the newest release that may read it.
pub(super) fn bare(newest: Release, violations: &mut Vec<SchemaViolation>) {
    for violation in violations.iter_mut() {
        let bare = violation.pointer.strip_prefix("/output");
        violation.pointer = bare.unwrap_or_default().to_owned();
    }
    violations.retain(|violation| {
        let member = violation.pointer.rsplit('/').next().unwrap_or_default();
        let is_taken = if *violation.rule == NULL {
            !NEVER_NULL.contains(&member)
        } else {
            // From 0.136.0 on the schema refuses the names of other events, and Codex takes those it
            // knows: `hooks/other-event` is about them.
            let known = violation.releases.and_then(|releases| releases.since);
            *violation.rule == WRONG_RELEASE
                && violation.pointer == EVENT_NAME
                && known.is_none_or(|since| since <= newest)
        };
        !is_taken
    });
}
