//! Finds the turn that a message belongs to, and checks that it runs.

use std::borrow::Cow;

use codex_wire_base::MessageSet;
use codex_wire_prefilter::View;

use super::evidence::{ENDS, OLD_STARTS};
use super::state::{App, MessageContext, Turn};
use crate::bounded_map::Id;
use crate::phrasing::Word;
use crate::rule::{Exception, Status, since, until, v};
use crate::rule_macros::{connections, rules};
use crate::severity::Severity;
use crate::violation::Broken;

/// The kinds of item that some releases send outside their turn.
const OUTSIDE_TURNS: [&str; 3] = ["contextCompaction", "subAgentActivity", "userMessage"];

impl App {
    /// A turn of a thread, as it is known so far.
    pub(super) fn turn(&mut self, thread: u64, id: &str) -> &mut Turn {
        let slot = self.turns.find(&(thread, id) as &dyn Id);
        let slot = slot.unwrap_or_else(|| {
            let key = (thread, id.to_owned());
            let fresh = Turn {
                serial: self.next_serial(),
                ..Turn::default()
            };
            self.turns.insert(key.clone(), fresh);
            self.turns.find(&key).expect("it was put there")
        });
        self.turns.at_mut(slot).expect("it was found")
    }

    /// The turn that runs, if one does.
    pub(super) fn running(&self, thread: u64, id: Option<&String>) -> Option<&Turn> {
        let turn = self.turns.get(&(thread, id?.as_str()) as &dyn Id)?;
        turn.ended.is_none().then_some(turn)
    }

    /// Forgets a turn that ended but was never started: of a thread that was joined while a turn
    /// ran, older releases count again, and this is another one of that number.
    pub(super) fn renew(&mut self, thread: u64, id: &str) {
        let known = self.turn(thread, id);
        if known.started.is_none() && known.ended.is_some() {
            let serial = self.next_serial();
            *self.turn(thread, id) = Turn {
                serial,
                ..Turn::default()
            };
        }
    }

    /// The turn a message names, of its thread, or the one that runs where it names none. With
    /// the thread's id.
    pub(super) fn turn_of<'s>(
        &mut self,
        at: &mut MessageContext<'_, 's>,
    ) -> Option<(&'s str, Cow<'s, str>)> {
        let thread = self.thread_of(at)?;
        if let Some(id) = at.param("turnId").and_then(View::as_str) {
            return Some((thread, Cow::Borrowed(id)));
        }
        if at.seen.is_invalid {
            self.unread(at);
            return None;
        }
        let id = self.thread(at, thread).running.clone().unwrap_or_default();
        Some((thread, Cow::Owned(id)))
    }

    /// What belongs to a turn comes while it runs. Returns whether it does.
    pub(super) fn within(
        &mut self,
        at: &mut MessageContext<'_, '_>,
        thread: &str,
        id: &str,
        of: &str,
    ) -> bool {
        let silent = self.is_silent(at, "turn/started") || at.wire.partial || self.turns.forgot();
        let known = self.thread(at, thread);
        let (serial, joined) = (known.serial, known.joined);
        let turn = self.turn(serial, id);
        let (ended, of) = match (turn.started, turn.ended) {
            // Agents go on when the turn has ended; nothing else does.
            (_, Some(ended)) => {
                let of = if of == "subAgentActivity" { of } else { "late" };
                (Some(ended), of)
            }
            (None, None) if !joined && !turn.review && !silent => (None, of),
            _ => return true,
        };
        let reported = &mut turn.reported[usize::from(!OUTSIDE_TURNS.contains(&of))];
        if !std::mem::replace(reported, true) {
            let method = Word::of(at.method);
            let pointer = match at.value("/params/turnId") {
                Some(_) => "/params/turnId",
                None => "/method",
            };
            let violation = match ended {
                Some(ended) => AfterTurn { method }
                    .at(pointer)
                    .earlier(ended, "the turn completed here"),
                None => BeforeTurn { method }.at(pointer),
            };
            at.violation(violation.of(of));
        }
        false
    }

    /// A notification about the turn as a whole.
    pub(super) fn of_turn(&mut self, at: &mut MessageContext<'_, '_>) {
        let Some((thread, turn)) = self.turn_of(at) else {
            return;
        };
        if !thread.is_empty() || at.value("/params/turnId").is_none() {
            self.within(at, thread, &turn, at.method);
            return;
        }
        // 0.64.0 names only the turn of a plan, not its thread.
        if let Some(only) = self.connection(at).only_thread.clone() {
            self.within(at, &only, &turn, at.method);
        }
    }
}

rules! {
    APP_OUTSIDE_TURN {
        summary: "Codex sends what belongs to a turn (items, diffs, plans, requests, hooks, \
            approval reviews) only between its `turn/started` and `turn/completed`",
        id: "sequence/app-server-outside-turn",
        about: &[
            MessageSet::AppServerServerRequests,
            MessageSet::AppServerServerNotifications,
        ],
        releases: ENDS,
        status: Status::Advisory,
        exceptions: &[
            Exception {
                releases: OLD_STARTS,
                of: &["contextCompaction", "userMessage"],
                level: Some(Severity::Note),
                seen: "from 0.72.0 to 0.105.0 the user message sometimes comes before \
                    `turn/started`; in 0.98.0 and 0.105.0 so does a compaction, or its turn \
                    never starts",
            },
            Exception {
                releases: since(v(142)),
                of: &["subAgentActivity"],
                level: Some(Severity::Note),
                seen: "0.157.0 sends the item about the end of an agent after `turn/completed`",
            },
            Exception {
                releases: until(v(66)),
                of: &["question"],
                level: None,
                seen: "up to 0.63.0 requests have a thread id, and turns have none",
            },
        ],
        explanation: "A review begins before its turn starts, and its items have the turn id from \
            the response to `review/start`, which is allowed. This is reported once per turn. A \
            hook for the end of a session is in no turn. \
            `turn/plan/updated` of 0.64.0 names its turn and no thread: it is checked only on a \
            connection with one thread.",
        evidence: connections!("In 21 turns a user message or a compaction comes early. 147 \
            requests, 19 hooks and 3 approval reviews that name a turn come while it runs."),
    } => {
        AfterTurn { method: Word }: "`{method}` comes after its turn has completed",
        BeforeTurn { method: Word }: "`{method}` comes before its turn is started",
    }
}
