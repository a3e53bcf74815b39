//! Calls of tools.

use crate::app_server::{
    DynamicToolCallOutputContentItem, McpToolCallResultContent, ThreadItemDetails as App,
};
use crate::exec::{McpContent, ThreadItemDetails as Exec};
use crate::items::ToolCall;
use crate::json::Raw;
use crate::mcp::ContentBlock;

/// A call of which nothing is known but the tool.
fn call(tool: &str) -> ToolCall<'_> {
    ToolCall {
        server: None,
        tool,
        arguments: None,
        texts: Vec::new(),
        structured: None,
        error: None,
        prompt: None,
        receivers: &[],
    }
}

pub(super) fn exec_call(details: &Exec) -> Option<ToolCall<'_>> {
    match details {
        Exec::McpToolCall(item) => {
            let result = item.result.value();
            let blocks = result.map(|result| result.content.as_slice());
            let texts = blocks.unwrap_or_default().iter().map(McpContent::raw);
            Some(ToolCall {
                server: Some(&item.server),
                arguments: item.arguments.value(),
                texts: texts.filter_map(text_of).collect(),
                structured: result.and_then(|result| result.structured_content.value()),
                error: item.error.value().map(|error| error.message.as_str()),
                ..call(&item.tool)
            })
        }
        Exec::CollabToolCall(item) => Some(ToolCall {
            prompt: item.prompt.value().map(String::as_str),
            receivers: &item.receiver_thread_ids,
            ..call(item.tool.as_str())
        }),
        _ => None,
    }
}

pub(super) fn app_call(details: &App) -> Option<ToolCall<'_>> {
    match details {
        App::McpToolCall(item) => {
            let result = item.result.value();
            let texts = match result.map(|result| &result.content) {
                Some(McpToolCallResultContent::List(blocks)) => {
                    blocks.iter().filter_map(text_of).collect()
                }
                Some(McpToolCallResultContent::ContentBlockList(blocks)) => {
                    let blocks = blocks.iter().map(Raw::of);
                    blocks.filter_map(|block| text_of(&block)).collect()
                }
                _ => Vec::new(),
            };
            Some(ToolCall {
                server: Some(&item.server),
                arguments: Some(&item.arguments),
                texts,
                structured: result.and_then(|result| result.structured_content.value()),
                error: item.error.value().map(|error| error.message.as_str()),
                ..call(&item.tool)
            })
        }
        App::DynamicToolCall(item) => {
            let items = item.content_items.value().map(Vec::as_slice);
            let texts = items
                .unwrap_or_default()
                .iter()
                .filter_map(|item| match item {
                    DynamicToolCallOutputContentItem::InputText(text) => Some(text.text.clone()),
                    _ => None,
                });
            Some(ToolCall {
                arguments: Some(&item.arguments),
                texts: texts.collect(),
                ..call(&item.tool)
            })
        }
        App::CollabAgentToolCall(item) => Some(ToolCall {
            prompt: item.prompt.value().map(String::as_str),
            receivers: &item.receiver_thread_ids,
            ..call(item.tool.as_str())
        }),
        _ => None,
    }
}

/// The text of a content block, if it is one of text.
fn text_of(block: &Raw) -> Option<String> {
    match block.parse::<ContentBlock>() {
        Ok(ContentBlock::Text(block)) => Some(block.text),
        _ => None,
    }
}
