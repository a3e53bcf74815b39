//! Calls of tools.

use crate::app_server::{self, McpToolCallError, McpToolCallResult};
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

pub(super) fn app_call(item: &app_server::ThreadItem) -> Option<ToolCall<'_>> {
    let tool = item.tool()?;
    let result = item.result();
    Some(ToolCall {
        server: item.server(),
        arguments: item.arguments(),
        texts: app_texts(item),
        structured: result.and_then(McpToolCallResult::structured),
        error: item.error().and_then(McpToolCallError::message),
        prompt: item.prompt(),
        receivers: item.receivers().unwrap_or_default(),
        ..call(tool)
    })
}

/// The texts that an MCP tool or the client answered.
fn app_texts(item: &app_server::ThreadItem) -> Vec<String> {
    if let Some(items) = item.content_items() {
        let texts = items.iter().filter_map(|item| item.as_text());
        return texts.map(str::to_owned).collect();
    }
    let Some(result) = item.result() else {
        return Vec::new();
    };
    match (result.content(), result.content_blocks()) {
        (Some(blocks), _) => blocks.iter().filter_map(text_of).collect(),
        (None, Some(blocks)) => {
            let blocks = blocks.iter().map(Raw::of);
            blocks.filter_map(|block| text_of(&block)).collect()
        }
        (None, None) => Vec::new(),
    }
}

/// The text of a content block, if it is one of text.
fn text_of(block: &Raw) -> Option<String> {
    match block.parse::<ContentBlock>() {
        Ok(ContentBlock::Text(block)) => Some(block.text),
        _ => None,
    }
}
