//! What is exported.

/// What is exported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Options {
    /// Whether traces have what was said, what tools were called with and what they answered. Trajectories and
    /// updates always have it: there is nothing in them without.
    pub content: bool,
}

impl Options {
    /// Nothing private.
    pub fn new() -> Self {
        Options::default()
    }
}
