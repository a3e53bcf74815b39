//! Writes to standard output and standard error.

use std::io::{self, BufWriter, StderrLock, StdoutLock, Write};

use anstream::{AutoStream, ColorChoice};
use codex_wire_report::Styles;

use crate::escape::page;

/// Standard output: buffered, with colours if they are wanted. The caller flushes it.
pub(crate) fn stdout(color: ColorChoice) -> BufWriter<AutoStream<StdoutLock<'static>>> {
    BufWriter::new(AutoStream::new(io::stdout().lock(), color))
}

/// Standard error, with colours if they are wanted.
fn stderr(color: ColorChoice) -> AutoStream<StderrLock<'static>> {
    AutoStream::new(io::stderr().lock(), color)
}

/// Prints an error.
pub(crate) fn complain(color: ColorChoice, what: &str) {
    say(color, Styles::coloured().error, what);
}

/// Prints a remark, which is no error.
pub(crate) fn remark(color: ColorChoice, what: &str) {
    say(color, Styles::coloured().note, what);
}

fn say(color: ColorChoice, style: anstyle::Style, what: &str) {
    // The text may contain names of files, which may contain anything. If standard error cannot be
    // written, there is nowhere to report that.
    let _ = writeln!(stderr(color), "{style}codex-wire{style:#}: {}", page(what));
}
