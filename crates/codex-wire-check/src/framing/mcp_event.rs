//! Unwraps the core event that a notification of `codex mcp-server` holds.

use codex_wire_prefilter::View;

use crate::line::{Origin, Text, offset};

/// What an event has beside the members of a core event.
const META: &str = "_meta";

/// A core event, apart from the line that holds it.
pub(crate) struct Event {
    origin: Origin,
    text: String,
}

impl Event {
    /// The event that a notification holds in `params`. Its places are those in the line. `None` if it
    /// does not stand in the line.
    pub(crate) fn of(line: Text<'_>, params: View<'_>) -> Option<Self> {
        let (text, _) = bare(line.text, params)?;
        let part = line.part(params, line.origin.stated_writer, line.origin.connection);
        let origin = part.origin;
        Some(Event { origin, text })
    }

    /// The event as a line.
    pub(crate) fn line(&self) -> Text<'_> {
        Text::new(self.origin, &self.text)
    }
}

/// A core event as `params` holds it, and where it begins in the line: spaces stand for what is not part
/// of one. `None` if it does not stand in the line.
fn bare(line: &str, params: View<'_>) -> Option<(String, usize)> {
    let start = offset(line, params)?;
    let written = params.as_written();
    let mut event = String::with_capacity(written.len());
    let mut is_first = true;
    // Behind the brace, or behind the member before.
    let mut from = 1;
    let mut copied = 0;
    for (name, value) in params.members() {
        let mut end = offset(written, value)? + value.as_written().len();
        if name.is(META) {
            let rest = written.get(end..)?.trim_start();
            // The comma before goes with it, or that behind if it is the first member.
            if is_first && rest.starts_with(',') {
                end = written.len() - rest.len() + 1;
            }
            event.push_str(written.get(copied..from)?);
            event.extend(std::iter::repeat_n(' ', end.checked_sub(from)?));
            copied = end;
        } else {
            is_first = false;
        }
        from = end;
    }
    event.push_str(written.get(copied..)?);
    Some((event, start))
}

#[cfg(test)]
mod tests {
    use super::*;
    use codex_wire_prefilter::{Keys, Tape};

    fn bare_of(line: &str) -> (String, usize) {
        let mut tape = Tape::default();
        let view = View::of(line, &mut tape, Keys::Last);
        bare(line, view.get("params").unwrap()).unwrap()
    }

    /// What is left stands where it stood, and is JSON.
    #[test]
    fn only_an_event_is_left() {
        let event: serde_json::Value =
            serde_json::from_str(r#"{"id":"ü","msg":{"a":[1]}}"#).unwrap();
        for params in [
            r#"{"id":"ü","msg":{"a":[1]}}"#,
            r#"{"_meta":{"requestId":2},"id":"ü","msg":{"a":[1]}}"#,
            r#"{ "_meta" : {"t":"ü"} , "id":"ü" , "msg":{"a":[1]} }"#,
            r#"{"id":"ü","_meta":null,"msg":{"a":[1]}}"#,
            r#"{"id":"ü","msg":{"a":[1]} , "_meta":"}"}"#,
            r#"{"_meta":1,"_meta":2,"id":"ü","_meta":3,"msg":{"a":[1]},"_meta":4}"#,
            r#"{"\u005fmeta":{},"id":"ü","msg":{"a":[1]}}"#,
        ] {
            let line = format!(r#"{{"x":"ü","params":{params},"jsonrpc":"2.0"}}"#);
            let (left, start) = bare_of(&line);
            assert_eq!(start, line.find(params).unwrap());
            assert_eq!(left.len(), params.len(), "{params}");
            assert_eq!(left.find("\"id\""), params.find("\"id\""), "{left}");
            assert_eq!(left.find("\"msg\""), params.find("\"msg\""), "{left}");
            let read: serde_json::Value = serde_json::from_str(&left).unwrap();
            assert_eq!(read, event, "{left}");
        }
        assert_eq!(bare_of(r#"{"params":{"_meta":1}}"#).0, "{         }");
        assert_eq!(bare_of(r#"{"params":[1]}"#).0, "[1]");
        assert_eq!(bare_of(r#"{"params":{}}"#).0, "{}");
    }
}
