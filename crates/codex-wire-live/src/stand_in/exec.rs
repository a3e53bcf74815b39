//! Plays a run of `codex exec`.

use std::io;
use std::thread;
use std::time::Duration;

use codex_wire_replay::ExecPlay;
#[cfg(unix)]
use codex_wire_replay::client_log::{ClientAction, Interrupted};
use codex_wire_replay::faults::Writing;
#[cfg(unix)]
use signal_hook::{
    consts::{SIGINT, SIGTERM},
    iterator::Signals,
};

use crate::error::Error;
use crate::stand_in::environment::Errors;
use crate::stand_in::output::Output;
use crate::stand_in::owner::Owner;
use crate::stand_in::settings::Settings;
use crate::stand_in::speed::Speed;
use crate::stand_in::watch::Observer;
use crate::stand_in::writer::{LineWriter, Log};

/// How long a run stays that hangs under a fault: longer than a client waits, and not forever.
const STAYS: Duration = Duration::from_secs(3600);

/// How often a run that hangs looks for its signal, and for its owner.
#[cfg(unix)]
const PERIOD: Duration = Duration::from_millis(50);

/// How a run ended that has been played.
pub(crate) struct Ended {
    /// The exit status.
    pub(crate) status: u8,
    /// What `--output-last-message` writes. Codex writes it last: nothing if the run was cut off.
    pub(crate) last_message: Option<String>,
}

impl Ended {
    /// After the last line of a run.
    pub(crate) fn of(run: &ExecPlay) -> Self {
        let text = run.last_message().unwrap_or_default();
        Ended {
            status: u8::try_from(run.status()).unwrap_or(1),
            last_message: (!run.hangs()).then_some(text),
        }
    }
}

/// Writes the lines of a run, with the faults that the settings say.
pub(crate) fn play(
    run: &ExecPlay,
    settings: &Settings,
    observer: Observer,
    errors: Errors,
    out: Box<dyn Output>,
) -> Result<Ended, Error> {
    let faults = settings.faults();
    let log = Log::open(faults.log(), settings)?;
    let cannot = Error::system("write standard output");
    if faults.is_empty() {
        let writer = LineWriter::new(out, observer, errors, None, log);
        return plain(run, settings.speed, writer).map_err(cannot);
    }
    let mut run = run.clone();
    let left = faults
        .of_run(&mut run, settings.release)
        .map_err(Error::Faults)?;
    let writing = Writing::new(&faults);
    let writer = LineWriter::new(out, observer, errors, None, log);
    faulty(&run, settings.speed, writing, writer, left.hangs).map_err(cannot)
}

fn plain(run: &ExecPlay, speed: Speed, mut writer: LineWriter) -> io::Result<Ended> {
    let interrupt = Interrupt::expect(run.hangs())?;
    for (after_ms, line) in run.lines() {
        wait(speed.of(after_ms), &mut writer)?;
        writer.bytes(&line)?;
    }
    writer.flush()?;
    interrupt.wait(writer.observer());
    Ok(Ended::of(run))
}

fn faulty(
    run: &ExecPlay,
    speed: Speed,
    mut writing: Writing,
    mut writer: LineWriter,
    hangs: bool,
) -> io::Result<Ended> {
    let owner = Owner::of_process();
    writer.write_log();
    writer.act_all(writing.begin())?;
    for (after_ms, acts) in writing.run(run) {
        wait(speed.of(after_ms), &mut writer)?;
        if let Some(status) = writer.act_all(acts)? {
            let last_message = None;
            return Ok(Ended {
                status,
                last_message,
            });
        }
    }
    writer.flush()?;
    if hangs || run.hangs() {
        owner.stay(STAYS);
    }
    Ok(Ended::of(run))
}

fn wait(time: Duration, writer: &mut LineWriter) -> io::Result<()> {
    if !time.is_zero() {
        writer.flush()?;
        thread::sleep(time);
    }
    Ok(())
}

/// The signal that ends a run which hangs, as it ends Codex. Any other signal ends the program itself; of SIGTERM is
/// noted before that it interrupts the turn.
pub(crate) struct Interrupt {
    #[cfg(unix)]
    signals: Option<Signals>,
    owner: Owner,
    #[cfg(not(unix))]
    is_expected: bool,
}

impl Interrupt {
    /// From now on, the signal is waited for.
    #[cfg(unix)]
    pub(crate) fn expect(is_expected: bool) -> io::Result<Self> {
        let signals = is_expected.then(|| Signals::new([SIGINT, SIGTERM]));
        Ok(Interrupt {
            signals: signals.transpose()?,
            owner: Owner::of_process(),
        })
    }

    #[cfg(unix)]
    pub(crate) fn wait(self, observer: &Observer) {
        let Some(mut signals) = self.signals else {
            return;
        };
        // A client that has gone sends no signal.
        while !self.owner.is_gone() {
            if let Some(signal) = signals.pending().next() {
                observer.did(ClientAction::Interrupted(Interrupted {
                    thread_id: None,
                    turn_id: None,
                }));
                if signal != SIGINT {
                    // It ends the process, as it would if it were not watched for.
                    let _ = signal_hook::low_level::emulate_default_handler(signal);
                }
                return;
            }
            thread::sleep(PERIOD);
        }
    }

    /// Without such signals, the client can only end the process.
    #[cfg(not(unix))]
    pub(crate) fn expect(is_expected: bool) -> io::Result<Self> {
        let owner = Owner::of_process();
        Ok(Interrupt { owner, is_expected })
    }

    #[cfg(not(unix))]
    pub(crate) fn wait(self, _: &Observer) {
        if self.is_expected {
            self.owner.stay(Duration::MAX);
        }
    }
}
