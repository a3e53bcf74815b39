//! The program under the name `codex`: plays the recordings, or the script, that were installed beside it.
//!
//! Its arguments are those of Codex, so no flag of another program reaches it: its [`Settings`] come from files
//! and the environment.

use std::ffi::OsString;
use std::fmt;
use std::io::{self, Read, Write};
use std::path::Path;

use codex_wire_base::Protocol;
use codex_wire_check::Writer;
use codex_wire_replay::arguments::{Answer, Listen};
use codex_wire_replay::client_log::{ClientAction, Ended, Prompt, Unexpected};
use codex_wire_replay::{ExecPlay, Recording};

use crate::error::{Error, NoRun};
use crate::notice::Causes;
use crate::stand_in::arguments::{self, Asked, Exec, FORK, RESUME, REVIEW, START};
use crate::stand_in::client_log;
use crate::stand_in::environment::Streams;
use crate::stand_in::exec;
use crate::stand_in::miss_log::MissLog;
use crate::stand_in::output::Lines;
use crate::stand_in::plain::{Plain, Printed};
use crate::stand_in::play::{Host, Played, play};
use crate::stand_in::script::{ScriptFile, newest};
use crate::stand_in::scripted;
use crate::stand_in::settings::Settings;
use crate::stand_in::stage::Source;
use crate::stand_in::threads::Threads;
use crate::stand_in::type_files;

/// The name that makes a program a stand-in.
pub const NAME: &str = "codex";

/// The exit status if there is nothing to play.
pub const FAILED: u8 = 1;

/// A stand-in that was installed in a folder, as the program that runs.
#[derive(Clone, Debug)]
pub struct Installation {
    settings: Settings,
}

/// What a client asks Codex for.
pub struct Task {
    settings: Settings,
    asked: Asked,
    arguments: Vec<String>,
}

impl fmt::Debug for Task {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = f.debug_struct("Task");
        out.field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}

impl Installation {
    /// Whether a program with this path is a stand-in: its name is that of Codex.
    pub fn is_at(program: &Path) -> bool {
        program.file_stem().is_some_and(|name| name == NAME)
    }

    /// The stand-in with these settings, which [`Settings::of_installed`] reads.
    pub fn new(settings: Settings) -> Self {
        Installation { settings }
    }

    /// What a client asks Codex for with these arguments, without the name of the program.
    ///
    /// # Errors
    /// If it is not played.
    pub fn task(mut self, arguments: impl Iterator<Item = OsString>) -> Result<Task, Error> {
        if self.settings.script.is_some() {
            self.settings.release.get_or_insert_with(newest);
        }
        let words: Vec<OsString> = arguments.collect();
        let texts = words.iter().map(|word| word.to_string_lossy().into_owned());
        let arguments = texts.collect();
        let release = self.settings.release.ok_or(Error::NoReleaseSet);
        let asked = release.and_then(|release| arguments::parse(release, words.into_iter()));
        match asked {
            Ok(asked) => Ok(Task {
                settings: self.settings,
                asked,
                arguments,
            }),
            Err(error) => {
                note(&self.settings, &error);
                Err(error)
            }
        }
    }
}

impl Task {
    /// Whether clients are waited for at an address, until a stop is requested.
    pub fn listens(&self) -> bool {
        matches!(&self.asked, Asked::AppServer(listen) if *listen != Listen::Stdio)
    }

    /// Does it.
    ///
    /// # Errors
    /// If there is nothing to play, or something cannot be read or written.
    pub fn run(self, host: Host) -> Result<Played, Error> {
        let mut host = host;
        let settings = &self.settings;
        host.arguments = self.arguments;
        if let Some(protocol) = self.asked.protocol() {
            host.log(settings, protocol)?;
        }
        let played = match &self.asked {
            Asked::Print(answer) => print(answer, host.streams),
            Asked::Exec(asked) => run_exec(settings, asked, host),
            Asked::AppServer(listen) => run_session(settings, Protocol::AppServer, listen, host),
            Asked::TypeFiles(release, files) => type_files::write(*release, files, host),
            Asked::Proto => run_session(settings, Protocol::Core, &Listen::Stdio, host),
        };
        if let Err(error) = &played {
            note(settings, error);
        }
        played
    }
}

/// Writes down why nothing is played.
fn note(settings: &Settings, error: &Error) {
    // What the system refuses, such as to write to a client that has gone, says nothing of what is played.
    let is_played = !matches!(error, Error::System { .. });
    if let Some(path) = &settings.miss_log
        && is_played
        && let Ok(mut log) = MissLog::open(path)
    {
        log.note(&Causes(error));
    }
    if let Some(path) = &settings.client_log {
        let message = Causes(error).to_string();
        let why = is_played.then_some(ClientAction::Unexpected(Unexpected { message }));
        let ended = ClientAction::Ended(Ended { status: FAILED });
        client_log::append(path, why.into_iter().chain([ended]));
    }
}

/// Prints what Codex prints.
fn print(answer: &Answer, streams: Streams) -> Result<Played, Error> {
    let Streams {
        mut output, errors, ..
    } = streams;
    output
        .write_all(answer.stdout.as_bytes())
        .and_then(|()| errors.write(answer.stderr.as_bytes()))
        .map_err(Error::system("write standard output"))?;
    Ok(Played {
        status: answer.status,
        outcome: None,
    })
}

/// The recordings of one protocol.
fn recordings(settings: &Settings, protocol: Protocol) -> Result<Vec<Recording>, Error> {
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
        (!which.is_empty()).then(|| format!("of {command}: {}", names(&others, &which).join(", ")))
    };
    let found: Vec<String> = Protocol::ALL.iter().copied().filter_map(of).collect();
    Err(Error::OtherCommand {
        started: spoken_by(protocol),
        recorded: found.join("; "),
    })
}

