//! What a client decides.

use serde_json::Value;

/// What a client says to a request for approval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Decision {
    Accept,
    Decline,
    /// Decline, and interrupt the turn.
    Cancel,
}

impl Decision {
    /// The decision in a result, by any name that it has had. An error and an unknown decision
    /// decline.
    pub(super) fn of(result: Option<&Value>) -> Self {
        let decision = result.map_or(&Value::Null, |result| &result["decision"]);
        let name = match decision {
            Value::String(name) => name.as_str(),
            Value::Object(members) => members.keys().next().map_or("", String::as_str),
            _ => "",
        };
        match name {
            "cancel" | "abort" => Decision::Cancel,
            name if name.starts_with("accept") || name.starts_with("approved") => Decision::Accept,
            _ => Decision::Decline,
        }
    }
}
