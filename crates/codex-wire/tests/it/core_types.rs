//! The types of the core protocol: that the tests know them all, and what they say about
//! releases.

use std::collections::BTreeSet;

use codex_wire::core_protocol::{
    Event, EventMsg, ExecCommandBeginEvent, ExecCommandEndEvent, ExecOutputChunk, FileChange,
    HistoryEntry, Op, OverrideTurnContextOp, ParsedCommand, RateLimitSnapshot, ReasoningEffort,
    SessionConfiguredEvent, Submission, TaggedParsedCommand, TaskStartedEvent, TokenCountEvent,
    TurnAbortReason, UserTurnOp, WebSearchBeginEvent,
};
use codex_wire::shape::{Form, Presence, ReleaseBounds, Shape};
use codex_wire::{Described, Protocol, Release, ReleaseList};

use crate::support::{files, types};

/// Expands `$with!(path::Type)` for each described type of the core protocol and of what it
/// reaches, in the order of the modules.
macro_rules! each_core_type {
    ($with:ident) => {
        each_core_type!(@expand $with, codex_wire::core_protocol::{
            Submission, Op, ConfigureSessionOp, InterruptOp, UserInputOp, UserTurnOp,
            OverrideTurnContextOp, ExecApprovalOp, PatchApprovalOp, ReviewDecision,
            AddToHistoryOp, GetHistoryEntryRequestOp, GetHistoryOp, GetPathOp, ListMcpToolsOp,
            ListCustomPromptsOp, CompactOp, ReviewOp, ShutdownOp, InputItem, TextInput,
            ImageInput, LocalImageInput, ModelProviderInfo, WireApi, ReasoningEffort,
            ReasoningSummary, AskForApproval, SandboxPolicy, DangerFullAccessPolicy,
            ReadOnlyPolicy, WorkspaceWritePolicy, Event, EventMsg, SessionConfiguredEvent,
            ShutdownCompleteEvent, TaskStartedEvent, TaskCompleteEvent, TurnAbortedEvent,
            TurnAbortReason, AgentMessageEvent, AgentMessageDeltaEvent, AgentReasoningEvent,
            AgentReasoningDeltaEvent, AgentReasoningRawContentEvent,
            AgentReasoningRawContentDeltaEvent, AgentReasoningSectionBreakEvent,
            UserMessageEvent, InputMessageKind, ErrorEvent, StreamErrorEvent,
            BackgroundEventEvent, TokenCountEvent, TokenUsageInfo, TokenUsage,
            RateLimitSnapshot, RateLimitWindow, ExecApprovalRequestEvent, ExecCommandBeginEvent,
            ExecCommandOutputDeltaEvent, ExecCommandEndEvent, Duration, ExecOutputStream,
            ExecOutputChunk, ParsedCommand, TaggedParsedCommand, EarlyParsedCommand, CommandText,
            ReadCommand, ListFilesCommand, SearchCommand, FormatCommand, TestCommand,
            LintCommand, NoopCommand, UnknownCommand, EarlyReadCommand, EarlyListFilesCommand,
            EarlySearchCommand, EarlyFormatCommand, EarlyTestCommand, EarlyLintCommand,
            EarlyNoopCommand, EarlyUnknownCommand, ApplyPatchApprovalRequestEvent,
            PatchApplyBeginEvent, PatchApplyEndEvent, TurnDiffEvent, FileChange, AddChange,
            DeleteChange, UpdateChange, McpListToolsResponseEvent, McpToolCallBeginEvent,
            McpToolCallEndEvent, McpToolCallOutcome, McpInvocation, WebSearchBeginEvent,
            WebSearchEndEvent, UpdatePlanArgs, PlanItemArg, StepStatus, EnteredReviewModeEvent,
            ExitedReviewModeEvent, ReviewRequest, ReviewOutputEvent, ReviewFinding,
            ReviewCodeLocation, ReviewLineRange, GetHistoryEntryResponseEvent, HistoryEntry,
            ConversationHistoryEvent, ConversationPathEvent, ResponseItem, MessageItem,
            ContentItem, InputTextContent, InputImageContent, OutputTextContent, ReasoningItem,
            ReasoningSummaryItem, SummaryText, ReasoningContent, ReasoningText,
            ReasoningPlainText, LocalShellCallItem, LocalShellStatus, LocalShellAction,
            LocalShellExecAction, FunctionCallItem, FunctionCallOutputItem, CustomToolCallItem,
            CustomToolCallOutputItem, ListCustomPromptsResponseEvent, CustomPrompt,
        });
        each_core_type!(@expand $with, codex_wire::mcp::{
            CallToolResult, Tool, ToolAnnotations, ToolInputSchema, ToolOutputSchema,
            ContentBlock, TextContent, ImageContent, AudioContent, ResourceLink,
            EmbeddedResource, TextResourceContents, BlobResourceContents, Annotations, Role,
        });
        each_core_type!(@expand $with, codex_wire::exec::legacy::{
            LegacyLine, LegacyConfig, LegacyPrompt,
        });
    };
    (@expand $with:ident, $a:ident::$b:ident::{$($name:ident),* $(,)?}) => {
        $($with!($a::$b::$name);)*
    };
    (@expand $with:ident, $a:ident::$b:ident::$c:ident::{$($name:ident),* $(,)?}) => {
        $($with!($a::$b::$c::$name);)*
    };
}
pub(crate) use each_core_type;

