//! Handles interruptions: everything that was checked before one is still reported.
//!
//! A signal requests a stop, which readers look for.

use std::io;
#[cfg(unix)]
use std::sync::Arc;
use std::sync::OnceLock;

use codex_wire_inputs::Stop;

static STOP: OnceLock<Stop> = OnceLock::new();

/// What ends the reading of this process: requested by the user, or by the program itself.
pub(crate) fn stop() -> &'static Stop {
    STOP.get_or_init(Stop::new)
}

/// Starts to handle signals that ask the program to end. A second one ends it at once.
///
/// # Errors
/// If signals cannot be handled.
#[cfg(unix)]
pub(crate) fn watch() -> io::Result<()> {
    use signal_hook::consts::{SIGINT, SIGTERM};

    for signal in [SIGINT, SIGTERM] {
        let code = 128 + signal;
        signal_hook::flag::register_conditional_shutdown(signal, code, stop().flag())?;
        signal_hook::flag::register(signal, stop().flag())?;
    }
    Ok(())
}

/// Makes a file that reaches the limit of its size an error of the write, as a full disk is one. Otherwise the signal
/// that comes with it ends the program, and with it the traffic that it passes on. Programs that it starts have the
/// signal as it was.
#[cfg(unix)]
pub(crate) fn outlive_file_limits() {
    // Without it, the program works as long as there is no limit.
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::default());
}

/// Elsewhere there is no such signal.
#[cfg(not(unix))]
pub(crate) fn outlive_file_limits() {}

/// On systems without signals, an interruption ends the program at once.
#[cfg(not(unix))]
pub(crate) fn watch() -> io::Result<()> {
    Ok(())
}

/// Whether the user wants to stop.
pub(crate) fn requested() -> bool {
    stop().is_requested()
}
