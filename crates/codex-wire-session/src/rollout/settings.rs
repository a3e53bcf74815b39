//! The settings in force, from the lines that tell them.

use std::sync::Arc;

use serde_json::Value;

use crate::members::{Members, word};
use crate::model::Settings;

/// The settings of a `turn_context`.
pub(super) fn of_context(context: &Value) -> Settings {
    let sandbox = context.some("sandbox_policy");
    let sandbox = sandbox.and_then(|policy| policy.text("type").or_else(|| policy.text("mode")));
    let mode = context.some("collaboration_mode");
    Settings {
        model: shared(context, "model"),
        effort: shared(context, "effort"),
        cwd: shared(context, "cwd"),
        approval_policy: shared(context, "approval_policy"),
        sandbox_policy: sandbox.map(Arc::from),
        mode: mode.and_then(|mode| shared(mode, "mode")),
    }
}

/// The settings that a `thread_settings_applied` changes.
pub(super) fn change(settings: &mut Settings, applied: &Value) {
    settings.model = shared(applied, "model");
    settings.effort = shared(applied, "reasoning_effort");
    settings.cwd = shared(applied, "cwd");
    settings.approval_policy = shared(applied, "approval_policy");
    let mode = applied.some("collaboration_mode");
    settings.mode = mode.and_then(|mode| shared(mode, "mode"));
}

/// A member as a word, which several turns share.
fn shared(value: &Value, key: &str) -> Option<Arc<str>> {
    value.some(key).map(|value| word(value).into())
}