pub(crate) fn shapes() -> Vec<&'static Shape> {
    let mut out = Vec::new();
    macro_rules! push {
        ($ty:path) => {
            out.push(<$ty>::SHAPE)
        };
    }
    each_core_type!(push);
    out
}

fn core() -> ReleaseList {
    Protocol::Core.release_list()
}

fn release(text: &str) -> Release {
    text.parse().expect("a release number")
}

/// The list of types these tests run over is every type the derive describes.
#[test]
fn the_list_of_types_is_complete() {
    let source = files::root().join("crates/codex-wire/src");
    let mut paths = files::below(&source.join("core_protocol"), "rs");
    paths.extend([source.join("mcp.rs"), source.join("exec/legacy.rs")]);
    let mut declared = BTreeSet::new();
    for path in paths {
        let text = files::read(&path);
        let mut lines = text.lines();
        while let Some(line) = lines.next() {
            if !(line.starts_with("#[derive(") && line.contains("Wire)]")) {
                continue;
            }
            let declaration = lines.by_ref().find(|line| line.starts_with("pub "));
            let name = declaration.and_then(|line| line.split_whitespace().nth(2));
            declared.insert(name.expect("a declaration follows a derive").to_owned());
        }
    }
    let listed: BTreeSet<_> = shapes().iter().map(|s| s.name.to_owned()).collect();
    assert_eq!(listed, declared);
    assert!(listed.len() > 150, "{}", listed.len());
    assert_eq!(listed.len(), shapes().len(), "two definitions of one name");
}

#[test]
fn every_release_named_is_on_the_timeline() {
    let mut seen = 0;
    for shape in shapes() {
        for (what, availability) in types::availabilities(shape) {
            for end in [availability.since, availability.until]
                .into_iter()
                .flatten()
            {
                assert!(
                    core().releases().contains(&end),
                    "{what} {availability}: {end} is not listed"
                );
                seen += 1;
            }
            assert!(
                core()
                    .releases()
                    .iter()
                    .any(|release| availability.contains(*release)),
                "{what} {availability}: no listed release"
            );
            assert_ne!(
                availability.since,
                Some(core().first()),
                "{what}: the first release needs no since"
            );
            assert_ne!(
                availability.until,
                Some(core().latest()),
                "{what}: the latest needs no until"
            );
        }
    }
    assert!(seen > 60, "only {seen} ends of availabilities");
}

#[test]
fn optional_ranges_lie_within_their_member() {
    for shape in shapes() {
        let Form::Object(members) = &shape.form else {
            continue;
        };
        for member in *members {
            for availability in [member.optional, member.nullable].concat() {
                let both = availability.intersect(member.availability.range);
                assert!(
                    core()
                        .releases()
                        .iter()
                        .any(|release| both.contains(*release)),
                    "{}.{}: {availability} is outside {}",
                    shape.name,
                    member.name,
                    member.availability
                );
            }
        }
    }
}

