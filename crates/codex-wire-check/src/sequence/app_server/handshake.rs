//! Checks the handshake of a connection, and keeps what it agreed on.
//!
//! A client can opt out of notifications in its first line. If that line is not there, such
//! notifications are not reported as missing.

use codex_wire_prefilter::View;

use super::evidence::{CLIENT, CODEX, NOTIFICATIONS};
use super::state::Connection;
use super::state::{App, MessageContext, Wire};
use crate::dialect::json_rpc::{Kind, user_agent};
use crate::phrasing::Word;
use crate::rpc::call::Call;
use crate::rule::{Exception, Status};
use crate::rule_macros::{connections, rules};
use crate::sequence::machine::Observed;
use crate::severity::Severity;
use crate::violation::{Broken, MessageRef, Violation};
use crate::writer::Writer;
use codex_wire_base::MessageSet;

/// How many notifications a client can opt out of; there are fewer of them.
const MOST_OPTED_OUT: usize = 512;

impl Connection {
    pub(super) fn serial(&self) -> u64 {
        self.serial
    }

    pub(super) fn lost(&self) -> u64 {
        self.lost
    }

    /// An `initialize` beyond the first that was not answered.
    pub(super) fn again(&self) -> Option<MessageRef> {
        self.again
    }

    pub(super) fn lose(&mut self) {
        self.lost += 1;
        self.unsure_of_id = true;
    }

    pub(super) fn is_two_way(&self) -> bool {
        self.two_way && !self.truncated
    }
}

pub(super) fn again(message_ref: MessageRef) -> Violation {
    InitializeAgain
        .at("")
        .earlier(message_ref, "the first `initialize` is here")
}

/// What the client sends without having begun.
fn too_early(method: &str) -> Violation {
    let method = Word::of(method);
    InitializeNotFirst { method }.at("")
}

fn truncated_start() -> Violation {
    TruncatedStart.at("")
}

impl App {
    /// The connection of a message, which may be its first.
    pub(super) fn meet(&mut self, seen: &Observed<'_>, call: &Call) -> Wire {
        let key = seen.connection;
        if self.connections.get(&key).is_none() {
            self.met += 1;
            let begins = match call.writer {
                Writer::Client => call.method == Some("initialize"),
                Writer::Codex => user_agent(seen.message).is_some(),
            };
            let unsure = self.lost > 0 || self.connections.forgot();
            let fresh = Connection {
                serial: self.next_serial(),
                truncated: !begins || unsure,
                unreported: !begins && !unsure,
                ..Connection::default()
            };
            self.connections.insert(key, fresh);
        }
        let any = self.lost;
        let known = self.connections.get_mut(&key);
        let known = known.expect("it was put there if it was not");
        known.two_way |= call.writer == Writer::Client;
        Wire {
            key,
            serial: known.serial,
            partial: known.truncated || known.lost + any > 0,
            lost: known.lost + any,
        }
    }

    pub(super) fn connection(&mut self, at: &MessageContext<'_, '_>) -> &mut Connection {
        let known = self.connections.get_mut(&at.wire.key);
        known.expect("every message is met at its connection")
    }

    /// Whether the client does without a kind of notification, or may do: where its first line
    /// is not there, whatever Codex never sends may be left out on purpose.
    pub(super) fn is_silent(&self, at: &MessageContext<'_, '_>, method: &str) -> bool {
        let known = self.connections.get(&at.wire.key);
        known.is_some_and(|known| {
            let may = known.initialize.is_none() && !known.received.contains(method);
            may || known.opted_out.contains(method)
        })
    }

    pub(super) fn handshake(&mut self, at: &mut MessageContext<'_, '_>) {
        if at.call.writer == Writer::Codex {
            self.settle_start(at);
        }
        match (at.call.writer, at.call.kind) {
            (Writer::Client, Kind::Request | Kind::Notification) => self.hear_client(at),
            (Writer::Codex, Kind::Request | Kind::Notification) => {
                let partial = at.wire.partial;
                let connection = self.connection(at);
                let early = connection.initialize.filter(|_| !connection.is_open);
                if let (Some(message_ref), false, false) = (early, partial, connection.is_past) {
                    connection.is_past = true;
                    let method = Word::of(at.method);
                    let violation = BeforeInitialize { method }.at("/method");
                    at.violation(violation.earlier(message_ref, "`initialize` was sent here"));
                }
            }
            (Writer::Codex, Kind::Response | Kind::Error) => {
                let is_greeting = at.method == "initialize"
                    || at.method.is_empty() && user_agent(at.seen.message).is_some();
                if is_greeting {
                    self.greeted(at);
                }
            }
            _ => {}
        }
    }

