//! Implements `codex-wire releases`: lists the releases of a protocol and what each changed.
//!
//! As JSON: `{"version":1,"protocol","first","latest","releases":[{"release","changes":[{"kind":
//! "added|changed|removed","place","detail"}]}],"points":[{"name","release","about"}]}`.
//! Releases that change nothing are left out.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::process::ExitCode;

use anstream::ColorChoice;
use anstyle::{AnsiColor, Style};
use codex_wire_base::{Release, Surface};
use codex_wire_report::Format;
use codex_wire_schema::{Change, ChangeKind, ReleaseChanges, changes};
use serde_json::json;

use crate::args::{Asked, ReleasesArgs};
use crate::output;

/// Prints the timeline.
pub(crate) fn run(args: &ReleasesArgs, color: ColorChoice) -> anyhow::Result<ExitCode> {
    let releases = together(args.asked.surfaces);
    let mut out = output::stdout(color);
    match args.format {
        Format::Json => json(&mut out, args.asked, &releases)?,
        _ => text(&mut out, args.asked, &releases)?,
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

/// What each release changed on any of some surfaces, which keep one timeline. A definition that
/// several of them share changes once.
fn together(surfaces: &[Surface]) -> Vec<ReleaseChanges> {
    let mut found: BTreeMap<Release, Vec<Change>> = BTreeMap::new();
    for surface in surfaces {
        for ReleaseChanges { release, changes } in changes(*surface) {
            found.entry(release).or_default().extend(changes);
        }
    }
    let several = surfaces.len() > 1;
    let whole = |(release, mut changes): (Release, Vec<Change>)| {
        if several {
            changes.sort();
            changes.dedup();
        }
        ReleaseChanges { release, changes }
    };
    found.into_iter().map(whole).collect()
}

fn text(out: &mut dyn Write, asked: Asked, releases: &[ReleaseChanges]) -> io::Result<()> {
    let bold = Style::new().bold();
    let surface = asked.surfaces[0];
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
            "the newest known release"
        } else {
            "the last release with this protocol"
        }
    )?;
    for point in timeline.points() {
        writeln!(
            out,
            "\n{bold}{}{bold:#} has the protocol of {}: {}",
            point.name, point.release, point.about
        )?;
    }
    Ok(())
}

fn json(out: &mut dyn Write, asked: Asked, releases: &[ReleaseChanges]) -> io::Result<()> {
    let timeline = asked.surfaces[0].timeline();
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
        "protocol": match asked.surfaces {
            [one] => one.as_str(),
            _ => asked.name,
        },
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
