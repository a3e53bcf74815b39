//! What is played to each client of one stand-in.

use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use codex_wire_base::{Protocol, Release};
use codex_wire_replay::faults::{Faulty, Writing};
use codex_wire_replay::script::ExecRun;
use codex_wire_replay::{Conversation, ExecPlay, OptedOut, Player, PlayerOptions, Recording};

use crate::error::Error;
use crate::notice::Notices;
use crate::stand_in::environment::{Environment, Errors};
use crate::stand_in::output::Output;
use crate::stand_in::script::{Around, ScriptFile, newest};
use crate::stand_in::settings::Settings;
use crate::stand_in::watch::Observer;
use crate::stand_in::writer::{LineWriter, Log};

/// What is played: a script, or recordings of one protocol.
pub(crate) struct Source {
    pub(crate) recordings: Vec<Recording>,
    pub(crate) script: Option<ScriptFile>,
    pub(crate) protocol: Protocol,
}

/// What each client meets.
pub(crate) struct Stage {
    pub(crate) source: Source,
    pub(crate) settings: Settings,
    pub(crate) environment: Environment,
    /// The home of Codex, if it is given.
    pub(crate) home: Option<PathBuf>,
    pub(crate) observer: Observer,
    pub(crate) notices: Notices,
    pub(crate) errors: Errors,
}

impl Stage {
    /// The release that it says it is, if one is known.
    pub(crate) fn release(&self) -> Option<Release> {
        self.settings.release
    }

    /// The run of `codex exec`.
    pub(crate) fn run(&self) -> Result<ExecPlay, Error> {
        match (&self.source.script, self.source.recordings.first()) {
            (Some(script), _) => {
                let (release, run) = (self.release_or_newest(), ExecRun::default());
                script.exec(
                    release,
                    &run,
                    &self.settings,
                    &Around::of(&self.environment),
                )
            }
            (None, Some(recording)) => Ok(ExecPlay::new(recording)),
            (None, None) => Err(Error::NoRecording(Vec::new())),
        }
    }

    /// What a client meets, with its faults, and who writes it.
    pub(crate) fn session(
        &self,
        observer: Observer,
        out: Box<dyn Output>,
    ) -> Result<(Box<dyn Conversation>, LineWriter), Error> {
        let conversation = self.conversation()?;
        let faults = self.settings.faults();
        let log = Log::open(faults.log(), &self.settings)?;
        let (conversation, writing): (Box<dyn Conversation>, _) = match faults.is_empty() {
            true => (conversation, None),
            false => {
                let faulty = Faulty::new(conversation, &faults, self.settings.release);
                let faulty = faulty.map_err(Error::Faults)?;
                (Box::new(faulty), Some(Writing::new(&faults)))
            }
        };
        let recorded = self.source.recordings.first();
        let recorded = recorded.and_then(|recording| recording.about.release);
        let release = self.settings.release.or(recorded);
        let conversation = Box::new(OptedOut::new(conversation, release));
        let writer = LineWriter::new(out, observer, self.errors.clone(), writing, log);
        Ok((conversation, writer))
    }

    fn conversation(&self) -> Result<Box<dyn Conversation>, Error> {
        let release = self.release_or_newest();
        let (settings, around) = (&self.settings, Around::of(&self.environment));
        if let Some(script) = &self.source.script {
            return Ok(match self.source.protocol {
                Protocol::Core => Box::new(script.proto(release, settings, &around)?),
                _ => Box::new(script.app_server(release, settings, &around)?),
            });
        }
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let now = now.ok().and_then(|now| i64::try_from(now.as_millis()).ok());
        let home = self.home.as_deref().and_then(|home| home.to_str());
        let mut options = PlayerOptions::new()
            .on_miss(self.settings.on_miss.unwrap_or_default())
            .in_parts();
        options.release = self.settings.release;
        options.now_ms = now.filter(|_| self.settings.times_now);
        options.home = home.map(str::to_owned);
        let player = Player::new(&self.source.recordings, options);
        let player = player.map_err(Error::Play)?;
        Ok(Box::new(player))
    }

    fn release_or_newest(&self) -> Release {
        self.settings.release.unwrap_or_else(newest)
    }
}