    fn hear_client(&mut self, at: &mut MessageContext<'_, '_>) {
        let message_ref = at.seen.message_ref;
        let partial = at.wire.partial;
        let missed = self.lost > 0;
        let connection = self.connection(at);
        let checked = !partial && !connection.is_past;
        // Nothing is known of what a lost line held.
        let has_begun = connection.is_past || connection.lost > 0 || missed;
        let violation = match (at.method, connection.initialize) {
            ("initialize", before) => {
                let wanted = at.value("/params/capabilities/optOutNotificationMethods");
                let wanted = wanted.into_iter().flat_map(View::elements);
                connection.wanted = wanted
                    .filter_map(View::as_str)
                    .take(MOST_OPTED_OUT)
                    .map(str::to_owned)
                    .collect();
                match before {
                    None => {
                        connection.initialize = Some(message_ref);
                        let early = connection
                            .early
                            .take()
                            .filter(|_| at.seen.has_stated_writer);
                        connection.unreported &= early.is_none();
                        early.map(|(message_ref, method)| {
                            too_early(method).earlier(message_ref, "it was sent here")
                        })
                    }
                    // The second is refused, unless another process answers it.
                    Some(_) if connection.is_open => {
                        connection.again = Some(message_ref);
                        None
                    }
                    Some(first) => checked.then(|| again(first)),
                }
            }
            (_, None) => {
                connection.is_past = true;
                let is_said = connection.truncated && !connection.unreported;
                if !has_begun && !is_said {
                    let method = at.call.method.unwrap_or_default();
                    connection.early = Some((message_ref, method));
                    connection.unreported = true;
                }
                None
            }
            ("initialized", Some(first)) => {
                let place = "/method";
                let violation = match (
                    connection.is_open,
                    connection.initialized.replace(message_ref),
                ) {
                    (_, Some(before)) => Some(
                        InitializedAgain
                            .at(place)
                            .earlier(before, "it came here first"),
                    ),
                    (false, None) => Some(
                        InitializedEarly
                            .at(place)
                            .earlier(first, "`initialize` was sent here"),
                    ),
                    (true, None) => None,
                };
                violation.filter(|_| checked)
            }
            (method, Some(first)) if connection.initialized.is_none() => {
                connection.is_past = true;
                let method = Word::of(method);
                checked.then(|| {
                    BeforeInitialized { method }
                        .at("/method")
                        .earlier(first, "`initialize` was sent here")
                })
            }
            _ => None,
        };
        at.out.extend(violation);
    }

    /// Whether a stream without `initialize` lacks its start or has a client that does not begin
    /// as it should: then Codex says so.
    fn settle_start(&mut self, at: &mut MessageContext<'_, '_>) {
        let connection = self.connection(at);
        let is_refused = at.call.kind == Kind::Error;
        let early = connection.early;
        if !connection.unreported || is_refused && early.is_none() {
            return;
        }
        if user_agent(at.seen.message).is_some() {
            return;
        }
        connection.unreported = false;
        connection.early = None;
        let refused = is_refused && at.text("/error/message") == Some("Not initialized");
        let violation = match early.filter(|_| refused) {
            Some((message_ref, method)) => too_early(method)
                .earlier(message_ref, "it was sent here")
                .blame(Writer::Client),
            None => truncated_start(),
        };
        at.violation(violation);
    }

    /// Codex answers `initialize`.
    fn greeted(&mut self, at: &mut MessageContext<'_, '_>) {
        let is_result = at.call.kind == Kind::Response;
        let request = at.call.request;
        let connection = self.connection(at);
        let wanted = std::mem::take(&mut connection.wanted);
        let second = connection.again.filter(|again| request == Some(*again));
        if let (Some(second), false) = (second, is_result) {
            connection.again = None;
            return at.violation(again(second).blame(Writer::Client));
        }
        // Another process takes over the connection, or the first is only now seen to begin.
        let unseen = at.call.request.is_none() && connection.is_open;
        if is_result && (second.is_some() || unseen || connection.truncated) {
            let initialize = second.or(connection.initialize).filter(|_| !unseen);
            let two_way = connection.two_way;
            let serial = self.next_serial();
            let connection = self.connection(at);
            *connection = Connection {
                serial,
                initialize,
                is_open: true,
                two_way,
                is_past: two_way && initialize.is_none(),
                opted_out: wanted,
                ..Connection::default()
            };
            at.wire.serial = serial;
        } else if is_result {
            connection.is_open = true;
            connection.opted_out = wanted;
        } else if !connection.is_open {
            // Refused: the next one is the first.
            connection.initialize = None;
        }
    }

