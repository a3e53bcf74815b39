//! What is done with the traffic on the thread of whoever wants the findings.

use codex_wire_check::{Finding, Outcome};

use crate::tap::queue::{Consumer, Event};

/// What was found in the traffic, once it is over.
#[derive(Debug)]
#[non_exhaustive]
pub struct Inspected {
    /// The outcome, with all findings.
    pub outcome: Outcome,
    /// Those of its findings that were not given out before.
    pub rest: Vec<Finding>,
    /// Whether everything was recorded and checked.
    pub is_complete: bool,
}

/// Records and checks the traffic.
pub(crate) trait Inspect {
    /// Takes an event. Returns what it brings to light.
    fn event(&mut self, event: Event) -> Vec<Finding>;

    /// There is nothing to do at the moment.
    fn idle(&mut self);

    /// The traffic is over.
    fn finish(self) -> Inspected;
}

/// An inspection that goes on.
pub(crate) struct Inspection<I> {
    inspector: I,
    events: Consumer,
}

impl<I: Inspect> Inspection<I> {
    pub(crate) fn new(inspector: I, events: Consumer) -> Self {
        Inspection { inspector, events }
    }

    /// Waits for the next findings; `None` if the traffic is over.
    pub(crate) fn next(&mut self) -> Option<Vec<Finding>> {
        loop {
            let event = self.events.ready().or_else(|| {
                self.inspector.idle();
                self.events.next()
            });
            let findings = self.inspector.event(event?);
            if !findings.is_empty() {
                return Some(findings);
            }
        }
    }

    /// Waits for the end of the traffic.
    pub(crate) fn finish(mut self) -> Inspected {
        let mut rest = Vec::new();
        while let Some(findings) = self.next() {
            rest.extend(findings);
        }
        let mut inspected = self.inspector.finish();
        rest.append(&mut inspected.rest);
        Inspected { rest, ..inspected }
    }
}
