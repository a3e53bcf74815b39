//! Recognizes inputs that are not transcripts, so that the user gets one sentence instead of a
//! thousand findings.

use serde_json::Value;

/// What a line that is a JSON array looks like.
pub(crate) const ARRAY: &str = "a JSON array, where a transcript has one object per line";

const DOCUMENT: &str = "a JSON document of many lines, where a transcript has one object per line";
const SARIF: &str = "a SARIF report";
const SCHEMA: &str = "a JSON Schema";
const EVENTS: &str = "a server-sent event stream, perhaps of the model's provider";
const RESPONSES: &str = "a log of the Responses API, which is what Codex receives from its model";
const LOG: &str = "a log as Codex writes it to stderr";
const ROLLOUT: &str = "a rollout: a session file of Codex";
const HISTORY: &str = "`history.jsonl` of Codex: the prompts that a user typed";
const INDEX: &str = "`session_index.jsonl` of Codex: the names of sessions";
const TRACE: &str = "a trace of Codex, of which the session file has the session";
const TRACE_MANIFEST: &str = "the manifest of a trace of Codex";
const PLAIN: &str = "plain text, perhaps the output without `--json` or a stderr log";
const BINARY: &str = "binary data";
const NO_UTF8: &str = "binary data, or text in another encoding than UTF-8";

/// What files of bytes begin with.
const MAGIC: [(&[u8], &str); 9] = [
    (b"\x7fELF", "a program"),
    (b"MZ\x90\0", "a program"),
    (b"\xcf\xfa\xed\xfe", "a program"),
    (b"\xca\xfe\xba\xbe", "a program"),
    (b"\0asm", "a program"),
    (
        b"\x1f\x8b",
        "gzip data, which is unpacked if its name ends in `.gz`",
    ),
    (
        b"\x28\xb5\x2f\xfd",
        "zstd data, which is unpacked if its name ends in `.zst`",
    ),
    (b"PK\x03\x04", "a zip archive"),
    (b"SQLite format 3\0", "a SQLite database"),
];

/// What an input with a line that holds more than text looks like. `before` is what the lines
/// before looked like.
pub(crate) fn bytes(line: &[u8], before: Option<&'static str>) -> Option<&'static str> {
    match before {
        None => {
            let begins = |(magic, _): &&(&[u8], &str)| line.starts_with(magic);
            let known = MAGIC.iter().find(begins).map(|(_, what)| *what);
            known.or(Some(if is_binary(line) { BINARY } else { NO_UTF8 }))
        }
        // A first line may be text by chance.
        Some(PLAIN | NO_UTF8) if is_binary(line) => Some(BINARY),
        Some(PLAIN) => Some(NO_UTF8),
        before => before,
    }
}

/// Whether a line holds what no text does, in any encoding that is made of bytes.
fn is_binary(line: &[u8]) -> bool {
    // Tabs, form feeds, carriage returns, and what colours text.
    let is_odd = |byte: &u8| matches!(byte, 0..=7 | 0x0e..=0x1a | 0x1c..=0x1f | 0x7f);
    line.iter().any(is_odd)
}

/// What an input with a line that is not JSON looks like, if that is known. `before` is what
/// the lines before looked like.
pub(crate) fn text(line: &str, before: Option<&'static str>) -> Option<&'static str> {
    let line = line.trim();
    if !line.starts_with(['{', '[']) && is_binary(line.as_bytes()) {
        return bytes(line.as_bytes(), before);
    }
    let is_start = line.starts_with(['{', '[']) && line.ends_with(['{', '[', ',']);
    match before.or(is_start.then_some(DOCUMENT)) {
        None => {}
        // The first lines of these may say less than those that follow.
        Some(DOCUMENT) if is_member(line, "$schema", "sarif") => return Some(SARIF),
        Some(DOCUMENT) if is_member(line, "$schema", "json-schema.org") => return Some(SCHEMA),
        Some(DOCUMENT) if is_member(line, "raw_event_log", "") => return Some(TRACE_MANIFEST),
        Some(EVENTS) if line.contains("\"response.") => return Some(RESPONSES),
        known => return known,
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
    if is_log(line) {
        return Some(LOG);
    }
    if line.starts_with(['{', '[', '"']) {
        return None;
    }
    Some(PLAIN)
}

/// What a JSON object that is not a message looks like, if that is known.
pub(crate) fn message(message: &Value) -> Option<&'static str> {
    let has = |key: &str| message.get(key).is_some();
    let text = |key: &str| message.get(key).and_then(Value::as_str).unwrap_or_default();
    let only = |keys: [&str; 3]| {
        let members = message.as_object().map_or(0, serde_json::Map::len);
        members == keys.len() && keys.into_iter().all(has)
    };
    if only(["session_id", "ts", "text"]) {
        return Some(HISTORY);
    }
    if only(["id", "thread_name", "updated_at"]) {
        return Some(INDEX);
    }
    if has("schema_version") && has("rollout_id") && has("seq") && has("payload") {
        return Some(TRACE);
    }
    if has("msg") && has("id") {
        return Some("core events: `codex proto`, or `codex exec --json` up to 0.42.0");
    }
    if has("op") && has("id") {
        return Some("core submissions: the input of `codex proto`");
    }
    if has("workdir") && has("model") {
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

/// Whether a line of a JSON document begins with that member, with a value in which `part` stands.
fn is_member(line: &str, name: &str, part: &str) -> bool {
    let line = line.strip_prefix('{').unwrap_or(line);
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
        let sarif = r#"{"$schema":"https://json.schemastore.org/sarif-2.1.0.json","runs":["#;
        assert_eq!(all(&[sarif, "],"]), Some(SARIF));
        let report = r#"{"version":2,"tool":{"name":"codex-wire"},"inputs":["#;
        assert_eq!(all(&[report, "],"]), Some(DOCUMENT));
        assert_eq!(all(&["[1,", "2]"]), Some(DOCUMENT));
        assert_eq!(all(&[r#"{"type":"turn.sta"#]), None);
        assert_eq!(all(&["data: [DONE]"]), Some(EVENTS));
        let event = r#"data: {"type":"response.created"}"#;
        assert_eq!(all(&["event: response.created"]), Some(RESPONSES));
        assert_eq!(all(&["data: {}", event]), Some(RESPONSES));
    }

    #[test]
    fn bytes_are_told_from_text() {
        let elf = bytes(b"\x7fELF\x02\x01\x01\0", None);
        assert_eq!(elf, Some("a program"));
        assert_eq!(bytes(b"\0\0", elf), elf);
        assert_eq!(bytes(b"a\0b", None), Some(BINARY));
        assert_eq!(bytes(b"caf\xe9", None), Some(NO_UTF8));
        assert_eq!(bytes(b"caf\xe9", Some(PLAIN)), Some(NO_UTF8));
        assert_eq!(bytes(b"\x01\xe9", Some(NO_UTF8)), Some(BINARY));
        assert_eq!(bytes(b"\x01\xe9", Some(LOG)), Some(LOG));
        assert_eq!(all(&["some \u{1} text"]), Some(BINARY));
        assert_eq!(all(&["q;E", "\u{6}7z"]), Some(BINARY));
        assert_eq!(all(&["\ta\u{1b}[31mb", "and more"]), Some(PLAIN));
        assert_eq!(all(&["{\"type\":\"\u{1}\"}"]), None);
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
