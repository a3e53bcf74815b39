//! What is known of a turn that runs.

use super::super::answers::{Answers, Used};
use super::super::model::{Action, Step};
use super::super::patch::FileChange;
use crate::compose::json::Node;

/// A turn that runs.
#[derive(Clone, Debug)]
pub(super) struct Running {
    pub(super) thread: String,
    pub(super) turn: String,
    pub(super) kind: TurnKind,
    /// When it began.
    pub(super) began: u64,
    /// The last message of the model, completed.
    pub(super) last_message: Option<Node>,
    /// The files that it has changed.
    pub(super) changes: Vec<FileChange>,
    pub(super) wait: Option<Wait>,
    pub(super) steps: Vec<Step>,
    pub(super) next: usize,
    pub(super) answers: Answers,
    /// Whether the answer that has begun was reported.
    pub(super) is_reported: bool,
}

/// Why a turn runs.
#[derive(Clone, Copy, Debug)]
pub(super) enum TurnKind {
    /// The user said something.
    Prompt,
    /// The client asked for a review. The reviewer counts tokens of its own, from zero.
    Review {
        /// Those of the thread.
        used: Used,
    },
    /// The client asked for a compaction.
    Compaction,
}

/// What a turn waits for.
#[derive(Clone, Debug)]
pub(super) enum Wait {
    /// The answer to a request of Codex, for a step that has this item.
    Client {
        request: u64,
        method: &'static str,
        item: String,
        started: u64,
        action: Action,
    },
    /// Nothing that ever comes.
    Forever,
}

impl Running {
    pub(super) fn is_review(&self) -> bool {
        matches!(self.kind, TurnKind::Review { .. })
    }

    /// The request of Codex whose answer it waits for.
    pub(super) fn waits_for(&self) -> Option<u64> {
        match &self.wait {
            Some(Wait::Client { request, .. }) => Some(*request),
            _ => None,
        }
    }
}
