//! Protocols, their message sets, and the releases that speak them.

mod app_server;

use std::fmt;
use std::str::FromStr;

use crate::release::Release;

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
                releases: app_server::RELEASES,
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

/// The releases of one protocol, oldest first, and the named points between them.
#[derive(Clone, Copy, Debug)]
pub struct ReleaseList {
    releases: &'static [Release],
    points: &'static [Point],
}

/// A fork or client that speaks a protocol as some Codex release does.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Point {
    /// The name to give instead of a release.
    pub name: &'static str,
    /// The release whose protocol it speaks.
    pub release: Release,
    /// What it is.
    pub about: &'static str,
}

/// A release cannot be placed on a list of releases.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ResolveError {
    /// The text is neither a release nor a named point.
    #[error("`{text}` is neither a release like 0.44.0 nor a named point; points: {points}")]
    Unknown {
        /// What was given.
        text: String,
        /// The names that would do.
        points: String,
    },
    /// The release is older than the protocol.
    #[error("{release} is older than the protocol, which begins at {first}")]
    TooOld {
        /// What was given.
        release: Release,
        /// The first release that speaks the protocol.
        first: Release,
    },
}

impl ReleaseList {
    /// All releases, oldest first.
    pub fn releases(self) -> &'static [Release] {
        self.releases
    }

    /// The named points.
    pub fn points(self) -> &'static [Point] {
        self.points
    }

    /// The oldest release.
    pub fn first(self) -> Release {
        self.releases[0]
    }

    /// The newest release this crate knows.
    pub fn latest(self) -> Release {
        self.releases[self.releases.len() - 1]
    }

    /// The newest listed release that is not newer than `release`. An unlisted release is treated
    /// as this one. `None` if `release` is older than the protocol.
    pub fn floor(self, release: Release) -> Option<Release> {
        let above = self.releases.partition_point(|listed| *listed <= release);
        above.checked_sub(1).map(|index| self.releases[index])
    }

    /// Resolves a release number, or the name of a point, to a listed release.
    ///
    /// # Errors
    /// When the text is neither, or the release is older than the protocol.
    pub fn resolve(self, text: &str) -> Result<Release, ResolveError> {
        if let Some(point) = self.points.iter().find(|point| point.name == text) {
            return Ok(point.release);
        }
        let release: Release = text.parse().map_err(|_| ResolveError::Unknown {
            text: text.to_owned(),
            points: self
                .points
                .iter()
                .map(|point| point.name)
                .collect::<Vec<_>>()
                .join(", "),
        })?;
        self.floor(release).ok_or(ResolveError::TooOld {
            release,
            first: self.first(),
        })
    }
}

macro_rules! releases {
    ($($minor:literal $patch:literal $(alpha $alpha:literal)?),* $(,)?) => {
        &[$(releases!(@one $minor $patch $($alpha)?)),*]
    };
    (@one $minor:literal $patch:literal) => { Release::new(0, $minor, $patch) };
    (@one $minor:literal $patch:literal $alpha:literal) => {
        Release::alpha(0, $minor, $patch, $alpha)
    };
}

/// Releases of the npm package, with those upstream tags between them at which the stream
/// changed (0.43.0 and its alphas, 0.48.0, 0.51.0, 0.62.0).
#[rustfmt::skip]
const EXEC_RELEASES: &[Release] = releases![
    42 0, 43 0 alpha 1, 43 0 alpha 4, 43 0 alpha 5, 43 0, 44 0, 45 0, 47 0, 48 0, 49 0, 50 0, 51 0,
    53 0, 55 0, 57 0, 58 0, 59 0, 60 1, 61 0, 62 0, 63 0, 64 0, 65 0, 66 0, 72 0, 73 0, 74 0, 75 0,
    77 0, 79 0, 80 0, 87 0, 89 0, 90 0, 92 0, 93 0, 94 0, 95 0, 96 0, 97 0, 98 0, 99 0, 100 0,
    101 0, 104 0, 105 0, 106 0, 107 0, 110 0, 111 0, 113 0, 114 0, 115 0, 116 0, 117 0, 118 0,
    120 0, 121 0, 122 0, 123 0, 124 0, 125 0, 128 0, 129 0, 130 0, 131 0, 132 0, 133 0, 134 0,
    135 0, 136 0, 137 0, 138 0, 139 0, 140 0, 141 0, 142 0, 142 1, 142 2, 142 3, 142 4, 142 5,
    143 0, 144 0, 144 1, 144 2, 144 3, 144 4, 144 5, 144 6, 145 0, 146 0, 146 1, 147 0, 148 0,
    149 0, 149 1, 150 0, 150 1, 151 0, 152 0, 152 1, 153 0, 153 1, 153 2, 153 3, 153 4, 154 0,
    155 0, 155 1, 156 0, 156 1, 157 0, 157 1, 158 0, 159 0, 159 1, 159 2, 159 3, 160 0, 160 1,
    161 0, 162 0, 162 1, 163 0, 164 0, 165 0, 166 0, 169 0,
];