/// The command of Codex that speaks a protocol.
fn spoken_by(protocol: Protocol) -> &'static str {
    match protocol {
        Protocol::Core => "proto",
        other => other.as_str(),
    }
}

fn run_session(
    settings: &Settings,
    protocol: Protocol,
    listen: &Listen,
    host: Host,
) -> Result<Played, Error> {
    let script = settings.script.as_deref().map(ScriptFile::read);
    let script = script.transpose()?;
    let recordings = match script {
        Some(_) => Vec::new(),
        None => recordings(settings, protocol)?,
    };
    let source = Source {
        recordings,
        script,
        protocol,
    };
    let home = host.environment.given_home();
    let home = home.and_then(|home| std::path::absolute(home).ok());
    play(source, settings, home, listen, NAME, host)
}

fn run_exec(settings: &Settings, asked: &Exec, host: Host) -> Result<Played, Error> {
    let faults = settings.faults();
    if let (false, Some(injection)) = (asked.json, faults.injections().first()) {
        let reason = "without `--json`, `codex exec` writes text, which gets no faults";
        return Err(Error::NotPlayed(format!("{injection}: {reason}")));
    }
    let mut host = host;
    let prompt = match &asked.prompt {
        Some(prompt) => prompt.clone(),
        None => {
            let prompt = read_prompt(&mut host.streams.input);
            let prompt = prompt.map_err(Error::system("read the prompt"))?;
            if prompt.trim().is_empty() {
                return print(&asked.no_prompt, host.streams);
            }
            prompt
        }
    };
    let home = host.environment.given_home();
    let threads = Threads::open(home, settings.folder.as_deref());
    let run = match &settings.script {
        Some(path) => {
            let script = ScriptFile::read(path)?;
            let how = (settings, &host.environment);
            scripted::run(&script, how, &threads, asked, prompt.clone())?
        }
        None => recorded(settings, &threads, asked, &prompt)?,
    };
    let watch = host.watch(settings, (Protocol::Exec, false), NAME)?;
    let observer = watch.observer();
    // A review has none.
    if !prompt.is_empty() {
        observer.did(ClientAction::Prompt(Prompt {
            thread_id: run.thread().map(str::to_owned),
            text: prompt.clone(),
        }));
    }
    let Streams {
        mut output, errors, ..
    } = host.streams;
    let ended = match asked.json {
        true => exec::play(
            &run,
            settings,
            observer.clone(),
            errors,
            Box::new(Lines::new(output)),
        )?,
        false => {
            let own = host.environment.cwd().unwrap_or_default();
            let cwd = match &asked.cwd {
                Some(cwd) => own.join(cwd),
                None => own,
            };
            let plain = Plain {
                release: settings.release.unwrap_or_else(newest),
                cwd: &cwd,
                model: asked.model.as_deref(),
                prompt: asked.target.as_ref().unwrap_or(&prompt),
                is_review: asked.command == REVIEW,
                run: &run,
            };
            let mut print = |printed: Printed| {
                for line in printed.output.lines() {
                    observer.line(Writer::Codex, line.as_bytes());
                }
                let said = errors.write(printed.errors.as_bytes());
                said.and_then(|()| output.write_all(printed.output.as_bytes()))
                    .map_err(Error::system("write standard output"))
            };
            let interrupt = exec::Interrupt::expect(run.hangs());
            let interrupt = interrupt.map_err(Error::system("watch for signals"))?;
            print(plain.begin())?;
            print(plain.messages())?;
            interrupt.wait(&observer);
            print(plain.end())?;
            exec::Ended::of(&run)
        }
    };
    if let (Some(path), Some(text)) = (&asked.last_message, &ended.last_message) {
        std::fs::write(path, text).map_err(Error::write(path))?;
    }
    let status = ended.status;
    let outcome = watch.finish(status)?;
    Ok(Played { status, outcome })
}

fn read_prompt(input: &mut impl Read) -> io::Result<String> {
    let mut prompt = Vec::new();
    input.read_to_end(&mut prompt)?;
    Ok(String::from_utf8_lossy(&prompt).into_owned())
}

/// The run of the recordings that was asked for.
fn recorded(
    settings: &Settings,
    threads: &Threads,
    asked: &Exec,
    prompt: &str,
) -> Result<ExecPlay, Error> {
    let recordings = recordings(settings, Protocol::Exec)?;
    let mut plays: Vec<ExecPlay> = recordings.iter().map(ExecPlay::new).collect();
    let (at, thread) = match &asked.resume {
        Some(session) => resumed(threads, session.as_deref(), &recordings, &plays, prompt)?,
        None => started(threads, &recordings, &plays, asked.command, prompt)?,
    };
    let mut play = plays.swap_remove(at);
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
) -> Result<(usize, Option<String>), Error> {
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
            return Err(NoRun::Prompt(names(recordings, &fitting)).into());
        }
    }
    let Some(first) = fitting.first() else {
        return Err(Error::NoRun(match command {
            START => NoRun::Start,
            command => NoRun::Command(command.to_owned()),
        }));
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
) -> Result<(usize, Option<String>), Error> {
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
        return Err(NoRun::Thread(live).into());
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
        let recordings = names(recordings, &fitting);
        return Err(Error::NoRun(NoRun::AllPlayed {
            thread: live,
            recordings,
        }));
    };
    threads.note(&live, recorded, &recordings[*at].name)?;
    Ok((*at, Some(live)))
}

fn names(recordings: &[Recording], which: &[usize]) -> Vec<String> {
    let names = which.iter().map(|at| recordings[*at].name.clone());
    names.collect()
}
