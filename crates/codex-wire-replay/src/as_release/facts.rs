//! What is known while a recording is told again: values for members that the recording lacks.

use codex_wire_base::Release;

use super::parse;
use crate::compose::json::{Node, object};

/// A time for recordings in which there is none: 1 January 2026.
pub(super) const SOME_TIME: u64 = 1_767_225_600_000;

/// Whether a message begins or ends what it is about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Phase {
    /// An item or a turn starts.
    Started,
    /// An item or a turn ends.
    Completed,
    /// Neither.
    #[default]
    Other,
}

/// What is known at a line of a recording.
#[derive(Clone, Debug)]
pub(super) struct Facts {
    /// The release that is spoken.
    pub(super) release: Release,
    /// The release that was recorded.
    pub(super) recorded: Release,
    /// The time of the line, in milliseconds since 1970.
    pub(super) now_ms: u64,
    pub(super) thread: Option<String>,
    pub(super) turn: Option<String>,
    pub(super) cwd: Option<String>,
    pub(super) codex_home: Option<String>,
    pub(super) model: Option<String>,
    pub(super) provider: Option<String>,
    /// The name that the client gave.
    pub(super) client: Option<String>,
    /// When the turn began.
    pub(super) turn_ms: Option<u64>,
    /// When the item of the line began.
    pub(super) item_ms: Option<u64>,
    pub(super) phase: Phase,
    /// The params of the request that the line answers.
    pub(super) request: Option<Node>,
}

impl Facts {
    pub(super) fn new(release: Release, recorded: Release) -> Self {
        Facts {
            release,
            recorded,
            now_ms: SOME_TIME,
            thread: None,
            turn: None,
            cwd: None,
            codex_home: None,
            model: None,
            provider: None,
            client: None,
            turn_ms: None,
            item_ms: None,
            phase: Phase::Other,
            request: None,
        }
    }

    /// A value for a member that the recording lacks, in an object that has these members; none if
    /// nothing is known of it. `null` where that is right.
    pub(super) fn value(
        &self,
        definition: &str,
        member: &str,
        siblings: &[(String, Node)],
    ) -> Option<Node> {
        let ms = |time: u64| Some(Node::from(time));
        let seconds = |time: u64| Some(Node::from(time / 1000));
        let known = |text: &Option<String>| text.as_ref().map(Node::from);
        let ended = self.phase == Phase::Completed;
        let is_turn = definition == "Turn" || definition.ends_with("Turn");
        match member {
            "emittedAtMs" | "createdAtMs" => ms(self.now_ms),
            "startedAtMs" => ms(self.item_ms.unwrap_or(self.now_ms)),
            "completedAtMs" if ended => ms(self.now_ms),
            "startedAt" | "completedAt" | "durationMs" if is_turn => match (member, self.phase) {
                (_, Phase::Other) => Some(Node::Null),
                ("startedAt", _) => seconds(self.turn_ms.unwrap_or(self.now_ms)),
                (_, Phase::Started) => Some(Node::Null),
                ("completedAt", _) => seconds(self.now_ms),
                _ => ms(self.now_ms.saturating_sub(self.turn_ms?)),
            },
            "durationMs" => duration(siblings).or_else(|| {
                let started = self.item_ms.filter(|_| ended)?;
                ms(self.now_ms.saturating_sub(started))
            }),
            "duration" => Some(self.passed()),
            "createdAt" | "updatedAt" | "recencyAt" => {
                let other = ["createdAt", "updatedAt"]
                    .iter()
                    .find_map(|name| of(siblings, name));
                other.cloned().or_else(|| seconds(self.now_ms))
            }
            "threadId" | "thread_id" | "conversationId" | "conversation_id" => known(&self.thread),
            "sessionId" | "session_id" => of(siblings, "id")
                .filter(|_| definition.ends_with("Thread"))
                .cloned()
                .or_else(|| known(&self.thread)),
            "turnId" | "turn_id" => known(&self.turn),
            "rootTurnId" if is_turn => of(siblings, "id").cloned(),
            "cwd" => known(&self.cwd),
            "codexHome" => known(&self.codex_home).or_else(|| Some("/workspace/codex-home".into())),
            "platformFamily" => Some("unix".into()),
            "platformOs" => Some("linux".into()),
            "cliVersion" | "cli_version" => Some(self.release.to_string().into()),
            "model" => known(&self.model),
            "modelProvider" | "model_provider_id" => known(&self.provider),
            "source" if definition.ends_with("Thread") => Some("vscode".into()),
            "status" if definition.ends_with("Thread") => Some(object! { "type" => "idle" }),
            "approvalPolicy" | "sandbox" => {
                let asked = self.request.as_ref().and_then(|r| parse::get(r, member));
                let asked = asked.filter(|asked| **asked != Node::Null).cloned();
                asked.or_else(|| {
                    Some(
                        if member == "sandbox" {
                            "read-only"
                        } else {
                            "on-request"
                        }
                        .into(),
                    )
                })
            }
            "approvalsReviewer" => Some("user".into()),
            "itemsView" => Some("notLoaded".into()),
            "multiAgentMode" => Some("explicitRequestOnly".into()),
            "totalTokens" | "total_tokens" => total(siblings),
            "queries" => Some(Node::List(vec![of(siblings, "query")?.clone()])),
            "environments" => {
                let cwd = known(&self.cwd)?;
                let roots = Node::List(vec![cwd.clone()]);
                Some(Node::List(vec![object! {
                    "environmentId" => "local", "cwd" => cwd, "runtimeWorkspaceRoots" => roots,
                }]))
            }
            "runtimeWorkspaceRoots" => Some(Node::List(vec![known(&self.cwd)?])),
            "canAcceptDirectInput" => Some(true.into()),
            "historyMode" => Some("paginated".into()),
            "cacheWriteInputTokens" => Some(0.into()),
            "text_elements" => Some(Node::List(Vec::new())),
            "source" if definition.ends_with("ThreadItem") => Some("agent".into()),
            "originator" => known(&self.client),
            "environmentId" => Some("local".into()),
            "willRetry" => {
                let message = of(siblings, "error").and_then(|e| parse::text(e, &["message"]));
                Some(Node::Bool(
                    message.is_some_and(|m| m.starts_with("Reconnecting")),
                ))
            }
            _ => None,
        }
    }

