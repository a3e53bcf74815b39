//! Which run of `codex exec` is played.

/// Which run of `codex exec` is played.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ExecRun {
    /// The thread that is resumed; `None` for a new thread.
    pub resumed: Option<ResumedThread>,
    /// What the user asks. Only releases before 0.42.0 write it.
    pub prompt: String,
}

/// A thread that a run resumes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResumedThread {
    /// Its id.
    pub id: String,
    /// How many turns it has. The run plays the next one of the script.
    pub turns: usize,
}

impl ExecRun {
    /// A run that begins a new thread.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same, with this prompt.
    #[must_use]
    pub fn prompt(mut self, prompt: impl Into<String>) -> Self {
        self.prompt = prompt.into();
        self
    }

    /// The same, which resumes a thread that has so many turns.
    #[must_use]
    pub fn resume(mut self, id: impl Into<String>, turns: usize) -> Self {
        self.resumed = Some(ResumedThread {
            id: id.into(),
            turns,
        });
        self
    }
}
