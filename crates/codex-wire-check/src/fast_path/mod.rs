//! The fast path: most lines are valid, and a compiled schema shows that in one pass over their
//! bytes.
//!
//! Its files, each with the moment at which the pipeline asks it:
//!
//! - [`deltas`], before framing: takes a line that differs from the one before only in its delta, without reading
//!   it.
//! - [`accept`], in framing, runs the compiled schema over a line. If it accepts, the line is valid JSON and a
//!   valid message, and three steps are left out: the scan for duplicate keys (unless the compiled
//!   schema says that a key may be repeated), release inference (if the release is known), and
//!   validation. Later stages read the line through a view; a tree is made only if one of them needs
//!   it. Validation runs it again on a message that it did not accept as what the message turned out to be.
//! - [`prefix`] guesses for `accept`, from the first members of a line, which compiled schema to run. The stages
//!   find out what the message really is; if the guess was wrong, the result is discarded.
//!
//! What each part saves, in instructions per byte of the corpora of `cargo xtask instructions`
//! (November 2026). The first row is counted later than the others: before, it was 10.6, 14.1 and 74.4.
//!
//! | | exec | app-server | core |
//! |---|---|---|---|
//! | all parts | 9.2 | 13.0 | 75.0 |
//! | without `accept` | 46.8 | 54.6 | 183.5 |
//! | without `prefix` | 44.5 | 50.0 | 74.5 |
//! | without `deltas` | 10.6 | 26.0 | 74.5 |
//!
//! `Options::fast_path` switches it off. Both ways find the same, and a test holds that over all
//! transcripts, valid and changed.

pub(crate) mod accept;
pub(crate) mod deltas;
mod prefix;
