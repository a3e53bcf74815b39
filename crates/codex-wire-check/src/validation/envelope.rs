//! Finds what is wrong with the envelope of a JSON-RPC message whose method is unknown.

use serde_json::{Number, Value};

use super::schema_violation::SchemaViolation;
use crate::dialect::json_rpc::Kind;
use crate::phrasing::member;
use crate::pointer::push_segment;
use crate::validation::explanation::{MISSING_MEMBER, UNKNOWN_MEMBER, WRONG_TYPE};

/// What is wrong with a response whose request is unknown, or with a line that is not a message.
pub(crate) fn envelope(kind: Kind, message: &Value) -> Vec<SchemaViolation> {
    let lacks = |text: &str| SchemaViolation::new(&MISSING_MEMBER, "", text.to_owned());
    if kind == Kind::Neither {
        return vec![lacks("the message lacks `method`, `result` and `error`")];
    }
    let mut faults = Vec::new();
    match message.get("id") {
        None => faults.push(lacks("the answer lacks `id`")),
        Some(Value::String(_)) => {}
        Some(Value::Number(number)) if is_whole(number) => {}
        Some(Value::Number(_)) => {
            let text = "`id` is no integer of 64 bits".to_owned();
            faults.push(SchemaViolation::new(&WRONG_TYPE, "/id", text));
        }
        Some(_) => {
            let text = "`id` is neither an integer nor a string".to_owned();
            faults.push(SchemaViolation::new(&WRONG_TYPE, "/id", text));
        }
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
        let text = format!("the answer has no member {} in any release", member(name));
        faults.push(SchemaViolation {
            undeclared: true,
            of_name: true,
            ..SchemaViolation::new(&UNKNOWN_MEMBER, at, text)
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
