//! What an input that is no transcript looks like, so that the user is told and not left with
//! a thousand findings.

use serde_json::Value;

/// What a line that is a JSON array looks like.
pub(crate) const ARRAY: &str = "a JSON array, where a transcript has one object per line";

const DOCUMENT: &str = "a JSON document of many lines, where a transcript has one object per line";
const SARIF: &str = "a SARIF report";
const SCHEMA: &str = "a JSON Schema";
const EVENTS: &str = "a server-sent event stream, perhaps of the model's provider";
const RESPONSES: &str = "a log of the Responses API, which is what Codex hears from its model";
const LOG: &str = "a log as Codex writes it to stderr";
const ROLLOUT: &str = "a rollout: a session file of Codex";

/// What an input with a line that is not JSON looks like, if that can be told. `before` is what
/// the lines before looked like.
pub(crate) fn text(line: &str, before: Option<&'static str>) -> Option<&'static str> {
    let line = line.trim();
    match before {
        None => {}
        // The first lines of these say less than those that follow.
        Some(DOCUMENT) if is_member(line, "$schema", "sarif") => return Some(SARIF),
        Some(DOCUMENT) if is_member(line, "$schema", "json-schema.org") => return Some(SCHEMA),
        Some(EVENTS) if line.contains("\"response.") => return Some(RESPONSES),
        before => return before,
    }
    if line.starts_with("data:") || line.starts_with("event:") {
        return Some(match line.contains("response.") {
            true => RESPONSES,
            false => EVENTS,
        });
    }
    if line.starts_with('<') {
        return Some("HTML or XML");
    }
    if matches!(line, "{" | "[" | "[{") {
        return Some(DOCUMENT);
    }
    if is_log(line) {
        return Some(LOG);
    }
    if line.starts_with(['{', '[', '"']) {
        return None;
    }
    Some("plain text, perhaps the output without `--json` or a stderr log")
}

/// What a JSON object that is no message looks like, if that can be told.
pub(crate) fn message(message: &Value) -> Option<&'static str> {
    let has = |key: &str| message.get(key).is_some();
    let text = |key: &str| message.get(key).and_then(Value::as_str).unwrap_or_default();
    if has("msg") && has("id") {
        return Some("core events: `codex proto`, or `codex exec --json` up to 0.42.0");
    }
    if has("op") && has("id") {
        return Some("core submissions: the input of `codex proto`");
    }
    if has("workdir") && has("model") || has("prompt") {
        return Some("the legacy form of `codex exec --json`, up to 0.42.0");
    }
    let is_old_rollout = text("record_type") == "state" || has("timestamp") && has("instructions");
    if has("timestamp") && has("payload") || is_old_rollout {
        return Some(ROLLOUT);
    }
    if text("type").starts_with("response.") {
        return Some(RESPONSES);
    }
    if has("runs") && has("version") {
        return Some(SARIF);
    }
    if text("$schema").contains("json-schema.org") {
        return Some(SCHEMA);
    }
    if has("tool") && has("inputs") && has("totals") {
        return Some("a report of a check, not what was checked");
    }
    if has("timestamp") && has("level") && (has("target") || has("fields")) {
        return Some(LOG);
    }
    if has("method") || has("id") && (has("result") || has("error")) {
        return Some("JSON-RPC, perhaps `codex app-server`");
    }
    None
}

/// Whether a line of a JSON document is that member, with a value in which `part` stands.
fn is_member(line: &str, name: &str, part: &str) -> bool {
    let rest = line
        .strip_prefix('"')
        .and_then(|line| line.strip_prefix(name));
    rest.is_some_and(|rest| rest.starts_with("\":") && rest.contains(part))
}

/// A time, a level, and who writes, perhaps in colours: `2026-01-01T10:00:00Z ERROR codex_core`.
fn is_log(line: &str) -> bool {
    let line = line.trim_start_matches(['\x1b', '[', 'm']);
    let time = line.as_bytes();
    let digits = |range: std::ops::Range<usize>| {
        let digits = time.get(range);
        digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_digit))
    };
    let at = time.iter().position(|byte| *byte == b'T');
    let is_time = at.is_some_and(|at| {
        at >= 10 && digits(at - 10..at - 6) && digits(at - 2..at) && digits(at + 1..at + 3)
    });
    let levels = [" ERROR ", " WARN ", " INFO ", " DEBUG ", " TRACE "];
    let has_level = levels.iter().any(|level| {
        let level = level.trim();
        let mut words = line.split(|c: char| c.is_whitespace() || c == '\x1b');
        words.any(|word| word == level || word.ends_with(&format!("m{level}")))
    });
    is_time && has_level
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(lines: &[&str]) -> Option<&'static str> {
        lines.iter().fold(None, |before, line| text(line, before))
    }

    #[test]
    fn documents_tell_more_with_their_next_lines() {
        let sarif = r#"  "$schema": "https://json.schemastore.org/sarif-2.1.0.json","#;
        assert_eq!(all(&["{", sarif]), Some(SARIF));
        let schema = r#"  "$schema": "https://json-schema.org/draft/2020-12/schema","#;
        assert_eq!(all(&["{", schema]), Some(SCHEMA));
        assert_eq!(all(&["{", "  \"a\": 1"]), Some(DOCUMENT));
        assert_eq!(all(&["data: [DONE]"]), Some(EVENTS));
        let event = r#"data: {"type":"response.created"}"#;
        assert_eq!(all(&["event: response.created"]), Some(RESPONSES));
        assert_eq!(all(&["data: {}", event]), Some(RESPONSES));
    }

    #[test]
    fn logs_are_told_from_other_text() {
        let plain = "2026-11-20T15:09:39.736125Z ERROR codex_core::codex: failed";
        let coloured =
            "\u{1b}[2m2026-11-20T15:09:39Z\u{1b}[0m \u{1b}[33m WARN\u{1b}[0m codex_core: x";
        assert_eq!(all(&[plain]), Some(LOG));
        assert_eq!(all(&[coloured]), Some(LOG));
        for text in ["The INFO desk", "2026-11-20T15:09:39Z and nothing else"] {
            assert_ne!(all(&[text]), Some(LOG), "{text}");
        }
    }
}
