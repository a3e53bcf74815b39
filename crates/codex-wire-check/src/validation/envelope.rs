//! Finds what is wrong with the envelope of a JSON-RPC message whose method is unknown.

use serde_json::{Number, Value};

use super::schema_violation::SchemaViolation;
use crate::dialect::json_rpc::Kind;
use crate::phrasing::member;
use crate::pointer::push_segment;
use crate::validation::explanation::{Lacks, NoEnvelope, NoMember, OddId, WideId};

/// What is wrong with a response whose request is unknown, or with a line that is not a message.
pub(crate) fn envelope(kind: Kind, message: &Value) -> Vec<SchemaViolation> {
    if kind == Kind::Neither {
        return vec![SchemaViolation::new(NoEnvelope, "")];
    }
    let holder = "the answer";
    let mut faults = Vec::new();
    match message.get("id") {
        None => {
            let name = "id".to_owned();
            faults.push(SchemaViolation::new(Lacks { holder, name }, ""));
        }
        Some(Value::String(_)) => {}
        Some(Value::Number(number)) if is_whole(number) => {}
        Some(Value::Number(_)) => faults.push(SchemaViolation::new(WideId, "/id")),
        Some(_) => faults.push(SchemaViolation::new(OddId, "/id")),
    }
    for name in message
        .as_object()
        .into_iter()
        .flatten()
        .map(|(name, _)| name)
    {
        if ["id", "result"].contains(&name.as_str()) {
            continue;
        }
        let mut at = String::new();
        push_segment(&mut at, name);
        let name = member(name);
        faults.push(SchemaViolation {
            undeclared: true,
            of_name: true,
            ..SchemaViolation::new(NoMember { holder, name }, at)
        });
    }
    faults
}

/// Whether a number is one that ids can be; `1.0` is, as JSON Schema has it.
fn is_whole(number: &Number) -> bool {
    // The first float beyond them.
    const END: f64 = 9_223_372_036_854_775_808.0;
    let whole = |float: f64| float.fract() == 0.0 && (-END..END).contains(&float);
    number.is_i64() || (number.is_f64() && number.as_f64().is_some_and(whole))
}
