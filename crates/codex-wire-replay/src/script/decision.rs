//! What a client decides.

use serde_json::Value;

use super::model::{Approval, Decision};

/// What a client says to a request for approval, and how it said so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Answered {
    /// As Codex takes it.
    pub(crate) decision: Decision,
    /// The word for it: that of the decision, or the one of the client if there is no decision of that name, such
    /// as `acceptWithExecpolicyAmendment`.
    pub(crate) word: String,
}

impl Answered {
    /// The decision in a result, by its name for the request or submission of that name. An error and an unknown
    /// decision decline, among them words of other requests: `approved` is unknown to
    /// `item/commandExecution/requestApproval`.
    pub(crate) fn of(asked: &str, result: Option<&Value>) -> Self {
        let decision = result.and_then(|result| result.get("decision"));
        let name = match decision {
            Some(Value::String(name)) => name.as_str(),
            Some(Value::Object(members)) => members.keys().next().map_or("", String::as_str),
            _ => "",
        };
        let is_of_item = asked.starts_with("item/");
        let known = match (is_of_item, name) {
            (true, "accept") | (false, "approved") => Some(Decision::Accept),
            (true, "acceptForSession") | (false, "approved_for_session") => {
                Some(Decision::AcceptForSession)
            }
            (true, "decline") | (false, "denied") | (_, "") => Some(Decision::Decline),
            (true, "cancel") | (false, "abort") => Some(Decision::Cancel),
            _ => None,
        };
        // It accepts, and amends the rules of what has to be asked.
        let amends = match name {
            "acceptWithExecpolicyAmendment" => asked == "item/commandExecution/requestApproval",
            "approved_execpolicy_amendment" | "approved_mcp_policy_amendment" => !is_of_item,
            _ => false,
        };
        let decision = known.unwrap_or(match amends {
            true => Decision::Accept,
            false => Decision::Decline,
        });
        Answered {
            decision,
            word: known.map_or(name, |known| known.as_str()).to_owned(),
        }
    }

    /// Whether a script has it.
    pub(crate) fn is_in(&self, approval: Approval) -> bool {
        approval
            .only()
            .is_none_or(|only| self.word == only.as_str())
    }

    /// What the client sent, where a script has another answer only. `asked` is the request, or the submission.
    pub(crate) fn beside(&self, approval: Approval, asked: &str) -> String {
        let only = approval.only().map_or("none", Decision::as_str);
        let word = &self.word;
        format!("the answer `{word}` to {asked}: it has `{only}` only")
    }
}
