//! Protocols, their message sets, and the releases that speak them.

use std::fmt;
use std::str::FromStr;

use crate::release_list::ReleaseList;
use crate::release_list::releases::{
    APP_SERVER_RELEASES, CORE_POINTS, CORE_RELEASES, EXEC_POINTS, EXEC_RELEASES, HOOKS_RELEASES,
    NOTIFY_RELEASES, ROLLOUT_EARLY_RELEASES, ROLLOUT_RELEASES,
};

/// A wire protocol of Codex.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Protocol {
    /// The lines of `codex exec --json`, from 0.42.0; see [`MessageSet::ExecLegacy`] for before.
    Exec,
    /// The queues of `codex proto`: submissions in, events out; up to 0.42.0.
    Core,
    /// The JSON-RPC of `codex app-server`, from 0.58.0.
    AppServer,
    /// What hooks read and print, from 0.114.0: one JSON object each.
    Hooks,
    /// What the `notify` program gets, from 0.20.0: one JSON object.
    Notify,
    /// The lines of session files, `rollout-*.jsonl`, from 0.34.0; see
    /// [`MessageSet::RolloutEarly`] for before.
    Rollout,
}

impl Protocol {
    /// All protocols this crate knows.
    pub const ALL: &'static [Protocol] = &[
        Protocol::Exec,
        Protocol::Core,
        Protocol::AppServer,
        Protocol::Hooks,
        Protocol::Notify,
        Protocol::Rollout,
    ];

    /// The name used on the command line and in file names.
    pub fn as_str(self) -> &'static str {
        match self {
            Protocol::Exec => "exec",
            Protocol::Core => "core",
            Protocol::AppServer => "app-server",
            Protocol::Hooks => "hooks",
            Protocol::Notify => "notify",
            Protocol::Rollout => "rollout",
        }
    }

    /// The releases that speak it.
    pub fn release_list(self) -> ReleaseList {
        match self {
            Protocol::Exec => ReleaseList {
                releases: EXEC_RELEASES,
                points: EXEC_POINTS,
            },
            Protocol::Core => ReleaseList {
                releases: CORE_RELEASES,
                points: CORE_POINTS,
            },
            Protocol::AppServer => ReleaseList {
                releases: APP_SERVER_RELEASES,
                points: &[],
            },
            Protocol::Hooks => ReleaseList {
                releases: HOOKS_RELEASES,
                points: &[],
            },
            Protocol::Notify => ReleaseList {
                releases: &NOTIFY_RELEASES,
                points: &[],
            },
            Protocol::Rollout => ReleaseList {
                releases: ROLLOUT_RELEASES,
                points: &[],
            },
        }
    }

    /// Its message sets.
    pub fn message_sets(self) -> &'static [MessageSet] {
        match self {
            Protocol::Exec => &[MessageSet::Exec, MessageSet::ExecLegacy],
            Protocol::Core => &[MessageSet::CoreEvents, MessageSet::CoreSubmissions],
            Protocol::AppServer => MessageSet::APP_SERVER,
            Protocol::Hooks => &[MessageSet::HooksInput, MessageSet::HooksOutput],
            Protocol::Notify => &[MessageSet::Notify],
            Protocol::Rollout => &[MessageSet::Rollout, MessageSet::RolloutEarly],
        }
    }
}

/// A message set: messages of a protocol with one writer, one schema and one list of releases.
/// Schemas are made per message set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum MessageSet {
    /// `codex exec --json`, early and current dialect.
    Exec,
    /// `codex exec --json` up to 0.42.0: two header lines, then core events.
    ExecLegacy,
    /// What `codex proto` writes.
    CoreEvents,
    /// What `codex proto` reads.
    CoreSubmissions,
    /// Requests of clients to `codex app-server`.
    AppServerClientRequests,
    /// Notifications of clients to `codex app-server`.
    AppServerClientNotifications,
    /// Responses of clients to `codex app-server`, each result with the method of its request.
    AppServerClientResponses,
    /// Requests of `codex app-server` to clients.
    AppServerServerRequests,
    /// Notifications of `codex app-server` to clients.
    AppServerServerNotifications,
    /// Responses of `codex app-server`, each result with the method of its request.
    AppServerServerResponses,
    /// Error responses of both sides.
    AppServerErrors,
    /// The items of threads, which are part of many messages of `codex app-server`.
    AppServerItems,
    /// What hooks read.
    HooksInput,
    /// What hooks print, each with its event beside it.
    HooksOutput,
    /// What the `notify` program gets.
    Notify,
    /// The lines of session files that name their kind beside a payload.
    Rollout,
    /// The lines of session files up to 0.29.0: a header, then bare items.
    RolloutEarly,
}

