//! Tells the kinds of JSON-RPC messages apart, and looks up methods: which exist, and which side
//! sends them.

use std::collections::HashMap;
use std::sync::LazyLock;

use codex_wire_base::MessageSet;
use codex_wire_prefilter::View;
use codex_wire_schema::tags;
use foldhash::fast::RandomState;

use crate::writer::Writer;

/// A kind of message, by the members it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// `method` and `id`.
    Request,
    /// `method` alone.
    Notification,
    /// `result` without `method`.
    Response,
    /// `error` without `method`.
    Error,
    /// None of these.
    Neither,
}

impl Kind {
    /// The kind of a message.
    pub(crate) fn of(message: View<'_>) -> Self {
        Kind::with(message, message.get("method"), message.get("id"))
    }

    /// The kind of a message that has this method and this id.
    pub(crate) fn with(message: View<'_>, method: Option<View<'_>>, id: Option<View<'_>>) -> Self {
        match (method, id) {
            (Some(_), Some(_)) => Kind::Request,
            (Some(_), None) => Kind::Notification,
            _ if message.get("result").is_some() => Kind::Response,
            _ if message.get("error").is_some() => Kind::Error,
            _ => Kind::Neither,
        }
    }
}

/// Whether an object can be meant as JSON-RPC.
pub(crate) fn looks_like(message: View<'_>) -> bool {
    match Kind::of(message) {
        Kind::Request | Kind::Notification => message.get("method").is_some_and(View::is_string),
        Kind::Response | Kind::Error => message.get("id").is_some(),
        Kind::Neither => false,
    }
}

/// Whether it is a message of `codex app-server` beyond doubt.
pub(crate) fn is_known(message: View<'_>) -> bool {
    match Kind::of(message) {
        Kind::Request | Kind::Notification => {
            let method = message.get_str("method").unwrap_or_default();
            METHODS.contains_key(method) && !is_of_others(message)
        }
        Kind::Response => user_agent(message).is_some(),
        Kind::Error | Kind::Neither => false,
    }
}

/// Whether a message has what MCP and LSP have, which share the names of some methods, and what
/// no client sends to Codex.
fn is_of_others(message: View<'_>) -> bool {
    message.get("jsonrpc").is_some()
        && (message.pointer("/params/protocolVersion").is_some()
            || message.pointer("/params/processId").is_some())
}

/// What Codex calls itself in the answer to `initialize`.
pub(crate) fn user_agent<'a>(message: View<'a>) -> Option<&'a str> {
    message.pointer("/result/userAgent")?.as_str()
}

/// The message sets that have a method.
static METHODS: LazyLock<HashMap<&'static str, Vec<MessageSet>, RandomState>> =
    LazyLock::new(|| {
        let mut methods = HashMap::<&'static str, Vec<MessageSet>, RandomState>::default();
        for writer in [Writer::Codex, Writer::Client] {
            for kind in [Kind::Request, Kind::Notification] {
                let message_set = message_set_of(writer, kind);
                for method in tags(message_set) {
                    methods.entry(method).or_default().push(message_set);
                }
            }
        }
        methods
    });

/// A method as it stands in the list of all.
pub(crate) fn known(method: &str) -> Option<&'static str> {
    METHODS.get_key_value(method).map(|(method, _)| *method)
}

/// The only side that sends requests or notifications of a method.
pub(crate) fn sole_writer(method: &str, kind: Kind) -> Option<Writer> {
    let known = METHODS.get(method)?;
    let sends = |writer: Writer| known.contains(&message_set_of(writer, kind));
    match (sends(Writer::Codex), sends(Writer::Client)) {
        (true, false) => Some(Writer::Codex),
        (false, true) => Some(Writer::Client),
        _ => None,
    }
}

/// The requests or notifications of a side; those kinds only.
pub(crate) fn message_set_of(writer: Writer, kind: Kind) -> MessageSet {
    match (writer, kind) {
        (Writer::Codex, Kind::Request) => MessageSet::AppServerServerRequests,
        (Writer::Codex, _) => MessageSet::AppServerServerNotifications,
        (Writer::Client, Kind::Request) => MessageSet::AppServerClientRequests,
        (Writer::Client, _) => MessageSet::AppServerClientNotifications,
    }
}

/// The results of a side.
pub(crate) fn results_of(writer: Writer) -> MessageSet {
    match writer {
        Writer::Codex => MessageSet::AppServerServerResponses,
        Writer::Client => MessageSet::AppServerClientResponses,
    }
}

/// Where a method is known, if not where it stands: as a help for the reader.
pub(crate) fn known_elsewhere(method: &str, kind: Kind) -> Option<String> {
    let message_sets = METHODS.get(method)?;
    let other = |message_set: &&MessageSet| {
        let asks = message_set.as_str().ends_with("-requests");
        asks != (kind == Kind::Request)
    };
    message_sets.iter().find(other)?;
    Some(match kind {
        Kind::Request => "it is a notification, which has no `id`".to_owned(),
        _ => "it is a request, which has an `id`".to_owned(),
    })
}

/// The message set a request or notification is of: that of its writer, unless only the other side
/// has such a method.
pub(crate) fn whose(method: &str, kind: Kind, from: Option<Writer>) -> MessageSet {
    let known = METHODS.get(method).map(Vec::as_slice).unwrap_or_default();
    let fits = |writer: Writer| known.contains(&message_set_of(writer, kind));
    // Codex sends notifications by itself, and the client sends requests.
    let likely = match kind {
        Kind::Request => Writer::Client,
        _ => Writer::Codex,
    };
    let writer = from.unwrap_or(likely);
    let writer = match fits(writer) || !fits(writer.other()) {
        true => writer,
        false => writer.other(),
    };
    message_set_of(writer, kind)
}
