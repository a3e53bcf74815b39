//! Which turns a fork copied, told with its parent at hand.

use crate::rollout::session::{Session, Turn};

impl Session {
    /// Marks the turns that were copied from `parent`, where ids do not tell: in forks made before
    /// 0.100.0. Does nothing if `parent` is another thread, or ids do tell.
    pub fn mark_copied_from(&mut self, parent: &Session) {
        mark_copied_from(self, parent);
    }
}

fn mark_copied_from(session: &mut Session, parent: &Session) {
    let is_parent = session.lineage.forked_from == parent.id && parent.id.is_some();
    if !is_parent || !session.lineage.copies_are_guessed {
        return;
    }
    let created = session.created.clone();
    let mut copied = 0;
    for (own, theirs) in session.turns.iter().zip(&parent.turns) {
        // What the parent did after the fork cannot be in it.
        let is_later = created.is_some() && theirs.started > created;
        if is_later || !is_same(own, theirs) {
            break;
        }
        copied += 1;
    }
    for (at, turn) in session.turns.iter_mut().enumerate() {
        turn.is_copied = at < copied;
    }
    session.lineage.copies_are_guessed = false;
}

/// Whether two turns are the same but for their times and settings, which a copy may lack.
fn is_same(own: &Turn, theirs: &Turn) -> bool {
    let tokens = |turn: &Turn| {
        turn.responses
            .iter()
            .map(|response| response.tokens)
            .collect::<Vec<_>>()
    };
    own.prompt() == theirs.prompt() && tokens(own) == tokens(theirs)
}
