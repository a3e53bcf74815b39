//! Defines the dialects: kinds of stream, each of one protocol, with one or more message sets.

use codex_wire_base::{MessageSet, Protocol, Release, ReleaseBounds, ReleaseList};
use codex_wire_prefilter::View;
use codex_wire_schema::tags;

use super::{json_rpc, session_file};
use crate::writer::Writer;

/// A kind of stream: one dialect of a protocol, with one or more message sets.
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
    /// Session files from 0.34.0 on.
    Rollout,
    /// Session files up to 0.29.0.
    RolloutEarly,
    /// What hooks read and print.
    Hooks,
    /// What the `notify` program gets.
    Notify,
}

impl Dialect {
    /// All dialects, in the order of their protocols: of two that fit a message alike, the first is taken.
    pub(crate) const ALL: [Dialect; 8] = [
        Dialect::Exec,
        Dialect::ExecLegacy,
        Dialect::Core,
        Dialect::AppServer,
        Dialect::Rollout,
        Dialect::RolloutEarly,
        Dialect::Hooks,
        Dialect::Notify,
    ];

    pub(crate) fn protocol(self) -> Protocol {
        match self {
            Dialect::Exec | Dialect::ExecLegacy => Protocol::Exec,
            Dialect::Core => Protocol::Core,
            Dialect::AppServer => Protocol::AppServer,
            Dialect::Rollout | Dialect::RolloutEarly => Protocol::Rollout,
            Dialect::Hooks => Protocol::Hooks,
            Dialect::Notify => Protocol::Notify,
        }
    }

    /// Its message sets, the written one first.
    pub(crate) fn message_sets(self) -> &'static [MessageSet] {
        let written = match self {
            Dialect::Exec => MessageSet::Exec,
            Dialect::ExecLegacy => MessageSet::ExecLegacy,
            Dialect::Core => MessageSet::CoreEvents,
            Dialect::AppServer => MessageSet::AppServerServerNotifications,
            Dialect::Rollout => MessageSet::Rollout,
            Dialect::RolloutEarly => MessageSet::RolloutEarly,
            Dialect::Hooks => MessageSet::HooksInput,
            Dialect::Notify => MessageSet::Notify,
        };
        written.conversation()
    }

    /// The side that messages of a message set are of: its index in [`Self::message_sets`].
    pub(crate) fn side(self, message_set: MessageSet) -> usize {
        let mut message_sets = self.message_sets().iter();
        let found = message_sets.position(|other| *other == message_set);
        found.unwrap_or(0)
    }

    pub(crate) fn release_list(self) -> ReleaseList {
        self.message_sets()[0].release_list()
    }

    /// Whether a release speaks it: after its last release a dialect is gone, and the newest dialect is
    /// still growing.
    pub(crate) fn speaks(self, release: Release) -> bool {
        self.is_spoken_in(ReleaseBounds {
            since: Some(release),
            until: Some(release),
        })
    }

    /// Whether a release of a range speaks it.
    pub(crate) fn is_spoken_in(self, range: ReleaseBounds) -> bool {
        let release_list = self.release_list();
        let has_begun = range
            .until
            .is_none_or(|until| release_list.floor(until).is_some());
        let goes_on = || {
            range
                .since
                .is_none_or(|since| since <= release_list.latest())
        };
        has_begun && (self.message_sets()[0].is_current() || goes_on())
    }

    /// Whether a message has the tag of an event of exec.
    pub(crate) fn is_event(message: View<'_>) -> bool {
        let tag = message.get("type").and_then(View::as_str);
        tag.is_some_and(|tag| tags(MessageSet::Exec).contains(&tag))
    }

    /// The dialect whose streams begin with or hold such messages.
    pub(crate) fn of(message: View<'_>) -> Option<Dialect> {
        let has = |key: &str| message.get(key).is_some();
        let tag = message.get("type");
        // Most messages without a tag are of the app-server, which have a method.
        if tag.is_some() || !has("method") {
            if session_file::has_envelope(message) {
                return Some(Dialect::Rollout);
            }
            if session_file::is_early(message) {
                return Some(Dialect::RolloutEarly);
            }
            if message.get("hook_event_name").is_some_and(View::is_string) {
                return Some(Dialect::Hooks);
            }
            let is_notify = |tag: &str| tags(MessageSet::Notify).contains(&tag);
            if tag.and_then(View::as_str).is_some_and(is_notify) {
                return Some(Dialect::Notify);
            }
        }
        if has("msg") || has("op") {
            return Some(Dialect::Core);
        }
        if has("workdir") && has("model") || has("prompt") && !has("type") {
            return Some(Dialect::ExecLegacy);
        }
        if tag.is_none() {
            return json_rpc::looks_like(message).then_some(Dialect::AppServer);
        }
        Self::is_event(message).then_some(Dialect::Exec)
    }

    /// Whether a message that looks like one of this dialect certainly is one. Other programs
    /// speak JSON-RPC too.
    pub(crate) fn is_sure_of(self, message: View<'_>) -> bool {
        let has = |key: &str| message.get(key).is_some();
        match self {
            Dialect::AppServer => json_rpc::is_known(message),
            // Other agents have hooks with the same names of events.
            Dialect::Hooks => {
                let event = message.get_str("hook_event_name").unwrap_or_default();
                tags(MessageSet::HooksInput).contains(&event)
                    && (has("session_id") || has("output"))
            }
            // Data of others have prompts too.
            Dialect::ExecLegacy => has("workdir") && has("model") || has("msg") || has("op"),
            _ => true,
        }
    }

    /// The side whose message it is, other than for the app-server: by its members, and where these do
    /// not show by its writer.
    pub(crate) fn side_of(self, message: View<'_>, writer: Option<Writer>) -> usize {
        let has = |key: &str| message.get(key).is_some();
        if self == Dialect::Hooks {
            // What a hook prints has its event beside it.
            let printed = match (has("output"), has("session_id"), writer) {
                (true, false, _) => true,
                (false, true, _) => false,
                (output, _, None) => output,
                (_, _, Some(writer)) => writer == Writer::Client,
            };
            return usize::from(printed);
        }
        if self != Dialect::Core {
            return 0;
        }
        let submitted = match (has("op"), has("msg"), writer) {
            (true, false, _) | (true, true, None) => true,
            (false, true, _) | (false, false, None) => false,
            (_, _, Some(writer)) => writer == Writer::Client,
        };
        usize::from(submitted)
    }

    /// Who certainly wrote a message, whatever stands around it.
    pub(crate) fn sole_writer(message: View<'_>) -> Option<Writer> {
        let has = |key: &str| message.get(key).is_some();
        match Dialect::of(message)? {
            Dialect::Core => match (has("op"), has("msg")) {
                (true, false) => Some(Writer::Client),
                (false, true) => Some(Writer::Codex),
                _ => None,
            },
            Dialect::AppServer => match json_rpc::Kind::of(message) {
                kind @ (json_rpc::Kind::Request | json_rpc::Kind::Notification) => {
                    json_rpc::sole_writer(message.get_str("method")?, kind)
                }
                json_rpc::Kind::Response if json_rpc::user_agent(message).is_some() => {
                    Some(Writer::Codex)
                }
                _ => None,
            },
            Dialect::Hooks => None,
            _ => Some(Writer::Codex),
        }
    }

    /// Who writes the messages of a side.
    pub(crate) fn writer_of(self, side: usize) -> Writer {
        match self.message_sets()[side].is_written() {
            true => Writer::Codex,
            false => Writer::Client,
        }
    }
}
