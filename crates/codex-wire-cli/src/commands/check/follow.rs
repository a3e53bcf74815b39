//! Implements `codex-wire check --follow`: checks a file that is still being written.

use std::fs::{File, Metadata};
use std::io::{self, ErrorKind, Read, Seek};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anstream::ColorChoice;
use anyhow::{Context, bail};
use codex_wire_check::{Checker, Finding, Outcome};
use codex_wire_report::Format;

use super::args::CheckArgs;
use crate::reports::{self, Reports};
use crate::{exit_code, inputs, output};

/// The time between two looks at the file.
const PERIOD: Duration = Duration::from_millis(50);

/// How long a removed file may be replaced by another one.
const GRACE: Duration = Duration::from_secs(2);

/// How many bytes are read at once.
const BUFFER: usize = 256 << 10;

/// Follows the file that the command line names.
pub(crate) fn run(
    args: &CheckArgs,
    checker: &Checker,
    color: ColorChoice,
) -> anyhow::Result<ExitCode> {
    let path = file(args)?;
    let interrupted = interrupted().context("cannot watch for signals")?;
    let mut files = reports::files(&args.reports, &args.files_read())?;
    let mut out = output::stdout(color);
    let mut reports = Reports::begin(args.format, &mut out, &mut files, false)?;

    let name = path.display().to_string();
    let mut tail = Tail::new(path);
    let mut stream = checker.stream(&name);
    let mut buffer = vec![0; BUFFER];
    let mut last = Instant::now();
    let mut announced = false;
    loop {
        match tail.step(&mut buffer) {
            Ok(Step::Bytes(read)) => {
                last = Instant::now();
                reports.findings(&name, stream.feed(&buffer[..read]))?;
                if stream.is_over() {
                    end(stream.finish(), &name, &mut reports)?;
                    break;
                }
                // Stop even if the file always has more.
                if !interrupted.load(Ordering::Relaxed) {
                    continue;
                }
            }
            Ok(Step::Restarted) => {
                let before = std::mem::replace(&mut stream, checker.stream(&name));
                end(before.finish(), &name, &mut reports)?;
                continue;
            }
            Ok(Step::Missing) if !announced => {
                let compressed = tail.compressed().map_or_else(String::new, |other| {
                    format!("; {} is there, and is not followed", other.display())
                });
                output::remark(color, &format!("waiting for {name}{compressed}"));
                announced = true;
            }
            Ok(Step::Gone(how)) => {
                output::remark(color, &format!("{name} {how}: nothing more can come"));
                end(stream.finish(), &name, &mut reports)?;
                break;
            }
            Ok(Step::Missing | Step::Nothing) => {}
            Err(error) => {
                reports.outcome(&unreadable(&name, &error, args.format, color))?;
                break;
            }
        }
        let idle = args.until_idle.is_some_and(|most| last.elapsed() >= most);
        if !idle && !interrupted.load(Ordering::Relaxed) {
            thread::sleep(PERIOD);
            continue;
        }
        if tail.is_missing() {
            let error = io::Error::new(ErrorKind::NotFound, "the file never appeared");
            reports.outcome(&unreadable(&name, &error, args.format, color))?;
        } else if idle {
            end(stream.finish(), &name, &mut reports)?;
        } else {
            end(stream.leave(), &name, &mut reports)?;
        }
        break;
    }
    let totals = reports.finish()?;
    for (_, file) in files {
        file.keep()?;
    }
    Ok(exit_code::of(&totals))
}

/// The file to follow.
fn file(args: &CheckArgs) -> anyhow::Result<&Path> {
    let [path] = args.paths.as_slice() else {
        bail!("`--follow` takes one file");
    };
    let shown = path.display();
    if path.as_os_str() == inputs::STDIN {
        bail!(
            "`--follow` cannot read standard input; `codex-wire tap` checks what a command writes"
        );
    }
    if path.is_dir() {
        bail!("{shown} is a folder; `--follow` takes one file");
    }
    if path
        .extension()
        .is_some_and(|ending| ending == "gz" || ending == "zst")
    {
        bail!("{shown} is compressed; `--follow` takes an uncompressed file");
    }
    Ok(path)
}

/// Writes the remaining findings of an input, and its outcome.
fn end(
    (outcome, rest): (Outcome, Vec<Finding>),
    name: &str,
    reports: &mut Reports<'_>,
) -> anyhow::Result<()> {
    reports.findings(name, &rest)?;
    reports.outcome(&outcome)
}

