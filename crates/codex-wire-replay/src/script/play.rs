//! Which run of `codex exec` is played, and what it writes.

/// What one run of `codex exec` writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExecPlay {
    /// The lines, without their newlines.
    pub lines: Vec<String>,
    /// The exit status; none if the run does not end by itself.
    pub status: Option<i32>,
}

/// Which run of `codex exec` is played.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExecRun {
    /// The thread that is resumed, and how many turns it has; none for a new thread.
    pub resumes: Option<(String, usize)>,
    /// What the user asks. Only releases before 0.42.0 write it.
    pub prompt: String,
}
