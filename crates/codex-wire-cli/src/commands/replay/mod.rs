//! Implements `codex-wire replay`: plays recordings in the place of Codex, or installs a program that
//! does.

mod args;
pub(crate) mod exec;
mod install;
mod output;
mod recordings;
pub(crate) mod session;
pub(crate) mod settings;
pub(crate) mod watch;

use std::fs::File;
use std::io;
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

use anstream::ColorChoice;
use anyhow::{Context, anyhow};
use codex_wire_base::Protocol;
use codex_wire_replay::{ExecPlay, Player, PlayerOptions, Recording};

pub(crate) use args::ReplayArgs;
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
    let watch = Watch::begin(Watching {
        protocol: recordings[0].protocol,
        release,
        name: match &args.record {
            Some(path) => path.display().to_string(),
            None => "replay".to_owned(),
        },
        record: args.record.clone(),
        reports: args.reports.clone(),
        shown: args.format,
        color,
    })?;
    let status = match recordings[0].protocol {
        Protocol::Exec => {
            let play = ExecPlay::new(&recordings[0]);
            exec::play(&play, args.speed, &watch, stdout()?)?
        }
        _ => converse(&recordings, &settings, None, &watch, color)?,
    };
    watch.finish(status)?;
    Ok(ExitCode::from(status))
}

/// Plays a conversation to the client on standard input and output. Returns the exit status.
pub(crate) fn converse(
    recordings: &[Recording],
    settings: &Settings,
    home: Option<String>,
    watch: &Watch,
    color: ColorChoice,
) -> anyhow::Result<u8> {
    let player = player(recordings, settings, home)?;
    let session = Session::new(Box::new(player), settings.speed, watch, color, stdout()?);
    Ok(session.run(stdin()?)?)
}

fn player(
    recordings: &[Recording],
    settings: &Settings,
    home: Option<String>,
) -> anyhow::Result<Player> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let now = now.ok().and_then(|now| i64::try_from(now.as_millis()).ok());
    let options = PlayerOptions {
        release: settings.release,
        on_miss: settings.on_miss,
        now_ms: now.filter(|_| settings.times_now),
        home,
    };
    Player::new(recordings, options).map_err(|error| anyhow!("cannot play: {error}"))
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
