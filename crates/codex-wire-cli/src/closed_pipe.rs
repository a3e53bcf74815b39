//! Exits quietly if the reader of our output is gone: `codex-wire check … | head`.

use std::io;

/// What a shell reports of a program that a closed pipe ended. It is neither of the codes of
/// `check`, for what was not reported is not known to conform.
pub(crate) const EXIT_CODE: u8 = 141;

/// Whether an error says that nobody reads our output any longer. That is no failure, so
/// nothing is said about it.
pub(crate) fn caused(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        cause
            .downcast_ref::<io::Error>()
            .is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
    })
}
