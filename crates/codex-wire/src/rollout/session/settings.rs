//! The settings in force, from the lines that tell them.

use std::sync::Arc;

use crate::rollout::session::Settings;
use crate::rollout::{ThreadSettings, TurnContextItem};

pub(super) fn of_context(context: &TurnContextItem) -> Settings {
    let mode = context
        .collaboration_mode
        .value()
        .and_then(|mode| word(mode, "mode"));
    Settings {
        model: Some(context.model.as_str().into()),
        effort: context.effort.value().and_then(plain),
        cwd: Some(context.cwd.as_str().into()),
        approval_policy: plain(&context.approval_policy),
        sandbox_policy: word(&context.sandbox_policy, "type")
            .or_else(|| word(&context.sandbox_policy, "mode")),
        mode,
    }
}

pub(super) fn change(settings: &mut Settings, applied: &ThreadSettings) {
    settings.model = Some(applied.model.as_str().into());
    settings.effort = applied
        .reasoning_effort
        .value()
        .map(|word| word.as_str().into());
    settings.cwd = Some(applied.cwd.as_str().into());
    settings.approval_policy = plain(&applied.approval_policy);
    settings.mode = Some(applied.collaboration_mode.mode.as_str().into());
}

/// A word as it is on the wire; an object as its JSON.
fn plain<T: serde::Serialize>(value: &T) -> Option<Arc<str>> {
    match serde_json::to_value(value).ok()? {
        serde_json::Value::String(word) => Some(word.into()),
        other => Some(other.to_string().into()),
    }
}

/// A member that is a word.
fn word<T: serde::Serialize>(value: &T, member: &str) -> Option<Arc<str>> {
    let value = serde_json::to_value(value).ok()?;
    Some(value.get(member)?.as_str()?.into())
}
