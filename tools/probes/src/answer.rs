//! What a release answers to a question.

use std::fmt;

use serde_json::Value;

/// What a release answers to a question.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Answer {
    /// It reads the line, and would act on it if it had been greeted.
    Read,
    /// It sends a result.
    Answered,
    /// It does not know the method.
    Unknown,
    /// It cannot read the line. What it says behind `Invalid request: `.
    Refused(String),
    /// It reads the line and refuses what it means. The message of the error.
    Denied(String),
    /// It sends nothing.
    Silent,
    /// The process ended.
    Ended,
}

/// How an error begins when a line cannot be read.
const UNREADABLE: &str = "Invalid request: ";

/// What a server says that was not greeted, or greeted before. It has read the line then.
const READ: [&str; 2] = ["Not initialized", "Already initialized"];

impl Answer {
    /// What a response to a request with this method says.
    pub fn of(method: &str, response: &Value) -> Self {
        let Some(message) = response["error"]["message"].as_str() else {
            return Answer::Answered;
        };
        if READ.contains(&message) {
            return Answer::Read;
        }
        match message.strip_prefix(UNREADABLE) {
            // The list of all methods follows.
            Some(reason) if reason.starts_with(&format!("unknown variant `{method}`, ")) => {
                Answer::Unknown
            }
            Some(reason) => Answer::Refused(reason.to_owned()),
            None => Answer::Denied(message.to_owned()),
        }
    }

    /// Whether the line was read.
    pub fn is_read(&self) -> bool {
        matches!(self, Answer::Read | Answer::Answered | Answer::Denied(_))
    }

    /// The values that an error names as those it would take.
    pub fn expected(&self) -> Vec<String> {
        match self {
            Answer::Refused(reason) => expected(reason),
            _ => Vec::new(),
        }
    }
}

/// The names in `expected one of`.
pub(crate) fn expected(reason: &str) -> Vec<String> {
    let Some((_, list)) = reason.split_once(", expected ") else {
        return Vec::new();
    };
    // `a`; `a` or `b`; one of `a`, `b`, `c`
    let quoted = list.split('`').skip(1).step_by(2);
    quoted.map(str::to_owned).collect()
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = |text: &str| text.replace('\\', "\\\\").replace('\n', "\\n");
        match self {
            Answer::Read => f.write_str("read"),
            Answer::Answered => f.write_str("answered"),
            Answer::Silent => f.write_str("silent"),
            Answer::Unknown => f.write_str("unknown method"),
            Answer::Refused(reason) => write!(f, "refused: {}", line(reason)),
            Answer::Denied(message) => write!(f, "denied: {}", line(message)),
            Answer::Ended => f.write_str("ended"),
        }
    }
}

impl Answer {
    /// Reads what `Display` writes.
    ///
    /// # Errors
    /// In words, when the text is malformed.
    pub fn parse(text: &str) -> Result<Self, String> {
        let line = |text: &str| {
            let parts = text.split("\\\\");
            let parts: Vec<String> = parts.map(|part| part.replace("\\n", "\n")).collect();
            parts.join("\\")
        };
        Ok(match text.split_once(": ") {
            Some(("refused", reason)) => Answer::Refused(line(reason)),
            Some(("denied", message)) => Answer::Denied(line(message)),
            _ if text == "read" => Answer::Read,
            _ if text == "answered" => Answer::Answered,
            _ if text == "silent" => Answer::Silent,
            _ if text == "unknown method" => Answer::Unknown,
            _ if text == "ended" => Answer::Ended,
            _ => return Err(format!("`{text}` is not an answer")),
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_answer_is_read_and_written_back() {
        for answer in [
            Answer::Read,
            Answer::Answered,
            Answer::Unknown,
            Answer::Silent,
            Answer::Ended,
            Answer::Refused("a \\n: b\nc".to_owned()),
            Answer::Denied("no: thing".to_owned()),
        ] {
            assert_eq!(Answer::parse(&answer.to_string()), Ok(answer));
        }
        assert!(Answer::parse("walrus").is_err());
    }

    #[test]
    fn errors_tell_whether_a_line_was_read() {
        let of = |message: &str| Answer::of("a/b", &json!({"error": {"message": message}}));
        assert_eq!(of("Not initialized"), Answer::Read);
        assert_eq!(
            of("Invalid request: missing field `cwd`"),
            Answer::Refused("missing field `cwd`".to_owned())
        );
        assert!(of("Invalid clientInfo.name").is_read());
        assert_eq!(
            of("Invalid request: unknown variant `a/b`, expected `a`"),
            Answer::Unknown
        );
        assert!(!of("Invalid request: unknown variant `x`, expected `a`").is_read());
        assert_eq!(Answer::of("a/b", &json!({"result": {}})), Answer::Answered);
    }

    #[test]
    fn expected_values_are_found() {
        let of = |reason: &str| Answer::Refused(reason.to_owned()).expected();
        assert_eq!(
            of("unknown variant `x`, expected one of `a`, `b c`, `d`"),
            ["a", "b c", "d"]
        );
        assert_eq!(of("unknown variant `x`, expected `a` or `b`"), ["a", "b"]);
        assert!(of("missing field `a`").is_empty());
    }
}
