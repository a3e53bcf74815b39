//! Lines of Codex that faults of lines are about.

use serde_json::Value;

/// What ends a turn, as it stands in a line.
const ENDS: &[&[u8]] = &[
    br#""method":"turn/completed""#,
    br#""type":"turn.completed""#,
    br#""type":"turn.failed""#,
    br#""type":"task_complete""#,
];

/// The id of a response, as JSON.
pub(super) fn response(line: &[u8]) -> Option<String> {
    let value: Value = serde_json::from_slice(line).ok()?;
    let id = value.get("id")?;
    let is_response = value.get("result").is_some() || value.get("error").is_some();
    is_response.then(|| id.to_string())
}

/// Whether a line ends a turn.
pub(super) fn ends_turn(line: &[u8]) -> bool {
    ENDS.iter()
        .any(|end| memchr::memmem::find(line, end).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_and_responses_are_recognized() {
        assert!(ends_turn(br#"{"method":"turn/completed","params":{}}"#));
        assert!(!ends_turn(br#"{"text":"\"method\":\"turn/completed\""}"#));
        assert_eq!(
            response(br#"{"id":"a","result":{}}"#).as_deref(),
            Some("\"a\"")
        );
        assert_eq!(response(br#"{"id":1,"method":"m","params":{}}"#), None);
    }
}
