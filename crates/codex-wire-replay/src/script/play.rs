//! Which run of `codex exec` is played.

/// Which run of `codex exec` is played.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExecRun {
    /// The thread that is resumed, and how many turns it has; none for a new thread.
    pub resumes: Option<(String, usize)>,
    /// What the user asks. Only releases before 0.42.0 write it.
    pub prompt: String,
}
