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
use codex_wire::shape::{Form, Lifetime, Member, Shape};

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

/// Every lifetime in a description, with a name for messages.
pub(crate) fn lifetimes(shape: &Shape) -> Vec<(String, Lifetime)> {
    let mut out = Vec::new();
    let mut add = |what: &str, name: &str, life: Lifetime| {
        out.push((format!("{}.{name} {what}", shape.name), life));
    };
    let add_members = |members: &[Member], add: &mut dyn FnMut(&str, &str, Lifetime)| {
        for member in members {
            add("exists", member.name, member.life);
            for life in member.optional {
                add("is optional", member.name, *life);
            }
            for life in member.nullable {
                add("is nullable", member.name, *life);
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
                add("exists", variant.tag, variant.life);
            }
            for (key, life) in *tags {
                add("is the tag", key, *life);
            }
        }
        Form::Adjacent { base, variants, .. } => {
            add_members(base, &mut add);
            for variant in *variants {
                add("exists", variant.tag, variant.life);
                add_members(variant.content.as_slice(), &mut add);
            }
        }
        Form::Enum { values, open, .. } => {
            for value in *values {
                add("exists", value.value, value.life);
            }
            for life in *open {
                add("takes other strings", "", *life);
            }
        }
        Form::External(variants) => {
            for variant in *variants {
                add("exists", variant.tag, variant.life);
            }
        }
        Form::Alternatives(alternatives) => {
            for (index, alternative) in alternatives.iter().enumerate() {
                add("exists", &index.to_string(), alternative.life);
            }
        }
    }
    for choice in shape.choices {
        add("asks for one of", &format!("{:?}", choice.any), choice.life);
    }
    out
}