fn unreadable(name: &str, error: &io::Error, format: Format, color: ColorChoice) -> Outcome {
    // The text report shows this to people. They do not read the others.
    if format != Format::Text {
        output::complain(color, &format!("cannot check {name}: {error}"));
    }
    Outcome::unreadable(name, error.to_string())
}

/// Becomes true when the user wants to stop.
#[cfg(unix)]
fn interrupted() -> io::Result<Arc<AtomicBool>> {
    use signal_hook::consts::{SIGINT, SIGTERM};

    let flag = Arc::<AtomicBool>::default();
    for signal in [SIGINT, SIGTERM] {
        signal_hook::flag::register(signal, Arc::clone(&flag))?;
    }
    Ok(flag)
}

/// On systems without signals, an interruption ends the program at once.
#[cfg(not(unix))]
fn interrupted() -> io::Result<Arc<AtomicBool>> {
    Ok(Arc::default())
}

/// A file that grows. It may be truncated or replaced, and need not exist yet.
struct Tail {
    path: PathBuf,
    file: Option<File>,
    position: u64,
    /// Since when the file is gone.
    gone: Option<Instant>,
}

/// What a look at the file found.
#[derive(Debug, PartialEq, Eq)]
enum Step {
    /// This many new bytes.
    Bytes(usize),
    /// Nothing new.
    Nothing,
    /// The file does not exist yet.
    Missing,
    /// It was truncated or replaced: the next bytes are its start.
    Restarted,
    /// It was removed, and everything in it was read. It says how.
    Gone(&'static str),
}

impl Tail {
    fn new(path: &Path) -> Self {
        Tail {
            path: path.to_owned(),
            file: None,
            position: 0,
            gone: None,
        }
    }

    /// The file that Codex puts in the place of a session file when it compresses it, if it is there.
    fn compressed(&self) -> Option<PathBuf> {
        inputs::other_form(&self.path).filter(|other| other.is_file())
    }

    /// Whether the file never existed so far.
    fn is_missing(&self) -> bool {
        self.file.is_none()
    }

    fn step(&mut self, buffer: &mut [u8]) -> io::Result<Step> {
        let file = match &mut self.file {
            Some(file) => file,
            none => match File::open(&self.path) {
                Ok(file) => none.insert(file),
                Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Step::Missing),
                Err(error) => return Err(error),
            },
        };
        let read = match file.read(buffer) {
            Ok(read) => read,
            Err(error) if error.kind() == ErrorKind::Interrupted => return Ok(Step::Nothing),
            Err(error) => return Err(error),
        };
        self.position += read as u64;
        if read > 0 {
            self.gone = None;
            return Ok(Step::Bytes(read));
        }
        let about = file.metadata()?;
        if about.len() < self.position {
            file.rewind()?;
            self.position = 0;
            return Ok(Step::Restarted);
        }
        let found = match File::open(&self.path) {
            Ok(other) => Some((other.metadata()?, other)),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        match found {
            Some((other_about, other)) if !is_same(&about, &other_about) => {
                // The old file is complete: programs rename a file before they start the next
                // one, and everything in it was read.
                let empty = self.position == 0;
                self.file = Some(other);
                self.position = 0;
                self.gone = None;
                Ok(if empty {
                    Step::Nothing
                } else {
                    Step::Restarted
                })
            }
            Some(_) => {
                self.gone = None;
                Ok(Step::Nothing)
            }
            None if is_removed(&about) => Ok(self.removed()),
            // It was renamed, and the next one does not exist yet.
            None => Ok(Step::Nothing),
        }
    }

    /// The file is removed.
    fn removed(&mut self) -> Step {
        // Something may have been written after the last read and before the removal: there is one
        // more read.
        let Some(gone) = self.gone else {
            self.gone = Some(Instant::now());
            return Step::Nothing;
        };
        if self.compressed().is_some() {
            return Step::Gone("was compressed");
        }
        match gone.elapsed() >= GRACE {
            true => Step::Gone("was removed"),
            false => Step::Nothing,
        }
    }
}

#[cfg(unix)]
fn is_same(one: &Metadata, other: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;

    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

/// Whether a file that is open has no name any more. One that was renamed has.
#[cfg(unix)]
fn is_removed(about: &Metadata) -> bool {
    std::os::unix::fs::MetadataExt::nlink(about) == 0
}

/// Where it is not known, the file may have been renamed.
#[cfg(not(unix))]
fn is_removed(_: &Metadata) -> bool {
    false
}

/// Without a file identity, a replaced file is only noticed if it is shorter.
#[cfg(not(unix))]
fn is_same(_: &Metadata, _: &Metadata) -> bool {
    true
}
