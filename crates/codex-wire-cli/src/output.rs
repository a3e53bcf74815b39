//! Writes to standard output and standard error.

use std::io::{self, BufWriter, IsTerminal as _, StderrLock, StdoutLock, Write};

use anstream::{AutoStream, ColorChoice};
use codex_wire_report::{Skipped, Styles, escaped_lines, skipped_names};
use codex_wire_session::Session;

use crate::output_limit::Counted;

/// Standard output: buffered, with colours if they are wanted. The caller flushes it.
pub(crate) fn stdout(color: ColorChoice) -> BufWriter<Counted<AutoStream<StdoutLock<'static>>>> {
    BufWriter::new(Counted(AutoStream::new(io::stdout().lock(), color)))
}

/// The width of the terminal that standard output is, if it is one.
pub(crate) fn terminal_width() -> Option<usize> {
    if !io::stdout().is_terminal() {
        return None;
    }
    let columns = std::env::var("COLUMNS").ok();
    let stated = columns.and_then(|columns| columns.parse().ok());
    let known = || terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
    stated.or_else(known).filter(|columns| *columns > 0)
}

/// Standard error, with colours if they are wanted.
fn stderr(color: ColorChoice) -> AutoStream<StderrLock<'static>> {
    AutoStream::new(io::stderr().lock(), color)
}

/// Prints an error.
pub(crate) fn complain(color: ColorChoice, what: &str) {
    say(color, Styles::coloured().error, what);
}

/// Prints a remark, which is not an error.
pub(crate) fn remark(color: ColorChoice, what: &str) {
    say(color, Styles::coloured().note, what);
}

/// Remarks that files were not read, if any were not.
pub(crate) fn remark_skipped(color: ColorChoice, skipped: &[Skipped]) {
    if !skipped.is_empty() {
        remark(color, &format!("not read: {}", skipped_names(skipped)));
    }
}

/// Remarks that lines of a session were not read, if any were not.
pub(crate) fn remark_unread(color: ColorChoice, name: &str, session: &Session) {
    if let Some(first) = session.unread.first() {
        let more = match session.unread.len() - 1 {
            0 => String::new(),
            more => format!(", and {more} more"),
        };
        let (line, problem) = (first.line, &first.problem);
        let what = format!("{name}: not read: line {line}: {problem}{more}");
        remark(color, &what);
    }
}

fn say(color: ColorChoice, style: anstyle::Style, what: &str) {
    // The text may contain names of files, which may contain anything. If standard error cannot be
    // written, there is nowhere to report that.
    let _ = writeln!(
        stderr(color),
        "{style}codex-wire{style:#}: {}",
        escaped_lines(what)
    );
}
