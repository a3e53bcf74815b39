//! `codex exec --json` since 0.42.0.

use serde_json::Value;

use super::threads::Stream;
use crate::with_rollout::facts::{
    End, Fact, Fingerprint, Kind, Status, Usage, changes_of, script_of_text, tool_of,
};

pub(super) fn event(stream: &mut Stream, event: &Value, line: u64) {
    match event["type"].as_str().unwrap_or_default() {
        "thread.started" | "session.created" => {
            let id = event["thread_id"].as_str();
            if let Some(id) = id.or_else(|| event["session_id"].as_str()) {
                stream.named(id);
            }
        }
        "turn.started" => {
            let thread = stream.at_hand();
            // Sub-agents of 0.98.0 write their turns into the stream of their parent.
            let overlaps = thread.turns.last().is_some_and(|turn| turn.end.is_none());
            thread.is_mixed |= overlaps && thread.turns.iter().any(|turn| turn.id.is_none());
            thread.begin(None, line);
        }
        "item.completed" => item(stream, &event["item"], line),
        kind @ ("turn.completed" | "turn.failed") => {
            let turn = stream.at_hand().last(line);
            let end = match kind {
                "turn.failed" => End::Failed,
                _ => End::Completed,
            };
            turn.end = Some((end, line));
            turn.usage = Usage::read(&event["usage"]).map(|usage| (usage, line));
        }
        _ => {}
    }
}

fn item(stream: &mut Stream, item: &Value, line: u64) {
    let text = |name: &str| item[name].as_str().unwrap_or_default();
    let kind = item["type"].as_str().or_else(|| item["item_type"].as_str());
    let mut fact = match kind.unwrap_or_default() {
        "agent_message" | "assistant_message" => Fact::text(Kind::Message, line, text("text")),
        "reasoning" => {
            let facts: Vec<Fact> = Fact::reasoning(line, text("text")).collect();
            return stream.keep(facts, line);
        }
        "command_execution" => Fact {
            exit_code: item["exit_code"].as_i64(),
            output: Fingerprint::of_output(text("aggregated_output")),
            ..Fact::new(Kind::Command, line, Some(script_of_text(text("command"))))
        },
        "file_change" => {
            let changes = item["changes"].as_array().into_iter().flatten();
            let each = changes.map(|change| {
                let word = |name: &str| change[name].as_str().unwrap_or_default();
                (word("path"), word("kind"))
            });
            Fact::new(Kind::FileChange, line, Some(changes_of(each)))
        }
        "mcp_tool_call" => Fact {
            arguments: item.get("arguments").map(Fingerprint::of_json),
            ..Fact::new(
                Kind::McpCall,
                line,
                Some(tool_of(text("server"), text("tool"))),
            )
        },
        "web_search" => Fact::text(Kind::WebSearch, line, text("query")),
        _ => return,
    };
    fact.status = Status::read(text("status"));
    stream.keep(vec![fact], line);
}
