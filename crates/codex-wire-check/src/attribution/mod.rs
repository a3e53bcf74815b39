//! The stage *attribution*: finds out which dialect a message is of, who wrote it, and which request it answers.
//!
//! `dialect` knows the dialects, `rpc` requests and responses; [`Attribution`] asks both.

pub(crate) mod accepted;
pub(crate) mod readings;
mod sides;

use self::sides::Sides;
use crate::dialect::Dialect;
use crate::dialect::detect::{DialectState, Shown};
use crate::dialect::json_rpc::Kind;
use crate::dialect::session_file::SessionLine;
use crate::framing::message::Message;
use crate::options::Limits;
use crate::rpc::call::Call;
use crate::rpc::tracker::{Fit, Incoming, Rpc};
use crate::rule_macros::rules;
use crate::violation::{Broken, Violation};
use crate::writer::Writer;
use codex_wire_base::{MessageSet, Protocol};

/// What the stage knows of a stream.
pub(crate) struct Attribution {
    pub(crate) dialect: DialectState,
    pub(crate) rpc: Rpc,
    pub(crate) sides: Sides,
}

/// A message, and whose it is.
pub(crate) struct Attributed<'m, 'a> {
    pub(crate) message: &'m Message<'a>,
    /// The dialect of the stream, or what it is taken for until a message shows it.
    pub(crate) dialect: Dialect,
    /// Whether a message has shown the dialect.
    pub(crate) is_known: bool,
    /// Whether nothing that was known of releases holds any longer.
    pub(crate) forgets_releases: bool,
    /// What the message shows by itself, and the dialect of the stream before it, if that was asked.
    pub(crate) shown: Option<(Dialect, Shown)>,
    /// Its message set, as an index of those of the dialect, if it is known.
    pub(crate) side: Option<usize>,
    /// Who writes such messages, if that is known.
    pub(crate) writer: Option<Writer>,
    /// What JSON-RPC says of it, for the app-server.
    pub(crate) call: Option<Call>,
    /// The line of a session file that it is.
    pub(crate) session_line: Option<SessionLine<'a>>,
    /// Whether it comes from a client that does without the experimental API.
    pub(crate) is_stable: bool,
}

impl Attributed<'_, '_> {
    /// Who writes such messages, whatever the recording says; Codex, if that is not known.
    pub(crate) fn writer_by_message(&self) -> Writer {
        self.writer.unwrap_or(Writer::Codex)
    }

    /// Who wrote it, as far as that is known: by the recording, else by the message.
    pub(crate) fn written_by(&self) -> Option<Writer> {
        self.message.line.origin.stated_writer.or(self.writer)
    }
}

/// How a message is attributed.
#[derive(Clone, Copy)]
pub(crate) struct How {
    /// Whether a compiled schema has accepted the message.
    pub(crate) is_accepted: bool,
    /// Whether the stream is only identified.
    pub(crate) only_identifies: bool,
}

impl Attribution {
    /// The state of a stream that may be one of some dialects.
    pub(crate) fn new(allowed: &[Dialect], protocol: Option<Protocol>, limits: &Limits) -> Self {
        Attribution {
            dialect: DialectState::new(allowed, protocol),
            rpc: Rpc::new(limits),
            sides: Sides::default(),
        }
    }

    /// Attributes a message. `fit` says how well a result fits a method.
    pub(crate) fn attribute<'m, 'a>(
        &mut self,
        message: &'m Message<'a>,
        how: How,
        fit: &dyn Fit,
    ) -> (Attributed<'m, 'a>, Vec<Violation>) {
        let mut shown = None;
        // What a hook prints does not show what it is.
        let forgets_releases = message.line.hook.is_none() && {
            if how.only_identifies {
                let before = self.dialect.or_first();
                // Not all lines of the early form show by themselves what they are.
                let is_same = how.is_accepted && before != Dialect::RolloutEarly;
                shown = Some(match is_same {
                    true => (before, Shown::Same),
                    false => (before, self.dialect.shown_by(message.view)),
                });
            }
            self.dialect.settle(message, how.is_accepted)
        };
        let dialect = self.dialect.or_first();
        let mut attributed = Attributed {
            message,
            dialect,
            is_known: self.dialect.dialect.is_some(),
            forgets_releases,
            shown,
            side: None,
            writer: None,
            call: None,
            session_line: None,
            is_stable: false,
        };
        let mut violations = Vec::new();
        if dialect == Dialect::AppServer {
            self.track(&mut attributed, fit, &mut violations);
        } else {
            let stated = message.line.origin.stated_writer;
            let side = match message.line.hook {
                Some(_) => dialect.side(MessageSet::HooksOutput),
                None => dialect.side_of(message.view, stated),
            };
            attributed.side = Some(side);
            attributed.writer = Some(dialect.writer_of(side));
            if dialect.protocol() == Protocol::Rollout {
                attributed.session_line = Some(SessionLine::of(message.view));
            }
        }
        violations.extend(wrong_side(&attributed));
        (attributed, violations)
    }

    /// Follows requests and responses: who wrote the message, and what it answers.
    fn track(
        &mut self,
        attributed: &mut Attributed<'_, '_>,
        fit: &dyn Fit,
        out: &mut Vec<Violation>,
    ) {
        let message = attributed.message;
        let origin = &message.line.origin;
        let incoming = Incoming {
            message,
            from: origin.stated_writer,
            connection: origin.connection,
        };
        let call = self.rpc.observe(&incoming, fit, out);
        // A request of Codex that also has an answer may be the answer of a client, with the method beside it.
        let has = |key: &str| message.view.get(key).is_some();
        let is_both = call.kind == Kind::Request
            && call.writer == Writer::Codex
            && (has("result") || has("error"));
        attributed.writer = (!is_both).then_some(call.writer);
        let dialect = attributed.dialect;
        attributed.side = call
            .message_set
            .map(|message_set| dialect.side(message_set));
        attributed.is_stable = call.kind == Kind::Request && self.rpc.is_stable(call.connection);
        attributed.call = Some(call);
    }
}

/// What is wrong with a recorded line if the other side writes such messages.
fn wrong_side(attributed: &Attributed<'_, '_>) -> Option<Violation> {
    let stated = attributed.message.line.origin.stated_writer;
    match (stated, attributed.writer_by_message()) {
        (Some(Writer::Codex), Writer::Client) => Some(CodexWritesForCodex.at_last("")),
        (Some(Writer::Client), Writer::Codex) => Some(ClientWritesOfCodex.at_last("")),
        _ => None,
    }
}

rules! {
    WRONG_SIDE {
        summary: "`from` of a recorded line names the side that can send this message",
        id: "schema/wrong-side",
        explanation: "The recording says that the client sent a message that only Codex sends, or \
            the opposite. Usually the recorder mixed up the two sides.",
        evidence: "Every recorded conversation keeps the sides apart.",
    } => {
        CodexWritesForCodex: "Codex writes a message for Codex",
        ClientWritesOfCodex: "the client writes a message of Codex",
    }
}
