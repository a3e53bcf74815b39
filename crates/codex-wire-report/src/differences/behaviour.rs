//! What two releases do differently in the same scenes, for people.

use std::io::{self, Write};

use codex_wire_diff::BehaviourDiff;

use crate::escape::escaped;
use crate::styles::Styles;

/// Writes what differs for people: each change with its scenes, then how many there are.
///
/// # Errors
/// When writing fails.
pub fn write_behaviour(
    out: &mut dyn Write,
    found: &BehaviourDiff,
    styles: &Styles,
) -> io::Result<()> {
    let bold = styles.place;
    let shown = |text: String| escaped(&text.replace('`', "")).into_owned();
    for of in found.protocols.iter().filter(|of| !of.changes.is_empty()) {
        writeln!(out, "{bold}{}{bold:#}", of.protocol)?;
        for change in &of.changes {
            writeln!(out, "  {}", shown(change.sentence()))?;
            writeln!(out, "      {}", shown(change.place()))?;
        }
        writeln!(out)?;
    }
    for of in &found.protocols {
        writeln!(out, "{}", found.summary(of))?;
    }
    Ok(())
}
