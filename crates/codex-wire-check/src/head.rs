//! Reads the first members of a line, to guess the kind of message before the line is parsed.

use codex_wire_base::Surface;
use codex_wire_program::{Keys, Outline, View};

use crate::finding::Writer;
use crate::rpc::{Kind, whose};

/// How many members are looked at.
const LOOKS: usize = 6;

/// What the members before the first object or array tell. It is a guess: the line may be no
/// JSON at all.
#[derive(Debug, Default)]
pub(crate) struct Head<'a> {
    /// `type`.
    pub(crate) tag: Option<&'a str>,
    pub(crate) method: Option<&'a str>,
    pub(crate) id: Option<View<'a>>,
    /// The name of the first member that is an object or array.
    pub(crate) body: Option<&'a str>,
}

impl<'a> Head<'a> {
    pub(crate) fn of(text: &'a str, outline: &'a Outline) -> Self {
        Self::usual(text).unwrap_or_else(|| Self::any(text, outline))
    }

    /// The head of a line that begins as Codex writes nearly all.
    fn usual(text: &'a str) -> Option<Self> {
        let word = |rest: &'a str| {
            let end = memchr::memchr2(b'"', b'\\', rest.as_bytes())?;
            rest[end..].starts_with('"').then(|| rest.split_at(end))
        };
        let mut head = Head::default();
        if let Some(rest) = text.strip_prefix("{\"type\":\"") {
            head.tag = Some(word(rest)?.0);
            return Some(head);
        }
        let (method, rest) = word(text.strip_prefix("{\"method\":\"")?)?;
        if !rest.starts_with("\",\"params\":{") {
            return None;
        }
        head.method = Some(method);
        head.body = Some("params");
        Some(head)
    }

    fn any(text: &'a str, outline: &'a Outline) -> Self {
        let mut head = Head::default();
        let view = View::among(text, outline, Keys::First);
        for (name, value) in view.members().take(LOOKS) {
            let name = name.as_str();
            match name {
                "type" => head.tag = value.as_str(),
                "method" => head.method = value.as_str(),
                "id" => head.id = Some(value),
                _ => {}
            }
            if value.is_object() || value.is_array() {
                head.body = Some(name);
                break;
            }
            // Long texts stand behind what tells, and looking further takes a pass over them.
            if head.tag.is_some() {
                break;
            }
        }
        head
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

    /// What a message of the app-server other than an answer is judged by.
    pub(crate) fn surface(&self, kind: Kind, from: Option<Writer>) -> Option<Surface> {
        match kind {
            Kind::Error => Some(Surface::AppServerErrors),
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
        let outline = Outline::new();
        let mut usual = 0;
        for text in [
            r#"{"type":"turn.started"}"#,
            r#"{"type":"item.completed","item":{"id":"a"}}"#,
            r#"{"type":"","id":1}"#,
            r#"{"type":"a\u0062","id":1}"#,
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
            let any = format!("{:?}", Head::any(text, &outline));
            assert_eq!(format!("{:?}", Head::of(text, &outline)), any, "{text}");
            usual += usize::from(Head::usual(text).is_some());
        }
        assert_eq!(usual, 4);
    }
}
