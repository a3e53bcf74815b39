//! Where a transcript comes from.

/// Whether a transcript was recorded or written by hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// Recorded from a real binary.
    Recorded,
    /// Written by hand.
    Synthetic,
}
