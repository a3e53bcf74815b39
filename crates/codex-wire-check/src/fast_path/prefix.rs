//! Reads the first members of a line, to guess the kind of message before the line is parsed.

use codex_wire_base::MessageSet;
use codex_wire_prefilter::{Keys, Tape, View};

use crate::dialect::json_rpc::{Kind, whose};
use crate::writer::Writer;

/// How many members are examined.
const LOOKS: usize = 6;

/// What the members before the first object or array show. It is a guess: the line may be no
/// JSON at all.
#[derive(Debug, Default)]
pub(crate) struct Prefix<'a> {
    /// `type`.
    pub(crate) tag: Option<&'a str>,
    /// Whether `timestamp` comes first.
    pub(crate) is_timed: bool,
    pub(crate) method: Option<&'a str>,
    pub(crate) id: Option<View<'a>>,
    /// The name of the first member that is an object or array.
    pub(crate) body: Option<&'a str>,
}

impl<'a> Prefix<'a> {
    pub(crate) fn of(text: &'a str, tape: &'a Tape) -> Self {
        Self::usual(text).unwrap_or_else(|| Self::any(text, tape))
    }

    /// The prefix of a line that begins as Codex writes nearly all.
    fn usual(text: &'a str) -> Option<Self> {
        let word = |rest: &'a str| {
            let end = memchr::memchr2(b'"', b'\\', rest.as_bytes())?;
            rest[end..].starts_with('"').then(|| rest.split_at(end))
        };
        let mut prefix = Prefix::default();
        if let Some(rest) = text.strip_prefix("{\"type\":\"") {
            prefix.tag = Some(word(rest)?.0);
            return Some(prefix);
        }
        if let Some(rest) = text.strip_prefix("{\"timestamp\":\"") {
            let rest = word(rest)?.1.strip_prefix("\",")?;
            let rest = match rest.strip_prefix("\"ordinal\":") {
                Some(rest) => {
                    let behind = rest.trim_start_matches(|c: char| c.is_ascii_digit());
                    let has_digits = behind.len() < rest.len();
                    behind.strip_prefix(',').filter(|_| has_digits)?
                }
                None => rest,
            };
            prefix.tag = Some(word(rest.strip_prefix("\"type\":\"")?)?.0);
            prefix.is_timed = true;
            return Some(prefix);
        }
        let (method, rest) = word(text.strip_prefix("{\"method\":\"")?)?;
        if !rest.starts_with("\",\"params\":{") {
            return None;
        }
        prefix.method = Some(method);
        prefix.body = Some("params");
        Some(prefix)
    }

    fn any(text: &'a str, tape: &'a Tape) -> Self {
        let mut prefix = Prefix::default();
        let view = View::among(text, tape, Keys::First);
        for (name, value) in view.members().take(LOOKS) {
            let name = name.as_str();
            match name {
                "type" => prefix.tag = value.as_str(),
                "timestamp" => prefix.is_timed = true,
                "method" => prefix.method = value.as_str(),
                "id" => prefix.id = Some(value),
                _ => {}
            }
            if value.is_object() || value.is_array() {
                prefix.body = Some(name);
                break;
            }
            // Long texts stand behind the members that decide, and looking further takes a pass over them.
            if prefix.tag.is_some() {
                break;
            }
        }
        prefix
    }

    /// The kind of message of the app-server.
    pub(crate) fn kind(&self) -> Kind {
        match (self.method, self.id, self.body) {
            (Some(_), Some(_), _) => Kind::Request,
            (Some(_), None, _) => Kind::Notification,
            (None, _, Some("result")) => Kind::Response,
            (None, _, Some("error")) => Kind::Error,
            _ => Kind::Neither,
        }
    }

    /// What a message of the app-server other than a response is validated with.
    pub(crate) fn message_set(&self, kind: Kind, from: Option<Writer>) -> Option<MessageSet> {
        match kind {
            Kind::Error => Some(MessageSet::AppServerErrors),
            Kind::Request | Kind::Notification => Some(whose(self.method?, kind, from)),
            Kind::Response | Kind::Neither => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_way_tells_what_the_other_does() {
        let tape = Tape::new();
        let mut usual = 0;
        for text in [
            r#"{"type":"turn.started"}"#,
            r#"{"type":"item.completed","item":{"id":"a"}}"#,
            r#"{"type":"","id":1}"#,
            r#"{"type":"a\u0062","id":1}"#,
            r#"{"timestamp":"t","type":"response_item","payload":{}}"#,
            r#"{"timestamp":"t","ordinal":12,"type":"event_msg","payload":{}}"#,
            r#"{"timestamp":"t","ordinal":1.2,"type":"event_msg","payload":{}}"#,
            r#"{"timestamp":"t","ordinal":,"type":"event_msg","payload":{}}"#,
            r#"{"timestamp":"t","ordinal":12}"#,
            r#"{"timestamp":1,"type":"event_msg"}"#,
            r#"{"type":1}"#,
            r#"{"type":"#,
            r#"{"type":"a"#,
            r#"{"method":"a/b","params":{"id":1},"id":2}"#,
            r#"{"method":"a/b","params":[]}"#,
            r#"{"method":"a/b","id":3,"params":{}}"#,
            r#"{"method":"a\"","params":{}}"#,
            r#"{"method":"a"}"#,
            r#"{"id":1,"method":"a","params":{}}"#,
            r#"{"id":1,"result":{}}"#,
            "",
            "{",
        ] {
            let any = format!("{:?}", Prefix::any(text, &tape));
            assert_eq!(format!("{:?}", Prefix::of(text, &tape)), any, "{text}");
            usual += usize::from(Prefix::usual(text).is_some());
        }
        assert_eq!(usual, 6);
    }
}
