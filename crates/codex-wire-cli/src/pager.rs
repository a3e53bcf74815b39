//! Writes long output through a pager, as git does.

use std::env;
use std::io::{self, BufWriter, IsTerminal as _, Write};
use std::process::{Child, Command, Stdio};

use anstream::{AutoStream, ColorChoice};

use crate::output;
use crate::output_limit::Counted;

/// The variables that name a pager: the first one that is set counts. An empty one means none.
const VARIABLES: [&str; 2] = ["CODEX_WIRE_PAGER", "PAGER"];

/// Where output goes: a pager, or standard output.
pub(crate) struct Pager {
    out: Box<dyn Write>,
    child: Option<Child>,
    /// How many bytes were written.
    pub(crate) written: usize,
}

impl Pager {
    /// A pager, if standard output is a terminal and there is one; standard output otherwise.
    pub(crate) fn new(color: ColorChoice, is_wanted: bool) -> Self {
        if is_wanted
            && io::stdout().is_terminal()
            && let Some(mut child) = spawn()
            && let Some(input) = child.stdin.take()
        {
            // What the terminal can show, the pager passes on.
            let choice = match color {
                ColorChoice::Auto => AutoStream::choice(&io::stdout()),
                color => color,
            };
            let input: Box<dyn Write> = Box::new(BufWriter::new(Counted(input)));
            return Pager {
                out: Box::new(AutoStream::new(input, choice)),
                child: Some(child),
                written: 0,
            };
        }
        Pager {
            out: Box::new(output::stdout(color)),
            child: None,
            written: 0,
        }
    }

    /// Waits until the user has seen enough.
    ///
    /// # Errors
    /// When the rest cannot be written.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        let flushed = self.out.flush();
        drop(self.out);
        match &mut self.child {
            None => flushed,
            Some(child) => {
                child.wait()?;
                quit_is_fine(flushed)
            }
        }
    }

    /// Whether output goes through a pager.
    pub(crate) fn is_paged(&self) -> bool {
        self.child.is_some()
    }
}

impl Write for Pager {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.written += written;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// A user who leaves the pager has seen enough: that is not an error.
fn quit_is_fine(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => result,
    }
}

/// Starts the pager of the user, or `less`.
fn spawn() -> Option<Child> {
    let stated = VARIABLES.iter().find_map(env::var_os);
    let line = match &stated {
        Some(line) => line.to_str()?,
        None => "less",
    };
    let words = shlex::split(line)?;
    let (program, arguments) = words.split_first()?;
    if program == "cat" {
        return None;
    }
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::piped());
    // As git sets it: leave at once if all fits on the screen, pass colours on, leave the text on the screen.
    if env::var_os("LESS").is_none() {
        command.env("LESS", "FRX");
    }
    command.spawn().ok()
}
