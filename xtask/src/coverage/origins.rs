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
    /// Their names on the list of releases.
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
    /// When the list of releases lacks one.
    pub fn releases(&self) -> anyhow::Result<Vec<Release>> {
        let release_list = self.message_set.release_list();
        let names = self.points.names().iter();
        names
            .map(|name| release_list.resolve(name).map_err(Into::into))
            .collect()
    }
}

/// A type of the systems of origin that is not a definition here.
#[derive(Clone, Copy, Debug)]
pub struct BesideTheWire {
    /// The name it has there.
    pub name: &'static str,
    /// What there is for it here.
    pub here: &'static str,
}

/// Lists types: which systems have it, the messages it occurs in, its name there, and what it is called here, if that
/// is another name.
macro_rules! origins {
    ($($points:ident $message_set:ident $name:literal $(=> $($definition:literal),+)?;)*) => {
        /// Every type that messages of the two systems reach.
        pub const ORIGINS: &[Origin] = &[$(Origin {
            name: $name,
            points: Points::$points,
            message_set: MessageSet::$message_set,
            definitions: match &[$($($definition),+)?] as &[&str] {
                [] => &[$name],
                named => named,
            },
        }),*];
    };
}

origins! {
    Both CoreSubmissions "Submission";
    Both CoreSubmissions "Op";
    Both CoreSubmissions "InputItem";
    Both CoreSubmissions "AskForApproval";
    Both CoreSubmissions "SandboxPolicy";
    Both CoreSubmissions "ReviewDecision";
    Both CoreSubmissions "ReasoningEffort";
    Both CoreSubmissions "ReasoningSummary";
    Llmx CoreSubmissions "ModelProviderInfo";
    Llmx CoreSubmissions "WireApi";
    Both CoreEvents "Event";
    Both CoreEvents "EventMsg";
    Both CoreEvents "ErrorEvent";
    Both CoreEvents "TaskCompleteEvent";
    Both CoreEvents "TokenUsage" => "TokenCountEvent";
    Both CoreEvents "AgentMessageEvent";
    Both CoreEvents "AgentMessageDeltaEvent";
    Both CoreEvents "AgentReasoningEvent";
    Both CoreEvents "AgentReasoningDeltaEvent";
    Both CoreEvents "AgentReasoningRawContentEvent";
    Both CoreEvents "AgentReasoningRawContentDeltaEvent";
    Both CoreEvents "AgentReasoningSectionBreakEvent";
    Both CoreEvents "SessionConfiguredEvent";
    Both CoreEvents "McpInvocation";
    Both CoreEvents "McpToolCallBeginEvent";
    Both CoreEvents "McpToolCallEndEvent";
    Both CoreEvents "Result<CallToolResult, String>" => "McpToolCallOutcome";
    Both CoreEvents "CallToolResult";
    Both CoreEvents "ContentBlock" => "McpContent", "ContentBlock";
    Both CoreEvents "TextContent";
    Both CoreEvents "ImageContent";
    Both CoreEvents "AudioContent";
    Both CoreEvents "ResourceLink";
    Both CoreEvents "EmbeddedResource";
    Both CoreEvents "EmbeddedResourceResource" => "ResourceContents";
    Both CoreEvents "TextResourceContents";
    Both CoreEvents "BlobResourceContents";
    Both CoreEvents "Annotations";
    Both CoreEvents "Role";
    Agcodex CoreEvents "McpListToolsResponseEvent";
    Agcodex CoreEvents "Tool";
    Agcodex CoreEvents "ToolAnnotations";
    Agcodex CoreEvents "ToolInputSchema";
    Agcodex CoreEvents "ToolOutputSchema";
    Both CoreEvents "ExecCommandBeginEvent";
    Both CoreEvents "ParsedCommand" => "ParsedCommand", "EarlyParsedCommand", "CommandText";
    Both CoreEvents "ExecCommandOutputDeltaEvent";
    Both CoreEvents "ExecOutputStream";
    Both CoreEvents "ByteBuf" => "ExecOutputChunk";
    Both CoreEvents "ExecCommandEndEvent";
    Both CoreEvents "Duration";
    Both CoreEvents "ExecApprovalRequestEvent";
    Both CoreEvents "ApplyPatchApprovalRequestEvent";
    Both CoreEvents "FileChange";
    Both CoreEvents "BackgroundEventEvent";
    Both CoreEvents "PatchApplyBeginEvent";
    Both CoreEvents "PatchApplyEndEvent";
    Both CoreEvents "TurnDiffEvent";
    Both CoreEvents "GetHistoryEntryResponseEvent";
    Both CoreEvents "HistoryEntry";
    Both CoreEvents "UpdatePlanArgs";
    Both CoreEvents "PlanItemArg";
    Both CoreEvents "StepStatus";
    Agcodex CoreEvents "TurnAbortedEvent";
    Agcodex CoreEvents "TurnAbortReason";
}

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
