//! Wrong lines: recorded ones with one member missing or of another type.

use serde_json::{Value, json};

/// All one-step mutants of a line: each member left out, and each value of another type.
pub(crate) fn mutants(line: &Value) -> Vec<Value> {
    let mut out = Vec::new();
    step(line, &mut |mutant| out.push(mutant));
    out
}

fn step(value: &Value, see: &mut dyn FnMut(Value)) {
    match value {
        Value::Object(members) => {
            for (name, inner) in members {
                let mut without = members.clone();
                without.remove(name);
                see(Value::Object(without));
                let mut with = |inner: Value| {
                    let mut changed = members.clone();
                    changed.insert(name.clone(), inner);
                    see(Value::Object(changed));
                };
                with(other(inner));
                step(inner, &mut with);
            }
        }
        Value::Array(elements) => {
            if let Some(first) = elements.first() {
                let mut with = |inner: Value| {
                    let mut changed = elements.clone();
                    changed[0] = inner;
                    see(Value::Array(changed));
                };
                with(other(first));
                step(first, &mut with);
            }
        }
        _ => {}
    }
}

/// A value of another type. Not a text: where a text may stand, any may.
fn other(value: &Value) -> Value {
    match value {
        Value::Bool(_) => json!(7),
        _ => json!(true),
    }
}
