//! Wire types of a user: one of each form the derive knows.

use codex_wire::json::{Extra, Raw};
use codex_wire::{Maybe, Unknown, UnknownCall, UnknownExternal, Wire};

/// An object.
#[derive(Clone, Debug, PartialEq, Wire)]
pub struct Note {
    /// What it says.
    pub text: String,
    /// How it is filed.
    #[wire(optional)]
    pub kind: Maybe<Kind>,
    /// What it is about.
    #[wire(optional)]
    pub about: Maybe<About>,
    /// What was done to it.
    #[wire(optional)]
    pub done: Maybe<Vec<Done>>,
    /// Anything else.
    #[wire(extra)]
    pub extra: Extra,
}

/// A string.
#[derive(Clone, Debug, PartialEq, Wire)]
pub enum Kind {
    /// For now.
    Draft,
    /// For good.
    Final,
    /// Any other.
    #[wire(unknown)]
    Unknown(String),
}

/// One of several shapes.
#[derive(Clone, Debug, PartialEq, Wire)]
#[wire(untagged)]
pub enum About {
    /// By its name.
    Name(String),
    /// By its number.
    Number(u32),
    /// Any other.
    #[wire(unknown)]
    Other(Raw),
}

/// Written around what it holds.
#[derive(Clone, Debug, PartialEq, Wire)]
#[wire(externally_tagged)]
pub enum Done {
    /// Nothing more to say.
    Read,
    /// To whom.
    Sent(String),
    /// Any other.
    #[wire(unknown)]
    Unknown(UnknownExternal),
}

/// An event: a union with its tag inside.
#[derive(Clone, Debug, PartialEq, Wire)]
#[wire(tag = "type")]
pub enum Event {
    /// A note came.
    Added(Note),
    /// Any other.
    #[wire(unknown)]
    Unknown(Unknown),
}

/// A union whose tag has the content beside it.
#[derive(Clone, Debug, PartialEq, Wire)]
#[wire(tag = "method", content = "params", variant_suffix = "Message")]
pub enum Call {
    /// Adds a note.
    Add(Note),
    /// Says nothing more.
    Ping,
    /// Any other.
    #[wire(unknown)]
    Unknown(UnknownCall),
}

/// What embeds it.
#[derive(Clone, Debug, PartialEq, Wire)]
#[wire(tag = "method", content = "params")]
pub struct Request {
    /// Names it.
    pub id: u64,
    /// What is asked.
    #[wire(variant)]
    pub call: Call,
    /// Anything else.
    #[wire(extra)]
    pub extra: Extra,
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOTE: &str =
        r#""text":"a","kind":"draft","about":7,"done":["read",{"sent":"b"}],"more":null"#;

    #[test]
    fn a_line_comes_back() {
        let line = format!(r#"{{"type":"added",{NOTE}}}"#);
        let event: Event = codex_wire::from_str(&line).unwrap();
        let Event::Added(note) = &event else {
            panic!("{event:?}");
        };
        assert_eq!(note.about, Maybe::Value(About::Number(7)));
        assert_eq!(codex_wire::to_string(&event), line);
        let line = format!(r#"{{"id":1,"method":"add","params":{{{NOTE}}}}}"#);
        let request: Request = codex_wire::from_str(&line).unwrap();
        assert_eq!(codex_wire::to_string(&request), line);
    }

    /// A message of a feature of codex-wire that is off is unknown, and comes back as it came.
    #[cfg(feature = "app-server-core")]
    #[test]
    fn a_method_that_is_off_is_kept() {
        use codex_wire::app_server::{
            ClientMessage, ClientRequestParams, ClientRequestResult, ServerMessage,
            ServerNotificationParams, ServerRequestParams,
        };
        use codex_wire::json::Raw;

        let params = r#"{"threadId":"t","n":1.0,"a":[{"b":null,"b":2}],"item":{"id":"i"}}"#;
        for (method, is_known) in [
            ("thread/archive", true),
            ("config/read", false),
            ("plugin/list", false),
            ("thread/realtime/start", false),
            ("remoteControl/enable", false),
            ("newConversation", false),
        ] {
            let line = format!(r#"{{"id":1,"method":"{method}","params":{params}}}"#);
            let message: ClientMessage = codex_wire::from_str(&line).unwrap();
            assert_eq!(codex_wire::to_string(&message), line);
            let ClientMessage::Request(request) = message else {
                panic!("{line}");
            };
            let is_unknown = matches!(request.params, ClientRequestParams::Unknown(_));
            assert_eq!((request.params.tag(), is_unknown), (method, !is_known));
            let result = Raw::new(params).unwrap();
            let result = ClientRequestResult::from_parts(method, Some(&result)).unwrap();
            let is_unknown = matches!(result, ClientRequestResult::Unknown(_));
            assert_eq!(is_unknown, !is_known, "{method}");
        }
        for (method, is_known) in [
            ("thread/archived", true),
            ("fs/changed", false),
            ("thread/realtime/closed", false),
            ("codex/event/task_complete", false),
        ] {
            let line = format!(r#"{{"method":"{method}","params":{params}}}"#);
            let message: ServerMessage = codex_wire::from_str(&line).unwrap();
            assert_eq!(codex_wire::to_string(&message), line);
            let ServerMessage::Notification(notification) = message else {
                panic!("{line}");
            };
            let is_unknown = matches!(notification.params, ServerNotificationParams::Unknown(_));
            assert_eq!(is_unknown, !is_known, "{method}");
        }
        let line = format!(r#"{{"id":1,"method":"attestation/generate","params":{params}}}"#);
        let message: ServerMessage = codex_wire::from_str(&line).unwrap();
        assert_eq!(codex_wire::to_string(&message), line);
        let ServerMessage::Request(request) = message else {
            panic!("{line}");
        };
        assert!(matches!(request.params, ServerRequestParams::Unknown(_)));
    }

    /// What the features of codex-wire promise of its types they promise of these.
    #[cfg(feature = "elsewhere")]
    #[test]
    fn there_is_a_schema_and_a_strategy() {
        fn whole<T: codex_wire::private::JsonSchema + codex_wire::generate::Generate>() {}
        whole::<Event>();
        whole::<Request>();
        let mut generator = codex_wire::private::SchemaGenerator::default();
        let schema = (codex_wire::private::type_of::<Note>().schema)(&mut generator);
        assert_eq!(schema.get("$ref").unwrap(), "#/$defs/Note");
    }
}
