//! Writes to standard output and standard error.

use std::io::{self, BufWriter, StderrLock, StdoutLock, Write};

use anstream::{AutoStream, ColorChoice};
use codex_wire_report::Styles;

use crate::safe::page;

/// Standard output: buffered, and without colours where they are not wanted. Whoever writes
/// flushes.
pub(crate) fn stdout(color: ColorChoice) -> BufWriter<AutoStream<StdoutLock<'static>>> {
    BufWriter::new(AutoStream::new(io::stdout().lock(), color))
}

/// Standard error, without colours where they are not wanted.
fn stderr(color: ColorChoice) -> AutoStream<StderrLock<'static>> {
    AutoStream::new(io::stderr().lock(), color)
}

/// Says why something could not be done.
pub(crate) fn complain(color: ColorChoice, what: &str) {
    say(color, Styles::coloured().deny, what);
}

/// Says something that is good to know and no failure.
pub(crate) fn remark(color: ColorChoice, what: &str) {
    say(color, Styles::coloured().note, what);
}

fn say(color: ColorChoice, style: anstyle::Style, what: &str) {
    // What is said may name files, and those have any names. There is nowhere to say that standard error cannot be written.
    let _ = writeln!(stderr(color), "{style}codex-wire{style:#}: {}", page(what));
}
