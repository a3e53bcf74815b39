//! Threads, turns and tokens, with every member that any release writes.

use super::super::answers::Used;
use super::super::model::Tokens;
use super::running::Running;
use super::state::{AppServer, ReadState, Thread};
use crate::compose::json::{Node, object, texts};

impl AppServer {
    /// The thread, as `thread/started` has it.
    pub(super) fn thread_node(&self, thread: &Thread) -> Node {
        let environment = object! {
            "environmentId" => "local",
            "cwd" => &thread.cwd,
            "runtimeWorkspaceRoots" => texts([&thread.cwd]),
        };
        let (id, originator) = (
            &thread.id,
            self.client.as_ref().map(|(name, _)| name.clone()),
        );
        object! {
            "id" => id,
            "environments" => vec![environment],
            "extra" => Node::Null,
            "sessionId" => id,
            "forkedFromId" => Node::Null,
            "attachedToThreadId" => Node::Null,
            "parentThreadId" => Node::Null,
            "preview" => "",
            "ephemeral" => thread.is_ephemeral,
            "section" => Node::Null,
            "sectionEnteredAt" => Node::Null,
            "projectId" => Node::Null,
            "historyMode" => self.observed.history_mode(),
            "isPinned" => false,
            "modelProvider" => "openai",
            "model" => &thread.model,
            "reasoningEffort" => Node::Null,
            "createdAt" => thread.created,
            "updatedAt" => thread.created,
            "recencyAt" => thread.created,
            "status" => object! { "type" => "idle" },
            "path" => (!thread.is_ephemeral).then(|| self.rollout(id)),
            "cwd" => &thread.cwd,
            "cliVersion" => self.writer.release().to_string(),
            "originator" => originator,
            "source" => "vscode",
            "canAcceptDirectInput" => true,
            "threadSource" => Node::Null,
            "agentNickname" => Node::Null,
            "agentRole" => Node::Null,
            "gitInfo" => Node::Null,
            "name" => Node::Null,
            "daybreakEnabled" => Node::Null,
            "turns" => Node::List(Vec::new()),
        }
    }

    /// Where Codex keeps the thread. The folders are named after a day, which is always the first
    /// one of a year here: nothing is ever kept.
    fn rollout(&self, id: &str) -> String {
        let home = self.settings.codex_home.trim_end_matches('/');
        format!("{home}/sessions/2026/01/01/rollout-2026-01-01T00-00-00-{id}.jsonl")
    }

    /// What `thread/start` and `thread/resume` return.
    pub(super) fn thread_result(&self, thread: &Thread) -> Node {
        object! {
            "thread" => self.thread_node(thread),
            "model" => &thread.model,
            "modelProvider" => "openai",
            "serviceTier" => Node::Null,
            "disabledPluginIds" => Node::List(Vec::new()),
            "cwd" => &thread.cwd,
            "runtimeWorkspaceRoots" => texts([&thread.cwd]),
            "instructionSources" => Node::List(Vec::new()),
            "approvalPolicy" => thread.approval.clone(),
            "approvalsReviewer" => "user",
            "sandbox" => thread.sandbox.clone(),
            "permissionProfile" => permission_profile(&thread.sandbox),
            "activePermissionProfile" => Node::Null,
            "reasoningEffort" => Node::Null,
            "multiAgentMode" => "explicitRequestOnly",
        }
    }

    /// The turn with that status. Its times are known to notifications, not to the response that
    /// `turn/start` gets.
    pub(super) fn turn_node(
        &self,
        running: &Running,
        status: &str,
        notified: bool,
        error: Node,
    ) -> Node {
        let ended = status != "inProgress";
        let seconds = |ms: u64| Node::from(ms / 1000);
        let summary = match (
            &running.last_message,
            ended && self.observed.summarizes_turns(),
        ) {
            (Some(message), true) => vec![message.clone()],
            _ => Vec::new(),
        };
        let view = if summary.is_empty() {
            "notLoaded"
        } else {
            "summary"
        };
        let duration = self.ids.ms().saturating_sub(running.began);
        let when = |holds: bool, node: Node| if holds { node } else { Node::Null };
        object! {
            "id" => &running.turn,
            "rootTurnId" => &running.turn,
            "items" => summary,
            "itemsView" => view,
            "status" => status,
            "error" => error,
            "startedAt" => when(notified, seconds(running.began)),
            "completedAt" => when(ended, seconds(self.ids.ms())),
            "durationMs" => when(ended, Node::from(duration)),
        }
    }
}

/// What the sandbox permits, as far as a stand-in knows: everything, or nothing that it could name.
fn permission_profile(sandbox: &Node) -> Node {
    match sandbox {
        Node::Object(members)
            if members
                .iter()
                .any(|(_, value)| value.as_str() == Some("dangerFullAccess")) =>
        {
            object! { "type" => "disabled" }
        }
        _ => Node::Null,
    }
}

/// What a thread has used in all, and for the last answer.
pub(super) fn usage_node(used: &Used, last: Tokens) -> Node {
    let mut only = Used::default();
    only.add(last);
    count_node(used, tokens_node(&only, only.input + only.output))
}

/// What a thread has used in all, and, instead of the last answer, how long its history is.
pub(super) fn history_node(used: &Used, length: u64) -> Node {
    count_node(used, tokens_node(&Used::default(), length))
}

fn count_node(used: &Used, last: Node) -> Node {
    object! {
        "total" => tokens_node(used, used.input + used.output),
        "last" => last,
        "modelContextWindow" => 258_400,
    }
}

fn tokens_node(used: &Used, total: u64) -> Node {
    object! {
        "totalTokens" => total,
        "inputTokens" => used.input,
        "cachedInputTokens" => used.cached,
        "cacheWriteInputTokens" => 0,
        "outputTokens" => used.output,
        "reasoningOutputTokens" => used.reasoning,
    }
}

/// The limits of an account that has none.
pub(super) fn rate_limits() -> Node {
    object! {
        "rateLimits" => object! {
            "limitId" => "codex",
            "limitName" => Node::Null,
            "normalModelSlug" => Node::Null,
            "primary" => Node::Null,
            "secondary" => Node::Null,
            "credits" => Node::Null,
            "individualLimit" => Node::Null,
            "spendControlReached" => Node::Null,
            "planType" => Node::Null,
            "rateLimitReachedType" => Node::Null,
        },
    }
}

/// An item, with the times that newer releases put into it.
pub(super) fn timed(mut item: Node, started: u64, completed: Option<u64>) -> Node {
    item.push("startedAtMs", started);
    item.push("completedAtMs", completed);
    item
}

/// What the client has read.
pub(super) fn read_state(read: &ReadState) -> Node {
    let turn = |turn: &String| object! { "type" => "turn", "turnId" => turn };
    object! {
        "firstUnread" => read.unread.as_ref().map(turn),
        "revision" => &read.revision,
    }
}
