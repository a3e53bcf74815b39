//! What events and items have in common, by subject.

mod calls;
mod message;
mod review;

pub use calls::{
    AddedFile, AgentStatus, CommandSource, CommandStatus, DeletedFile, DynamicToolAudio,
    DynamicToolContent, DynamicToolImage, DynamicToolText, FoundInPage, LastAgentMessage,
    McpToolOutcome, McpToolResult, OpenedPage, OtherWebAction, ParsedCommand, ParsedListFiles,
    ParsedOther, ParsedRead, ParsedSearch, PatchChange, PatchStatus, SearchedWeb,
    SubAgentActivityKind, UpdatedFile, WebSearchAction,
};
pub use message::{
    ImageDetail, MemoryCitation, MemoryCitationEntry, MessagePhase, TextElement, TextRange,
};
pub use review::{
    BaseBranchTarget, CommitTarget, CustomTarget, ReviewTarget, UncommittedChangesTarget,
};
