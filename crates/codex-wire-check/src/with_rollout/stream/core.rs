//! `codex proto`, and `codex exec --json` up to 0.42.0.

use serde_json::Value;

use super::threads::Stream;
use crate::with_rollout::core_items::{self, Content};
use crate::with_rollout::facts::{End, Fingerprint, Kind, Usage, script_of, words_of};

pub(super) fn event(stream: &mut Stream, event: &Value, line: u64) {
    let text = |name: &str| event[name].as_str().unwrap_or_default();
    let call = Fingerprint::of(text("call_id"));
    match text("type") {
        "session_configured" => {
            stream.named(text("session_id"));
        }
        "task_started" => {
            stream.at_hand().begin(None, line);
        }
        kind @ ("task_complete" | "turn_aborted") => {
            let end = match kind {
                "turn_aborted" => End::Interrupted,
                // The event is the same if the turn failed.
                _ => End::NotInterrupted,
            };
            stream.at_hand().last(line).end = Some((end, line));
        }
        "token_count" => {
            if let Some(usage) = Usage::read(&event["info"]["total_token_usage"]) {
                stream.at_hand().last(line).usage = Some((usage, line));
            }
        }
        "stream_error" => stream.at_hand().last(line).has_retry = true,
        // The same up to 0.23.0.
        "background_event" if text("message").starts_with("stream error") => {
            stream.at_hand().last(line).has_retry = true;
        }
        "exec_command_begin" => {
            let command = script_of(&words_of(&event["command"]));
            stream.begin_call(call, command);
        }
        "patch_apply_begin" => {
            if let Some(changes) = core_items::changes(&event["changes"]) {
                stream.begin_call(call, changes);
            }
        }
        _ => {
            let Content::Facts(facts) = core_items::event(event, line) else {
                return;
            };
            let begun = stream.end_call(call);
            let thread = stream.at_hand();
            for mut fact in facts {
                if matches!(fact.kind, Kind::Command | Kind::FileChange) {
                    fact.what = fact.what.or(begun);
                }
                if !thread.is_full() {
                    thread.last(line).facts.push(fact);
                }
            }
        }
    }
}
