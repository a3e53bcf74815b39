//! The line of a session file: when, what, and what Codex notes beside it.

use crate::json::{Extra, Raw};
use crate::rollout::{
    CodexHarnessMetadata, CompactedItem, EventMsg, InterAgentCommunication,
    InterAgentCommunicationMetadata, ResponseItem, RetainedContextEvent, SessionMeta,
    TokenUsageRecord, TurnContextItem, WorldStateItem,
};
use crate::{Maybe, UnknownCall, Wire};

/// One line of a session file, from 0.34.0.
///
/// ```
/// use codex_wire::rollout::{RolloutItem, RolloutLine};
///
/// let text = concat!(
///     r#"{"timestamp":"2026-11-22T15:10:53.291Z","ordinal":7,"type":"response_item","#,
///     r#""payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"Hi"}]}}"#,
/// );
/// let line: RolloutLine = codex_wire::from_str(text)?;
/// assert_eq!(line.ordinal.value(), Some(&7));
/// assert!(matches!(line.item, RolloutItem::ResponseItem(_)));
/// assert_eq!(codex_wire::to_string(&line), text);
/// # Ok::<(), codex_wire::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[wire(tag = "type", content = "payload")]
#[non_exhaustive]
pub struct RolloutLine {
    /// When the line was written: UTC with milliseconds, `2026-11-22T15:10:53.291Z`. A fork that
    /// copies lines stamps them afresh.
    pub timestamp: String,
    /// The place of the line in the history of its thread; only where `history_mode` is
    /// `paginated`, and not in lines that a release before 0.147.0 adds. A fork and a segment
    /// continue the count of their base.
    ///
    /// Since 0.147.0.
    #[wire(since = "0.147.0", optional)]
    pub ordinal: Maybe<u64>,
    /// What is recorded.
    #[wire(variant)]
    pub item: RolloutItem,
    /// What Codex notes about a response item; other lines have none.
    ///
    /// Since 0.152.0.
    #[wire(since = "0.152.0", optional)]
    pub metadata: Maybe<Box<CodexHarnessMetadata>>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

impl RolloutLine {
    /// The response item, if the line records one.
    pub fn response_item(&self) -> Option<&ResponseItem> {
        match &self.item {
            RolloutItem::ResponseItem(item) => Some(item),
            _ => None,
        }
    }

    /// The event, if the line records one.
    pub fn event(&self) -> Option<&EventMsg> {
        match &self.item {
            RolloutItem::EventMsg(event) => Some(event),
            _ => None,
        }
    }
}

/// What a line records.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[wire(tag = "type", content = "payload", variant_suffix = "Line")]
#[non_exhaustive]
pub enum RolloutItem {
    /// What the session is. Line 1 of every file; again where a fork copied the parent's lines,
    /// and where the memory mode or git information was changed (0.125.0 to 0.150.1).
    SessionMeta(Box<SessionMeta>),
    /// An entry of the conversation as the model receives it.
    ResponseItem(ResponseItem),
    /// A message from one agent to another. Later releases write an
    /// [`agent_message`](ResponseItem::AgentMessage) instead.
    ///
    /// From 0.140.0 to 0.142.5.
    #[wire(since = "0.140.0", until = "0.142.5")]
    InterAgentCommunication(InterAgentCommunication),
    /// What became of the message between agents that stands in the line before.
    ///
    /// Since 0.143.0.
    #[wire(since = "0.143.0")]
    InterAgentCommunicationMetadata(InterAgentCommunicationMetadata),
    /// The conversation was compacted: from here on the model receives other entries.
    ///
    /// Since 0.36.0.
    #[wire(since = "0.36.0")]
    Compacted(Box<CompactedItem>),
    /// What a turn runs with: one for each request to the model up to 0.106.0, one for each turn
    /// from 0.107.0.
    ///
    /// Since 0.36.0.
    #[wire(since = "0.36.0")]
    TurnContext(Box<TurnContextItem>),
    /// The tokens that one response of the model used, and the sums so far.
    ///
    /// Since 0.153.0.
    #[wire(since = "0.153.0")]
    TokenUsageRecord(TokenUsageRecord),
    /// What Codex reports to the model of its surroundings: in full once per context window, then what
    /// changed.
    ///
    /// Since 0.143.0.
    #[wire(since = "0.143.0")]
    WorldState(WorldStateItem),
    /// Scores of a risk that the provider reports. Not recorded: the program of 0.152.0 names the
    /// kind, the one of 0.146.1 does not.
    ///
    /// Since 0.147.0.
    #[wire(since = "0.147.0")]
    SecurityRiskScore(Raw),
    /// A fact that outlives compaction, such as the user's answer to a question. Not recorded: the
    /// program of 0.165.0 names it, the one of 0.152.0 does not.
    ///
    /// Since 0.153.0.
    #[wire(since = "0.153.0")]
    RetainedContext(RetainedContextEvent),
    /// Something that happened.
    EventMsg(EventMsg),
    /// What a spoken conversation needs to be shown again. Not recorded: the program of 0.152.0
    /// names the kind, the one of 0.146.1 does not.
    ///
    /// Since 0.147.0.
    #[wire(since = "0.147.0")]
    RealtimeItem(Raw),
    /// The tools of the client have changed. Not recorded: the program of 0.169.0 names the kind,
    /// the one of 0.165.0 does not.
    ///
    /// Since 0.166.0.
    #[wire(since = "0.166.0")]
    DynamicToolsUpdated(Raw),
    /// A variant that this crate does not know.
    #[wire(unknown)]
    Unknown(UnknownCall),
}
