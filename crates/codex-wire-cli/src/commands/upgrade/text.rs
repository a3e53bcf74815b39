//! Prints the page for people, most urgent first.

use std::io::{self, Write};

use codex_wire_diff::{ClientResult, ClientTrial, Shows, Upgrade, UpgradeVerdict, UsedChanges};
use codex_wire_report::Styles;

use crate::commands::diff::{behaviour, text};
use crate::escape::plain;

/// Prints the page.
pub(super) fn page(out: &mut dyn Write, upgrade: &Upgrade) -> io::Result<()> {
    let Styles {
        error,
        warning,
        good,
        place,
        ..
    } = Styles::coloured();
    let style = match upgrade.verdict() {
        UpgradeVerdict::Breaks => error,
        UpgradeVerdict::NothingBreaks => good,
        UpgradeVerdict::CannotTell => warning,
    };
    writeln!(out, "{style}{}{style:#}\n", upgrade.summary())?;
    for used in &upgrade.recordings {
        recordings(out, used)?;
    }
    let title = "behaviour: the same scenes with both releases";
    writeln!(out, "{place}{title}{place:#}\n")?;
    behaviour::text(out, &upgrade.behaviour)?;
    if let Some(trials) = &upgrade.client {
        writeln!(out, "\n{place}the client in the stand-in{place:#}\n")?;
        for one in trials {
            trial(out, upgrade, one)?;
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

fn recordings(out: &mut dyn Write, used: &UsedChanges) -> io::Result<()> {
    let bold = Styles::coloured().place;
    let UsedChanges {
        path,
        inputs,
        protocol,
        messages,
        comparison,
    } = used;
    let transcripts = match inputs {
        1 => "1 transcript".to_owned(),
        many => format!("{many} transcripts"),
    };
    let what = format!("what {path} uses: {transcripts} of {protocol}, {messages} messages");
    writeln!(out, "{bold}{}{bold:#}\n", plain(&what))?;
    text::differences(out, &comparison.differences)?;
    writeln!(out, "{}\n", comparison.counts())
}

fn trial(out: &mut dyn Write, upgrade: &Upgrade, trial: &ClientTrial) -> io::Result<()> {
    let Styles { error, good, .. } = Styles::coloured();
    let sides = [(upgrade.from, &trial.before), (upgrade.to, &trial.after)];
    writeln!(out, "{}", plain(&trial.scenario))?;
    for (release, result) in sides {
        let style = match result {
            ClientResult::Works => good,
            ClientResult::Fails(_) => error,
            ClientResult::NotTried(_) => Styles::coloured().note,
        };
        writeln!(
            out,
            "  {release}  {style}{}{style:#}",
            plain(&result.sentence())
        )?;
    }
    for failure in trial.new_failures() {
        writeln!(out, "  new: {}", plain(&failure.message))?;
    }
    match trial.shows {
        Some(Shows::SomethingElse) => {
            writeln!(out, "  it shows something else with {}", upgrade.to)
        }
        _ => Ok(()),
    }
}
