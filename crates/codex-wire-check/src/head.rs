//! The first members of a line, by which one guesses what it is before anything is known of it.

use codex_wire::Surface;
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
