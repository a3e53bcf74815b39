//! Phrases values, times and numbers for rows. Payload is masked.

use codex_wire_base::Protocol;
use codex_wire_schema::words as known_values;
use serde_json::Value;

use crate::words::spaced;

/// How text of the transcript is shown.
#[derive(Clone, Copy, Debug)]
pub(super) struct Phrasing {
    /// Whether payload is shown.
    pub(super) show: bool,
    /// The longest text in characters; more does not fit into a row.
    pub(super) max_chars: usize,
}

impl Phrasing {
    /// Payload: the text on one line, or its length.
    pub(super) fn text(self, text: &str) -> String {
        if self.show {
            let mut out = String::new();
            for word in text.split_whitespace() {
                if out.len() > self.max_chars {
                    break;
                }
                if !out.is_empty() {
                    out.push(' ');
                }
                out.extend(word.chars().take(self.max_chars));
            }
            return out;
        }
        match text.chars().count() {
            0 => String::new(),
            1 => "… (1 character)".to_owned(),
            count => format!("… ({count} characters)"),
        }
    }

    /// A member that is payload. The texts of an array are joined with spaces.
    pub(super) fn of(self, value: Option<&Value>) -> String {
        match value {
            Some(Value::String(text)) => self.text(text),
            Some(Value::Array(parts)) => {
                let parts: Vec<&str> = parts.iter().filter_map(Value::as_str).collect();
                self.text(&parts.join(" "))
            }
            _ => String::new(),
        }
    }

    /// A value of the protocol, such as a status. Other text may be payload, whatever it looks
    /// like.
    pub(super) fn value(self, value: Option<&Value>) -> String {
        match value.and_then(Value::as_str) {
            Some(text) if is_known(text) => spaced(text),
            Some(text) => self.text(text),
            None => String::new(),
        }
    }

    /// The name of a kind, if it looks like a name.
    pub(super) fn kind(self, text: &str) -> String {
        match self.show || is_name(text) {
            true => text.to_owned(),
            false => "…".to_owned(),
        }
    }
}

/// The texts of the parts of a message, with a blank between them.
pub(super) fn texts_of(parts: &Value) -> String {
    let parts = parts.as_array().into_iter().flatten();
    let texts: Vec<&str> = parts.filter_map(|part| part["text"].as_str()).collect();
    texts.join(" ")
}

/// Whether a text is a value of some protocol.
fn is_known(text: &str) -> bool {
    let known = |protocol: &Protocol| known_values(*protocol).binary_search(&text).is_ok();
    Protocol::ALL.iter().any(known)
}

/// Whether a text looks like a value or a name of a protocol.
fn is_name(text: &str) -> bool {
    let fits = |b: u8| b.is_ascii_alphabetic() || b"_-./".contains(&b);
    (1..=48).contains(&text.len()) && text.bytes().all(fits)
}

/// The time since the start, as on a clock.
pub(super) fn clock(ms: u64) -> String {
    let (seconds, rest) = (ms / 1000, ms % 1000);
    match seconds / 60 {
        0 => format!("{seconds}.{rest:03}"),
        minutes => format!("{minutes}:{:02}.{rest:03}", seconds % 60),
    }
}

/// The tokens of a usage, in either spelling.
pub(super) fn tokens(usage: &Value) -> Option<String> {
    let number = |names: [&str; 2]| {
        let found = names.iter().find_map(|name| usage.get(name));
        found.and_then(Value::as_u64)
    };
    let input = number(["input_tokens", "inputTokens"])?;
    let output = number(["output_tokens", "outputTokens"])?;
    let part = |names, what: &str| {
        number(names)
            .filter(|count| *count > 0)
            .map(|count| format!("{} {what}", crate::numbers::grouped(count)))
    };
    let read = part(["cached_input_tokens", "cachedInputTokens"], "cached");
    let written = part(
        ["cache_write_input_tokens", "cacheWriteInputTokens"],
        "written",
    );
    let thought = part(
        ["reasoning_output_tokens", "reasoningOutputTokens"],
        "reasoning",
    );
    let beside = |parts: Vec<String>| match parts.is_empty() {
        true => String::new(),
        false => format!(" ({})", parts.join(", ")),
    };
    Some(format!(
        "tokens {} in{}, {} out{}",
        crate::numbers::grouped(input),
        beside(read.into_iter().chain(written).collect()),
        crate::numbers::grouped(output),
        beside(thought.into_iter().collect()),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn payload_is_masked() {
        let phrasing = Phrasing {
            show: false,
            max_chars: 100,
        };
        assert_eq!(phrasing.text("secret\ntext"), "… (11 characters)");
        assert_eq!(phrasing.value(Some(&json!("in_progress"))), "in progress");
        assert_eq!(
            phrasing.value(Some(&json!("my secret"))),
            "… (9 characters)"
        );
        assert_eq!(
            phrasing.value(Some(&json!("SECRETSTATUS"))),
            "… (12 characters)"
        );
        assert_eq!(phrasing.kind("item/started"), "item/started");
        assert_eq!(phrasing.kind("my secret"), "…");
        let phrasing = Phrasing {
            show: true,
            max_chars: 9,
        };
        assert_eq!(phrasing.text("secret\n text"), "secret text");
        assert_eq!(phrasing.text("a rather long text"), "a rather long");
    }

    #[test]
    fn times_and_tokens() {
        assert_eq!(
            (clock(390), clock(61_005)),
            ("0.390".into(), "1:01.005".into())
        );
        let usage = json!({"inputTokens": 1200, "cachedInputTokens": 0, "outputTokens": 3});
        assert_eq!(tokens(&usage).unwrap(), "tokens 1,200 in, 3 out");
        assert_eq!(tokens(&json!({})), None);
    }
}
