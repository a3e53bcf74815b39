//! Implements `codex-wire replay`: plays recordings or a script in the place of Codex, or installs a
//! program that does.

mod args;
mod as_release;
pub(crate) mod exec;
pub(crate) mod faults;
mod install;
pub(crate) mod listen;
mod output;
pub(crate) mod recordings;
pub(crate) mod script;
pub(crate) mod session;
pub(crate) mod settings;
mod socket;
pub(crate) mod watch;

use std::fs::File;
use std::io;
use std::path::Path;
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

use anstream::ColorChoice;
use anyhow::{Context, bail};
use codex_wire_base::{Protocol, Release};
use codex_wire_replay::arguments::Listen;
use codex_wire_replay::script::ExecRun;
use codex_wire_replay::{Conversation, ExecPlay, Player, PlayerOptions, Recording};

use crate::resolve_release;
pub(crate) use args::ReplayArgs;
use listen::Stage;
use output::Lines;
use script::ScriptFile;
use session::Session;
use settings::Settings;
use watch::{Watch, Watching};

/// Runs the command.
pub(crate) fn run(args: &ReplayArgs, color: ColorChoice) -> anyhow::Result<ExitCode> {
    let script = args.script.as_deref().map(ScriptFile::read).transpose()?;
    let mut recordings = match script {
        Some(_) => Vec::new(),
        None => recordings::read(&args.recordings)?,
    };
    let protocol = recordings.first().map(|recording| recording.protocol);
    let protocol = protocol.or(args.protocol);
    let listed = |text: &Option<String>| -> anyhow::Result<Option<Release>> {
        let Some(text) = text else { return Ok(None) };
        // The release that a recording is of need not be listed.
        let own = recordings.iter().filter_map(|one| one.about.release);
        let own = own.into_iter().find(|own| text.parse() == Ok(*own));
        Ok(Some(match (own, protocol) {
            (Some(own), _) => own,
            (None, Some(protocol)) => resolve_release::of_protocol(Some(protocol), text, color)?,
            (None, None) => resolve_release::of_any(text, color)?,
        }))
    };
    let (given, told) = (listed(&args.release)?, listed(&args.as_release)?);
    let (source, inferred) = match (given, &script) {
        (Some(given), _) => {
            for doubt in as_release::doubts(&recordings, given) {
                crate::output::remark(color, &doubt);
            }
            (Some(given), None)
        }
        (None, Some(_)) => (Some(script::newest()), None),
        (None, None) => match as_release::source(&recordings) {
            Some((release, inferred)) => (Some(release), inferred),
            None => (None, None),
        },
    };
    let release = told.or(source);
    if told.is_some() {
        for recording in &mut recordings {
            recording.about.release = recording.about.release.or(given);
        }
    }
    // What is installed is told when it is played, but refused now.
    let originals = recordings.clone();
    let recordings = match told {
        Some(told) => as_release::convert(recordings, told)?,
        None => recordings,
    };
    let settings = Settings {
        release,
        as_release: told,
        speed: args.speed,
        on_miss: args.on_miss,
        times_now: args.times == "now",
        record: args.record.clone(),
        reports: args.reports.clone(),
        script: args.script.clone(),
        injections: args.faults.clone(),
        seed: args.seed,
        fault_log: args.fault_log.clone(),
        ..Settings::default()
    };
    let faults = settings.faults();
    faults.fit_recordings(&recordings, release)?;
    if let Some(folder) = &args.install {
        if let Some(script) = &script {
            script.is_playable(release_of(&settings), &settings)?;
        }
        install::install(folder, &settings, &originals, inferred.as_ref(), color)?;
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(inferred) = &inferred {
        crate::output::remark(color, &inferred.sentence());
    }
    let Some(protocol) = protocol else {
        bail!("a script is played as exec, app-server or core: give --protocol");
    };
    if args.listen != Listen::Stdio && protocol != Protocol::AppServer {
        bail!("only the app-server listens, and this is {protocol}");
    }
    let source = Source {
        recordings,
        script,
        protocol,
    };
    let watch = Watch::begin(Watching {
        protocol,
        release,
        listens: args.listen != Listen::Stdio,
        name: match &args.record {
            Some(path) => path.display().to_string(),
            None => "replay".to_owned(),
        },
        record: args.record.clone(),
        reports: args.reports.clone(),
        shown: args.format,
        color,
    })?;
    let status = match protocol {
        Protocol::Exec => {
            let play = source.run(&settings)?;
            faults::play(&play, &settings, &watch.observer(), stdout()?)?
        }
        _ => converse(source, &settings, None, &args.listen, &watch, color)?,
    };
    watch.finish(status)?;
    Ok(ExitCode::from(status))
}

/// What is played: a script, or recordings.
pub(crate) struct Source {
    pub(crate) recordings: Vec<Recording>,
    pub(crate) script: Option<ScriptFile>,
    pub(crate) protocol: Protocol,
}

impl Source {
    /// The first run of `codex exec`.
    fn run(&self, settings: &Settings) -> anyhow::Result<ExecPlay> {
        match &self.script {
            Some(script) => script.exec(release_of(settings), &ExecRun::default(), settings),
            None => Ok(ExecPlay::new(&self.recordings[0])),
        }
    }

    /// What a client meets.
    fn conversation(
        &self,
        settings: &Settings,
        home: Option<&Path>,
    ) -> anyhow::Result<Box<dyn Conversation>> {
        let release = release_of(settings);
        match (&self.script, self.protocol) {
            (Some(script), Protocol::Core) => {
                return Ok(Box::new(script.proto(release, settings)?));
            }
            (Some(script), _) => return Ok(Box::new(script.app_server(release, settings)?)),
            (None, _) => {}
        }
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let now = now.ok().and_then(|now| i64::try_from(now.as_millis()).ok());
        let mut options = PlayerOptions::new().on_miss(settings.on_miss.unwrap_or_default());
        options.release = settings.release;
        options.now_ms = now.filter(|_| settings.times_now);
        options.home = home.and_then(Path::to_str).map(str::to_owned);
        let player = Player::new(&self.recordings, options);
        Ok(Box::new(player.context("cannot play")?))
    }
}

fn release_of(settings: &Settings) -> Release {
    settings.release.unwrap_or_else(script::newest)
}

/// Plays a conversation to the client on standard input and output, or to those who connect. Returns
/// the exit status.
pub(crate) fn converse(
    source: Source,
    settings: &Settings,
    home: Option<&Path>,
    address: &Listen,
    watch: &Watch,
    color: ColorChoice,
) -> anyhow::Result<u8> {
    // What cannot be played is said before anyone connects.
    let conversation = source.conversation(settings, home)?;
    let (conversation, disturbance) = faults::inject(conversation, settings, settings.release)?;
    let (speed, observer) = (settings.speed, watch.observer());
    if *address == Listen::Stdio {
        let out = Box::new(Lines::new(stdout()?));
        let session = Session::new(conversation, speed, observer, color, out, disturbance);
        return Ok(session.run(&session::lines_of(stdin()?))?.status());
    }
    faults::refuse_for_sockets(settings)?;
    let (owned, owned_home) = (settings.clone(), home.map(Path::to_owned));
    let stage = Stage {
        conversation: Box::new(move || {
            let conversation = source.conversation(&owned, owned_home.as_deref())?;
            faults::inject(conversation, &owned, owned.release)
        }),
        release: settings.release,
        speed,
        observer,
        color,
    };
    listen::listen(address, home, stage)
}

/// Standard output as a file: each write is one call of the system.
pub(crate) fn stdout() -> anyhow::Result<File> {
    #[cfg(unix)]
    let owned = std::os::fd::AsFd::as_fd(&io::stdout()).try_clone_to_owned();
    #[cfg(windows)]
    let owned = std::os::windows::io::AsHandle::as_handle(&io::stdout()).try_clone_to_owned();
    Ok(owned.context("cannot use standard output")?.into())
}

fn stdin() -> anyhow::Result<File> {
    #[cfg(unix)]
    let owned = std::os::fd::AsFd::as_fd(&io::stdin()).try_clone_to_owned();
    #[cfg(windows)]
    let owned = std::os::windows::io::AsHandle::as_handle(&io::stdin()).try_clone_to_owned();
    Ok(owned.context("cannot use standard input")?.into())
}
