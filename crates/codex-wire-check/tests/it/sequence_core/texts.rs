//! The part of the oracle about texts that come in deltas.

use codex_wire::Release;

use super::line::Line;
use super::oracle::Task;

/// Whether deltas add up to the complete texts.
pub(super) fn texts(task: &Task<'_>, release: Release) -> bool {
    let strands = [
        ("agent_message_delta", "agent_message", "message"),
        ("agent_reasoning_delta", "agent_reasoning", "text"),
        (
            "agent_reasoning_raw_content_delta",
            "agent_reasoning_raw_content",
            "text",
        ),
    ];
    let void = |line: &Line| {
        matches!(
            line.tag(),
            "error" | "stream_error" | "background_event" | "turn_aborted"
        )
    };
    let has_whole = |whole: &str| task.events.iter().any(|(_, line)| line.tag() == whole);
    strands.iter().all(|(delta, whole, key)| {
        // The releases of August 2025 may never send the complete text.
        if key == &"text"
            && whole.contains("raw")
            && release < Release::new(0, 28, 0)
            && !has_whole(whole)
        {
            return true;
        }
        let first = task
            .events
            .iter()
            .position(|(_, line)| line.tag() == *delta);
        let before = first.map_or(&[][..], |first| &task.events[..first]);
        // Texts before any deltas are taken as they are.
        let skip = before.len();
        task.events[skip..]
            .split(|(_, line)| void(line))
            .enumerate()
            .all(|(n, part)| {
                let broken_off = n + 1 < task.events[skip..].split(|(_, line)| void(line)).count();
                let mut waiting = String::new();
                for (_, line) in part {
                    if line.tag() == *delta {
                        waiting += line.text("delta");
                    } else if line.tag() == *whole && first.is_some() {
                        match waiting.strip_prefix(line.text(key)) {
                            Some(rest) => waiting = rest.to_owned(),
                            None => return false,
                        }
                    } else if *whole == "agent_message" && !waiting.is_empty() {
                        return false;
                    }
                }
                waiting.is_empty() || broken_off || !task.ended
            })
    })
}
