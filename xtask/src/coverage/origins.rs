//! Names the types of the two systems from which the core protocol was first known.

use std::fmt::Write as _;

use codex_wire::{MessageSet, Release};

/// A type of the systems of origin and what holds the same here.
#[derive(Clone, Copy, Debug)]
pub struct Origin {
    /// The name it has there.
    pub name: &'static str,
    /// Which of the two have it.
    pub points: Points,
    /// The messages it occurs in.
    pub message_set: MessageSet,
    /// The definitions here that hold it.
    pub definitions: &'static [&'static str],
}

/// One or both of the systems of origin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Points {
    /// Both.
    Both,
    /// `llmx-2025-08-13` alone.
    Llmx,
    /// `agcodex-0.1.0` alone.
    Agcodex,
}

impl Points {
    /// Their names on the timeline.
    pub fn names(self) -> &'static [&'static str] {
        match self {
            Points::Both => &["llmx-2025-08-13", "agcodex-0.1.0"],
            Points::Llmx => &["llmx-2025-08-13"],
            Points::Agcodex => &["agcodex-0.1.0"],
        }
    }
}

impl Origin {
    /// The releases that stand for the systems that have it.
    ///
    /// # Errors
    /// When the timeline lacks one.
    pub fn releases(&self) -> anyhow::Result<Vec<Release>> {
        let timeline = self.message_set.release_list();
        let names = self.points.names().iter();
        names
            .map(|name| timeline.resolve(name).map_err(Into::into))
            .collect()
    }
}

/// A type of the systems of origin that is no definition here.
#[derive(Clone, Copy, Debug)]
pub struct BesideTheWire {
    /// The name it has there.
    pub name: &'static str,
    /// What there is for it here.
    pub here: &'static str,
}

const EVENTS: MessageSet = MessageSet::CoreEvents;
const SUBMISSIONS: MessageSet = MessageSet::CoreSubmissions;

/// Every type that messages of the two systems reach.
pub const ORIGINS: &[Origin] = &[
    both(SUBMISSIONS, "Submission", &["Submission"]),
    both(SUBMISSIONS, "Op", &["Op"]),
    both(SUBMISSIONS, "InputItem", &["InputItem"]),
    both(SUBMISSIONS, "AskForApproval", &["AskForApproval"]),
    both(SUBMISSIONS, "SandboxPolicy", &["SandboxPolicy"]),
    both(SUBMISSIONS, "ReviewDecision", &["ReviewDecision"]),
    both(SUBMISSIONS, "ReasoningEffort", &["ReasoningEffort"]),
    both(SUBMISSIONS, "ReasoningSummary", &["ReasoningSummary"]),
    llmx(SUBMISSIONS, "ModelProviderInfo", &["ModelProviderInfo"]),
    llmx(SUBMISSIONS, "WireApi", &["WireApi"]),
    both(EVENTS, "Event", &["Event"]),
    both(EVENTS, "EventMsg", &["EventMsg"]),
    both(EVENTS, "ErrorEvent", &["ErrorEvent"]),
    both(EVENTS, "TaskCompleteEvent", &["TaskCompleteEvent"]),
    both(EVENTS, "TokenUsage", &["TokenCountEvent"]),
    both(EVENTS, "AgentMessageEvent", &["AgentMessageEvent"]),
    both(
        EVENTS,
        "AgentMessageDeltaEvent",
        &["AgentMessageDeltaEvent"],
    ),
    both(EVENTS, "AgentReasoningEvent", &["AgentReasoningEvent"]),
    both(
        EVENTS,
        "AgentReasoningDeltaEvent",
        &["AgentReasoningDeltaEvent"],
    ),
    both(
        EVENTS,
        "AgentReasoningRawContentEvent",
        &["AgentReasoningRawContentEvent"],
    ),
    both(
        EVENTS,
        "AgentReasoningRawContentDeltaEvent",
        &["AgentReasoningRawContentDeltaEvent"],
    ),
    both(
        EVENTS,
        "AgentReasoningSectionBreakEvent",
        &["AgentReasoningSectionBreakEvent"],
    ),
    both(
        EVENTS,
        "SessionConfiguredEvent",
        &["SessionConfiguredEvent"],
    ),
    both(EVENTS, "McpInvocation", &["McpInvocation"]),
    both(EVENTS, "McpToolCallBeginEvent", &["McpToolCallBeginEvent"]),
    both(EVENTS, "McpToolCallEndEvent", &["McpToolCallEndEvent"]),
    both(
        EVENTS,
        "Result<CallToolResult, String>",
        &["McpToolCallOutcome"],
    ),
    both(EVENTS, "CallToolResult", &["CallToolResult"]),
    both(EVENTS, "ContentBlock", &["McpContent", "ContentBlock"]),
    both(EVENTS, "TextContent", &["TextContent"]),
    both(EVENTS, "ImageContent", &["ImageContent"]),
    both(EVENTS, "AudioContent", &["AudioContent"]),
    both(EVENTS, "ResourceLink", &["ResourceLink"]),
    both(EVENTS, "EmbeddedResource", &["EmbeddedResource"]),
    both(EVENTS, "EmbeddedResourceResource", &["ResourceContents"]),
    both(EVENTS, "TextResourceContents", &["TextResourceContents"]),
    both(EVENTS, "BlobResourceContents", &["BlobResourceContents"]),
    both(EVENTS, "Annotations", &["Annotations"]),
    both(EVENTS, "Role", &["Role"]),
    agcodex(
        EVENTS,
        "McpListToolsResponseEvent",
        &["McpListToolsResponseEvent"],
    ),
    agcodex(EVENTS, "Tool", &["Tool"]),
    agcodex(EVENTS, "ToolAnnotations", &["ToolAnnotations"]),
    agcodex(EVENTS, "ToolInputSchema", &["ToolInputSchema"]),
    agcodex(EVENTS, "ToolOutputSchema", &["ToolOutputSchema"]),
    both(EVENTS, "ExecCommandBeginEvent", &["ExecCommandBeginEvent"]),
    both(
        EVENTS,
        "ParsedCommand",
        &["ParsedCommand", "EarlyParsedCommand", "CommandText"],
    ),
    both(
        EVENTS,
        "ExecCommandOutputDeltaEvent",
        &["ExecCommandOutputDeltaEvent"],
    ),
    both(EVENTS, "ExecOutputStream", &["ExecOutputStream"]),
    both(EVENTS, "ByteBuf", &["ExecOutputChunk"]),
    both(EVENTS, "ExecCommandEndEvent", &["ExecCommandEndEvent"]),
    both(EVENTS, "Duration", &["Duration"]),
    both(
        EVENTS,
        "ExecApprovalRequestEvent",
        &["ExecApprovalRequestEvent"],
    ),
    both(
        EVENTS,
        "ApplyPatchApprovalRequestEvent",
        &["ApplyPatchApprovalRequestEvent"],
    ),
    both(EVENTS, "FileChange", &["FileChange"]),
    both(EVENTS, "BackgroundEventEvent", &["BackgroundEventEvent"]),
    both(EVENTS, "PatchApplyBeginEvent", &["PatchApplyBeginEvent"]),
    both(EVENTS, "PatchApplyEndEvent", &["PatchApplyEndEvent"]),
    both(EVENTS, "TurnDiffEvent", &["TurnDiffEvent"]),
    both(
        EVENTS,
        "GetHistoryEntryResponseEvent",
        &["GetHistoryEntryResponseEvent"],
    ),
    both(EVENTS, "HistoryEntry", &["HistoryEntry"]),
    both(EVENTS, "UpdatePlanArgs", &["UpdatePlanArgs"]),
    both(EVENTS, "PlanItemArg", &["PlanItemArg"]),
    both(EVENTS, "StepStatus", &["StepStatus"]),
    agcodex(EVENTS, "TurnAbortedEvent", &["TurnAbortedEvent"]),
    agcodex(EVENTS, "TurnAbortReason", &["TurnAbortReason"]),
];

