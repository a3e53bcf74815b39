//! Ends the program where it has no more memory.

use std::fmt::Write as _;
use std::io::{self, IsTerminal as _, Write as _};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use anstream::ColorChoice;

use super::place;
use crate::{atomic_file, exit_code, output, size};

/// Why there is no more memory.
pub(super) enum Reason {
    /// The limit, in bytes.
    Limit(usize),
    /// The system gives no more.
    System,
}

/// When to use colours in the last words.
static COLOR: OnceLock<ColorChoice> = OnceLock::new();

/// When to use colours in the last words.
pub(super) fn colour(color: ColorChoice) {
    let _ = COLOR.set(color);
}

/// Ends the program because something needs more memory than there is. Nobody who asks for memory can be told: the
/// language has no way to refuse it. Returns if the program is ending already, which needs memory, too.
#[cold]
pub(super) fn run_out(reason: &Reason) {
    static IS_ENDING: AtomicBool = AtomicBool::new(false);
    if IS_ENDING.swap(true, Ordering::Relaxed) {
        return;
    }
    atomic_file::remove_unfinished();
    if io::stderr().is_terminal() {
        // The line of progress.
        let _ = write!(io::stderr(), "\r\x1b[K");
    }
    let color = COLOR.get().copied().unwrap_or(ColorChoice::Auto);
    output::complain(color, &words(reason));
    #[expect(
        clippy::exit,
        reason = "an allocator can neither return an error nor unwind"
    )]
    std::process::exit(exit_code::COULD_NOT_CHECK.into());
}

fn words(reason: &Reason) -> String {
    let mut words = String::new();
    place::write(&mut words);
    match reason {
        Reason::Limit(bytes) => {
            let size = size::text(*bytes as u64);
            let _ = write!(
                words,
                "more than {size} of memory is needed, which `--max-memory` sets"
            );
        }
        Reason::System => words.push_str("more memory is needed than the system gives"),
    }
    words
}
