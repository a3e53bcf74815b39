//! What a format cannot hold.

/// A thread that the format cannot hold.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LeftOut {
    /// The number of the thread in the session, from 0.
    pub thread_number: usize,
    /// Its id.
    pub thread: Option<String>,
    /// Why, in a few words.
    pub reason: &'static str,
}
