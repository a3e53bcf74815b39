//! `fault/line-separator`: texts have the character U+2028.

use crate::faults::each_line::EachLine;
use crate::faults::edit::{map_strings, text};
use crate::faults::fault::{Fault, Layer};

/// Texts have the character U+2028.
pub(super) static FAULT: Fault = Fault {
    id: "fault/line-separator",
    summary: "texts have the character U+2028",
    stand_in: "In the messages of the agent, U+2028 (line separator) and U+0085 (next line) follow each space and each \
        period. JSON allows both unescaped in strings, and Codex writes them so.",
    client: "Divide the stream at `\\n` only. `str.splitlines` of Python and some readers of lines divide \
        at U+2028 and U+0085 too.",
    evidence: "takt PR 1581: the TypeScript SDK reads lines with `readline` of Node, which divides at U+2028, so a \
        run failed. openclaw #89830: the same with another program.",
    layer: Layer::Messages,
    residue: &["\u{2028}", "\u{85}", "\\u2028", "\\u0085"],
    effect: |injected| Box::new(EachLine(injected, |_, line, _| with_separators(line))),
    ..Fault::OF_TURNS
};

/// What stands after each space and each period.
const SEPARATORS: &str = "\u{2028}\u{85}";

/// A line with separators in the texts of the agent; `None` if it has none.
fn with_separators(line: &str) -> Option<String> {
    let method = text(line, &["method"]).unwrap_or_default();
    let first = |paths: [&[&str]; 3]| paths.iter().find_map(|path| text(line, path));
    let item = first([
        &["params", "item", "type"],
        &["item", "type"],
        &["item", "item_type"],
    ]);
    let event = text(line, &["params", "msg", "type"]).unwrap_or_default();
    let inner = first([
        &["params", "msg", "item", "type"],
        &["params", "msg", "item", "role"],
        &[],
    ]);
    let role = first([
        &["params", "item", "role"],
        &["params", "msg", "item", "role"],
        &[],
    ]);
    let is_agent = matches!(
        item.as_deref(),
        Some("agentMessage" | "agent_message" | "assistant_message" | "plan")
    );
    let is_raw = role.as_deref() == Some("assistant");
    let mut has_changed = false;
    let changed = map_strings(line, &mut |path, text| {
        let path: Vec<&str> = path.iter().map(String::as_str).collect();
        let is_of_agent = match path.as_slice() {
            ["item", "text"] | ["params", "item", "text"] => is_agent,
            ["params", "delta"] => matches!(
                method.as_str(),
                "item/agentMessage/delta" | "item/plan/delta"
            ),
            ["params" | "result", .., "items", "text"] => true,
            ["params", "item", "content", "text"] => is_raw,
            ["params", "msg", "message"] => event == "agent_message",
            ["params", "msg", "delta"] => {
                matches!(
                    event.as_str(),
                    "agent_message_delta" | "agent_message_content_delta" | "plan_delta"
                )
            }
            ["params", "msg", "last_agent_message"] => true,
            ["params", "msg", "item", "content", "text"] => {
                is_raw || matches!(inner.as_deref(), Some("AgentMessage"))
            }
            ["params", "msg", "item", "text"] => matches!(inner.as_deref(), Some("Plan")),
            _ => false,
        };
        let own = is_of_agent && text.contains([' ', '.']);
        has_changed |= own;
        own.then(|| separated(text))
    });
    has_changed.then_some(changed)
}

fn separated(text: &str) -> String {
    let mut out = String::with_capacity(2 * text.len());
    for c in text.chars() {
        out.push(c);
        if matches!(c, ' ' | '.') {
            out.push_str(SEPARATORS);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_the_agent_alone_are_changed() {
        let said = r#"{"type":"item.completed","item":{"id":"item_0","type":"agent_message","text":"a b"}}"#;
        let expected = said.replace("a b", "a \u{2028}\u{85}b");
        assert_eq!(with_separators(said), Some(expected));
        let thought = said.replace("agent_message", "reasoning");
        assert_eq!(with_separators(&thought), None);
        let delta =
            r#"{"method":"item/agentMessage/delta","params":{"itemId":"m 1","delta":" b"}}"#;
        let changed = with_separators(delta).expect("a text");
        assert!(
            changed.contains("\"m 1\"") && changed.contains("\" \u{2028}"),
            "{changed}"
        );
    }
}
