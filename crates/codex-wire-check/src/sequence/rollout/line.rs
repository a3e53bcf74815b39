//! Reads what a line of a session file is.

use codex_wire_prefilter::View;

use crate::dialect::session_file::SessionLine;
use crate::sequence::machine::Observed;
use crate::sequence::value::digest;
use crate::violation::MessageRef;

/// What a line is. Legacy and paginated threads record the same things in different lines; both
/// forms have one kind here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Kind {
    /// It is not known, because the line before could not be read or is missing.
    #[default]
    Unknown,
    /// `session_meta`, or the header of an early file.
    Header,
    /// `turn_context`.
    Context,
    Compacted,
    /// `world_state`.
    World,
    /// `token_usage_record`.
    Usage,
    /// The mark of an early file: `{"record_type": "state"}`.
    State,
    /// A message item of the user.
    UserItem,
    /// A message item of the developer, or of another role.
    OtherMessage,
    /// A message item of the assistant.
    AgentItem,
    ReasoningItem,
    /// A call of a tool, as an item.
    Call,
    /// What the tool answered, as an item.
    Output,
    /// `web_search_call`, which is call and output in one.
    SearchItem,
    TaskStarted,
    TaskComplete,
    TurnAborted,
    /// The event of a message of the user, or the finished item of a paginated thread.
    UserEvent,
    /// The same for the assistant.
    AgentEvent,
    /// The same for reasoning.
    ReasoningEvent,
    RawReasoning,
    TokenCount,
    Settings,
    /// A review begins.
    Entered,
    /// A review ends.
    Exited,
    /// The event or finished item of a call.
    CallEvent,
    /// The event or finished item of a web search.
    SearchEvent,
    /// The event or finished item of a compaction.
    ContextCompacted,
    /// Anything else.
    Other,
}

impl Kind {
    /// Whether a process that goes on with the file may begin with such a line. What stands before
    /// it may then be unfinished, because the process before was killed.
    pub(super) fn may_begin(self) -> bool {
        matches!(
            self,
            Kind::Unknown
                | Kind::Header
                | Kind::Context
                | Kind::World
                | Kind::UserItem
                | Kind::OtherMessage
                | Kind::TaskStarted
                | Kind::Settings
        )
    }
}

/// A line, as far as every rule needs it.
#[derive(Clone, Copy)]
pub(super) struct RolloutLine<'a> {
    pub(super) kind: Kind,
    /// Its payload, or the whole line of an early file.
    pub(super) payload: View<'a>,
    /// Where the payload stands: the start of a JSON Pointer.
    pub(super) at: &'static str,
    /// The type of the payload, of the finished item, or of the line.
    pub(super) tag: &'a str,
    /// The item of `item_completed`.
    pub(super) item: Option<View<'a>>,
    /// Its time.
    pub(super) time: Option<&'a str>,
    pub(super) message_ref: MessageRef,
}

impl<'a> RolloutLine<'a> {
    pub(super) fn of(seen: &Observed<'a>) -> RolloutLine<'a> {
        let message = seen.message;
        let line = |kind, payload, at, tag, item| RolloutLine {
            kind,
            payload,
            at,
            tag,
            item,
            time: message.get_str("timestamp"),
            message_ref: seen.message_ref,
        };
        let named = seen.session_line;
        let named = named.unwrap_or_else(|| SessionLine::of(message));
        let tag = named.tag;
        let Some(payload) = named.payload else {
            let kind = match tag {
                Some(tag) => of_item(tag, message),
                None if message.get("record_type").is_some() => Kind::State,
                None => Kind::Header,
            };
            return line(kind, message, "", tag.unwrap_or_default(), None);
        };
        let tag = tag.unwrap_or_default();
        let inner = named.inner.unwrap_or_default();
        let (kind, tag, item) = match tag {
            "session_meta" => (Kind::Header, tag, None),
            "turn_context" => (Kind::Context, tag, None),
            "compacted" => (Kind::Compacted, tag, None),
            "world_state" => (Kind::World, tag, None),
            "token_usage_record" => (Kind::Usage, tag, None),
            "response_item" => (of_item(inner, payload), inner, None),
            "event_msg" if inner == "item_completed" => match payload.get("item") {
                Some(item) => {
                    let tag = item.get_str("type").unwrap_or_default();
                    (of_finished(tag), tag, Some(item))
                }
                None => (Kind::Other, inner, None),
            },
            "event_msg" => (of_event(inner), inner, None),
            _ => (Kind::Other, tag, None),
        };
        line(kind, payload, "/payload", tag, item)
    }

    /// A text member of the payload.
    pub(super) fn text(&self, name: &str) -> Option<&'a str> {
        self.payload.get_str(name)
    }

