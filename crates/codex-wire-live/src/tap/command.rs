//! Runs a command between a client and Codex.

use std::fmt;
use std::io::{Read, Write};
use std::panic;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use codex_wire_check::{Finding, Writer};
use shared_child::SharedChild;

use crate::error::Error;
use crate::tap::conversation::Conversation;
use crate::tap::inspection::{End, Inspected, Inspection};
use crate::tap::intake::{Event, Intake, Take};
use crate::tap::lines::Lines;
use crate::tap::pump::{Activity, Pump};
use crate::tap::recording::Recording;
use crate::tap::settings::{QUEUE, Tap};
use crate::tap::signals::{self, Signals};

/// How long to wait for more output after Codex has exited. A process that Codex started may keep the
/// pipe open forever.
const GRACE: Duration = Duration::from_secs(1);

/// How often the end of the output is polled.
const TICK: Duration = Duration::from_millis(50);

/// A command that runs. The findings in its traffic are an iterator, which ends when the command does.
///
/// The traffic waits when much is to be inspected: take the findings, or [`finish`](Running::finish).
pub struct Running<'c> {
    inspection: Inspection<'c>,
    waiter: JoinHandle<Result<Exited, Error>>,
}

/// How a command ended, and what was found in its traffic.
#[derive(Debug)]
#[non_exhaustive]
pub struct Tapped {
    /// How the command exited.
    pub status: ExitStatus,
    /// What was found.
    pub inspected: Inspected,
    /// Why its output could not be passed on completely, if it could not. A reader that has gone is no reason.
    pub cut: Option<String>,
}

/// How the command ended.
struct Exited {
    status: ExitStatus,
    cut: Option<String>,
}

impl<'c> Tap<'c> {
    /// Starts a command. Its input comes from `input`, its output goes to `output`, and its standard error is
    /// ours.
    ///
    /// # Errors
    /// If the command cannot be started, or the recording not be written.
    pub fn run(
        mut self,
        command: &mut Command,
        input: impl Read + Send + 'static,
        output: impl Write + Send + 'static,
    ) -> Result<Running<'c>, Error> {
        let stream = self.stream();
        let mut recorder = self.recorder;
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit());
        let child = SharedChild::spawn(command).map_err(|source| Error::Start {
            program: Path::new(command.get_program()).display().to_string(),
            source,
        })?;
        let child = Arc::new(child);
        let begun = match &mut recorder {
            Some(recorder) => recorder.begin(),
            None => Ok(()),
        };
        // The command was started before, so it has the signal handlers that we inherited, not ours.
        let signals = begun.and_then(|()| {
            let signals = self.passes_signals.then(|| Signals::forward(&child));
            signals
                .transpose()
                .map_err(Error::system("watch for signals"))
        });
        let signals = signals.inspect_err(|_| {
            // Nobody else ends it. It may have ended just now.
            let _ = child.kill();
            let _ = child.wait();
        })?;

        let awaits_release = recorder.is_some() && self.release.is_none();
        let lines = Lines::new(
            Conversation::new(self.protocol, awaits_release),
            Recording::new(recorder, self.notices),
            self.release,
            self.longest,
            self.begun,
        );
        let (intake, entries) = Intake::new(lines, QUEUE);
        let own = Arc::clone(&intake);
        if let Some(to) = child.take_stdin() {
            // This thread is never joined: it may be blocked in a read at the end.
            thread::spawn(pump(Pump::new(input, to, Writer::Client), &intake));
        }
        let (done, is_done) = mpsc::channel::<()>();
        let activity = child.take_stdout().map(|from| {
            let pump = Pump::new(from, output, Writer::Codex);
            let activity = pump.activity();
            let run = self::pump(pump, &intake);
            thread::spawn(move || {
                run();
                drop(done);
            });
            activity
        });
        let waiter = thread::spawn(move || {
            let exited = wait(&child, signals.as_ref(), activity.as_deref(), &is_done);
            if let Ok(exited) = &exited {
                intake.take(Event::Exit {
                    at: Instant::now(),
                    status: exited.status.code(),
                    signal: signals::ended_by(exited.status),
                });
            }
            intake.close();
            exited
        });
        Ok(Running {
            inspection: Inspection::new(stream, entries, own, End::Over),
            waiter,
        })
    }
}

impl Running<'_> {
    /// Waits for the end of the command.
    ///
    /// # Errors
    /// If the system does not say how it ended.
    pub fn finish(self) -> Result<Tapped, Error> {
        let mut inspected = self.inspection.finish();
        let exited = self.waiter.join();
        let Exited { status, cut } =
            exited.unwrap_or_else(|panicked| panic::resume_unwind(panicked))?;
        inspected.is_complete &= cut.is_none();
        Ok(Tapped {
            status,
            inspected,
            cut,
        })
    }
}

impl Iterator for Running<'_> {
    type Item = Vec<Finding>;

    /// Waits for the next findings.
    fn next(&mut self) -> Option<Vec<Finding>> {
        self.inspection.next()
    }
}

impl fmt::Debug for Running<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Running").finish_non_exhaustive()
    }
}

/// Waits for the command, and then for the rest of its output.
fn wait(
    child: &SharedChild,
    signals: Option<&Signals>,
    output: Option<&Activity>,
    is_done: &Receiver<()>,
) -> Result<Exited, Error> {
    let status = child
        .wait()
        .map_err(Error::system("wait for the command"))?;
    if let Some(signals) = signals {
        signals.keep();
    }
    if let Some(output) = output {
        let mut since = (output.passed(), Instant::now());
        while let Err(RecvTimeoutError::Timeout) = is_done.recv_timeout(TICK) {
            if signals.is_some_and(Signals::came) {
                break;
            }
            let passed = output.passed();
            if passed != since.0 || output.is_writing() {
                since = (passed, Instant::now());
            } else if since.1.elapsed() > GRACE {
                break;
            }
        }
    }
    Ok(Exited {
        status,
        cut: output.and_then(Activity::failure),
    })
}

/// The function of a thread that passes bytes on.
fn pump<R, W>(pump: Pump<R, W>, intake: &Arc<Intake>) -> impl FnOnce() + Send + use<R, W>
where
    R: Read + Send + 'static,
    W: Write + Send + 'static,
{
    let intake = Arc::clone(intake);
    move || pump.run(&*intake)
}

#[cfg(test)]
mod tests {
    use codex_wire_check::{Checker, Options};

    use super::*;
    use crate::recorder::Recorder;

    /// Linux says which processes there are.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_command_that_cannot_be_recorded_is_ended() {
        // No other process sleeps so long.
        const TIME: &str = "61.0725";
        let is_there = || {
            let processes = std::fs::read_dir("/proc").unwrap().flatten();
            let mut commands = processes.filter_map(|process| {
                let command = std::fs::read(process.path().join("cmdline")).ok()?;
                String::from_utf8(command).ok()
            });
            commands.any(|command| command.contains(TIME))
        };
        let folder = tempfile::tempdir().unwrap();
        let checker = Checker::new(Options::new()).unwrap();
        let recorder = Recorder::stuck(&folder.path().join("run.jsonl"));
        let tap = Tap::new(&checker, "run").recorder(Some(recorder));
        let mut command = Command::new("sleep");
        let error = tap.run(command.arg(TIME), std::io::empty(), std::io::sink());
        assert!(matches!(error, Err(Error::Write { .. })), "{error:?}");
        assert!(!is_there());
    }
}
