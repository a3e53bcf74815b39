//! The trait that each format implements.

use std::io;

use codex_wire_check::baseline::Stale;
use codex_wire_check::{Finding, Outcome};

#[cfg(feature = "timeline")]
use crate::drawing::Tracks;
use crate::skipped::Skipped;
use crate::statistics::Statistics;
use crate::totals::Totals;

/// A format. A new format implements this trait.
pub(crate) trait Renderer {
    /// Writes what comes before all inputs.
    fn begin(&mut self, _: &mut dyn io::Write) -> io::Result<()> {
        Ok(())
    }

    /// Writes some findings before the rest of their input, if the format allows it.
    fn findings(&mut self, _: &mut dyn io::Write, _: &str, _: &[Finding]) -> io::Result<()> {
        Ok(())
    }

    /// Keeps what is drawn of the next input, if the format draws anything.
    #[cfg(feature = "timeline")]
    fn tracks(&mut self, _: &Tracks) {}

    /// Writes one input.
    fn outcome(&mut self, out: &mut dyn io::Write, outcome: &Outcome) -> io::Result<()>;

    /// Writes the files that were not read, if the format has a place for them.
    fn skipped(&mut self, _: &mut dyn io::Write, _: &[Skipped]) -> io::Result<()> {
        Ok(())
    }

    /// Writes the stale entries of the baseline, if there is one.
    fn baseline(&mut self, out: &mut dyn io::Write, path: &str, stale: &[Stale]) -> io::Result<()>;

    /// Keeps statistics for the end, if the format has a place for them.
    fn statistics(&mut self, _: Statistics) {}

    /// Writes what comes after all inputs.
    fn finish(&mut self, out: &mut dyn io::Write, totals: &Totals) -> io::Result<()>;
}
