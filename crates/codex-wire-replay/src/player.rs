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
mod read;
mod synthesize;

use std::collections::{HashMap, HashSet};

use codex_wire_base::{Protocol, Release};
use serde_json::Value;

use crate::conversation::{Conversation, Emission, OnMiss, Reaction, Remark};
use crate::error::Error;
use crate::matching::Comparison;
use crate::message::{self, Message};
use crate::miss;
use crate::names::{NameKind, Names};
use crate::recording::Recording;
use crate::script::read::MODEL;
use crate::script::settings::Settings;
use crate::synthesis::Synthesis;
use crate::track::build::tracks;
use crate::track::{Sent, Track, is_flow};
use pending::Pending;

/// How a player behaves.
#[derive(Clone, Debug, Default)]
pub struct PlayerOptions {
    /// The release that is played; that of the first recording if not given.
    pub release: Option<Release>,
    /// What happens on a miss.
    pub on_miss: OnMiss,
    /// The time now, in milliseconds since 1970: recorded times are moved so that the first is now.
    /// They stay if not given.
    pub now_ms: Option<i64>,
    /// The home of Codex, which stands for the recorded one.
    pub home: Option<String>,
}

/// Plays recordings to one client.
#[derive(Debug)]
pub struct Player {
    protocol: Protocol,
    release: Option<Release>,
    options: PlayerOptions,
    tracks: Vec<Playing>,
    /// The track that is played.
    lead: usize,
    is_initialized: bool,
    /// Whether the client asked for the experimental part of the protocol.
    is_experimental: bool,
    /// The id of the next request of Codex.
    next_request: u64,
    /// Requests of Codex, by their id in this session.
    pending: HashMap<String, Pending>,
    /// The queues of threads.
    queues: HashMap<String, usize>,
    /// What makes answers that nobody recorded, if it does.
    synthesis: Option<Synthesis>,
    /// The threads that only such answers have named.
    synthesized_threads: HashSet<String>,
}

/// A track with its state in this session.
#[derive(Debug)]
struct Playing {
    track: Track,
    names: Names,
    /// How often each step was played.
    played: Vec<u32>,
    /// The id that the request of a step has in this session, as JSON.
    ids: Vec<Option<String>>,
    /// Whether the client did so far what the recorded client did.
    is_current: bool,
}

/// A step of a track that answers what the client sent.
#[derive(Debug)]
struct Found {
    track: usize,
    step: usize,
    comparison: Comparison,
}

impl Conversation for Player {
    fn protocol(&self) -> Protocol {
        self.protocol
    }

    fn start(&mut self) -> Vec<Emission> {
        if self.tracks.is_empty() {
            return Vec::new();
        }
        self.tracks[self.lead].played[0] = 1;
        let emissions = self.emit(self.lead, 0, None);
        for other in 0..self.tracks.len() {
            if other != self.lead {
                self.tracks[other].played[0] = 1;
                self.align((self.lead, 0), (other, 0));
            }
        }
        emissions
    }

