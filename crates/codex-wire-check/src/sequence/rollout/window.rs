//! Checks what begins a new context window in a session file: compactions and the state of the
//! world.

use codex_wire_prefilter::View;

use super::evidence::{LINES, files};
use super::header::Header;
use super::line::{Kind, RolloutLine};
use crate::rule::{Exception, since, v};
use crate::rule_macros::rules;
use crate::violation::{Broken, MessageRef, Violation};
use codex_wire_base::Release;

/// The window of a file.
#[derive(Debug, Default)]
pub(super) struct Window {
    /// A compaction whose event has not come.
    compacted: Option<MessageRef>,
    world: World,
}

/// What is known of the state of the world.
#[derive(Clone, Copy, Debug, Default)]
enum World {
    /// Nothing: lines are missing, or it goes on from another file.
    #[default]
    Unknown,
    /// It has not been written in this window.
    Unwritten,
    Written(MessageRef),
}

impl Window {
    /// A line could not be read.
    pub(super) fn lost(&mut self) {
        *self = Window::default();
    }

    /// Takes a line.
    pub(super) fn line(
        &mut self,
        line: &RolloutLine<'_>,
        header: &Header,
        out: &mut Vec<Violation>,
    ) {
        match line.kind {
            Kind::Header if !header.is_unsure && !header.has_base => {
                if let World::Unknown = self.world {
                    self.world = World::Unwritten;
                }
            }
            Kind::World => self.world(line, header, out),
            Kind::Context if matches!(self.world, World::Unwritten) => {
                // It is said once. In a paginated thread, ordinals show what is missing, and a
                // migrated one has no states.
                self.world = World::Unknown;
                if header.is_paginated == Some(false) && !header.is_foreign_copy {
                    out.push(ContextBeforeState.at(line.at));
                }
            }
            Kind::Compacted => {
                self.world = World::Unwritten;
                if let Some(before) = self.compacted.replace(line.message_ref) {
                    let violation = CompactedBeforeEvent.at(line.at).of("no event");
                    out.push(violation.earlier(before, "the compaction before is here"));
                }
            }
            Kind::ContextCompacted => {
                let was = self.compacted.take();
                if was.is_none() && !header.is_unsure && !header.is_foreign_copy {
                    out.push(EventWithoutCompaction.at(line.at).of("no compaction"));
                }
            }
            Kind::TaskStarted => self.compacted = None,
            Kind::TaskComplete | Kind::UserEvent => {
                if let Some(compacted) = self.compacted.take()
                    && !header.is_foreign_copy
                {
                    let of = match header.is_paginated {
                        Some(true) => "no event",
                        _ => "no legacy event",
                    };
                    let violation = CompactionEventMissing.at(line.at).of(of);
                    out.push(violation.earlier(compacted, "the compaction is here"));
                }
            }
            _ => {}
        }
    }

    fn world(&mut self, line: &RolloutLine<'_>, header: &Header, out: &mut Vec<Violation>) {
        let Some(is_full) = line.payload.get("full").and_then(View::as_bool) else {
            self.world = World::Unknown;
            return;
        };
        let at = line.pointer("full");
        let violation = match (self.world, is_full) {
            (World::Unwritten, false) => Some(FirstStateNotFull.at(at)),
            (World::Written(before), true) => Some(
                StateFullAgain
                    .at(at)
                    .earlier(before, "the state before is here"),
            ),
            _ => None,
        };
        out.extend(violation.filter(|_| !header.is_foreign_copy));
        self.world = World::Written(line.message_ref);
    }
}

rules! {
    ROLLOUT_COMPACTED {
        summary: "a compaction is followed by its event",
        id: "sequence/rollout-compacted",
        about: LINES,
        releases: since(v(66)),
        exceptions: &[Exception {
            releases: since(Release::new(0, 151, 0)),
            of: &["no legacy event"],
            level: None,
            seen: "no compaction of a legacy thread was recorded",
        }],
        explanation: "`compacted` holds the new history. `context_compacted` follows, in a paginated \
            thread the finished item `ContextCompaction`, before the turn ends.",
        evidence: files!("34 compactions from 0.72.0 on have their event, and no event comes without one."),
    } => {
        CompactedBeforeEvent: "a compaction begins before the event of the last one",
        EventWithoutCompaction: "the event of a compaction comes without one",
        CompactionEventMissing: "the event of the compaction is missing",
    }
    ROLLOUT_WORLD_STATE {
        summary: "the first `world_state` of a context window is full, and the others are changes",
        id: "sequence/rollout-world-state",
        about: LINES,
        releases: since(v(143)),
        explanation: "A full state begins a window: at the start of a thread and after a compaction, in \
            front of `turn_context`. The others have only what changed, so readers must merge them. A \
            file with a base goes on with the window of the base.",
        evidence: files!("All of 0.143.0 and later fit."),
    } => {
        ContextBeforeState: "`turn_context` comes before the state of the window",
        FirstStateNotFull: "the first state of the window is not full",
        StateFullAgain: "the state of the window is full again",
    }
}