/// How many releases the longest release list has.
pub(crate) const LONGEST: usize = {
    let lengths = [
        EXEC_RELEASES.len(),
        CORE_RELEASES.len(),
        app_server::RELEASES.len(),
        HOOKS_RELEASES.len(),
        NOTIFY_RELEASES.len(),
        ROLLOUT_RELEASES.len(),
    ];
    let (mut longest, mut index) = (0, 0);
    while index < lengths.len() {
        if lengths[index] > longest {
            longest = lengths[index];
        }
        index += 1;
    }
    longest
};

/// The releases whose embedded schemas of hooks are known: those of the app-server's list from
/// 0.114.0 on, because one run of `cargo xtask sync` takes both from a program. A test of `xtask`
/// compares them with the archive of these schemas.
const HOOKS_RELEASES: &[Release] = {
    let mut first = 0;
    // Releases cannot be compared in a constant.
    while app_server::RELEASES[first].minor() < 114 {
        first += 1;
    }
    app_server::RELEASES.split_at(first).1
};

/// The releases of `codex proto`, then those of `codex exec --json`: of all of them it is known what
/// `notify` gets. Both lists have 0.42.0.
const NOTIFY_RELEASES: [Release; CORE_RELEASES.len() + EXEC_RELEASES.len() - 1] = {
    let mut all = [CORE_RELEASES[0]; CORE_RELEASES.len() + EXEC_RELEASES.len() - 1];
    let mut index = 0;
    while index < all.len() {
        all[index] = match index < CORE_RELEASES.len() {
            true => CORE_RELEASES[index],
            false => EXEC_RELEASES[index - CORE_RELEASES.len() + 1],
        };
        index += 1;
    }
    all
};

const EXEC_POINTS: &[Point] = &[Point {
    name: "llmx-2025-09-26",
    release: Release::alpha(0, 43, 0, 1),
    about: "llmx's exec_events.rs of 2025-09-26: session.created with turn events and usage, \
            as in 0.43.0-alpha.1 to alpha.4",
}];

/// Releases of the npm package with `codex proto`, and the upstream tags between them at which
/// the queues changed. 0.22.0-alpha.1 stands for the commits between 0.21.0 and 0.22.0.
#[rustfmt::skip]
const CORE_RELEASES: &[Release] = releases![
    20 0, 21 0, 22 0 alpha 1, 22 0, 23 0, 24 0, 25 0, 26 0, 27 0, 28 0, 29 0, 30 0, 31 0, 32 0,
    33 0, 34 0, 35 0, 36 0, 39 0, 40 0, 41 0, 42 0,
];

const CORE_POINTS: &[Point] = &[
    Point {
        name: "llmx-2025-08-13",
        release: Release::alpha(0, 22, 0, 1),
        about: "llmx's core/src/protocol.rs of 2025-08-13: 0.21.0 with \
                agent_reasoning_section_break, before user_turn",
    },
    Point {
        name: "agcodex-0.1.0",
        release: Release::new(0, 23, 0),
        about: "the crate agcodex-protocol 0.1.0: the queues of 0.23.0",
    },
];

/// Releases whose session files have no envelope. No release of 0.30.0 to 0.33.0 was recorded: npm
/// has none of them.
#[rustfmt::skip]
const ROLLOUT_EARLY_RELEASES: &[Release] = releases![
    20 0, 21 0, 22 0, 23 0, 24 0, 25 0, 26 0, 27 0, 28 0, 29 0,
];

/// Releases whose session files have an envelope, before those that also speak the protocol `exec`.
#[rustfmt::skip]
const ROLLOUT_BEFORE_EXEC: &[Release] = releases![34 0, 35 0, 36 0, 39 0, 40 0, 41 0];

/// Releases whose session files have an envelope. No npm release lies between 0.42.0 and 0.44.0, so
/// nothing is known of the alphas in between, which `exec` lists.
const ROLLOUT_RELEASES: &[Release] = &{
    const OLD: usize = ROLLOUT_BEFORE_EXEC.len();
    const ALPHAS: usize = 3;
    let mut all = [Release::new(0, 0, 0); OLD + EXEC_RELEASES.len() - ALPHAS];
    let mut at = 0;
    while at < all.len() {
        all[at] = match at {
            at if at < OLD => ROLLOUT_BEFORE_EXEC[at],
            OLD => EXEC_RELEASES[0],
            at => EXEC_RELEASES[at - OLD + ALPHAS],
        };
        at += 1;
    }
    all
};

#[cfg(test)]
mod tests {
    use super::*;

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
