//! Implements `--fail-on`: the exit code of a comparison.

use std::process::ExitCode;

use codex_wire_diff::{Comparison, Verdict};

/// A difference has the verdict that `--fail-on` names, or a worse one.
pub(super) const FAILS: u8 = 1;

/// The exit code of a comparison, with the verdict that `--fail-on` names.
pub(super) fn exit_code(fail_on: Option<Verdict>, comparison: &Comparison) -> ExitCode {
    let fails = match (fail_on, comparison.worst()) {
        (Some(Verdict::Breaking), worst) => worst == Some(Verdict::Breaking),
        // An undecided change may be breaking.
        (Some(_), Some(worst)) => worst > Verdict::Compatible,
        _ => false,
    };
    if fails {
        ExitCode::from(FAILS)
    } else {
        ExitCode::SUCCESS
    }
}
