//! The exit codes of the program.

use std::io;

use codex_wire_table::Error;

/// The tables could not be written, or the list of inputs could not be read.
pub(crate) const COULD_NOT_WRITE: u8 = 2;

/// The program that reads our output closed it. Shells report this code for a program that a closed pipe ended.
pub(crate) const OUTPUT_CLOSED: u8 = 141;

/// Whether an error says that the reader of our output is gone. That is not a failure, so nothing is
/// printed about it.
pub(crate) fn is_closed_output(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        let error = match cause.downcast_ref::<Error>() {
            Some(Error::Write(error)) => Some(error),
            _ => cause.downcast_ref::<io::Error>(),
        };
        error.is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
    })
}