impl MessageSet {
    /// All message sets this crate knows.
    pub const ALL: &'static [MessageSet] = &[
        MessageSet::Exec,
        MessageSet::ExecLegacy,
        MessageSet::CoreEvents,
        MessageSet::CoreSubmissions,
        MessageSet::AppServerClientRequests,
        MessageSet::AppServerClientNotifications,
        MessageSet::AppServerClientResponses,
        MessageSet::AppServerServerRequests,
        MessageSet::AppServerServerNotifications,
        MessageSet::AppServerServerResponses,
        MessageSet::AppServerErrors,
        MessageSet::AppServerItems,
        MessageSet::HooksInput,
        MessageSet::HooksOutput,
        MessageSet::Notify,
        MessageSet::Rollout,
        MessageSet::RolloutEarly,
    ];

    /// Items last: they stand in messages and are none.
    const APP_SERVER: &'static [MessageSet] = &[
        MessageSet::AppServerServerNotifications,
        MessageSet::AppServerServerRequests,
        MessageSet::AppServerServerResponses,
        MessageSet::AppServerClientRequests,
        MessageSet::AppServerClientNotifications,
        MessageSet::AppServerClientResponses,
        MessageSet::AppServerErrors,
        MessageSet::AppServerItems,
    ];

    /// The message sets of one connection, this one included, those that Codex writes first. For
    /// items, which are only parts of messages, these are the message sets of the app-server.
    pub fn conversation(self) -> &'static [MessageSet] {
        match self {
            MessageSet::Exec => &[MessageSet::Exec],
            MessageSet::ExecLegacy => &[MessageSet::ExecLegacy],
            MessageSet::Rollout => &[MessageSet::Rollout],
            MessageSet::RolloutEarly => &[MessageSet::RolloutEarly],
            MessageSet::CoreEvents | MessageSet::CoreSubmissions => Protocol::Core.message_sets(),
            MessageSet::HooksInput | MessageSet::HooksOutput => Protocol::Hooks.message_sets(),
            MessageSet::Notify => Protocol::Notify.message_sets(),
            _ => match MessageSet::APP_SERVER {
                [messages @ .., MessageSet::AppServerItems] => messages,
                messages => messages,
            },
        }
    }

    /// The name used on the command line and in file names.
    pub fn as_str(self) -> &'static str {
        match self {
            MessageSet::Exec => "exec",
            MessageSet::ExecLegacy => "exec-legacy",
            MessageSet::CoreEvents => "core-events",
            MessageSet::CoreSubmissions => "core-submissions",
            MessageSet::AppServerClientRequests => "app-server-client-requests",
            MessageSet::AppServerClientNotifications => "app-server-client-notifications",
            MessageSet::AppServerClientResponses => "app-server-client-responses",
            MessageSet::AppServerServerRequests => "app-server-server-requests",
            MessageSet::AppServerServerNotifications => "app-server-server-notifications",
            MessageSet::AppServerServerResponses => "app-server-server-responses",
            MessageSet::AppServerErrors => "app-server-errors",
            MessageSet::AppServerItems => "app-server-items",
            MessageSet::HooksInput => "hooks-input",
            MessageSet::HooksOutput => "hooks-output",
            MessageSet::Notify => "notify",
            MessageSet::Rollout => "rollout",
            MessageSet::RolloutEarly => "rollout-early",
        }
    }

    /// The protocol it belongs to.
    pub fn protocol(self) -> Protocol {
        match self {
            MessageSet::Exec | MessageSet::ExecLegacy => Protocol::Exec,
            MessageSet::CoreEvents | MessageSet::CoreSubmissions => Protocol::Core,
            MessageSet::HooksInput | MessageSet::HooksOutput => Protocol::Hooks,
            MessageSet::Notify => Protocol::Notify,
            MessageSet::Rollout | MessageSet::RolloutEarly => Protocol::Rollout,
            _ => Protocol::AppServer,
        }
    }

    /// Whether Codex writes its messages; otherwise Codex reads them. Errors and items, which both
    /// sides write, count as written by Codex.
    pub fn is_written(self) -> bool {
        !matches!(
            self,
            MessageSet::CoreSubmissions
                | MessageSet::AppServerClientRequests
                | MessageSet::AppServerClientNotifications
                | MessageSet::AppServerClientResponses
                | MessageSet::HooksOutput
        )
    }

    /// Whether the types declare what a reader accepts as left out or `null`. Otherwise they
    /// declare what Codex writes, and Codex may accept more than that.
    pub fn is_declared(self) -> bool {
        matches!(self.protocol(), Protocol::AppServer | Protocol::Hooks)
    }

    /// Whether it has an experimental API, which clients have to opt into.
    pub fn has_stabilities(self) -> bool {
        self.protocol() == Protocol::AppServer
    }

    /// Whether the newest releases still speak it.
    pub fn is_current(self) -> bool {
        match self.protocol() {
            Protocol::Exec => self == MessageSet::Exec,
            Protocol::Rollout => self == MessageSet::Rollout,
            Protocol::Core => false,
            Protocol::AppServer | Protocol::Hooks | Protocol::Notify => true,
        }
    }

    /// The releases that speak it.
    pub fn release_list(self) -> ReleaseList {
        match self {
            MessageSet::Exec => Protocol::Exec.release_list(),
            // The legacy stream is made of core events and lived as long as they did.
            MessageSet::ExecLegacy => Protocol::Core.release_list(),
            MessageSet::RolloutEarly => ReleaseList {
                releases: ROLLOUT_EARLY_RELEASES,
                points: &[],
            },
            _ => self.protocol().release_list(),
        }
    }
}

