//! This test as the program that plays: a script starts it again, and it plays instead of its tests.
//!
//! Clients start a path. What lies there is a script, since the arguments are those of Codex, which a test harness would
//! take for its own. The script hands them over in variables. The output of Codex is descriptor 3, because the harness
//! writes to standard output before it runs a test.

use std::env;
use std::ffi::OsStr;
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::{self, Command, Stdio};
use std::sync::OnceLock;

use codex_wire_base::{NamedRelease, Protocol, Release};
use codex_wire_live::Stop;
use codex_wire_live::stand_in::{
    self, Environment, Repertoire, ScriptFile, Settings, Speed as Pace, newest, read_recordings,
};
use codex_wire_replay::Recording;
use codex_wire_replay::faults::Injection;

use super::error::Error;
use super::place::{BIN, FAULTS, LOG, SCRIPT, refused};
use super::plan::{Plan, Played, Speed};
use super::process::{self as played, Variable};
use crate::error::{BoxError, with_sources};

/// The test that plays, which `stand_in_program!` writes.
const TEST: &str = "codex_wire_stand_in";

/// The script, in the folder of a double.
const PROGRAM: &str = "program";

/// Tells a process that it is to list its tests, and nothing else: the number of the one that wants to know.
const LISTED_FOR: &str = "CODEX_WIRE_LISTED_FOR";

/// How this program plays when it is started again.
#[derive(Clone, Debug)]
pub(super) enum Entry {
    /// It finds out before it does anything else.
    Main,
    /// One of its tests does.
    Test(String),
}

/// How this program plays, if it does.
pub(super) fn entry() -> Result<Option<Entry>, Error> {
    static TESTS: OnceLock<io::Result<Option<Entry>>> = OnceLock::new();

    if played::is_asked_by_main() {
        return Ok(Some(Entry::Main));
    }
    if is_only_listed() {
        #[expect(clippy::exit, reason = "it was to list its tests, and runs them")]
        process::exit(1);
    }
    match TESTS.get_or_init(find) {
        Ok(entry) => Ok(entry.clone()),
        Err(error) => Err(Error::Program {
            program: env::current_exe().unwrap_or_default(),
            source: io::Error::new(error.kind(), error.to_string()),
        }),
    }
}

/// Puts a double into a folder.
pub(super) fn install(folder: &Path, plan: &Plan, entry: &Entry) -> Result<(), Error> {
    let path = folder.join(PROGRAM);
    let text = env::current_exe().map(|own| script(&own, &folder.join(BIN), entry));
    let written = text.and_then(|text| write_program(&path, &text));
    written.map_err(Error::file(&path))?;
    place(folder, &path, plan).map_err(|error| refused(folder, &with_sources(&*error)))
}

/// Asks this program for its tests.
fn find() -> io::Result<Option<Entry>> {
    let output = Command::new(env::current_exe()?)
        .args([TEST, "--list", "--format", "terse"])
        .env(LISTED_FOR, process::id().to_string())
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()?;
    let listed = String::from_utf8_lossy(&output.stdout);
    let mut tests = listed
        .lines()
        .filter_map(|line| line.strip_suffix(": test"));
    let is_it = |name: &&str| name.rsplit("::").next() == Some(TEST);
    Ok(tests.find(is_it).map(|name| Entry::Test(name.to_owned())))
}

fn is_only_listed() -> bool {
    let asker = std::os::unix::process::parent_id().to_string();
    env::var_os(LISTED_FOR).is_some_and(|number| *number == *asker)
}

/// The text of the program.
fn script(own: &Path, bin: &Path, entry: &Entry) -> Vec<u8> {
    let (process, folder) = (Variable::Process.name(), Variable::Folder.name());
    let (count, argument) = (Variable::Count.name(), Variable::Argument.name());
    let mut text = format!(
        "#!/bin/sh\n\
         # What it becomes plays instead of Codex, and writes to descriptor 3.\n\
         n=0\n\
         for argument in \"$@\"; do\n\
         \x20 n=$((n + 1))\n\
         \x20 eval \"export {argument}$n=\\\"\\$argument\\\"\"\n\
         done\n\
         export {process}=$$ {count}=$n\n\
         export {folder}="
    )
    .into_bytes();
    quote(&mut text, bin.as_os_str());
    text.extend(b"\nexec ");
    quote(&mut text, own.as_os_str());
    if let Entry::Test(name) = entry {
        text.push(b' ');
        quote(&mut text, OsStr::new(name));
        text.extend(b" --exact --nocapture --test-threads=1");
    }
    text.extend(b" 3>&1 >/dev/null\n");
    text
}

