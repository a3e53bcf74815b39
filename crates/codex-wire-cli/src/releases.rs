//! `codex-wire releases`: the timeline of a protocol.
//!
//! As JSON: `{"version":1,"protocol","first","latest","releases":[{"release","changes":[{"kind":
//! "added|changed|removed","place","detail"}]}],"points":[{"name","release","about"}]}`.
//! Releases that change nothing are left out.

use std::io::{self, Write};
use std::process::ExitCode;

use anstream::ColorChoice;
use anstyle::{AnsiColor, Style};
use codex_wire::Surface;
use codex_wire_report::Format;
use codex_wire_schema::{ChangeKind, ReleaseChanges, changes};
use serde_json::json;

use crate::args::ReleasesArgs;
use crate::output;

/// Prints the timeline.
pub(crate) fn run(args: &ReleasesArgs, color: ColorChoice) -> anyhow::Result<ExitCode> {
    let releases = changes(args.surface);
    let mut out = output::stdout(color);
    match args.format {
        Format::Json => json(&mut out, args.surface, &releases)?,
        _ => text(&mut out, args.surface, &releases)?,
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

fn text(out: &mut dyn Write, surface: Surface, releases: &[ReleaseChanges]) -> io::Result<()> {
    let bold = Style::new().bold();
    let timeline = surface.timeline();
    writeln!(
        out,
        "{bold}{}{bold:#}  the protocol begins",
        timeline.first()
    )?;
    for ReleaseChanges { release, changes } in releases {
        writeln!(out, "\n{bold}{release}{bold:#}")?;
        for change in changes {
            let (sign, color) = match change.kind {
                ChangeKind::Added => ('+', AnsiColor::Green),
                ChangeKind::Changed => ('~', AnsiColor::Yellow),
                ChangeKind::Removed => ('-', AnsiColor::Red),
            };
            let style = color.on_default();
            write!(out, "  {style}{sign} {}{style:#}", change.place)?;
            if !change.detail.is_empty() {
                write!(out, ": {}", change.detail)?;
            }
            writeln!(out)?;
        }
    }
    writeln!(
        out,
        "\n{bold}{}{bold:#}  {}",
        timeline.latest(),
        if surface.is_current() {
            "the newest release known"
        } else {
            "the last release that speaks it"
        }
    )?;
    for point in timeline.points() {
        writeln!(
            out,
            "\n{bold}{}{bold:#} speaks as {}: {}",
            point.name, point.release, point.about
        )?;
    }
    Ok(())
}

fn json(out: &mut dyn Write, surface: Surface, releases: &[ReleaseChanges]) -> io::Result<()> {
    let timeline = surface.timeline();
    let changes = |release: &ReleaseChanges| -> Vec<_> {
        let changes = release.changes.iter();
        changes
            .map(|change| {
                json!({
                    "kind": change.kind.as_str(),
                    "place": change.place,
                    "detail": change.detail,
                })
            })
            .collect()
    };
    let document = json!({
        "version": 1,
        "protocol": surface.as_str(),
        "first": timeline.first().to_string(),
        "latest": timeline.latest().to_string(),
        "releases": releases
            .iter()
            .map(|release| json!({
                "release": release.release.to_string(),
                "changes": changes(release),
            }))
            .collect::<Vec<_>>(),
        "points": timeline
            .points()
            .iter()
            .map(|point| json!({
                "name": point.name,
                "release": point.release.to_string(),
                "about": point.about,
            }))
            .collect::<Vec<_>>(),
    });
    serde_json::to_writer_pretty(&mut *out, &document)?;
    writeln!(out)
}