    /// The JSON Pointer of a member of the payload.
    pub(super) fn pointer(&self, member: &str) -> String {
        format!("{}/{member}", self.at)
    }

    /// A digest of the text of a message, and the number of its parts.
    pub(super) fn spoken(&self) -> Spoken {
        let holder = self.item.unwrap_or(self.payload);
        if let Some(text) = holder.get_str("message") {
            return Spoken::new(text, 1);
        }
        let mut parts = 0;
        let mut texts = Vec::new();
        for part in holder.get("content").into_iter().flat_map(View::elements) {
            parts += 1;
            texts.extend(part.get_str("text"));
        }
        match texts[..] {
            [text] => Spoken::new(text, parts),
            _ => Spoken::new(&texts.concat(), parts),
        }
    }
}

/// The text of a message, as a digest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Spoken {
    digest: u64,
    parts: usize,
    /// Whether it has parts that are cut out of what is shown to the user.
    pub(super) is_marked: bool,
    /// Whether it is a message of one agent to another.
    pub(super) is_letter: bool,
}

impl Spoken {
    pub(super) fn new(text: &str, parts: usize) -> Self {
        Spoken {
            digest: digest(&text),
            parts,
            is_marked: text.contains("<proposed_plan>") || text.contains("<oai-mem-citation>"),
            is_letter: text.starts_with("{\"author\":") && text.contains("\"trigger_turn\":"),
        }
    }

    /// Whether this item may have that text in the event: the same, unless parts of it are not text
    /// or are cut out.
    pub(super) fn may_be_shown_as(self, event: Spoken) -> bool {
        self.digest == event.digest || self.is_marked || self.parts != 1
    }
}

fn of_item(tag: &str, item: View<'_>) -> Kind {
    match tag {
        "message" => match item.get_str("role") {
            Some("user") => Kind::UserItem,
            Some("assistant") => Kind::AgentItem,
            _ => Kind::OtherMessage,
        },
        "reasoning" => Kind::ReasoningItem,
        "function_call" | "custom_tool_call" | "local_shell_call" | "tool_search_call" => {
            Kind::Call
        }
        "function_call_output" | "custom_tool_call_output" | "tool_search_output" => Kind::Output,
        "web_search_call" => Kind::SearchItem,
        _ => Kind::Other,
    }
}

fn of_event(tag: &str) -> Kind {
    match tag {
        "task_started" => Kind::TaskStarted,
        "task_complete" => Kind::TaskComplete,
        "turn_aborted" => Kind::TurnAborted,
        "user_message" => Kind::UserEvent,
        "agent_message" => Kind::AgentEvent,
        "agent_reasoning" => Kind::ReasoningEvent,
        "agent_reasoning_raw_content" => Kind::RawReasoning,
        "token_count" => Kind::TokenCount,
        "thread_settings_applied" => Kind::Settings,
        "entered_review_mode" => Kind::Entered,
        "exited_review_mode" => Kind::Exited,
        "web_search_end" => Kind::SearchEvent,
        "context_compacted" => Kind::ContextCompacted,
        "mcp_tool_call_end"
        | "patch_apply_end"
        | "exec_command_end"
        | "dynamic_tool_call_request"
        | "dynamic_tool_call_response" => Kind::CallEvent,
        _ => Kind::Other,
    }
}

fn of_finished(tag: &str) -> Kind {
    match tag {
        "UserMessage" => Kind::UserEvent,
        "AgentMessage" => Kind::AgentEvent,
        "Reasoning" => Kind::ReasoningEvent,
        "EnteredReviewMode" => Kind::Entered,
        "ExitedReviewMode" => Kind::Exited,
        "WebSearch" => Kind::SearchEvent,
        "ContextCompaction" => Kind::ContextCompacted,
        "CommandExecution"
        | "FileChange"
        | "McpToolCall"
        | "DynamicToolCall"
        | "CollabAgentToolCall" => Kind::CallEvent,
        _ => Kind::Other,
    }
}