fn tags(shape: &Shape, at: Release) -> Vec<&'static str> {
    let Form::Tagged { variants, .. } = &shape.form else {
        panic!("{} has kinds", shape.name);
    };
    let available = variants
        .iter()
        .filter(|variant| variant.availability.contains(at));
    available.map(|variant| variant.tag).collect()
}

/// How many kinds of submission and of event each release has. The submissions of all releases
/// on npm were counted in the error message of the program itself.
#[test]
fn counts_per_release() {
    for (at, submissions, events) in [
        ("0.20.0", 9, 25),
        ("0.21.0", 9, 25),
        ("0.22.0-alpha.1", 9, 26),
        ("0.22.0", 9, 26),
        ("0.23.0", 11, 28),
        ("0.24.0", 12, 31),
        ("0.25.0", 12, 31),
        ("0.26.0", 13, 33),
        ("0.29.0", 13, 33),
        ("0.30.0", 13, 34),
        ("0.34.0", 13, 34),
        ("0.35.0", 14, 36),
        ("0.42.0", 14, 36),
    ] {
        assert_eq!(tags(Op::SHAPE, release(at)).len(), submissions, "{at}");
        assert_eq!(tags(EventMsg::SHAPE, release(at)).len(), events, "{at}");
    }
}

/// The kinds that 0.42.0 itself lists when it is given an unknown one, in its order.
#[test]
fn kinds_as_the_program_lists_them() {
    let mut expected = "interrupt user_input user_turn override_turn_context exec_approval \
        patch_approval add_to_history get_history_entry_request get_path list_mcp_tools \
        list_custom_prompts compact review shutdown"
        .split_whitespace()
        .collect::<Vec<_>>();
    let mut found = tags(Op::SHAPE, release("0.42.0"));
    expected.sort_unstable();
    found.sort_unstable();
    assert_eq!(found, expected);
}

#[test]
fn lookups() {
    let table: &[(&Shape, &str, &str)] = &[
        (Submission::SHAPE, "op", "every release"),
        (Op::SHAPE, "configure_session", "0.22.0-alpha.1 or earlier"),
        (Op::SHAPE, "user_turn", "0.22.0 or later"),
        (Op::SHAPE, "get_history", "0.24.0 to 0.34.0"),
        (Op::SHAPE, "get_path", "0.35.0 or later"),
        (
            EventMsg::SHAPE,
            "agent_reasoning_section_break",
            "0.22.0-alpha.1 or later",
        ),
        (EventMsg::SHAPE, "turn_aborted", "0.23.0 or later"),
        (EventMsg::SHAPE, "conversation_history", "0.24.0 to 0.34.0"),
        (EventMsg::SHAPE, "user_message", "0.30.0 or later"),
        (EventMsg::SHAPE, "error", "every release"),
        (ReasoningEffort::SHAPE, "none", "0.22.0 or earlier"),
        (ReasoningEffort::SHAPE, "minimal", "0.23.0 or later"),
        (TurnAbortReason::SHAPE, "review_ended", "0.39.0 or later"),
        (TaggedParsedCommand::SHAPE, "noop", "0.27.0 or earlier"),
        (FileChange::SHAPE, "add", "every release"),
        (Event::SHAPE, "id", "every release"),
    ];
    for (shape, name, availability) in table {
        let found = shape
            .availability(name)
            .map(|availability| availability.to_string());
        assert_eq!(
            found.as_deref(),
            Some(*availability),
            "{}.{name}",
            shape.name
        );
    }
    assert_eq!(Op::SHAPE.availability("rest"), None);
}

/// How a member is present in one release after another: absent where there is nothing.
type Presences = &'static [(&'static str, Option<Presence>)];

