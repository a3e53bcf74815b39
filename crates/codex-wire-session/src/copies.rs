//! Which turns a fork copied, where its parent says it and its own file does not.

use crate::model::{Thread, Turn};

/// Marks the turns of `fork` that were copied from `parent`, where the file of the fork does not tell: in forks
/// made before 0.100.0. Does nothing if `parent` is another thread, or the file tells.
pub fn mark_copies(fork: &mut Thread, parent: &Thread) {
    let is_parent = fork.lineage.forked_from == parent.id && parent.id.is_some();
    if !is_parent || !fork.lineage.copies_are_guessed {
        return;
    }
    let created = fork.created;
    let mut copied = 0;
    for (own, theirs) in fork.turns.iter().zip(&parent.turns) {
        // What the parent did after the fork cannot be in it.
        let is_later = created.is_some() && theirs.started > created;
        if is_later || !is_same(own, theirs) {
            break;
        }
        copied += 1;
    }
    for (at, turn) in fork.turns.iter_mut().enumerate() {
        turn.is_copied = at < copied;
    }
    fork.tokens = fork.own_turns().map(Turn::tokens).sum();
    fork.lineage.copies_are_guessed = false;
}

/// Whether two turns are the same except for their times and settings, which a copy may lack.
fn is_same(own: &Turn, theirs: &Turn) -> bool {
    let tokens = |turn: &Turn| {
        let tokens = turn.responses.iter().map(|response| response.tokens);
        tokens.collect::<Vec<_>>()
    };
    own.prompt() == theirs.prompt() && tokens(own) == tokens(theirs)
}
