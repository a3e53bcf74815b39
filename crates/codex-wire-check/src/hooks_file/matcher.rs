//! Decides whether a matcher selects an event.

use regex::Regex;
use serde_json::Value;

/// What a matcher selects.
#[derive(Clone, Debug)]
pub(super) enum Matcher {
    /// Everything.
    All,
    /// One of these names.
    Names(Vec<String>),
    /// What a regular expression finds something in.
    Regex(Regex),
}

impl Matcher {
    /// Reads a matcher, or says in words why it is none.
    pub(super) fn new(event: &str, text: Option<&str>) -> Result<Self, String> {
        let text = text.filter(|_| member(event).is_some());
        Ok(match text {
            None | Some("" | "*") => Matcher::All,
            Some(text) if is_names(text) => {
                Matcher::Names(text.split('|').map(str::to_owned).collect())
            }
            Some(text) => match Regex::new(text) {
                Ok(regex) => Matcher::Regex(regex),
                Err(error) => {
                    let error = error.to_string();
                    let last = error.lines().last().unwrap_or_default();
                    return Err(last.trim_start_matches("error: ").to_owned());
                }
            },
        })
    }

    /// Whether it selects an input of the event.
    pub(super) fn selects(&self, event: &str, input: &Value) -> bool {
        let value = member(event).and_then(|member| input[member].as_str());
        let value = value.unwrap_or_default();
        let selects = |value: &str| match self {
            Matcher::All => true,
            Matcher::Names(names) => names.iter().any(|name| name == value),
            Matcher::Regex(regex) => regex.is_match(value),
        };
        selects(value) || value == PATCH && ALIASES.into_iter().any(selects)
    }
}

/// The tool that changes files, and by which other names matchers find it.
const PATCH: &str = "apply_patch";
const ALIASES: [&str; 2] = ["Edit", "Write"];

/// The member of an input that a matcher is about. Of other events Codex ignores it.
fn member(event: &str) -> Option<&'static str> {
    match event {
        "PreToolUse" | "PostToolUse" | "PermissionRequest" => Some("tool_name"),
        "SessionStart" => Some("source"),
        "PreCompact" | "PostCompact" => Some("trigger"),
        "SubagentStart" | "SubagentStop" => Some("agent_type"),
        "SessionEnd" => Some("reason"),
        _ => None,
    }
}

/// Whether Codex takes a matcher as names: `start` does not select `startup`, but `^start` does.
fn is_names(text: &str) -> bool {
    text.bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || b"_|".contains(&byte))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// 0.125.0 and 0.169.0 were given these, and ran the hooks of those that are `true` when a session started.
    #[test]
    fn matchers_select_what_they_select_for_codex() {
        for (text, selects) in [
            ("startup", true),
            ("start", false),
            ("^start", true),
            ("startup|resume", true),
            ("resume|startup", true),
            ("resume", false),
            ("st.*", true),
            ("START", false),
            ("Startup", false),
            ("*", true),
            ("", true),
            ("start|x", false),
            ("startup ", false),
            ("[s]tartup", true),
            ("startup|", true),
            ("(start)up", true),
            ("start-up|startup", true),
            ("start,startup", false),
        ] {
            let matcher = Matcher::new("SessionStart", Some(text)).unwrap();
            let input = json!({"source": "startup"});
            assert_eq!(matcher.selects("SessionStart", &input), selects, "{text}");
        }
        for (text, selects) in [
            ("Edit", true),
            ("Edit|Write", true),
            ("Wr.*", true),
            ("Bash", false),
        ] {
            let matcher = Matcher::new("PreToolUse", Some(text)).unwrap();
            let input = json!({"tool_name": "apply_patch"});
            assert_eq!(matcher.selects("PreToolUse", &input), selects, "{text}");
        }
        let other = Matcher::new("UserPromptSubmit", Some("zzz(")).unwrap();
        assert!(other.selects("UserPromptSubmit", &json!({})));
        let error = Matcher::new("PreToolUse", Some("(Bash")).unwrap_err();
        assert_eq!(error, "unclosed group");
    }
}