#[test]
fn presence_changes_with_the_release() {
    use Presence::{Nullable, Optional, OptionalNullable, Required};
    let table: &[(&Shape, &str, Presences)] = &[
        (
            ExecCommandBeginEvent::SHAPE,
            "parsed_cmd",
            &[
                ("0.20.0", None),
                ("0.21.0", Some(Required)),
                ("0.42.0", Some(Required)),
            ],
        ),
        (
            ExecCommandEndEvent::SHAPE,
            "aggregated_output",
            &[("0.23.0", None), ("0.24.0", Some(Required))],
        ),
        (
            TaskStartedEvent::SHAPE,
            "model_context_window",
            &[("0.24.0", None), ("0.25.0", Some(Nullable))],
        ),
        (
            TokenCountEvent::SHAPE,
            "cached_input_tokens",
            &[
                ("0.20.0", Some(Nullable)),
                ("0.30.0", Some(Nullable)),
                ("0.31.0", None),
            ],
        ),
        (
            TokenCountEvent::SHAPE,
            "info",
            &[("0.30.0", None), ("0.31.0", Some(Nullable))],
        ),
        (
            TokenCountEvent::SHAPE,
            "rate_limits",
            &[("0.39.0", None), ("0.40.0", Some(Nullable))],
        ),
        (
            RateLimitSnapshot::SHAPE,
            "primary_used_percent",
            &[("0.40.0", Some(Required)), ("0.41.0", None)],
        ),
        (
            SessionConfiguredEvent::SHAPE,
            "rollout_path",
            &[("0.30.0", None), ("0.31.0", Some(Required))],
        ),
        (
            SessionConfiguredEvent::SHAPE,
            "initial_messages",
            &[("0.29.0", None), ("0.30.0", Some(Optional))],
        ),
        (
            UserTurnOp::SHAPE,
            "effort",
            &[("0.34.0", Some(Required)), ("0.35.0", Some(Optional))],
        ),
        (
            UserTurnOp::SHAPE,
            "final_output_json_schema",
            &[("0.40.0", None), ("0.41.0", Some(Nullable))],
        ),
        (
            OverrideTurnContextOp::SHAPE,
            "effort",
            &[
                ("0.34.0", Some(Optional)),
                ("0.35.0", Some(OptionalNullable)),
            ],
        ),
        (
            WebSearchBeginEvent::SHAPE,
            "query",
            &[("0.25.0", Some(Required)), ("0.26.0", None)],
        ),
        (
            HistoryEntry::SHAPE,
            "session_id",
            &[("0.30.0", Some(Required)), ("0.31.0", None)],
        ),
        (
            HistoryEntry::SHAPE,
            "conversation_id",
            &[("0.30.0", None), ("0.31.0", Some(Required))],
        ),
    ];
    for (shape, name, expected) in table {
        let Form::Object(members) = &shape.form else {
            panic!("{} is an object", shape.name);
        };
        let member = members.iter().find(|member| member.name == *name);
        let member = member.unwrap_or_else(|| panic!("{}.{name}", shape.name));
        for (at, presence) in *expected {
            assert_eq!(
                member.presence(release(at)),
                *presence,
                "{}.{name} in {at}",
                shape.name
            );
        }
    }
}

/// One form ends where the other begins: in no release two, in none neither.
#[test]
fn forms_follow_each_other() {
    for (shape, since) in [
        (ExecOutputChunk::SHAPE, "0.30.0"),
        (ParsedCommand::SHAPE, "0.24.0"),
        (codex_wire::core_protocol::CommandText::SHAPE, "0.22.0"),
    ] {
        let Form::Untagged(forms) = &shape.form else {
            panic!("{} has several forms", shape.name);
        };
        let ranges: Vec<ReleaseBounds> = forms.iter().map(|form| form.availability.range).collect();
        for at in core().releases() {
            assert_eq!(
                ranges
                    .iter()
                    .filter(|availability| availability.contains(*at))
                    .count(),
                1,
                "{} in {at}",
                shape.name
            );
        }
        assert!(
            ranges
                .iter()
                .any(|availability| availability.since == Some(release(since))),
            "{}",
            shape.name
        );
    }
    let Form::ExternallyTagged(kinds) = &FileChange::SHAPE.form else {
        panic!("a change names its kind");
    };
    for at in core().releases() {
        let deletions = kinds
            .iter()
            .filter(|kind| kind.tag == "delete" && kind.availability.contains(*at));
        assert_eq!(deletions.count(), 1, "{at}");
    }
}
