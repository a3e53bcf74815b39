//! The program under the name `codex`: plays the recordings, or the script, that were installed beside it.
//!
//! It knows by its name that it is to play. Its arguments are those of Codex, so no flag of `codex-wire`
//! reaches it: [`Settings`] come from files and the environment.

mod arguments;
mod scripted;
mod threads;

use std::env;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anstream::ColorChoice;
use anyhow::{Context, anyhow, bail};
use codex_wire_base::Protocol;
use codex_wire_check::Writer;
use codex_wire_replay::arguments::{Answer, Listen};
use codex_wire_replay::{ExecPlay, Recording};

use crate::commands::replay::script::{ScriptFile, newest};
use crate::commands::replay::settings::{FILE, Settings};
use crate::commands::replay::watch::{Watch, Watching};
use crate::commands::replay::{Source, converse, exec, faults, stdout};
use crate::output;
use arguments::{Asked, Exec, FORK, RESUME, REVIEW, START};
use threads::Threads;

/// The name that makes this program a stand-in.
const NAME: &str = "codex";

/// The variable with the home of Codex.
const HOME: &str = "CODEX_HOME";

/// The exit status if there is nothing to play.
const FAILED: u8 = 1;

/// Plays if this program is named `codex`; otherwise returns nothing.
pub(crate) fn run_if_installed() -> Option<ExitCode> {
    let own = env::current_exe().ok()?;
    if own.file_stem()? != NAME {
        return None;
    }
    let folder = own.parent().unwrap_or(Path::new("."));
    let status = match run(folder) {
        Ok(status) => status,
        Err(error) => {
            output::complain(ColorChoice::Auto, &format!("{error:#}"));
            FAILED
        }
    };
    Some(ExitCode::from(status))
}

fn run(folder: &Path) -> anyhow::Result<u8> {
    let mut settings = Settings::of_installed(folder)?;
    if settings.script.is_some() {
        settings.release.get_or_insert_with(newest);
    }
    let Some(release) = settings.release else {
        bail!("`release` is missing in {FILE}");
    };
    match arguments::parse(release, env::args_os().skip(1))? {
        Asked::Print(answer) => print(&answer),
        Asked::Exec(asked) => {
            settings.cwd.clone_from(&asked.cwd);
            run_exec(&settings, &asked)
        }
        Asked::AppServer(listen) => run_session(&settings, Protocol::AppServer, &listen),
        Asked::Proto => run_session(&settings, Protocol::Core, &Listen::Stdio),
    }
}

/// Prints what Codex prints, and returns its exit status.
fn print(answer: &Answer) -> anyhow::Result<u8> {
    io::stdout().write_all(answer.stdout.as_bytes())?;
    io::stderr().write_all(answer.stderr.as_bytes())?;
    Ok(answer.status)
}

/// The recordings of one protocol.
fn recordings(settings: &Settings, protocol: Protocol) -> anyhow::Result<Vec<Recording>> {
    let (recordings, others): (Vec<_>, Vec<_>) = settings
        .read_recordings()?
        .into_iter()
        .partition(|recording| recording.protocol == protocol);
    if !recordings.is_empty() {
        return Ok(recordings);
    }
    let of = |other: Protocol| {
        let is_of = |at: &usize| others[*at].protocol == other;
        let which: Vec<usize> = (0..others.len()).filter(is_of).collect();
        let command = spoken_by(other);
        (!which.is_empty()).then(|| format!("of {command}: {}", names(&others, &which)))
    };
    let found: Vec<String> = Protocol::ALL.iter().copied().filter_map(of).collect();
    bail!(
        "the client started codex {}, but the recordings are {}",
        spoken_by(protocol),
        found.join("; ")
    );
}

/// The command of Codex that speaks a protocol.
fn spoken_by(protocol: Protocol) -> &'static str {
    match protocol {
        Protocol::Core => "proto",
        other => other.as_str(),
    }
}

