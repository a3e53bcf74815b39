//! Plays a run of `codex exec`.

use std::fs::File;
use std::io;
use std::thread;

use codex_wire_check::Writer;
use codex_wire_replay::ExecPlay;
#[cfg(unix)]
use signal_hook::{consts::SIGINT, iterator::Signals};

use super::output::{Lines, Output};
use super::settings::Speed;
use super::watch::Observer;

/// Writes the lines of a run. Returns the exit status.
pub(crate) fn play(play: &ExecPlay, speed: Speed, watch: &Observer, out: File) -> io::Result<u8> {
    let interrupt = Interrupt::expect(play.hangs())?;
    let mut out = Lines::new(out);
    for (after_ms, line) in play.lines() {
        let wait = speed.of(after_ms);
        if !wait.is_zero() {
            out.flush()?;
            thread::sleep(wait);
        }
        watch.line(Writer::Codex, line.strip_suffix(b"\n").unwrap_or(line));
        out.line(line)?;
    }
    out.flush()?;
    interrupt.wait();
    Ok(u8::try_from(play.status()).unwrap_or(1))
}

/// The signal that ends a run which hangs, as it ends Codex. Any other signal ends the program itself.
pub(crate) struct Interrupt {
    #[cfg(unix)]
    signals: Option<Signals>,
    #[cfg(not(unix))]
    is_expected: bool,
}

impl Interrupt {
    /// From now on, the signal is waited for.
    #[cfg(unix)]
    pub(crate) fn expect(is_expected: bool) -> io::Result<Self> {
        let signals = is_expected.then(|| Signals::new([SIGINT]));
        Ok(Interrupt {
            signals: signals.transpose()?,
        })
    }

    #[cfg(unix)]
    pub(crate) fn wait(self) {
        if let Some(mut signals) = self.signals {
            signals.forever().next();
        }
    }

    /// Without such signals, the client can only end the process.
    #[cfg(not(unix))]
    pub(crate) fn expect(is_expected: bool) -> io::Result<Self> {
        Ok(Interrupt { is_expected })
    }

    #[cfg(not(unix))]
    pub(crate) fn wait(self) {
        if self.is_expected {
            loop {
                thread::park();
            }
        }
    }
}
