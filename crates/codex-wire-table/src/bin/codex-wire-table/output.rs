//! Writes to standard error.

use std::io::{self, Write as _};

/// Prints a line. Names of files may contain anything: what steers a terminal is masked.
pub(crate) fn say(what: &str) {
    let shown: String = what
        .chars()
        .map(|c| match c.is_control() && c != '\n' {
            true => '\u{fffd}',
            false => c,
        })
        .collect();
    // If standard error cannot be written, there is nowhere to report that.
    let _ = writeln!(io::stderr().lock(), "codex-wire-table: {shown}");
}
