//! What a stand-in can play, and as which release.

use std::path::PathBuf;

use codex_wire_base::{Protocol, Release};
use codex_wire_replay::arguments::Listen;
use codex_wire_replay::faults::Faults;
use codex_wire_replay::{self as replay, Recording};

use crate::error::{Error, NoRun};
use crate::stand_in::play::{Host, Played, play};
use crate::stand_in::release::{self, Inferred};
use crate::stand_in::script::{ScriptFile, newest};
use crate::stand_in::settings::Settings;
use crate::stand_in::stage::Source;

/// What a stand-in can play, and as which release.
#[derive(Clone, Debug)]
pub struct Repertoire {
    /// The recordings as they were read, if they are played in another way.
    originals: Option<Vec<Recording>>,
    /// As they are played.
    recordings: Vec<Recording>,
    script: Option<ScriptFile>,
    protocol: Option<Protocol>,
    release: Option<Release>,
    as_release: Option<Release>,
    inferred: Option<Inferred>,
}

impl Repertoire {
    /// A script, as a protocol if that is known already. It is played as this release, else as the newest.
    pub fn of_script(
        script: ScriptFile,
        protocol: Option<Protocol>,
        release: Option<Release>,
    ) -> Self {
        Repertoire {
            originals: None,
            recordings: Vec::new(),
            script: Some(script),
            protocol,
            release: Some(release.unwrap_or_else(newest)),
            as_release: None,
            inferred: None,
        }
    }

    /// Recordings. They are of this release, or of the one that they say or show. They are played as they are, or
    /// as `as_release` would have written them.
    ///
    /// # Errors
    /// If there are none, or if that release cannot say what was recorded.
    pub fn of_recordings(
        mut recordings: Vec<Recording>,
        release: Option<Release>,
        as_release: Option<Release>,
    ) -> Result<Self, Error> {
        let Some(first) = recordings.first() else {
            return Err(Error::NoRecording(Vec::new()));
        };
        let protocol = Some(first.protocol);
        let (source, inferred) = match release {
            Some(release) => (Some(release), None),
            None => release::of_recordings(&recordings).unzip(),
        };
        if as_release.is_some() {
            for recording in &mut recordings {
                recording.about.release = recording.about.release.or(release);
            }
        }
        let originals = as_release.map(|_| recordings.clone());
        Ok(Repertoire {
            originals,
            recordings: match as_release {
                Some(as_release) => release::convert(recordings, as_release)?,
                None => recordings,
            },
            script: None,
            protocol,
            release: as_release.or(source),
            as_release,
            inferred: inferred.flatten(),
        })
    }

    /// The protocol, if it is known.
    pub fn protocol(&self) -> Option<Protocol> {
        self.protocol
    }

    /// The release that the stand-in says it is, if one is known.
    pub fn release(&self) -> Option<Release> {
        self.release
    }

    /// The release as which recordings are played, if it is not that of each.
    pub fn as_release(&self) -> Option<Release> {
        self.as_release
    }

    /// The release that a recording shows, if none was given, and no recording says it.
    pub fn inferred(&self) -> Option<&Inferred> {
        self.inferred.as_ref()
    }

    /// The script, if it is one.
    pub fn script(&self) -> Option<&ScriptFile> {
        self.script.as_ref()
    }

    /// The recordings as they were read.
    pub fn originals(&self) -> &[Recording] {
        self.originals.as_ref().unwrap_or(&self.recordings)
    }

    /// Refuses faults for which the recordings have no place.
    ///
    /// # Errors
    /// Why there is none.
    pub fn fit(&self, faults: &Faults) -> Result<(), Error> {
        faults
            .fit_recordings(&self.recordings, self.release)
            .map_err(Error::Faults)
    }

    /// Plays to the client on the streams of the host, or to those who connect to an address. `name` is that of the
    /// exchange where it is not recorded, and `home` the home of Codex.
    ///
    /// # Errors
    /// If it cannot be played, or something not be written.
    pub fn play(
        self,
        settings: &Settings,
        home: Option<PathBuf>,
        address: &Listen,
        name: &str,
        host: Host,
    ) -> Result<Played, Error> {
        let mut host = host;
        let protocol = self.protocol.ok_or(Error::NoProtocol)?;
        if *address != Listen::Stdio && protocol != Protocol::AppServer {
            return Err(Error::NotListening(protocol));
        }
        if let Some((first, rest)) = self.recordings.split_first()
            && let Some(other) = rest
                .iter()
                .find(|other| protocol == Protocol::Exec || other.protocol != first.protocol)
        {
            return Err(several(first, other));
        }
        host.log(settings, protocol)?;
        let source = Source {
            recordings: self.recordings,
            script: self.script,
            protocol,
        };
        play(source, settings, home, address, name, host)
    }
}

/// Why two recordings are not played together: of two protocols, or both of a run of `codex exec`.
fn several(first: &Recording, other: &Recording) -> Error {
    match other.protocol {
        Protocol::Exec if first.protocol == Protocol::Exec => {
            NoRun::Either(first.name.clone(), other.name.clone()).into()
        }
        other_protocol => Error::Play(replay::Error::SeveralProtocols {
            first: first.name.clone(),
            protocol: first.protocol,
            other: other.name.clone(),
            other_protocol,
        }),
    }
}