/// The home that the client gives.
fn home() -> Option<PathBuf> {
    env::var_os(HOME)
        .filter(|home| !home.is_empty())
        .map(PathBuf::from)
}

fn watch(settings: &Settings, protocol: Protocol, listens: bool) -> anyhow::Result<Watch> {
    let record = settings.record.as_deref().map(Settings::own);
    let mut reports = settings.reports.clone();
    for report in &mut reports {
        report.path = Settings::own(&report.path);
    }
    Watch::begin(Watching {
        protocol,
        release: settings.release,
        listens,
        name: record
            .as_ref()
            .map_or_else(|| NAME.to_owned(), |path| path.display().to_string()),
        record,
        reports,
        shown: None,
        color: ColorChoice::Auto,
    })
}

fn run_session(settings: &Settings, protocol: Protocol, listen: &Listen) -> anyhow::Result<u8> {
    let script = settings
        .script
        .as_deref()
        .map(ScriptFile::read)
        .transpose()?;
    let recordings = match script {
        Some(_) => Vec::new(),
        None => recordings(settings, protocol)?,
    };
    let source = Source {
        recordings,
        script,
        protocol,
    };
    let home = home().and_then(|home| std::path::absolute(home).ok());
    let watch = watch(settings, protocol, *listen != Listen::Stdio)?;
    let color = ColorChoice::Auto;
    let status = converse(source, settings, home.as_deref(), listen, &watch, color)?;
    watch.finish(status)?;
    Ok(status)
}

fn run_exec(settings: &Settings, asked: &Exec) -> anyhow::Result<u8> {
    let prompt = match &asked.prompt {
        Some(prompt) => prompt.clone(),
        None => {
            let mut prompt = Vec::new();
            io::stdin()
                .read_to_end(&mut prompt)
                .context("cannot read the prompt")?;
            let prompt = String::from_utf8_lossy(&prompt).into_owned();
            if prompt.trim().is_empty() {
                return print(&asked.no_prompt);
            }
            prompt
        }
    };
    let threads = Threads::open(home(), settings.folder.as_deref());
    let play = match &settings.script {
        Some(path) => scripted::run(&ScriptFile::read(path)?, settings, &threads, asked, prompt)?,
        None => recorded(settings, &threads, asked, &prompt)?,
    };
    if let Some(path) = &asked.last_message {
        let text = play.last_message().unwrap_or_default();
        std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    let watch = watch(settings, Protocol::Exec, false)?;
    let observer = watch.observer();
    let status = match asked.json {
        true => faults::play(&play, settings, &observer, stdout()?)?,
        // Without `--json`, Codex prints the last message.
        false => {
            exec::Interrupt::expect(play.hangs())?.wait();
            let text = play.last_message().unwrap_or_default();
            observer.line(Writer::Codex, text.as_bytes());
            writeln!(io::stdout(), "{text}")?;
            u8::try_from(play.status()).unwrap_or(FAILED)
        }
    };
    watch.finish(status)?;
    Ok(status)
}

/// The run of the recordings that was asked for.
fn recorded(
    settings: &Settings,
    threads: &Threads,
    asked: &Exec,
    prompt: &str,
) -> anyhow::Result<ExecPlay> {
    let recordings = recordings(settings, Protocol::Exec)?;
    let plays: Vec<ExecPlay> = recordings.iter().map(ExecPlay::new).collect();
    let (at, thread) = match &asked.resume {
        Some(session) => resumed(threads, session.as_deref(), &recordings, &plays, prompt)?,
        None => started(threads, &recordings, &plays, asked.command, prompt)?,
    };
    let mut play = plays[at].clone();
    if let Some(thread) = &thread {
        play.rename_thread(thread);
    }
    Ok(play)
}

/// Whether a recording is known to have had this prompt, and whether its prompt is known at all.
fn prompt_of(recording: &Recording, prompt: &str) -> (bool, bool) {
    let command = &recording.about.command;
    let last = command
        .last()
        .filter(|last| command.len() > 2 && !last.starts_with('-'));
    let has = command.iter().any(|word| word == prompt);
    (has, last.is_some())
}

/// The command of `codex exec` that was recorded.
fn command_of(recording: &Recording) -> &'static str {
    let words = &recording.about.command;
    let mut known = [RESUME, FORK, REVIEW].into_iter();
    known
        .find(|command| words.iter().any(|word| word == command))
        .unwrap_or(START)
}

