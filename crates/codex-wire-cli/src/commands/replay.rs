//! Implements `codex-wire replay`: plays recordings or a script instead of Codex, or installs a
//! program that does.

mod args;

use std::env;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anstream::ColorChoice;
use anyhow::{Context, anyhow};
use codex_wire_base::{Protocol, Release};
use codex_wire_live::Error;
use codex_wire_live::stand_in::{
    Environment, Host, Inferred, Installed, Repertoire, ScriptFile, Settings, doubts, install,
    newest, read_recordings,
};
use codex_wire_replay::Recording;
use codex_wire_replay::arguments::Listen;

use crate::live_report::notices;
use crate::progress::Progress;
use crate::reports::{self, ReportTo};
use crate::{interrupt, output, resolve_release, stdio};
pub(crate) use args::ReplayArgs;

/// The name of the exchange if it is not recorded.
const NAME: &str = "replay";

/// What a release is that a recording shows, and how to have another.
const INFERRED: &str = "the newest that could have written it; --release names another";

/// Runs the command.
pub(crate) fn run(args: &ReplayArgs, color: ColorChoice) -> anyhow::Result<ExitCode> {
    let repertoire = repertoire(args, color)?;
    let settings = settings(args, &repertoire);
    repertoire.fit(&settings.faults())?;
    let environment = Environment::of_process();
    if let Some(folder) = &args.install {
        if let Some(script) = repertoire.script() {
            let release = repertoire.release().unwrap_or_else(newest);
            script.is_playable(release, &settings, &environment)?;
        }
        let own = env::current_exe().context("cannot find this program")?;
        let installed = install(folder, &own, &settings, &repertoire);
        let installed = installed.map_err(|error| match error {
            Error::NoRelease => anyhow!("{error}: give --release"),
            error => error.into(),
        })?;
        output::remark(color, &sentence(&installed, repertoire.inferred()));
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(Inferred { of, release, .. }) = repertoire.inferred() {
        let text = format!("{of} is taken for Codex {release}, {INFERRED}");
        output::remark(color, &text);
    }
    if args.listen != Listen::Stdio {
        interrupt::watch().context("cannot handle signals")?;
    }
    let host = Host::new(stdio::streams()?, environment, interrupt::stop())
        .notices(notices(color))
        .as_process(true)
        .checking(args.format.is_some() || !args.reports.is_empty());
    let played = repertoire.play(&settings, None, &args.listen, NAME, host);
    let played = played.map_err(|error| match error {
        Error::NoProtocol => anyhow!("{error}: give --protocol"),
        error => error.into(),
    })?;
    if let Some(outcome) = &played.outcome {
        reports::write(&args.reports, args.format, color, outcome)?;
    }
    Ok(ExitCode::from(played.status))
}

/// Reads recordings, and shows how it goes on.
pub(crate) fn recordings(paths: &[PathBuf]) -> anyhow::Result<Vec<Recording>> {
    let recordings = read_recordings(paths, interrupt::stop(), |listing| {
        Progress::of(listing.inputs.len(), listing.bytes)
    });
    Ok(recordings?)
}

/// What the user wants played, and as which release.
fn repertoire(args: &ReplayArgs, color: ColorChoice) -> anyhow::Result<Repertoire> {
    let script = args.script.as_deref().map(ScriptFile::read).transpose()?;
    let recordings = match script {
        Some(_) => Vec::new(),
        None => recordings(&args.recordings)?,
    };
    let protocol = recordings.first().map(|recording| recording.protocol);
    let listed = |text: &Option<String>| -> anyhow::Result<Option<Release>> {
        let Some(text) = text else { return Ok(None) };
        let of = (protocol.or(args.protocol), recordings.as_slice());
        Ok(Some(release(text, of, color)?))
    };
    let (given, as_release) = (listed(&args.release)?, listed(&args.as_release)?);
    if let Some(script) = script {
        return Ok(Repertoire::of_script(script, args.protocol, given));
    }
    if let Some(given) = given {
        for doubt in doubts(&recordings, given) {
            output::remark(color, &doubt.to_string());
        }
    }
    Ok(Repertoire::of_recordings(recordings, given, as_release)?)
}

/// The release that the user names.
fn release(
    text: &str,
    (protocol, recordings): (Option<Protocol>, &[Recording]),
    color: ColorChoice,
) -> anyhow::Result<Release> {
    // The release that a recording is of need not be listed.
    let mut own = recordings.iter().filter_map(|one| one.about.release);
    match (own.find(|own| text.parse() == Ok(*own)), protocol) {
        (Some(own), _) => Ok(own),
        (None, Some(protocol)) => resolve_release::of_protocol(Some(protocol), text, color),
        (None, None) => resolve_release::of_any(text, color),
    }
}

fn settings(args: &ReplayArgs, repertoire: &Repertoire) -> Settings {
    let mut settings = Settings::new();
    settings.release = repertoire.release();
    settings.as_release = repertoire.as_release();
    settings.speed = args.speed;
    settings.on_miss = args.on_miss;
    settings.times_now = args.times == "now";
    settings.record.clone_from(&args.record);
    settings.reports = args.reports.iter().map(ReportTo::to_settings).collect();
    settings.script.clone_from(&args.script);
    settings.injections.clone_from(&args.faults);
    settings.seed = args.seed;
    settings.fault_log.clone_from(&args.fault_log);
    settings.client_log.clone_from(&args.client_log);
    settings.owner = args.owner;
    settings
}

/// What was installed, for the user.
fn sentence(installed: &Installed, inferred: Option<&Inferred>) -> String {
    let what = match installed.recordings() {
        None => "a script".to_owned(),
        Some(1) => "1 recording".to_owned(),
        Some(many) => format!("{many} recordings"),
    };
    let release = installed.release();
    let remark = match inferred {
        None => String::new(),
        // One that is played as another release, or one of several.
        Some(Inferred {
            of, release: own, ..
        }) if installed.recordings() > Some(1) || *own != release => {
            format!("; {of} is taken for Codex {own}, {INFERRED}")
        }
        Some(_) => format!(", {INFERRED}"),
    };
    let program: PathBuf = installed.program();
    let program = Path::display(&program);
    format!("{program} plays {what} as Codex {release}{remark}")
}
