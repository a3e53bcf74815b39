//! The process that a script of a double becomes: it plays, and ends.

use std::env;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsFd, FromRawFd, OwnedFd};
use std::path::PathBuf;
use std::process;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use codex_wire_live::stand_in::{
    Environment, FAILED, Host, Installation, Settings, Streams, Tether,
};
use codex_wire_live::{Notices, Stop};
use signal_hook::consts::{SIGINT, SIGTERM};

use crate::error::{BoxError, with_sources};

/// Whether the program asks before it does anything else.
static BY_MAIN: AtomicBool = AtomicBool::new(false);

/// Whether the output of Codex was taken.
static TAKEN: AtomicBool = AtomicBool::new(false);

/// Where the output of Codex goes.
const OUTPUT: i32 = 3;

/// What a script tells the process that it becomes.
#[derive(Clone, Copy)]
pub(super) enum Variable {
    /// The number of the process.
    Process,
    /// The folder with what is played.
    Folder,
    /// How many arguments there are.
    Count,
    /// An argument: its number follows, from 1.
    Argument,
}

impl Variable {
    pub(super) fn name(self) -> &'static str {
        match self {
            Variable::Process => "CODEX_WIRE_STAND_IN_PROCESS",
            Variable::Folder => "CODEX_WIRE_STAND_IN_FOLDER",
            Variable::Count => "CODEX_WIRE_STAND_IN_COUNT",
            Variable::Argument => "CODEX_WIRE_STAND_IN_ARGUMENT_",
        }
    }

    fn value(self) -> Option<OsString> {
        env::var_os(self.name())
    }
}

/// Plays if a script became this process. The program asks this first.
pub(super) fn ask_in_main() {
    BY_MAIN.store(true, Ordering::Relaxed);
    ask();
}

/// Plays if a script became this process.
pub(super) fn ask() {
    if !is_started() {
        return;
    }
    let status = play().unwrap_or_else(|error| {
        complain(&with_sources(&*error));
        FAILED
    });
    #[expect(
        clippy::exit,
        reason = "what follows is the test, which is not run here"
    )]
    process::exit(status.into());
}

/// Whether the program asks before it does anything else.
pub(super) fn is_asked_by_main() -> bool {
    BY_MAIN.load(Ordering::Relaxed)
}

/// Whether a script became this process. Others that inherit the variable have another number.
fn is_started() -> bool {
    let own = process::id().to_string();
    Variable::Process
        .value()
        .is_some_and(|number| *number == *own)
}

fn play() -> Result<u8, BoxError> {
    let folder = Variable::Folder.value().map(PathBuf::from);
    let folder = folder.ok_or("the script names no folder")?;
    let notices = Notices::new(|notice| complain(&notice.to_string()));
    let environment = Environment::of_process();
    let settings = Settings::of_installed(&folder, &environment, &notices)?;
    if !settings.reports.is_empty() {
        return Err(
            "reports need the program `codex-wire`: name it with CODEX_WIRE_PROGRAM".into(),
        );
    }
    let tether = Tether::of(&settings);
    #[expect(
        clippy::exit,
        reason = "what is played may wait for something that never comes"
    )]
    // It ends with the process, or ends it.
    thread::spawn(move || {
        tether.wait();
        process::exit(FAILED.into());
    });
    let task = Installation::new(settings).task(arguments()?.into_iter())?;
    let stop = Stop::new();
    if task.listens() {
        for signal in [SIGINT, SIGTERM] {
            signal_hook::flag::register_conditional_shutdown(signal, 128 + signal, stop.flag())?;
            signal_hook::flag::register(signal, stop.flag())?;
        }
    }
    let host = Host::new(streams()?, environment, &stop)
        .notices(notices)
        .as_process(true);
    Ok(task.run(host)?.status)
}

/// The arguments of Codex.
fn arguments() -> Result<Vec<OsString>, BoxError> {
    let count = Variable::Count.value();
    let count = count.and_then(|count| count.to_str()?.parse::<usize>().ok());
    let count = count.ok_or("the script does not say how many arguments there are")?;
    let argument = |number: usize| {
        let name = format!("{}{number}", Variable::Argument.name());
        env::var_os(&name).ok_or_else(|| format!("the script hands over no {name}").into())
    };
    (1..=count).map(argument).collect()
}

fn streams() -> Result<Streams, BoxError> {
    let input = io::stdin().as_fd().try_clone_to_owned()?;
    let errors = io::stderr().as_fd().try_clone_to_owned()?;
    Ok(Streams::new(input.into(), output()?, errors.into()))
}

/// Takes the output of Codex.
#[allow(
    unsafe_code,
    reason = "the standard library duplicates no other descriptors than those of the standard streams, and sockets cannot be \
              opened again by their path"
)]
fn output() -> Result<File, BoxError> {
    if !is_started() || TAKEN.swap(true, Ordering::Relaxed) {
        return Err("the output of Codex is taken already".into());
    }
    // SAFETY: the script that became this process opened the descriptor for this, so whatever was opened since has
    // another number, and it is taken once.
    Ok(unsafe { OwnedFd::from_raw_fd(OUTPUT) }.into())
}

/// Says something to whoever reads the errors of Codex.
fn complain(text: &str) {
    // There is no other place to say it.
    let _ = writeln!(io::stderr(), "codex-wire: {text}");
}
