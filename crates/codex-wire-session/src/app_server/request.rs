//! Requests for approval, and their answers.

use serde_json::Value;

use crate::build::script;
use crate::members::{Members, word};
use crate::model::{Approval, Decision};

/// What Codex asks of its client, if a person has to answer.
pub(super) fn approval(method: &str, params: &Value) -> Option<Approval> {
    let about = match method {
        "item/commandExecution/requestApproval" | "execCommandApproval" => "command",
        "item/fileChange/requestApproval" | "applyPatchApproval" => "patch",
        "item/permissions/requestApproval" => "permissions",
        "item/tool/requestUserInput" => "question",
        "mcpServer/elicitation/request" => "elicitation",
        _ => return None,
    };
    let command = match params.get("command") {
        Some(Value::String(line)) => Some(script::of_line(line).command),
        Some(Value::Array(_)) => Some(script::of_words(params.texts("command")).command),
        _ => None,
    };
    let question = params.list("questions").first();
    let question = question.and_then(|question| question.owned("question"));
    let reason = params.owned("reason").or_else(|| params.owned("message"));
    Some(Approval {
        about: about.to_owned(),
        item: params.owned("itemId").or_else(|| params.owned("callId")),
        command,
        reason: reason.or(question),
        answer: None,
    })
}

/// What a client answered.
pub(super) fn decision(result: &Value, by: Option<&str>) -> Decision {
    let decided = result.some("decision").or_else(|| result.some("action"));
    let decision = decided.map(|decided| match decided {
        Value::Object(members) if members.len() == 1 => {
            let mut words: Vec<&str> = members.keys().map(String::as_str).collect();
            // A rule for the network allows or refuses.
            let rules = members
                .values()
                .filter_map(|value| value.get("network_policy_amendment"));
            words.extend(rules.filter_map(|rule| rule.text("action")));
            words.join(" ")
        }
        other => word(other),
    });
    Decision {
        decision,
        by: by.map(str::to_owned),
    }
}
