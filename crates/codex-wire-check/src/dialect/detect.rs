//! Decides which dialect a stream is, message by message.

use codex_wire_base::{Protocol, Release, ReleaseBounds};
use codex_wire_prefilter::View;

use super::dialects::Dialect;
use super::foreign;
use super::mcp_server::{Known, McpServer};
use crate::framing::message::Message;

/// What is known of the dialect of a stream.
pub(crate) struct DialectState {
    /// The dialects it may be, by the options.
    allowed: Vec<Dialect>,
    /// The dialect, once a message has shown it.
    pub(crate) dialect: Option<Dialect>,
    /// The protocol: as the user or the recording states, or that of the dialect.
    pub(crate) protocol: Option<Protocol>,
    /// How many messages of a kind that the dialect has were seen.
    pub(crate) recognized: u64,
    /// The dialect of messages that the stated release does not speak, once one has come.
    pub(crate) unspoken: Option<Dialect>,
    /// What the first line that is not a message looks like, if that is known.
    looks_like: Option<&'static str>,
    /// The dialect of the first message that is surely of one which the options rule out.
    ruled_out: Option<Dialect>,
    /// Whether the stream is one of `codex mcp-server`.
    pub(crate) mcp_server: McpServer,
}

/// What a message shows of the dialect where a stream is only identified.
pub(crate) enum Shown {
    /// The message is of no dialect.
    Nothing,
    /// The message does not speak against the dialect.
    Same,
    /// What came before only looked like something: nothing is known any more.
    Restart,
    /// The message is surely of another dialect.
    Other(Dialect),
}

impl DialectState {
    /// The state of a stream that may be one of some dialects.
    pub(crate) fn new(allowed: &[Dialect], protocol: Option<Protocol>) -> Self {
        DialectState {
            allowed: allowed.to_vec(),
            dialect: None,
            protocol,
            recognized: 0,
            unspoken: None,
            looks_like: None,
            ruled_out: None,
            mcp_server: McpServer::default(),
        }
    }

    /// The dialects the stream can have: of the protocol that is stated, if any is.
    pub(crate) fn candidates(&self) -> impl Iterator<Item = Dialect> {
        let fits = |dialect: &Dialect| Some(dialect.protocol()) == self.protocol;
        let stated = self.allowed.iter().any(fits);
        let protocol = self.protocol.filter(|_| stated);
        let of_protocol = move |dialect: &Dialect| protocol.is_none_or(|p| p == dialect.protocol());
        self.allowed.iter().copied().filter(of_protocol)
    }

    /// The dialect of the stream, or the one it is taken for until a message shows it.
    pub(crate) fn or_first(&self) -> Dialect {
        let first = || self.candidates().next();
        self.dialect.or_else(first).unwrap_or(self.allowed[0])
    }

    /// Examines a message for the dialect of the stream, unless that is known and the prefilter has
    /// accepted the message. Returns whether nothing that was known of releases holds any longer.
    pub(crate) fn settle(&mut self, message: &Message<'_>, accepted: bool) -> bool {
        // The stream has such messages already: nothing is new.
        if self.dialect.is_some() && accepted && self.recognized > 0 {
            self.recognized += 1;
            return false;
        }
        let view = message.view;
        let may_be = |dialect: Dialect| self.candidates().any(|other| other == dialect);
        // A member that core messages have does not make one of an event, where those may come.
        let may_be_exec =
            self.dialect.is_none_or(|dialect| dialect == Dialect::Exec) && may_be(Dialect::Exec);
        let event = (may_be_exec && Dialect::is_event(view)).then_some(Dialect::Exec);
        let found = event
            .or_else(|| Dialect::of(view))
            .map(|dialect| match dialect {
                // A legacy stream goes on with core events behind its two header lines.
                Dialect::Core if self.dialect == Some(Dialect::ExecLegacy) => Dialect::ExecLegacy,
                // So does one whose start is missing, if the user says it is one.
                Dialect::Core if !may_be(Dialect::Core) => Dialect::ExecLegacy,
                dialect => dialect,
            });
        let allowed = found.filter(|dialect| may_be(*dialect));
        let sure = allowed.is_some_and(|dialect| dialect.is_sure_of(view));
        let is_ruled_out =
            |dialect: &Dialect| !self.allowed.contains(dialect) && dialect.is_sure_of(view);
        self.ruled_out = self.ruled_out.or(found.filter(is_ruled_out));
        if !sure {
            self.examine_message(message);
        }
        match (self.dialect, allowed) {
            (Some(dialect), Some(found)) if dialect == found => {
                self.recognized += u64::from(sure);
                false
            }
            (None, Some(found)) => {
                self.recognized += u64::from(sure);
                self.dialect = Some(found);
                self.protocol = Some(found.protocol());
                true
            }
            (None, None) => true,
            (Some(_), None) => false,
            (Some(_), Some(_)) => {
                self.examine_message(message);
                false
            }
        }
    }