/// A word of a shell.
fn quote(text: &mut Vec<u8>, word: &OsStr) {
    text.push(b'\'');
    for part in word.as_bytes().split_inclusive(|byte| *byte == b'\'') {
        text.extend(part);
        if part.ends_with(b"'") {
            text.extend(b"\\''");
        }
    }
    text.push(b'\'');
}

/// Has a program written by another one. A process that some thread starts while a file is open here has it open too,
/// and the system starts no program that is open for writing.
fn write_program(path: &Path, text: &[u8]) -> io::Result<()> {
    let mut child = Command::new("/bin/sh")
        .args(["-c", "cat >\"$0\" && chmod 755 \"$0\""])
        .arg(path)
        .stdin(Stdio::piped())
        .spawn()?;
    // It is closed before the end is waited for.
    let written = child
        .stdin
        .take()
        .map_or(Ok(()), |mut to| to.write_all(text));
    let status = child.wait()?;
    written?;
    match status.success() {
        true => Ok(()),
        false => Err(io::Error::other(format!("/bin/sh ended with {status}"))),
    }
}

/// Puts what is played and the program into the folder of the double.
fn place(folder: &Path, program: &Path, plan: &Plan) -> Result<(), BoxError> {
    let repertoire = repertoire(folder, plan)?;
    let settings = settings(folder, plan, &repertoire)?;
    repertoire.fit(&settings.faults())?;
    if let Some(script) = repertoire.script() {
        let release = repertoire.release().unwrap_or_else(newest);
        script.is_playable(release, &settings, &Environment::of_process())?;
    }
    match stand_in::install(&folder.join(BIN), program, &settings, &repertoire) {
        Ok(_) => Ok(()),
        Err(error @ codex_wire_live::Error::NoRelease) => {
            Err(format!("{error}: say it with `release`").into())
        }
        Err(error) => Err(error.into()),
    }
}

fn repertoire(folder: &Path, plan: &Plan) -> Result<Repertoire, BoxError> {
    let given = plan.manner.release.as_deref();
    match &plan.played {
        Played::Script(_) => {
            let script = ScriptFile::read(&folder.join(SCRIPT))?;
            let given = given.map(|given| release(given, &[])).transpose()?;
            Ok(Repertoire::of_script(script, None, given))
        }
        Played::Recordings { paths, as_release } => {
            let stop = Stop::new();
            let recordings = read_recordings(paths, &stop, |_| stop.clone())?;
            let named = |name: &str| release(name, &recordings);
            let given = given.map(named).transpose()?;
            let as_release = as_release.as_deref().map(named).transpose()?;
            Ok(Repertoire::of_recordings(recordings, given, as_release)?)
        }
    }
}

/// The release that a test names: one that a recording is of need not be listed.
fn release(name: &str, recordings: &[Recording]) -> Result<Release, BoxError> {
    let mut own = recordings.iter().filter_map(|one| one.about.release);
    if let Some(own) = own.find(|own| name.parse() == Ok(*own)) {
        return Ok(own);
    }
    let found = match recordings.first() {
        Some(first) => NamedRelease::find(Protocol::message_sets(first.protocol), name),
        None => NamedRelease::find_any(name),
    };
    Ok(found?.release)
}

fn settings(folder: &Path, plan: &Plan, repertoire: &Repertoire) -> Result<Settings, BoxError> {
    let manner = &plan.manner;
    let mut settings = Settings::new();
    settings.release = repertoire.release();
    settings.as_release = repertoire.as_release();
    settings.speed = match manner.speed {
        Speed::Instant => Pace::Instant,
        Speed::Recorded => Pace::Times(1.0),
        Speed::Times(factor) => Pace::parse(&factor.to_string())?,
    };
    settings.on_miss = manner.on_miss;
    settings.times_now = manner.times_now;
    settings.script = matches!(plan.played, Played::Script(_)).then(|| folder.join(SCRIPT));
    let faults = manner.faults.iter().map(|id| Injection::parse(id));
    settings.injections = faults.collect::<Result<_, _>>()?;
    settings.seed = manner.seed;
    settings.client_log = Some(folder.join(LOG));
    settings.fault_log = Some(folder.join(FAULTS));
    settings.owner = Some(process::id());
    Ok(settings)
}