/// Types of the two systems that no message carries, or that are plain text on the wire.
pub const BESIDE_THE_WIRE: &[BesideTheWire] = &[
    BesideTheWire {
        name: "Uuid",
        here: "text: `SessionConfiguredEvent.session_id`",
    },
    BesideTheWire {
        name: "PathBuf",
        here: "text, kept as it came",
    },
    BesideTheWire {
        name: "WritableRoot",
        here: "`WritableRoot`, the answer of `SandboxPolicy`; never written",
    },
    BesideTheWire {
        name: "FinalOutput",
        here: "`FinalOutput`, token counts as text; never written",
    },
    BesideTheWire {
        name: "Chunk",
        here: "nothing: no message and no other type there refers to it",
    },
];

const fn both(
    message_set: MessageSet,
    name: &'static str,
    definitions: &'static [&'static str],
) -> Origin {
    of(Points::Both, message_set, name, definitions)
}

const fn llmx(
    message_set: MessageSet,
    name: &'static str,
    definitions: &'static [&'static str],
) -> Origin {
    of(Points::Llmx, message_set, name, definitions)
}

const fn agcodex(
    message_set: MessageSet,
    name: &'static str,
    definitions: &'static [&'static str],
) -> Origin {
    of(Points::Agcodex, message_set, name, definitions)
}

const fn of(
    points: Points,
    message_set: MessageSet,
    name: &'static str,
    definitions: &'static [&'static str],
) -> Origin {
    Origin {
        name,
        points,
        message_set,
        definitions,
    }
}

/// Writes the tables.
pub(super) fn render(out: &mut String) {
    out.push_str("\n| type there | in | in messages of | definition here |\n|---|---|---|---|\n");
    for origin in ORIGINS {
        let definitions: Vec<String> = origin
            .definitions
            .iter()
            .map(|name| format!("`{name}`"))
            .collect();
        let _ = writeln!(
            out,
            "| `{}` | {} | {} | {} |",
            origin.name,
            match origin.points {
                Points::Both => "both",
                Points::Llmx => "llmx",
                Points::Agcodex => "agcodex",
            },
            origin.message_set,
            definitions.join(", "),
        );
    }
    out.push_str("\n| type there without a definition | here |\n|---|---|\n");
    for beside in BESIDE_THE_WIRE {
        let _ = writeln!(out, "| `{}` | {} |", beside.name, beside.here);
    }
}