impl From<Protocol> for MessageSet {
    /// The message set a protocol is first thought of by.
    fn from(protocol: Protocol) -> Self {
        match protocol {
            Protocol::Exec => MessageSet::Exec,
            Protocol::Core => MessageSet::CoreEvents,
            Protocol::AppServer => MessageSet::AppServerServerNotifications,
            Protocol::Hooks => MessageSet::HooksInput,
            Protocol::Notify => MessageSet::Notify,
            Protocol::Rollout => MessageSet::Rollout,
        }
    }
}

impl fmt::Display for MessageSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for MessageSet {
    type Err = ParseProtocolError;

    /// Reads the name of a message set, or of a protocol for its first message set.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        MessageSet::ALL
            .iter()
            .copied()
            .find(|message_set| message_set.as_str() == text)
            .map_or_else(|| text.parse::<Protocol>().map(Into::into), Ok)
    }
}

impl fmt::Display for Protocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The text names no protocol this crate knows.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a protocol; known: {known}", known = names())]
pub struct ParseProtocolError(String);

fn names() -> String {
    let names: Vec<_> = Protocol::ALL.iter().map(|p| p.as_str()).collect();
    names.join(", ")
}

impl FromStr for Protocol {
    type Err = ParseProtocolError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Protocol::ALL
            .iter()
            .copied()
            .find(|protocol| protocol.as_str() == text)
            .ok_or_else(|| ParseProtocolError(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::release::Release;
    use crate::release_list::ResolveError;

    #[test]
    fn releases_are_sorted() {
        for protocol in Protocol::ALL {
            assert!(protocol.release_list().releases().is_sorted());
        }
    }

    #[test]
    fn a_conversation_is_all_of_a_protocol_that_is_a_message() {
        for protocol in Protocol::ALL {
            for message_set in protocol.message_sets() {
                let spoken = message_set.conversation();
                assert_eq!(
                    spoken.contains(message_set),
                    *message_set != MessageSet::AppServerItems
                );
                assert!(spoken[0].is_written());
                // Each of them names the same ones, and all keep one list of releases.
                for other in spoken {
                    assert_eq!(other.conversation(), spoken);
                    assert_eq!(
                        other.release_list().releases(),
                        message_set.release_list().releases()
                    );
                }
            }
        }
    }

    #[test]
    fn unlisted_releases_speak_the_protocol_of_the_one_before() {
        let exec = Protocol::Exec.release_list();
        let r = |text| exec.resolve(text);
        assert_eq!(r("0.50.3"), Ok(Release::new(0, 50, 0)));
        assert_eq!(r("0.999.0"), Ok(exec.latest()));
        assert_eq!(r("llmx-2025-09-26"), Ok(Release::alpha(0, 43, 0, 1)));
        assert!(matches!(r("0.41.0"), Err(ResolveError::TooOld { .. })));
        assert!(matches!(r("agcodex"), Err(ResolveError::Unknown { .. })));
    }
}
