//! What the app-server says of a thread as a whole, and of its settings.

use std::sync::Arc;

use serde_json::Value;

use crate::members::{Members, kind, word};
use crate::model::{Lineage, Settings, Thread, Time};
use crate::values::git;

/// Takes what a `Thread` says. What it does not say stays.
pub(super) fn read(thread: &mut Thread, said: &Value) {
    let keep = |known: &mut Option<String>, key: &str| {
        if let Some(text) = said.owned(key).filter(|text| !text.is_empty()) {
            *known = Some(text);
        }
    };
    keep(&mut thread.id, "id");
    keep(&mut thread.name, "name");
    keep(&mut thread.release, "cliVersion");
    keep(&mut thread.model_provider, "modelProvider");
    keep(&mut thread.cwd, "cwd");
    if thread.created.is_none() {
        thread.created = said.int("createdAt").and_then(Time::from_seconds);
    }
    if let Some(info) = said.some("gitInfo") {
        thread.git = Some(git(info));
    }
    let lineage = &mut thread.lineage;
    keep(&mut lineage.root, "sessionId");
    keep(&mut lineage.forked_from, "forkedFromId");
    keep(&mut lineage.parent, "parentThreadId");
    keep(&mut lineage.nickname, "agentNickname");
    if let Some(source) = said.some("source") {
        read_source(lineage, source);
    }
}

/// Takes what the source of a thread says: sub-agents are named there.
fn read_source(lineage: &mut Lineage, source: &Value) {
    let Some(agent) = source.some("subAgent").or_else(|| source.some("subagent")) else {
        return;
    };
    lineage.is_sub_agent = true;
    lineage.is_review = kind(agent) == Some("review");
    if let Some(spawn) = agent.some("thread_spawn") {
        let parent = spawn.owned("parent_thread_id");
        lineage.parent = lineage.parent.take().or(parent);
        lineage.path = spawn.owned("agent_path").or(lineage.path.take());
        let nickname = spawn.owned("agent_nickname");
        lineage.nickname = lineage.nickname.take().or(nickname);
    }
}

/// Takes the settings that a message names: the answer to `thread/start`, `thread/settings/updated`, or the
/// parameters of a request. What it does not name stays.
pub(super) fn read_settings(settings: &mut Settings, said: &Value) {
    let keep = |known: &mut Option<Arc<str>>, keys: &[&str]| {
        if let Some(value) = keys.iter().find_map(|key| said.some(key)) {
            *known = Some(word(value).into());
        }
    };
    keep(&mut settings.model, &["model"]);
    keep(&mut settings.effort, &["effort", "reasoningEffort"]);
    keep(&mut settings.cwd, &["cwd"]);
    keep(&mut settings.approval_policy, &["approvalPolicy"]);
    let sandbox = ["sandboxPolicy", "sandbox"];
    if let Some(sandbox) = sandbox.iter().find_map(|key| said.some(key)) {
        let name = sandbox.text("type").or(sandbox.as_str());
        settings.sandbox_policy = name.map(|name| kebab(name).into());
    }
    if let Some(mode) = said
        .some("collaborationMode")
        .and_then(|mode| mode.text("mode"))
    {
        settings.mode = Some(mode.into());
    }
}

/// `dangerFullAccess` as session files write it: `danger-full-access`.
fn kebab(name: &str) -> String {
    separated(name, '-')
}

/// `spawnAgent` as core writes it: `spawn_agent`.
pub(super) fn snake(name: &str) -> String {
    separated(name, '_')
}

fn separated(name: &str, by: char) -> String {
    let mut out = String::with_capacity(name.len() + 4);
    for letter in name.chars() {
        if letter.is_ascii_uppercase() {
            out.push(by);
        }
        out.push(letter.to_ascii_lowercase());
    }
    out
}
