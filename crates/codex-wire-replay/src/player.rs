//! Plays recordings of `codex app-server` and `codex proto` to one client.
//!
//! [`Player`] takes the lines of the client and returns those that Codex would write, with the time
//! between them. It does not wait and does not know a clock.
//!
//! Several recordings form a tree. All of them begin as *current*; each step of the client is looked
//! for in all that are current, and those that do not have it are so no longer. The *lead* is the
//! recording that is played. If the client decides on something that only another current recording
//! has, that one leads from there on, and its names are bound to those that the client has seen.

mod answer;
mod emit;
mod find;
mod pending;
mod play;
mod read;
mod request;
mod state;
mod synthesize;

use std::collections::{HashMap, HashSet};

use codex_wire_base::{Protocol, Release};

use crate::compose::settings::Settings;
use crate::conversation::{Conversation, Emission, OnMiss, Reaction};
use crate::error::Error;
use crate::message::{self, Message};
use crate::names::Names;
use crate::recording::Recording;
use crate::script::sense::MODEL;
use crate::synthesis::Synthesis;
use crate::track::build::tracks;
use crate::track::reads::reads;
use state::{Playing, State};

/// How a player behaves.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct PlayerOptions {
    /// The release that is played; that of the first recording if not given.
    pub release: Option<Release>,
    /// What happens on a miss.
    pub on_miss: OnMiss,
    /// The time now, in milliseconds since 1970: recorded times are moved so that the first is now.
    /// They stay if not given.
    pub now_ms: Option<i64>,
    /// The home of Codex, instead of the recorded one.
    pub home: Option<String>,
    /// Whether a long reaction comes in parts, for who asks for [more](Conversation::more).
    pub in_parts: bool,
}

impl PlayerOptions {
    /// The defaults: the release of the first recording, errors on a miss, recorded times and home.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same, playing this release.
    #[must_use]
    pub fn release(mut self, release: Release) -> Self {
        self.release = Some(release);
        self
    }

    /// The same, with this on a miss.
    #[must_use]
    pub fn on_miss(mut self, on_miss: OnMiss) -> Self {
        self.on_miss = on_miss;
        self
    }

    /// The same, with recorded times moved so that the first is this one, in milliseconds since 1970.
    #[must_use]
    pub fn now_ms(mut self, now_ms: i64) -> Self {
        self.now_ms = Some(now_ms);
        self
    }

    /// The same, with this home of Codex.
    #[must_use]
    pub fn home(mut self, home: impl Into<String>) -> Self {
        self.home = Some(home.into());
        self
    }

    /// The same, where a long reaction comes in parts.
    #[must_use]
    pub fn in_parts(mut self) -> Self {
        self.in_parts = true;
        self
    }
}

/// Plays recordings to one client.
#[derive(Debug)]
pub struct Player {
    state: State,
}

impl Conversation for Player {
    fn protocol(&self) -> Protocol {
        self.state.protocol
    }

    fn start(&mut self) -> Vec<Emission> {
        self.state.start()
    }

    fn line(&mut self, line: &str) -> Reaction {
        let mut before = self.state.rest();
        let mut reaction = self.react(line);
        if !before.is_empty() {
            before.append(&mut reaction.emissions);
            reaction.emissions = before;
        }
        reaction
    }

    fn more(&mut self) -> Vec<Emission> {
        self.state.next_part()
    }
}

impl Player {
    /// A player of these recordings, all of one protocol. The first one leads.
    ///
    /// # Errors
    /// When there is no recording, when they are of several protocols, or when they are of
    /// `codex exec`, which has no client.
    pub fn new(recordings: &[Recording], options: PlayerOptions) -> Result<Self, Error> {
        let Some(first) = recordings.first() else {
            return Err(Error::NoRecordings);
        };
        let protocol = first.protocol;
        if protocol == Protocol::Exec {
            return Err(Error::NoClient {
                recording: first.name.clone(),
            });
        }
        if let Some(other) = recordings.iter().find(|r| r.protocol != protocol) {
            return Err(Error::SeveralProtocols {
                first: first.name.clone(),
                protocol,
                other: other.name.clone(),
                other_protocol: other.protocol,
            });
        }
        let now_ms = options.now_ms;
        let tracks = recordings.iter().flat_map(tracks);
        let tracks = tracks.map(|track| {
            let shift = match (now_ms, track.first_time) {
                (Some(now), Some(then)) => now.saturating_sub(then) / 1000,
                _ => 0,
            };
            Playing {
                names: Names::shifted(shift),
                played: vec![0; track.steps.len()],
                ids: vec![None; track.steps.len()],
                is_current: true,
                reads: reads(&track),
                track,
            }
        });
        let release = options.release.or(first.about.release);
        let synthesis = release
            .filter(|_| protocol == Protocol::AppServer && options.on_miss == OnMiss::Synthesize);
        let synthesis =
            synthesis.and_then(|release| Synthesis::new(release, surroundings(&options), MODEL));
        let state = State {
            protocol,
            release,
            on_miss: options.on_miss,
            home: options.home,
            synthesis,
            synthesized_threads: HashSet::new(),
            tracks: tracks.collect(),
            lead: 0,
            is_initialized: false,
            is_experimental: false,
            next_request: 0,
            pending: HashMap::new(),
            queues: HashMap::new(),
            in_parts: options.in_parts,
            rest: None,
        };
        Ok(Player { state })
    }

    fn react(&mut self, line: &str) -> Reaction {
        match message::of_client(self.state.protocol, line) {
            Some(Message::Request { id, method, params }) => {
                self.state.request(&id, &method, params)
            }
            Some(Message::Notification { method, params }) => {
                self.state.notification(method, params)
            }
            Some(Message::Answer { id, content }) => self.state.answer(&id, &content),
            None => Reaction::default(),
        }
    }
}

/// What answers that nobody recorded say of the machine.
fn surroundings(options: &PlayerOptions) -> Settings {
    let mut settings = Settings::default();
    if let Some(home) = &options.home {
        settings.codex_home.clone_from(home);
    }
    if let Some(now) = options.now_ms.and_then(|now| u64::try_from(now).ok()) {
        settings.now_ms = now;
    }
    settings
}
