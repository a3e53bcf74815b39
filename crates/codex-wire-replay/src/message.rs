//! What a client sends, as far as playing needs it.

use codex_wire_base::Protocol;
use codex_wire_base::json::Cursor;
use serde_json::{Value, json};

/// A message of a client.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Message {
    /// A request, or a submission of `codex proto`. The id is JSON.
    Request {
        id: String,
        method: String,
        params: Option<Value>,
    },
    Notification {
        method: String,
        params: Option<Value>,
    },
    /// The answer to a request of Codex: an object with `result` or `error`.
    Answer { id: String, content: Value },
}

/// Reads a line as Codex reads it; `None` if Codex does not answer it: it is malformed, or has an id
/// that is none.
pub(crate) fn of_client(protocol: Protocol, line: &str) -> Option<Message> {
    let value: Value = serde_json::from_str(line).ok()?;
    match protocol {
        Protocol::Core => submission(value),
        _ => call(line, value),
    }
}

/// What is wrong with a line that Codex does not read, in words without any of it; `None` if it reads the
/// line.
pub fn unread(protocol: Protocol, line: &str) -> Option<&'static str> {
    if of_client(protocol, line).is_some() {
        return None;
    }
    let is_json = serde_json::from_str::<serde::de::IgnoredAny>(line).is_ok();
    Some(match (is_json, protocol) {
        (false, _) => "is not JSON",
        (true, Protocol::Core) => "is not a submission",
        (true, _) => "is not a request, notification or answer",
    })
}

fn submission(mut value: Value) -> Option<Message> {
    let id = value.get("id")?.as_str()?;
    let id = Value::from(id).to_string();
    let op = value.get_mut("op")?.take();
    let method = op.get("type")?.as_str()?.to_owned();
    Some(Message::Request {
        id,
        method,
        params: Some(op),
    })
}

fn call(line: &str, value: Value) -> Option<Message> {
    // Codex reads an array of three as the members of a request.
    if let Value::Array(parts) = value {
        let [id, method, params] = <[Value; 3]>::try_from(parts).ok()?;
        return Some(Message::Request {
            id: usable(&id)?,
            method: method.as_str()?.to_owned(),
            params: Some(params),
        });
    }
    if repeats_a_key(line) {
        return None;
    }
    let Value::Object(mut members) = value else {
        return None;
    };
    let id = match members.get("id") {
        Some(id) => Some(usable(id)?),
        None => None,
    };
    let params = members.remove("params");
    match (members.get("method"), id) {
        (Some(method), Some(id)) => Some(Message::Request {
            id,
            method: method.as_str()?.to_owned(),
            params,
        }),
        (Some(method), None) => Some(Message::Notification {
            method: method.as_str()?.to_owned(),
            params,
        }),
        (None, Some(id)) => {
            let content = match (members.remove("result"), members.remove("error")) {
                (Some(result), None) => json!({ "result": result }),
                (_, Some(error)) => json!({ "error": error }),
                (None, None) => return None,
            };
            Some(Message::Answer { id, content })
        }
        (None, None) => None,
    }
}

/// An id as JSON, if it is one: a string, or a whole number of 64 bits.
fn usable(id: &Value) -> Option<String> {
    (id.is_string() || id.is_i64()).then(|| id.to_string())
}

/// Whether the object has one of the members that make a message twice.
fn repeats_a_key(line: &str) -> bool {
    let mut seen = [false; 5];
    let mut again = false;
    let read = Cursor::new(line).object(|cursor, key| {
        let known = ["id", "method", "params", "result", "error"];
        if let Some(at) = known.iter().position(|known| *known == key) {
            again |= std::mem::replace(&mut seen[at], true);
        }
        cursor.skip()
    });
    again || read.is_err()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_with_a_line_is_said() {
        let wrong = |line| unread(Protocol::AppServer, line);
        assert_eq!(wrong("{not json"), Some("is not JSON"));
        assert_eq!(
            wrong("{\"id\":1}"),
            Some("is not a request, notification or answer")
        );
        assert_eq!(wrong("{\"method\":\"initialized\"}"), None);
        assert_eq!(unread(Protocol::Core, "{}"), Some("is not a submission"));
    }

    /// Lines of which a recording says whether Codex 0.63.0 answers them.
    #[test]
    fn lines_are_read_as_codex_reads_them() {
        for silent in [
            "{not json",
            "",
            "[]",
            "42",
            "{}",
            "{\"id\":91}",
            "{\"id\":92,\"method\":5}",
            "{\"id\":null,\"method\":\"account/read\"}",
            "{\"id\":1.5,\"method\":\"account/read\"}",
            "{\"id\":true,\"method\":\"account/read\"}",
            "{\"id\":9223372036854775808,\"method\":\"account/read\"}",
            "{\"id\":93,\"method\":\"account/read\"} trailing",
            "{\"id\":96,\"id\":97,\"method\":\"account/read\"}",
            "\u{feff}{\"id\":98,\"method\":\"account/read\"}",
            "[1,2]",
            "[102,\"account/read\",{},null]",
        ] {
            assert_eq!(of_client(Protocol::AppServer, silent), None, "{silent}");
        }
        for (answered, id) in [
            ("{\"id\":99,\"method\":\"account/read\"}\r", "99"),
            ("[101,\"account/read\",{}]", "101"),
            ("{\"id\":\"\",\"method\":\"account/read\"}", "\"\""),
            ("{\"id\":-1,\"method\":\"account/read\"}", "-1"),
        ] {
            let message = of_client(Protocol::AppServer, answered);
            let Some(Message::Request { id: found, .. }) = message else {
                panic!("{answered}: {message:?}");
            };
            assert_eq!(found, id);
        }
    }
}
