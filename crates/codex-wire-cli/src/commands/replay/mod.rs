//! Implements `codex-wire replay`: plays recordings in the place of Codex, or installs a program that
//! does.

mod args;
pub(crate) mod exec;
mod install;
pub(crate) mod listen;
mod output;
mod recordings;
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
use anyhow::{Context, anyhow, bail};
use codex_wire_base::Protocol;
use codex_wire_replay::arguments::Listen;
use codex_wire_replay::{Conversation, ExecPlay, Player, PlayerOptions, Recording};

pub(crate) use args::ReplayArgs;
use listen::Stage;
use output::Lines;
use session::Session;
use settings::Settings;
use watch::{Watch, Watching};

/// Runs the command.
pub(crate) fn run(args: &ReplayArgs, color: ColorChoice) -> anyhow::Result<ExitCode> {
    let recordings = recordings::read(&args.recordings)?;
    let release = match &args.release {
        Some(text) => {
            let release = text.parse();
            Some(release.map_err(|_| anyhow!("`{text}` is not a release such as 0.125.0"))?)
        }
        None => recordings[0].about.release,
    };
    let settings = Settings {
        release,
        speed: args.speed,
        on_miss: args.on_miss,
        times_now: args.times == "now",
        record: args.record.clone(),
        reports: args.reports.clone(),
        ..Settings::default()
    };
    if let Some(folder) = &args.install {
        install::install(folder, &settings, &recordings, color)?;
        return Ok(ExitCode::SUCCESS);
    }
    let protocol = recordings[0].protocol;
    if args.listen != Listen::Stdio && protocol != Protocol::AppServer {
        bail!(
            "only the app-server listens, and {} is of {protocol}",
            recordings[0].name
        );
    }
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
            let play = ExecPlay::new(&recordings[0]);
            exec::play(&play, args.speed, &watch.observer(), stdout()?)?
        }
        _ => converse(recordings, &settings, None, &args.listen, &watch, color)?,
    };
    watch.finish(status)?;
    Ok(ExitCode::from(status))
}

/// Plays a conversation to the client on standard input and output, or to those who connect. Returns
/// the exit status.
pub(crate) fn converse(
    recordings: Vec<Recording>,
    settings: &Settings,
    home: Option<&Path>,
    address: &Listen,
    watch: &Watch,
    color: ColorChoice,
) -> anyhow::Result<u8> {
    let home_name = home.and_then(Path::to_str).map(str::to_owned);
    let options = options(settings, home_name);
    let conversation = move || {
        let player = Player::new(&recordings, options.clone());
        let player = player.map_err(|error| anyhow!("cannot play: {error}"))?;
        Ok(Box::new(player) as Box<dyn Conversation>)
    };
    if *address == Listen::Stdio {
        let out = Box::new(Lines::new(stdout()?));
        let session = Session::new(
            conversation()?,
            settings.speed,
            watch.observer(),
            color,
            out,
        );
        return Ok(session.run(&session::lines_of(stdin()?))?);
    }
    // What cannot be played is said before anyone connects.
    conversation()?;
    let stage = Stage {
        conversation: Box::new(conversation),
        release: settings.release,
        speed: settings.speed,
        observer: watch.observer(),
        color,
    };
    listen::listen(address, home, stage)
}

fn options(settings: &Settings, home: Option<String>) -> PlayerOptions {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let now = now.ok().and_then(|now| i64::try_from(now.as_millis()).ok());
    PlayerOptions {
        release: settings.release,
        on_miss: settings.on_miss,
        now_ms: now.filter(|_| settings.times_now),
        home,
    }
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
