//! The trait that each format implements.

use std::io;

use codex_wire_check::baseline::Stale;
use codex_wire_check::{Finding, Outcome};

use crate::totals::Totals;

/// A format. A new format implements this trait.
pub(crate) trait Renderer {
    /// Writes what comes before all inputs.
    fn begin(&mut self, out: &mut dyn io::Write) -> io::Result<()>;

    /// Writes some findings before the rest of their input, if the format allows it.
    fn findings(&mut self, _: &mut dyn io::Write, _: &str, _: &[Finding]) -> io::Result<()> {
        Ok(())
    }

    /// Writes one input.
    fn outcome(&mut self, out: &mut dyn io::Write, outcome: &Outcome) -> io::Result<()>;

    /// Writes the stale entries of the baseline, if there is one.
    fn baseline(&mut self, out: &mut dyn io::Write, path: &str, stale: &[Stale]) -> io::Result<()>;

    /// Writes what comes after all inputs.
    fn finish(&mut self, out: &mut dyn io::Write, totals: &Totals) -> io::Result<()>;
}
