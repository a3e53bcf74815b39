//! Questions to a server: a line of a client with one value that is tried.

use std::fmt;

use serde_json::{Map, Value, json};

/// A step into a value.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Step {
    /// The member of an object.
    Member(String),
    /// The element of an array.
    Element(usize),
}

/// A request with a place in its params that values are tried at.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Slot {
    /// The method.
    pub method: String,
    /// The params around the place.
    pub params: Value,
    /// The way to it. If there is none, the params themselves are tried.
    pub way: Vec<Step>,
}

/// What is put at a place.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Put {
    /// Nothing: the member is left out.
    Absent,
    /// A value.
    Value(Value),
}

/// A question.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Question {
    /// What it is about, by the names of the model: `ThreadStartParams.model`.
    pub about: String,
    /// Where the value goes.
    pub slot: Slot,
    /// The value.
    pub put: Put,
}

/// Stands for the value in [`Slot::text`].
const HOLE: char = '?';

/// What no value of a message has.
const MARK: &str = "\u{1}";

impl Slot {
    /// The slot of the params of a method.
    pub fn params(method: &str) -> Self {
        Slot {
            method: method.to_owned(),
            params: Value::Null,
            way: Vec::new(),
        }
    }

    /// The params with a value at the place; `None` if they are left out themselves.
    pub fn with(&self, put: &Put) -> Option<Value> {
        let Some((last, before)) = self.way.split_last() else {
            return match put {
                Put::Absent => None,
                Put::Value(value) => Some(value.clone()),
            };
        };
        let mut params = self.params.clone();
        let mut at = &mut params;
        for step in before {
            at = inside(at, step);
        }
        match (put, last) {
            (Put::Value(value), step) => *inside(at, step) = value.clone(),
            (Put::Absent, Step::Member(name)) => {
                if let Value::Object(members) = at {
                    members.remove(name);
                }
            }
            (Put::Absent, Step::Element(index)) => {
                if let Value::Array(elements) = at {
                    elements.truncate(*index);
                }
            }
        }
        Some(params)
    }

    /// The slot one step further, in a value that is put here.
    pub fn inside(&self, value: Value, step: Step) -> Self {
        let mut way = self.way.clone();
        way.push(step);
        Slot {
            method: self.method.clone(),
            params: self.with(&Put::Value(value)).unwrap_or_default(),
            way,
        }
    }

    /// The method and the params as text, with a question mark where the value goes.
    pub fn text(&self) -> String {
        let params = self.with(&Put::Value(json!(MARK))).unwrap_or_default();
        let hole = HOLE.to_string();
        let params = params.to_string().replace(&json!(MARK).to_string(), &hole);
        format!("{} {params}", self.method)
    }

    /// Reads what [`Slot::text`] writes.
    ///
    /// # Errors
    /// In words, when the text is malformed.
    pub fn parse(text: &str) -> Result<Self, String> {
        let fault = || format!("`{text}` is not a request with a hole");
        let (method, params) = text.split_once(' ').ok_or_else(fault)?;
        // The hole is the only question mark outside of texts.
        let mut marked = String::new();
        let (mut is_text, mut is_escaped) = (false, false);
        for c in params.chars() {
            if c == HOLE && !is_text {
                marked += &json!(MARK).to_string();
                continue;
            }
            is_text ^= c == '"' && !is_escaped;
            is_escaped = is_text && c == '\\' && !is_escaped;
            marked.push(c);
        }
        let params: Value = serde_json::from_str(&marked).map_err(|_| fault())?;
        let way = way_to_mark(&params).ok_or_else(fault)?;
        let mut slot = Slot {
            method: method.to_owned(),
            params,
            way,
        };
        slot.params = slot.with(&Put::Absent).unwrap_or_default();
        Ok(slot)
    }
}

/// The value a step leads to, which is made where it is missing.
fn inside<'v>(value: &'v mut Value, step: &Step) -> &'v mut Value {
    match step {
        Step::Member(name) => {
            if !value.is_object() {
                *value = Value::Object(Map::new());
            }
            &mut value[name.as_str()]
        }
        Step::Element(index) => {
            if !value.is_array() {
                *value = Value::Array(Vec::new());
            }
            if let Value::Array(elements) = value {
                while elements.len() <= *index {
                    elements.push(Value::Null);
                }
            }
            &mut value[*index]
        }
    }
}

fn way_to_mark(value: &Value) -> Option<Vec<Step>> {
    let below = |step: Step, value: &Value| {
        let mut way = way_to_mark(value)?;
        way.insert(0, step);
        Some(way)
    };
    match value {
        Value::String(text) => (text == MARK).then(Vec::new),
        Value::Array(elements) => elements
            .iter()
            .enumerate()
            .find_map(|(index, value)| below(Step::Element(index), value)),
        Value::Object(members) => members
            .iter()
            .find_map(|(name, value)| below(Step::Member(name.clone()), value)),
        _ => None,
    }
}

impl Question {
    /// The line that is sent.
    pub fn line(&self, id: u64) -> Value {
        let mut line = json!({"id": id, "method": self.slot.method});
        if let Some(params) = self.slot.with(&self.put) {
            line["params"] = params;
        }
        line
    }
}

impl fmt::Display for Put {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Put::Absent => f.write_str("absent"),
            Put::Value(value) => write!(f, "{value}"),
        }
    }
}

impl Put {
    /// Reads what `Display` writes.
    ///
    /// # Errors
    /// In words, when the text is malformed.
    pub fn parse(text: &str) -> Result<Self, String> {
        if text == "absent" {
            return Ok(Put::Absent);
        }
        let value = serde_json::from_str(text);
        value
            .map(Put::Value)
            .map_err(|_| format!("`{text}` is not a value"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slot_is_read_and_written_back() {
        for text in [
            "thread/start ?",
            r#"thread/start {"model":?}"#,
            r#"turn/start {"input":[?],"threadId":"x?\"y"}"#,
            r#"turn/start {"a":{"b":[{"c":?}]}}"#,
        ] {
            assert_eq!(Slot::parse(text).unwrap().text(), text);
        }
        for text in ["thread/start", "thread/start {}", "thread/start {?}"] {
            assert!(Slot::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn values_are_put_in_and_left_out() {
        let line = |text: &str, put: Put| {
            let slot = Slot::parse(text).unwrap();
            let about = String::new();
            Question { about, slot, put }.line(1).to_string()
        };
        let text = r#"turn/start {"input":[],"threadId":?}"#;
        assert_eq!(
            line(text, Put::Absent),
            r#"{"id":1,"method":"turn/start","params":{"input":[]}}"#
        );
        assert_eq!(
            line(text, Put::Value(json!(5))),
            r#"{"id":1,"method":"turn/start","params":{"input":[],"threadId":5}}"#
        );
        assert_eq!(
            line("model/list ?", Put::Absent),
            r#"{"id":1,"method":"model/list"}"#
        );
        assert_eq!(
            line("model/list ?", Put::Value(Value::Null)),
            r#"{"id":1,"method":"model/list","params":null}"#
        );
    }
}
