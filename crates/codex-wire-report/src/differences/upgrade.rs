//! Whether a client can take another release, for people: most urgent first.

use std::io::{self, Write};

use codex_wire_diff::{ClientResult, ClientTrial, Shows, Upgrade, UpgradeVerdict, UsedChanges};

use super::behaviour::write_behaviour;
use super::comparison::differences;
use crate::escape::escaped;
use crate::numbers::counted_plainly;
use crate::styles::Styles;

/// Writes what a client has to expect of another release.
///
/// # Errors
/// When writing fails.
pub fn write_upgrade(out: &mut dyn Write, upgrade: &Upgrade, styles: &Styles) -> io::Result<()> {
    let Styles {
        error,
        warning,
        good,
        place,
        ..
    } = *styles;
    let style = match upgrade.verdict() {
        UpgradeVerdict::Breaks => error,
        UpgradeVerdict::NothingBreaks => good,
        UpgradeVerdict::CannotTell => warning,
    };
    writeln!(out, "{style}{}{style:#}\n", upgrade.summary())?;
    for used in &upgrade.recordings {
        recordings(out, upgrade, used, styles)?;
    }
    let title = "behaviour: the same scenes with both releases";
    writeln!(out, "{place}{title}{place:#}\n")?;
    write_behaviour(out, &upgrade.behaviour, styles)?;
    if let Some(trials) = &upgrade.client {
        writeln!(out, "\n{place}the client in the stand-in{place:#}\n")?;
        for one in trials {
            trial(out, upgrade, one, styles)?;
        }
    }
    let title = "the rest, which only a reader of everything meets";
    writeln!(out, "\n{place}{title}{place:#}\n")?;
    let Upgrade { from, to, .. } = upgrade;
    for rest in &upgrade.rest {
        let protocol = rest.protocol;
        let counts = rest.sentence();
        writeln!(
            out,
            "{protocol}: {counts}: codex-wire diff {protocol} {from} {to}"
        )?;
    }
    Ok(())
}

fn recordings(
    out: &mut dyn Write,
    upgrade: &Upgrade,
    used: &UsedChanges,
    styles: &Styles,
) -> io::Result<()> {
    let bold = styles.place;
    let UsedChanges {
        path,
        inputs,
        protocol,
        messages,
        unwritten,
        comparison,
        ..
    } = used;
    let transcripts = counted_plainly(*inputs as u64, "transcript");
    let what = format!("what {path} uses: {transcripts} of {protocol}, {messages} messages");
    writeln!(out, "{bold}{}{bold:#}\n", escaped(&what))?;
    for line in unwritten {
        let warning = styles.warning;
        writeln!(
            out,
            "{warning}{}{warning:#}",
            escaped(&line.sentence(upgrade.from))
        )?;
    }
    differences(out, &comparison.differences, styles)?;
    writeln!(out, "{}\n", comparison.counts())
}

fn trial(
    out: &mut dyn Write,
    upgrade: &Upgrade,
    trial: &ClientTrial,
    styles: &Styles,
) -> io::Result<()> {
    let Styles {
        error, good, note, ..
    } = *styles;
    let sides = [(upgrade.from, &trial.before), (upgrade.to, &trial.after)];
    writeln!(out, "{}", escaped(&trial.scenario))?;
    for (release, result) in sides {
        let style = match result {
            ClientResult::Works => good,
            ClientResult::Fails(_) => error,
            ClientResult::NotTried(_) => note,
        };
        writeln!(
            out,
            "  {release}  {style}{}{style:#}",
            escaped(&result.sentence())
        )?;
    }
    for failure in trial.new_failures() {
        writeln!(out, "  new: {}", escaped(&failure.message))?;
    }
    match trial.shows {
        Some(Shows::SomethingElse) => {
            writeln!(out, "  it shows something else with {}", upgrade.to)
        }
        _ => Ok(()),
    }
}