/// The recording of a new run, and the thread that it is. A copy of a thread and a review are new ones.
fn started(
    threads: &Threads,
    recordings: &[Recording],
    plays: &[ExecPlay],
    command: &str,
    prompt: &str,
) -> anyhow::Result<(usize, Option<String>)> {
    let mut fitting: Vec<usize> = (0..recordings.len())
        .filter(|at| command_of(&recordings[*at]) == command)
        .collect();
    let same = |at: &usize| prompt_of(&recordings[*at], prompt).0;
    if fitting.iter().any(same) {
        fitting.retain(same);
    } else {
        let mut known: Vec<&String> = fitting
            .iter()
            .filter(|at| prompt_of(&recordings[**at], prompt).1)
            .filter_map(|at| recordings[*at].about.command.last())
            .collect();
        known.sort();
        known.dedup();
        if known.len() > 1 && known.len() == fitting.len() {
            bail!(
                "no recording has this prompt; those that there are have: {}",
                names(recordings, &fitting)
            );
        }
    }
    let Some(first) = fitting.first() else {
        match command {
            START => bail!("no recording starts a thread with a prompt"),
            command => bail!("no recording is of `codex exec {command}`"),
        }
    };
    // Of several that fit, each run plays the next.
    let at = match fitting.len() {
        1 => *first,
        many => fitting[threads.next_run()? % many],
    };
    let thread = match plays[at].thread() {
        Some(recorded) => Some(threads.begin(recorded, &recordings[at].name)?),
        None => None,
    };
    Ok((at, thread))
}

/// The recording of a run that resumes a thread, and the thread.
fn resumed(
    threads: &Threads,
    session: Option<&str>,
    recordings: &[Recording],
    plays: &[ExecPlay],
    prompt: &str,
) -> anyhow::Result<(usize, Option<String>)> {
    let live = match session {
        Some(session) => Some(session.to_owned()),
        None => threads.last(),
    };
    let Some(live) = live else {
        // Codex starts a new thread if there is none.
        return started(threads, recordings, plays, START, prompt);
    };
    let known = threads.get(&live)?;
    let recorded = known
        .as_ref()
        .map_or(live.as_str(), |known| known.recorded.as_str());
    let was_played = |at: &usize| {
        let name = &recordings[*at].name;
        known
            .as_ref()
            .is_some_and(|known| known.played.contains(name))
    };
    let fitting: Vec<usize> = (0..recordings.len())
        .filter(|at| {
            plays[*at].thread() == Some(recorded)
                && (command_of(&recordings[*at]) == RESUME || known.is_some())
        })
        .collect();
    if fitting.is_empty() && known.is_none() {
        bail!("no recording resumes the thread {live}");
    }
    let rest: Vec<usize> = fitting
        .iter()
        .copied()
        .filter(|at| !was_played(at))
        .collect();
    let at = rest
        .iter()
        .find(|at| prompt_of(&recordings[**at], prompt).0)
        .or(rest.first());
    let Some(at) = at else {
        return Err(anyhow!(
            "all recordings of the thread {live} were played: {}; record the next turn with `codex exec resume`, \
             and give all recordings",
            names(recordings, &fitting)
        ));
    };
    threads.note(&live, recorded, &recordings[*at].name)?;
    Ok((*at, Some(live)))
}

fn names(recordings: &[Recording], which: &[usize]) -> String {
    let names: Vec<&str> = which
        .iter()
        .map(|at| recordings[*at].name.as_str())
        .collect();
    names.join(", ")
}
