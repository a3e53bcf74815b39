//! Renders a comparison as JSON. The document is an API; [`DIFF_SCHEMA`] is its JSON Schema.

use serde_json::{Value, json};

use crate::change::Verdict;
use crate::comparison::Comparison;
use crate::corrections::Corrected;
use crate::difference::{Counterexample, Difference, Judgement, Which};
use crate::evidence::Evidence;
use crate::hidden::Hidden;

/// The JSON Schema of the document, draft 2020-12. It is closed: it allows exactly the fields
/// this release of the crate writes.
///
/// `version` changes when a field is removed or means something else. New fields may come without
/// that: a reader skips what it does not know.
pub const DIFF_SCHEMA: &str = codex_wire_schema::own::DIFF;

impl Comparison {
    /// The comparison as a document; see [`DIFF_SCHEMA`].
    pub fn to_json(&self) -> Value {
        let totals: serde_json::Map<String, Value> = Verdict::ALL
            .iter()
            .map(|verdict| (verdict.as_str().to_owned(), json!(self.count(*verdict))))
            .collect();
        json!({
            "version": 1,
            "before": {"name": self.before, "messages": self.messages[0]},
            "after": {"name": self.after, "messages": self.messages[1]},
            "totals": totals,
            "left_out": self.left_out,
            "unlisted": self.unlisted,
            "hidden": self.hidden.to_json(),
            "corrections": self.corrections.iter().map(corrected).collect::<Vec<_>>(),
            "differences": self.differences.iter().map(Difference::to_json).collect::<Vec<_>>(),
        })
    }
}

impl Hidden {
    fn to_json(self) -> Value {
        let mut counts: serde_json::Map<String, Value> = Verdict::ALL
            .iter()
            .map(|verdict| (verdict.as_str().to_owned(), json!(self.count(*verdict))))
            .collect();
        counts.insert("corrections".to_owned(), json!(self.corrections));
        Value::Object(counts)
    }
}

impl Difference {
    /// The difference as part of the document.
    pub fn to_json(&self) -> Value {
        let message = |message: &crate::difference::Message| json!({"part": message.part, "name": message.name});
        json!({
            "change": self.change.as_str(),
            "place": self.place,
            "former_place": self.former_place,
            "before": self.before,
            "after": self.after,
            "verdict": self.verdict().as_str(),
            "judgements": self.judgements.iter().map(judgement).collect::<Vec<_>>(),
            "path": self.path,
            "messages": self.messages.iter().map(message).collect::<Vec<_>>(),
        })
    }
}

fn corrected(corrected: &Corrected) -> Value {
    json!({
        "reason": corrected.reason,
        "difference": corrected.difference.to_json(),
    })
}

fn judgement(judgement: &Judgement) -> Value {
    json!({
        "direction": judgement.direction.as_str(),
        "rule": judgement.rule.id,
        "verdict": judgement.verdict.as_str(),
        "why": judgement.rule.why,
        "counterexample": judgement.counterexample.as_ref().map(counterexample),
        "remark": judgement.remark,
        "evidence": judgement.evidence.as_ref().map(evidence),
    })
}

fn evidence(evidence: &Evidence) -> Value {
    let probed = match evidence {
        Evidence::Probed(probed) => Some(probed),
        _ => None,
    };
    let correction = match evidence {
        Evidence::Inferred { correction } => *correction,
        _ => None,
    };
    json!({
        "kind": evidence.kind().as_str(),
        "release": probed.map(|probed| probed.release.to_string()),
        "sent": probed.map(|probed| probed.sent),
        "refused": probed.map(|probed| probed.refused),
        "correction": correction,
    })
}

fn counterexample(example: &Counterexample) -> Value {
    let accepted_by = match example.accepted_by {
        Which::Before => "before",
        Which::After => "after",
    };
    json!({
        "value": example.value,
        "accepted_by": accepted_by,
        "undeclared": example.undeclared,
    })
}
