//! Plays to a client.

use std::fs::File;
use std::path::PathBuf;

use codex_wire_base::Protocol;
use codex_wire_check::Outcome;
use codex_wire_inputs::Stop;
use codex_wire_replay::arguments::Listen;
use codex_wire_replay::client_log::Started;

use crate::error::Error;
use crate::notice::Notices;
use crate::stand_in::client_log::ClientLog;
use crate::stand_in::environment::{Environment, Streams};
use crate::stand_in::exec;
use crate::stand_in::listen::listen;
use crate::stand_in::output::Lines;
use crate::stand_in::session::{Session, lines_of};
use crate::stand_in::settings::Settings;
use crate::stand_in::stage::{Source, Stage};
use crate::stand_in::termination::Termination;
use crate::stand_in::watch::{Watch, Watching};

/// Where a stand-in plays: what it has of its process, and who is told what happens.
#[derive(Debug)]
pub struct Host {
    pub(crate) streams: Streams,
    pub(crate) environment: Environment,
    pub(crate) notices: Notices,
    pub(crate) stop: Stop,
    pub(crate) checks: bool,
    pub(crate) is_process: bool,
    /// The arguments of Codex.
    pub(crate) arguments: Vec<String>,
    /// Where is written what the client does, once that is known.
    pub(crate) client_log: Option<ClientLog>,
}

/// What came of playing.
#[derive(Debug)]
#[non_exhaustive]
pub struct Played {
    /// The exit status of Codex.
    pub status: u8,
    /// What was found about the client, if that was wanted.
    pub outcome: Option<Outcome>,
}

impl Host {
    /// Plays on these streams, until the client goes or a stop is requested.
    pub fn new(streams: Streams, environment: Environment, stop: &Stop) -> Self {
        Host {
            streams,
            environment,
            notices: Notices::ignored(),
            stop: stop.clone(),
            checks: false,
            is_process: false,
            arguments: Vec::new(),
            client_log: None,
        }
    }

    /// Where notices go; if it is not set, nowhere.
    #[must_use]
    pub fn notices(mut self, notices: Notices) -> Self {
        self.notices = notices;
        self
    }

    /// Whether what the client sends is checked.
    #[must_use]
    pub fn checking(mut self, checks: bool) -> Self {
        self.checks = checks;
        self
    }

    /// Whether the stand-in is all that this process does. Then SIGTERM ends it as it ends the release: since 0.155.0
    /// `codex app-server` exits with status 0. From then on, this process does not handle the signal in any other way.
    #[must_use]
    pub fn as_process(mut self, is_process: bool) -> Self {
        self.is_process = is_process;
        self
    }

    /// Begins the log of what the client does, if one is wanted.
    pub(crate) fn log(&mut self, settings: &Settings, protocol: Protocol) -> Result<(), Error> {
        let Some(path) = &settings.client_log else {
            return Ok(());
        };
        let release = settings.release.map(|release| release.to_string());
        let mut started = Started::new(protocol, release);
        started.arguments.clone_from(&self.arguments);
        let directory = self.environment.cwd();
        let directory = directory.map_err(Error::system("find the working directory"))?;
        started.directory = directory.to_string_lossy().into_owned();
        self.client_log = Some(ClientLog::begin(path, protocol, started)?);
        Ok(())
    }

    /// Begins to watch an exchange, which has this name if it is not recorded.
    pub(crate) fn watch(
        &mut self,
        settings: &Settings,
        (protocol, listens): (Protocol, bool),
        name: &str,
    ) -> Result<Watch, Error> {
        let record = settings.record.clone();
        Watch::begin(Watching {
            protocol,
            release: settings.release,
            listens,
            name: match &record {
                Some(path) => path.display().to_string(),
                None => name.to_owned(),
            },
            record,
            miss_log: settings.miss_log.clone(),
            client_log: self.client_log.take(),
            checks: self.checks,
        })
    }
}

/// Plays to the client on the streams, or to those who connect to an address.
pub(crate) fn play(
    source: Source,
    settings: &Settings,
    home: Option<PathBuf>,
    address: &Listen,
    name: &str,
    mut host: Host,
) -> Result<Played, Error> {
    let listens = *address != Listen::Stdio;
    let watch = host.watch(settings, (source.protocol, listens), name)?;
    let Host {
        streams,
        environment,
        notices,
        stop,
        is_process,
        ..
    } = host;
    let Streams {
        input,
        output,
        errors,
    } = streams;
    let is_run = source.protocol == Protocol::Exec;
    let stage = Stage {
        source,
        settings: settings.clone(),
        environment,
        home,
        observer: watch.observer(),
        notices,
        errors,
    };
    let status = match (is_run, listens) {
        (true, _) => {
            let run = stage.run()?;
            let out = Box::new(Lines::new(output));
            exec::play(&run, settings, stage.observer, stage.errors, out)?.status
        }
        (false, false) => {
            let waits = is_process && stage.source.protocol == Protocol::AppServer;
            let termination = waits.then(|| Termination::of_server(stage.release()));
            let termination = termination.transpose()?.unwrap_or_default();
            on_streams(&stage, input, output, termination)?
        }
        (false, true) => {
            if let Some(injection) = settings.faults().of_bytes() {
                return Err(Error::FaultOfBytes(injection.to_string()));
            }
            // What cannot be played is said before anyone connects.
            stage.session(stage.observer.clone(), Box::new(Lines::new(output)))?;
            let home = stage.home.clone();
            listen(address, home.as_deref(), stage, &stop)?
        }
    };
    let outcome = watch.finish(status)?;
    Ok(Played { status, outcome })
}

fn on_streams(
    stage: &Stage,
    input: File,
    output: File,
    termination: Termination,
) -> Result<u8, Error> {
    let observer = stage.observer.clone();
    let out = Box::new(Lines::new(output));
    let (conversation, writer) = stage.session(observer.clone(), out)?;
    let (speed, notices) = (stage.settings.speed, stage.notices.clone());
    let session = Session::new(conversation, speed, observer, notices, writer);
    let end = session.terminated_by(termination).run(&lines_of(input));
    Ok(end
        .map_err(Error::system("write standard output"))?
        .status())
}
