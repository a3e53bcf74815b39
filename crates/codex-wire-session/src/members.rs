//! Reads members of JSON values whose type nobody promised.
//!
//! A member with another type than expected counts as absent: a model of what happened is worth more than
//! an error about one member. Whether a line is right is for a checker to say.

use serde_json::Value;

/// Members of a JSON object. Of anything else, all are absent.
pub(crate) trait Members {
    /// A member that is a string.
    fn text(&self, key: &str) -> Option<&str>;
    /// A member that is a string, owned.
    fn owned(&self, key: &str) -> Option<String>;
    /// A member that is a whole number.
    fn int(&self, key: &str) -> Option<i64>;
    /// A member that is a whole number from zero on.
    fn count(&self, key: &str) -> Option<u64>;
    /// A member that is `true`.
    fn is(&self, key: &str) -> bool;
    /// A member that is neither absent nor `null`.
    fn some(&self, key: &str) -> Option<&Value>;
    /// The elements of a member that is an array.
    fn list(&self, key: &str) -> &[Value];
    /// The elements of a member that are strings.
    fn texts(&self, key: &str) -> Vec<String>;
}

impl Members for Value {
    fn text(&self, key: &str) -> Option<&str> {
        self.get(key)?.as_str()
    }

    fn owned(&self, key: &str) -> Option<String> {
        self.text(key).map(str::to_owned)
    }

    fn int(&self, key: &str) -> Option<i64> {
        whole(self.get(key)?)?.try_into().ok()
    }

    fn count(&self, key: &str) -> Option<u64> {
        whole(self.get(key)?)?.try_into().ok()
    }

    fn is(&self, key: &str) -> bool {
        self.get(key) == Some(&Value::Bool(true))
    }

    fn some(&self, key: &str) -> Option<&Value> {
        self.get(key).filter(|value| !value.is_null())
    }

    fn list(&self, key: &str) -> &[Value] {
        self.get(key)
            .and_then(Value::as_array)
            .map_or(&[], Vec::as_slice)
    }

    fn texts(&self, key: &str) -> Vec<String> {
        let texts = self.list(key).iter().filter_map(Value::as_str);
        texts.map(str::to_owned).collect()
    }
}

/// A whole number, however it is spelt: `1.0`, `-0` and `1e2` are some for JSON Schema and for the types, too.
fn whole(value: &Value) -> Option<i128> {
    let integer = value.as_i64().map(i128::from);
    integer
        .or_else(|| value.as_u64().map(i128::from))
        .or_else(|| {
            let float = value.as_f64().filter(|float| float.fract() == 0.0)?;
            Some(float as i128)
        })
}

/// A word as the source has it; an object as its JSON.
pub(crate) fn word(value: &Value) -> String {
    match value {
        Value::String(word) => word.clone(),
        other => other.to_string(),
    }
}

/// The kind of something that is a word, or an object with one key.
pub(crate) fn kind(value: &Value) -> Option<&str> {
    match value {
        Value::String(word) => Some(word),
        Value::Object(members) => members.keys().next().map(String::as_str),
        _ => None,
    }
}

/// The texts of the parts of a message, one after the other.
pub(crate) fn joined(parts: &[Value], key: &str, between: &str) -> String {
    let texts: Vec<&str> = parts.iter().filter_map(|part| part.text(key)).collect();
    texts.join(between)
}

/// Milliseconds of a duration: a number of them, or `{"secs", "nanos"}`.
pub(crate) fn milliseconds(value: &Value) -> Option<u64> {
    if let Some(ms) = whole(value) {
        return ms.try_into().ok();
    }
    let (seconds, nanos) = (value.count("secs")?, value.count("nanos")?);
    seconds.checked_mul(1000)?.checked_add(nanos / 1_000_000)
}