    /// Takes note of a message whose dialect is known by other means. Returns whether nothing that was
    /// known of releases holds any longer; `None` if the stream is of another dialect.
    pub(crate) fn enter(&mut self, dialect: Dialect) -> Option<bool> {
        if !self.allowed.contains(&dialect) || self.dialect.is_some_and(|other| other != dialect) {
            return None;
        }
        self.recognized += 1;
        self.protocol = Some(dialect.protocol());
        Some(self.dialect.replace(dialect).is_none())
    }

    /// Takes note of a message that goes on as the one before.
    pub(crate) fn recognize(&mut self) {
        self.recognized += 1;
    }

    /// Finds out by a message whether the stream is one of `codex mcp-server`. Returns the release that it names.
    pub(crate) fn examine_mcp_server(
        &mut self,
        message: View<'_>,
        known: Known,
    ) -> Option<Release> {
        let (mcp_server, release) = McpServer::of(message, known);
        self.mcp_server = mcp_server;
        release
    }

    /// An event that a message of `codex mcp-server` holds comes next.
    pub(crate) fn begin_mcp_event(&mut self) {
        self.mcp_server = McpServer::Event;
    }

    /// The event is done with.
    pub(crate) fn end_mcp_event(&mut self) {
        self.mcp_server = McpServer::Checked;
    }

    /// Takes note of a message that may be none.
    fn examine_message(&mut self, message: &Message<'_>) {
        if self.looks_like.is_none() && self.recognized == 0 {
            self.looks_like = foreign::message(message.tree());
        }
    }

    /// Takes note of a line that is not text.
    pub(crate) fn examine_bytes(&mut self, line: &[u8]) {
        if self.recognized == 0 {
            self.looks_like = foreign::bytes(line, self.looks_like);
        }
    }

    /// Takes note of a line that is not JSON.
    pub(crate) fn examine_text(&mut self, line: &str) {
        if self.recognized == 0 {
            self.looks_like = foreign::text(line, self.looks_like);
        }
    }

    /// Takes note of a line that is a JSON array.
    pub(crate) fn examine_array(&mut self) {
        self.looks_like.get_or_insert(foreign::ARRAY);
    }

    /// What a message shows of the dialect by itself.
    pub(crate) fn shown_by(&mut self, message: View<'_>) -> Shown {
        let Some(found) = Dialect::of(message) else {
            return Shown::Nothing;
        };
        let Some(dialect) = self.dialect else {
            return Shown::Same;
        };
        let goes_on = (dialect, found) == (Dialect::ExecLegacy, Dialect::Core);
        if dialect == found || goes_on || !found.is_sure_of(message) {
            return Shown::Same;
        }
        if self.recognized == 0 {
            self.dialect = None;
            self.protocol = None;
            return Shown::Restart;
        }
        Shown::Other(found)
    }

    /// The dialect of a message that the stated release does not speak. Whoever states a protocol
    /// wants the message validated by that.
    pub(crate) fn unspoken(
        &mut self,
        message: View<'_>,
        stated: Release,
        protocol: Option<Protocol>,
    ) -> Option<Dialect> {
        let found = match (self.unspoken, Dialect::of(message)?) {
            // A legacy stream goes on with core events behind its two header lines.
            (Some(Dialect::ExecLegacy), Dialect::Core) => Dialect::ExecLegacy,
            (_, found) => found,
        };
        let may_be = protocol.is_none_or(|protocol| protocol == found.protocol());
        let sure = self.unspoken == Some(found) || found.is_sure_of(message);
        if found.speaks(stated) || !may_be || !sure {
            return None;
        }
        self.unspoken = Some(found);
        self.unspoken
    }

    /// Why an input without a message that was recognized is given up; `protocol` is what the
    /// user states.
    pub(crate) fn not_a_transcript(&self, protocol: Option<Protocol>) -> String {
        let of = match protocol {
            Some(protocol) => format!("of {protocol}"),
            None => "of a known protocol".to_owned(),
        };
        let named = match &self.mcp_server {
            McpServer::Named(named) => Some(&**named),
            _ => None,
        };
        let other = || {
            let dialect = self.ruled_out?;
            let list = dialect.release_list();
            let releases = ReleaseBounds {
                since: Some(list.first()),
                until: Some(list.latest()).filter(|_| !dialect.message_sets()[0].is_current()),
            };
            let own = dialect.protocol();
            Some(match protocol.is_none_or(|stated| stated == own) {
                true => format!("{own} of {releases}, which no release of the range writes"),
                false => own.to_string(),
            })
        };
        let named = named.or(self.looks_like).map(str::to_owned);
        match named.or_else(other) {
            Some(what) => format!("not a transcript {of}: it looks like {what}"),
            None => format!("not a transcript {of}: no line is one of its messages"),
        }
    }
}
