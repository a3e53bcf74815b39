//! The exit codes of the program.

use std::io;
use std::process::{ExitCode, ExitStatus};

use codex_wire_report::Totals;

/// An input has findings at error level, or an entry of the baseline is stale.
pub(crate) const FINDINGS: u8 = 1;

/// Something could not be checked, or there was nothing to check.
pub(crate) const COULD_NOT_CHECK: u8 = 2;

/// The program that reads our output closed it, as in `codex-wire check … | head`. Shells report
/// this code for a program that a closed pipe ended. `check` never returns it otherwise: what was
/// not reported is not known to conform.
pub(crate) const OUTPUT_CLOSED: u8 = 141;

/// The exit code of a check. What could not be checked comes first: an incomplete report must not
/// pass for a complete one.
pub(crate) fn of(totals: &Totals) -> ExitCode {
    if totals.unreadable > 0 || totals.checked() == 0 {
        ExitCode::from(COULD_NOT_CHECK)
    } else if totals.counts.error > 0 || totals.stale > 0 {
        ExitCode::from(FINDINGS)
    } else {
        ExitCode::SUCCESS
    }
}

/// The exit code of a command that has exited, as shells report it.
pub(crate) fn of_status(status: ExitStatus) -> ExitCode {
    let code = match (status.code(), signal(status)) {
        (Some(code), _) => u8::try_from(code),
        (None, Some(signal)) => u8::try_from(128 + signal),
        (None, None) => Ok(u8::MAX),
    };
    ExitCode::from(code.unwrap_or(u8::MAX))
}

/// The number of the signal that ended a command.
#[cfg(unix)]
fn signal(status: ExitStatus) -> Option<i32> {
    std::os::unix::process::ExitStatusExt::signal(&status)
}

#[cfg(not(unix))]
fn signal(_: ExitStatus) -> Option<i32> {
    None
}

/// Whether an error says that the reader of our output is gone. That is not a failure, so nothing is
/// printed about it.
pub(crate) fn is_closed_output(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        cause
            .downcast_ref::<io::Error>()
            .is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
    })
}
