//! Lines of Codex that faults of lines are about.

use serde_json::Value;

/// What ends a turn, as it stands in a line.
const ENDS: &[&[u8]] = &[
    br#""method":"turn/completed""#,
    br#""type":"turn.completed""#,
    br#""type":"turn.failed""#,
    br#""type":"task_complete""#,
];

/// What holds a whole message of the agent, as it stands in a line.
const MESSAGES: &[[&[u8]; 2]] = &[
    [br#""method":"item/completed""#, br#""type":"agentMessage""#],
    [br#""type":"item.completed""#, br#""type":"agent_message""#],
    [br#""msg":{"#, br#""type":"agent_message""#],
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

/// Whether a line holds a whole message of the agent: what clients show.
pub(super) fn holds_message(line: &[u8]) -> bool {
    MESSAGES.iter().any(|parts| {
        let mut parts = parts.iter();
        parts.all(|part| memchr::memmem::find(line, part).is_some())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_and_responses_are_recognized() {
        assert!(ends_turn(br#"{"method":"turn/completed","params":{}}"#));
        assert!(holds_message(
            br#"{"type":"item.completed","item":{"id":"item_0","type":"agent_message","text":"x"}}"#
        ));
        assert!(!holds_message(
            br#"{"type":"item.completed","item":{"type":"reasoning"}}"#
        ));
        assert!(!ends_turn(br#"{"text":"\"method\":\"turn/completed\""}"#));
        assert_eq!(
            response(br#"{"id":"a","result":{}}"#).as_deref(),
            Some("\"a\"")
        );
        assert_eq!(response(br#"{"id":1,"method":"m","params":{}}"#), None);
    }
}
