//! Changes single lines.

use super::effect::{Effect, Injected};
use super::future::Future;
use super::run::Run;
use super::talk::{LineKind, Talk};
use crate::conversation::Emission;

/// Changes each line for which there is another one.
pub(super) struct EachLine(
    pub(super) Injected,
    pub(super) fn(&mut Future, &str, &LineKind) -> Option<String>,
);

impl EachLine {
    fn changed(&self, future: &mut Future, line: &str, kind: &LineKind) -> Option<String> {
        match self.0.is_for(&kind.name) {
            true => (self.1)(future, line, kind),
            false => None,
        }
    }
}

impl Effect for EachLine {
    fn reaction(&mut self, emissions: Vec<Emission>, talk: &mut Talk) -> Vec<Emission> {
        talk.edit(emissions, &mut |future, line, kind| {
            let changed = self.changed(future, line, kind)?;
            self.0.note();
            Some(changed)
        })
    }

    fn run(&mut self, run: &mut Run) -> bool {
        run.edit(&mut |future, line, kind| self.changed(future, line, kind))
    }
}
