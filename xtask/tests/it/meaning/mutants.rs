//! One-step changes of an instance, right or wrong: both sides have to decide each alike.

use std::collections::HashSet;

use serde_json::{Map, Value, json};

/// The member that no release has.
pub(crate) const STRANGER: &str = "xUnknown";

/// All one-step changes of `value`, except for those within other units, whose seeds are `closed`:
/// they are tried where those units are.
pub(crate) fn of(value: &Value, closed: &HashSet<String>) -> Vec<Value> {
    let mut out = Vec::new();
    let is_closed = |inner: &Value| {
        (inner.is_object() || inner.is_array()) && closed.contains(&inner.to_string())
    };
    change(value, &is_closed, &mut |changed| out.push(changed));
    out
}

fn change(value: &Value, is_closed: &dyn Fn(&Value) -> bool, give: &mut dyn FnMut(Value)) {
    for other in others(value) {
        give(other);
    }
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                let with = |value: Option<Value>| {
                    let mut members: Map<String, Value> = members.clone();
                    match value {
                        Some(value) => members.insert(name.clone(), value),
                        None => members.remove(name),
                    };
                    Value::Object(members)
                };
                give(with(None));
                below(member, is_closed, &mut |changed| give(with(Some(changed))));
            }
            let mut members = members.clone();
            members.insert(STRANGER.to_owned(), json!(1));
            give(Value::Object(members));
        }
        Value::Array(items) => {
            for (at, item) in items.iter().enumerate() {
                below(item, is_closed, &mut |changed| {
                    let mut items = items.clone();
                    items[at] = changed;
                    give(Value::Array(items));
                });
            }
        }
        _ => {}
    }
}

/// The changes of what stands within: of another unit only those of it as a whole.
fn below(value: &Value, is_closed: &dyn Fn(&Value) -> bool, give: &mut dyn FnMut(Value)) {
    match is_closed(value) {
        true => others(value).into_iter().for_each(give),
        false => change(value, is_closed, give),
    }
}

/// Values to stand in the place of one: of every other type, and others of its own.
fn others(value: &Value) -> Vec<Value> {
    let all = [
        Value::Null,
        json!(true),
        json!(7),
        json!(1.5),
        json!("xUnknown"),
        json!(""),
        json!([]),
        json!({}),
    ];
    let mut out: Vec<Value> = all.into_iter().filter(|other| other != value).collect();
    if value.is_number() {
        out.extend([
            json!(-1),
            json!(0),
            json!(256),
            json!(65_536),
            json!(4_294_967_296_u64),
            json!(i64::MIN),
            json!(u64::MAX),
            json!(1e30),
        ]);
    }
    if let Value::String(text) = value
        && !text.is_empty()
    {
        out.push(json!(text.to_uppercase()));
    }
    out
}