    /// Codex says nothing of what the client opted out of.
    pub(super) fn opted_out(&mut self, at: &mut MessageContext<'_, '_>) {
        let method = at
            .call
            .method
            .filter(|_| at.call.kind == Kind::Notification);
        let Some(method) = method else {
            return;
        };
        let connection = self.connection(at);
        let again = |last: &'static str| std::ptr::eq(last, method);
        if !connection.last_received.is_some_and(again) {
            connection.received.insert(method);
            connection.last_received = Some(method);
        }
        if connection.opted_out.contains(method) {
            let method = Word::of(at.method);
            at.violation(OptedOut { method }.at("/method"));
        }
    }
}

rules! {
    APP_BEFORE_INITIALIZE {
        summary: "Codex sends no notification and no request before its response to `initialize`",
        id: "sequence/app-server-before-initialize",
        about: &[
            MessageSet::AppServerServerNotifications,
            MessageSet::AppServerServerRequests,
        ],
        explanation: "The client is not ready before that. Warnings about the configuration follow \
            the response.",
        evidence: connections!("None breaks it."),
    } => {
        BeforeInitialize { method: Word }: "`{method}` comes before the response to `initialize`",
    }
    APP_TRUNCATED_START {
        summary: "a stream starts with `initialize`, or with the response to it",
        id: "sequence/app-server-truncated-start",
        about: CODEX,
        level: Severity::Note,
        status: Status::Advisory,
        exceptions: &[Exception::everywhere(
            Severity::Note,
            "logs that somebody began to copy while Codex ran",
        )],
        explanation: "This is reported once for each connection. A response without its request and \
            an end without its start are then accepted, if they started before the recording. If \
            the client really sends something else first, Codex answers with an error: see \
            `sequence/app-server-initialize-first`.",
        evidence: "Recorded connections of 15 releases from 0.58.0 to 0.169.0, each cut at \
            several places: the remaining part has no other error.",
    } => {
        TruncatedStart: "the stream begins in the middle: there is no `initialize`",
    }
    APP_INITIALIZE_AGAIN {
        summary: "a client sends `initialize` once on a connection",
        id: "sequence/app-server-initialize-again",
        about: CLIENT,
        explanation: "Codex answers the second with the error `Already initialized`. If it answers \
            with a result, another process has taken over, and the connection starts again.",
        evidence: connections!("Only tests break it; Codex refuses it in every release."),
    } => {
        InitializeAgain: "`initialize` is sent a second time on this connection",
    }
    APP_INITIALIZE_FIRST {
        summary: "the first message of a client is `initialize`",
        id: "sequence/app-server-initialize-first",
        about: CLIENT,
        explanation: "Codex answers anything else with the error `Not initialized`. If Codex does \
            not answer like this, the start of the recording is missing: see \
            `sequence/app-server-truncated-start`.",
        evidence: connections!("Only tests break it; Codex refuses it in every release."),
    } => {
        InitializeNotFirst { method: Word }: "`{method}` comes before `initialize`",
    }
    APP_INITIALIZED {
        summary: "the client sends `initialized` once, directly after the response to \
            `initialize`",
        id: "sequence/app-server-initialized",
        about: CLIENT,
        explanation: "It ends the handshake.",
        evidence: connections!("Only tests break it. Codex accepts it."),
    } => {
        InitializedAgain: "`initialized` comes again",
        InitializedEarly: "`initialized` comes before the response to `initialize`",
        BeforeInitialized { method: Word }: "`{method}` comes before `initialized`",
    }
    APP_OPTED_OUT {
        summary: "Codex sends no notification that the client opted out of",
        id: "sequence/app-server-opted-out",
        about: NOTIFICATIONS,
        explanation: "Names in `optOutNotificationMethods` of `initialize` must match exactly. No \
            other rule requires a notification that the client opted out of.",
        evidence: connections!("None breaks it."),
    } => {
        OptedOut { method: Word }: "the client opted out of `{method}`",
    }
}
