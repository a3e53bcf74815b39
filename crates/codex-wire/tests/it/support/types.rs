//! Every described type of the exec protocol, by name and as a type.

/// Expands `$with!(path::Type)` for each described type, in the order of the modules.
macro_rules! each_type {
    ($with:ident) => {
        each_type!(@expand $with, codex_wire::exec::{
            Event, ThreadStartedEvent, SessionCreatedEvent, TurnStartedEvent, TurnCompletedEvent,
            TurnFailedEvent, TurnError, ItemStartedEvent, ItemUpdatedEvent, ItemCompletedEvent,
            ErrorEvent, ThreadItem, AgentMessageItem, AssistantMessageItem, ReasoningItem,
            ErrorItem, CommandExecutionItem, CommandExecutionStatus, FileChangeItem,
            FileUpdateChange, PatchChangeKind, PatchApplyStatus, McpToolCallItem,
            McpToolCallResult, McpToolCallError, McpToolCallStatus, CollabToolCallItem,
            CollabTool, CollabToolCallStatus, CollabAgentState, CollabAgentStatus, WebSearchItem,
            WebSearchAction, SearchAction, OpenPageAction, FindInPageAction, OtherAction,
            TodoListItem, TodoItem, Usage,
        });
        each_type!(@expand $with, codex_wire::mcp::{
            ContentBlock, TextContent, ImageContent, AudioContent, ResourceLink,
            EmbeddedResource, TextResourceContents, BlobResourceContents, Annotations, Role,
        });
    };
    (@expand $with:ident, $a:ident::$b:ident::{$($name:ident),* $(,)?}) => {
        $($with!($a::$b::$name);)*
    };
}
pub(crate) use each_type;

use codex_wire::Described as _;
use codex_wire::shape::{Form, Member, ReleaseBounds, Shape};

/// The descriptions of all types.
pub(crate) fn shapes() -> Vec<&'static Shape> {
    let mut out = Vec::new();
    macro_rules! push {
        ($ty:path) => {
            out.push(<$ty>::SHAPE)
        };
    }
    each_type!(push);
    out
}

/// Every availability in a description, with a name for messages.
pub(crate) fn availabilities(shape: &Shape) -> Vec<(String, ReleaseBounds)> {
    let mut out = Vec::new();
    let mut add = |what: &str, name: &str, availability: ReleaseBounds| {
        out.push((format!("{}.{name} {what}", shape.name), availability));
    };
    let add_members = |members: &[Member], add: &mut dyn FnMut(&str, &str, ReleaseBounds)| {
        for member in members {
            add("exists", member.name, member.availability.range);
            for availability in member.optional {
                add("is optional", member.name, *availability);
            }
            for availability in member.nullable {
                add("is nullable", member.name, *availability);
            }
        }
    };
    match &shape.form {
        Form::Object(members) => add_members(members, &mut add),
        Form::Tagged {
            tags,
            base,
            variants,
        } => {
            add_members(base, &mut add);
            for variant in *variants {
                add("exists", variant.tag, variant.availability.range);
            }
            for (key, availability) in *tags {
                add("is the tag", key, *availability);
            }
        }
        Form::Adjacent { base, variants, .. } => {
            add_members(base, &mut add);
            for variant in *variants {
                add("exists", variant.tag, variant.availability.range);
                add_members(variant.content.as_slice(), &mut add);
            }
        }
        Form::Enum { values, open, .. } => {
            for value in *values {
                add("exists", value.value, value.availability.range);
            }
            for availability in *open {
                add("takes other strings", "", *availability);
            }
        }
        Form::ExternallyTagged(variants) => {
            for variant in *variants {
                add("exists", variant.tag, variant.availability.range);
            }
        }
        Form::Untagged(alternatives) => {
            for (index, alternative) in alternatives.iter().enumerate() {
                add("exists", &index.to_string(), alternative.availability.range);
            }
        }
    }
    for choice in shape.choices {
        add(
            "asks for one of",
            &format!("{:?}", choice.any),
            choice.availability.range,
        );
    }
    out
}