    /// Whether the value stands also where `null` might.
    pub(super) fn is_written(&self, definition: &str, member: &str) -> bool {
        let is_turn = definition == "Turn" || definition.ends_with("Turn");
        match member {
            "startedAtMs"
            | "emittedAtMs"
            | "rootTurnId"
            | "sessionId"
            | "recencyAt"
            | "environments"
            | "canAcceptDirectInput"
            | "originator"
            | "itemsView"
            | "historyMode"
            | "cacheWriteInputTokens"
            | "text_elements" => true,
            "source" => definition.ends_with("ThreadItem"),
            "model" | "environmentId" => !definition.ends_with("Params"),
            "completedAtMs" => self.phase == Phase::Completed,
            "startedAt" | "completedAt" | "durationMs" => is_turn,
            _ => false,
        }
    }

    fn passed(&self) -> Node {
        let ms = self
            .now_ms
            .saturating_sub(self.item_ms.unwrap_or(self.now_ms));
        object! { "secs" => ms / 1000, "nanos" => ms % 1000 * 1_000_000 }
    }
}

fn of<'n>(members: &'n [(String, Node)], name: &str) -> Option<&'n Node> {
    let found = members.iter().find(|(other, _)| other == name)?;
    Some(&found.1)
}

fn number(members: &[(String, Node)], names: &[&str]) -> Option<u64> {
    match names.iter().find_map(|name| of(members, name))? {
        Node::Number(number) => number.as_u64(),
        _ => None,
    }
}

/// The time between the two ends that an object names.
fn duration(siblings: &[(String, Node)]) -> Option<Node> {
    let between = |from, to, scale: u64| {
        let (from, to) = (number(siblings, &[from])?, number(siblings, &[to])?);
        Some(Node::from(to.saturating_sub(from) * scale))
    };
    between("startedAtMs", "completedAtMs", 1).or_else(|| between("startedAt", "completedAt", 1000))
}

/// The sum of what goes in and what comes out.
fn total(siblings: &[(String, Node)]) -> Option<Node> {
    let input = number(siblings, &["inputTokens", "input_tokens"])?;
    let output = number(siblings, &["outputTokens", "output_tokens"])?;
    Some(Node::from(input + output))
}