    fn line(&mut self, line: &str) -> Reaction {
        match message::of_client(self.protocol, line) {
            Some(Message::Request { id, method, params }) => self.request(&id, &method, params),
            Some(Message::Notification { method, params }) => self.notification(method, params),
            Some(Message::Answer { id, content }) => self.answer(&id, &content),
            None => Reaction::default(),
        }
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
                (Some(now), Some(then)) => (now - then) / 1000,
                _ => 0,
            };
            Playing {
                names: Names::shifted(shift),
                played: vec![0; track.steps.len()],
                ids: vec![None; track.steps.len()],
                is_current: true,
                track,
            }
        });
        let release = options.release.or(first.about.release);
        let synthesis = release
            .filter(|_| protocol == Protocol::AppServer && options.on_miss == OnMiss::Synthesize);
        let synthesis =
            synthesis.and_then(|release| Synthesis::new(release, surroundings(&options), MODEL));
        Ok(Player {
            protocol,
            release,
            options,
            synthesis,
            synthesized_threads: HashSet::new(),
            tracks: tracks.collect(),
            lead: 0,
            is_initialized: false,
            is_experimental: false,
            next_request: 0,
            pending: HashMap::new(),
            queues: HashMap::new(),
        })
    }

    fn request(&mut self, id: &str, method: &str, params: Option<Value>) -> Reaction {
        if self.protocol == Protocol::AppServer && !self.is_initialized && method != "initialize" {
            return self.refused(id, method, miss::NOT_INITIALIZED, Vec::new());
        }
        if let Some(found) = self.find_read(method, params.as_ref()) {
            let playing = &mut self.tracks[found.track];
            found.comparison.apply(&mut playing.names);
            playing.played[found.step] += 1;
            return Reaction {
                emissions: self.emit(found.track, found.step, Some(id)),
                ..Reaction::default()
            };
        }
        let sent = Sent::Request(method.to_owned());
        let found = match self.find(&sent, params.as_ref()) {
            Ok(found) => found,
            Err(nearest) => {
                if method == "initialize" && self.is_initialized {
                    return self.refused(id, method, miss::ALREADY_INITIALIZED, nearest);
                }
                return self.missed(id, method, params.as_ref(), nearest);
            }
        };
        if method == "initialize" {
            self.initialized(params.as_ref());
            self.bind_agent(params.as_ref());
        }
        self.bind_submission((found.track, found.step), id);
        self.play(&found, &sent, params.as_ref(), Some(id))
    }

    fn initialized(&mut self, params: Option<&Value>) {
        self.is_initialized = true;
        let flag = params.and_then(|params| params.pointer("/capabilities/experimentalApi"));
        self.is_experimental = flag.and_then(Value::as_bool).unwrap_or(false);
    }

    fn notification(&mut self, method: String, params: Option<Value>) -> Reaction {
        let sent = Sent::Notification(method);
        match self.find(&sent, params.as_ref()) {
            Ok(found) => self.play(&found, &sent, params.as_ref(), None),
            // Codex ignores notifications that it does not know.
            Err(_) => Reaction::default(),
        }
    }

    /// Plays a step that was found, and takes the same step in the other current recordings.
    fn play(
        &mut self,
        found: &Found,
        sent: &Sent,
        content: Option<&Value>,
        id: Option<&str>,
    ) -> Reaction {
        let (track, step) = (found.track, found.step);
        let playing = &mut self.tracks[track];
        found.comparison.apply(&mut playing.names);
        playing.played[step] += 1;
        playing.ids[step] = id.map(str::to_owned);
        if playing.is_current {
            self.lead = track;
        }
        let recorded = &self.tracks[track].track.steps[step];
        let remark = (!found.comparison.is_exact()).then(|| Remark {
            what: self.what(sent),
            recording: self.tracks[track].track.name.clone(),
            line: recorded.number,
            differences: found.comparison.differences.clone(),
        });
        let emissions = self.emit(track, step, id);
        if self.tracks[track].is_current {
            self.follow((track, step), sent, content, id);
        }
        Reaction {
            emissions,
            remark,
            ..Reaction::default()
        }
    }

    /// Takes the step that was played in the other current recordings. Those without it are current no
    /// longer, unless nothing depends on it.
    fn follow(
        &mut self,
        (track, step): (usize, usize),
        sent: &Sent,
        content: Option<&Value>,
        id: Option<&str>,
    ) {
        for other in 0..self.tracks.len() {
            if other == track || !self.tracks[other].is_current {
                continue;
            }
            match self.same_step(other, (track, step), sent, content) {
                Some(found) => {
                    let playing = &mut self.tracks[other];
                    found.comparison.apply(&mut playing.names);
                    playing.played[found.step] += 1;
                    playing.ids[found.step] = id.map(str::to_owned);
                    if let Some(id) = id {
                        self.bind_submission((other, found.step), id);
                    }
                    self.align((track, step), (other, found.step));
                }
                None => {
                    let decides = match sent {
                        Sent::Answer(_) => true,
                        Sent::Request(method) => self.protocol == Protocol::Core || is_flow(method),
                        Sent::Nothing | Sent::Notification(_) => false,
                    };
                    if decides {
                        self.tracks[other].is_current = false;
                    }
                }
            }
        }
    }

    /// What the client sent, for people.
    fn what(&self, sent: &Sent) -> String {
        match sent {
            Sent::Request(method) | Sent::Notification(method) => method.clone(),
            Sent::Answer(id) => match self.pending.get(id) {
                Some(pending) => format!("the answer to {}", pending.method),
                None => "an answer".to_owned(),
            },
            Sent::Nothing => String::new(),
        }
    }

    /// In the user agent, the client names itself.
    fn bind_agent(&mut self, params: Option<&Value>) {
        let info = |params: Option<&Value>, key: &str| -> Option<String> {
            let text = params?.get("clientInfo")?.get(key)?.as_str()?;
            Some(text.to_owned())
        };
        for playing in &mut self.tracks {
            let step = playing
                .track
                .steps
                .iter()
                .find(|step| step.method() == Some("initialize"));
            let recorded = step.and_then(|step| step.content.clone());
            let names = (info(recorded.as_ref(), "name"), info(params, "name"));
            let versions = (info(recorded.as_ref(), "version"), info(params, "version"));
            if let (Some(recorded), Some(live)) = names {
                playing
                    .names
                    .bind_agent(format!("{recorded}/"), format!("{live}/"));
                if let (Some(old), Some(new)) = versions {
                    let from = format!("({recorded}; {old})");
                    playing.names.bind_agent(from, format!("({live}; {new})"));
                }
            }
        }
    }

    /// In `codex proto`, the client chooses the ids of submissions, and events repeat them.
    fn bind_submission(&mut self, (track, step): (usize, usize), id: &str) {
        let playing = &mut self.tracks[track];
        if self.protocol == Protocol::Core
            && let Some(recorded) = playing.track.steps[step].id.clone()
            && let Ok(recorded) = serde_json::from_str::<String>(&recorded)
            && let Ok(live) = serde_json::from_str::<String>(id)
        {
            playing.names.bind(NameKind::Turn, &recorded, &live);
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
