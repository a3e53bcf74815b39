//! Where one answer of the model ends and the next begins.

use super::model::{Action, Tokens};

/// Counts the answers of the model. A script has steps; Codex reports the tokens of each answer.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Answers {
    begun: bool,
}

impl Answers {
    /// How many answers end with this step, because the model waits for what comes of it. It starts
    /// an agent with one answer, and waits for the agent with another.
    pub(crate) fn end_with(&mut self, action: &Action) -> usize {
        match action {
            Action::Say(_) | Action::Reason(_) | Action::Search(_) => {
                self.begun = true;
                0
            }
            Action::Spawn(spawn) => {
                self.begun = false;
                1 + usize::from(spawn.answer.is_some())
            }
            Action::Run(_)
            | Action::Patch(_)
            | Action::Ask(_)
            | Action::Plan(_)
            | Action::Call(_) => {
                self.begun = false;
                1
            }
            // What was answered before is lost.
            Action::Retry(_) | Action::Fail(_) | Action::Hang(_) => {
                self.begun = false;
                0
            }
            Action::Usage(_) => 0,
        }
    }

    /// Whether an answer ends with the turn.
    pub(crate) fn end(&mut self) -> bool {
        std::mem::take(&mut self.begun)
    }
}

/// The tokens that the answers of the model have cost.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Used {
    pub(crate) input: u64,
    pub(crate) cached: u64,
    pub(crate) output: u64,
    pub(crate) reasoning: u64,
}

impl Used {
    /// Adds those of one answer.
    pub(crate) fn add(&mut self, tokens: Tokens) {
        self.input += u64::from(tokens.input);
        self.cached += u64::from(tokens.cached);
        self.output += u64::from(tokens.output);
        self.reasoning += u64::from(tokens.reasoning);
    }
}
