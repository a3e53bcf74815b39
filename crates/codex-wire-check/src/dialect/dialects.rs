//! Defines the dialects: kinds of stream, each of one protocol, with one or two sides.

use codex_wire_base::{MessageSet, Protocol, Release, ReleaseList};
use codex_wire_prefilter::View;
use codex_wire_schema::tags;

use super::json_rpc;
use crate::writer::Writer;

/// A kind of stream: one dialect of a protocol, with one or two sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// `codex exec --json` from 0.42.0 on.
    Exec,
    /// `codex exec --json` up to 0.42.0.
    ExecLegacy,
    /// `codex proto`.
    Core,
    /// `codex app-server`.
    AppServer,
}

impl Dialect {
    /// All dialects, the most frequent first.
    pub(crate) const ALL: [Dialect; 4] = [
        Dialect::Exec,
        Dialect::ExecLegacy,
        Dialect::Core,
        Dialect::AppServer,
    ];

    pub(crate) fn protocol(self) -> Protocol {
        match self {
            Dialect::Exec | Dialect::ExecLegacy => Protocol::Exec,
            Dialect::Core => Protocol::Core,
            Dialect::AppServer => Protocol::AppServer,
        }
    }

    /// Its message sets, the written one first.
    pub(crate) fn message_sets(self) -> &'static [MessageSet] {
        let written = match self {
            Dialect::Exec => MessageSet::Exec,
            Dialect::ExecLegacy => MessageSet::ExecLegacy,
            Dialect::Core => MessageSet::CoreEvents,
            Dialect::AppServer => MessageSet::AppServerServerNotifications,
        };
        written.conversation()
    }

    pub(crate) fn release_list(self) -> ReleaseList {
        self.message_sets()[0].release_list()
    }

    /// Whether a release speaks it: after its last release a dialect is gone, and the newest dialect is
    /// still growing.
    pub(crate) fn speaks(self, release: Release) -> bool {
        let release_list = self.release_list();
        release_list.floor(release).is_some()
            && (self.message_sets()[0].is_current() || release <= release_list.latest())
    }

    /// Whether a message has the tag of an event of exec.
    pub(crate) fn is_event(message: View<'_>) -> bool {
        let tag = message.get("type").and_then(View::as_str);
        tag.is_some_and(|tag| tags(MessageSet::Exec).contains(&tag))
    }

    /// The dialect whose streams begin with or hold such messages.
    pub(crate) fn of(message: View<'_>) -> Option<Dialect> {
        let has = |key: &str| message.get(key).is_some();
        if has("msg") || has("op") {
            return Some(Dialect::Core);
        }
        if has("workdir") && has("model") || has("prompt") && !has("type") {
            return Some(Dialect::ExecLegacy);
        }
        if message.get("type").is_none() {
            return json_rpc::looks_like(message).then_some(Dialect::AppServer);
        }
        Self::is_event(message).then_some(Dialect::Exec)
    }

    /// Whether a message that looks like one of this dialect certainly is one. Other programs
    /// speak JSON-RPC too.
    pub(crate) fn is_sure_of(self, message: View<'_>) -> bool {
        self != Dialect::AppServer || json_rpc::is_known(message)
    }

    /// The side whose message it is, other than for the app-server: by its members, and where these do
    /// not show by its writer.
    pub(crate) fn side_of(self, message: View<'_>, writer: Option<Writer>) -> usize {
        if self != Dialect::Core {
            return 0;
        }
        let has = |key: &str| message.get(key).is_some();
        let submitted = match (has("op"), has("msg"), writer) {
            (true, false, _) | (true, true, None) => true,
            (false, true, _) | (false, false, None) => false,
            (_, _, Some(writer)) => writer == Writer::Client,
        };
        usize::from(submitted)
    }

    /// Who writes the messages of a side.
    pub(crate) fn writer_of(self, side: usize) -> Writer {
        match self.message_sets()[side].is_written() {
            true => Writer::Codex,
            false => Writer::Client,
        }
    }
}
