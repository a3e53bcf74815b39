//! Writes what each release added, changed and removed. `message_set` is one of those that it is about: it has the list of
//! releases. Releases that change nothing are left out.

use std::io::{self, Write};

use codex_wire_base::{MessageSet, ReleaseBounds};
use codex_wire_schema::{ChangeKind, ReleaseChanges};
use serde_json::json;

use crate::styles::Styles;

/// Writes what each release changed for people, oldest first. The beginning of the protocol, its newest release and forks
/// are written as far as they are in the range.
///
/// # Errors
/// When writing fails.
pub fn write_changes(
    out: &mut dyn Write,
    message_set: MessageSet,
    releases: &[ReleaseChanges],
    range: ReleaseBounds,
    styles: &Styles,
) -> io::Result<()> {
    let bold = styles.place;
    let release_list = message_set.release_list();
    // A blank line stands between what is written.
    let mut blank = "";
    if range.contains(release_list.first()) {
        writeln!(
            out,
            "{bold}{}{bold:#}  the protocol begins",
            release_list.first()
        )?;
        blank = "\n";
    }
    for ReleaseChanges { release, changes } in releases {
        writeln!(out, "{blank}{bold}{release}{bold:#}")?;
        blank = "\n";
        for change in changes {
            let (sign, style) = match change.kind {
                ChangeKind::Added => ('+', styles.added),
                ChangeKind::Changed => ('~', styles.changed),
                ChangeKind::Removed => ('-', styles.removed),
            };
            write!(out, "  {style}{sign} {}{style:#}", change.place)?;
            if !change.detail.is_empty() {
                write!(out, ": {}", change.detail)?;
            }
            writeln!(out)?;
        }
    }
    if range.contains(release_list.latest()) {
        writeln!(
            out,
            "{blank}{bold}{}{bold:#}  {}",
            release_list.latest(),
            if message_set.is_current() {
                "the newest known release"
            } else {
                "the last release with this protocol"
            }
        )?;
        blank = "\n";
    }
    let points = release_list.points().iter();
    for point in points.filter(|point| range.contains(point.release)) {
        writeln!(
            out,
            "{blank}{bold}{}{bold:#} has the protocol of {}: {}",
            point.name, point.release, point.about
        )?;
        blank = "\n";
    }
    Ok(())
}

/// Writes what each release changed as JSON:
///
/// `{"version":1,"protocol","first","latest","releases":[{"release","changes":[{"kind":
/// "added|changed|removed","place","detail"}]}],"points":[{"name","release","about"}]}`. `protocol` is `name`. What is not in
/// the range is left out: `first` and `latest` are then absent.
///
/// # Errors
/// When writing fails.
pub fn write_changes_json(
    out: &mut dyn Write,
    name: &str,
    message_set: MessageSet,
    releases: &[ReleaseChanges],
    range: ReleaseBounds,
) -> io::Result<()> {
    let release_list = message_set.release_list();
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
    let mut document = json!({
        "version": 1,
        "protocol": name,
        "releases": releases
            .iter()
            .map(|release| json!({
                "release": release.release.to_string(),
                "changes": changes(release),
            }))
            .collect::<Vec<_>>(),
        "points": release_list
            .points()
            .iter()
            .filter(|point| range.contains(point.release))
            .map(|point| json!({
                "name": point.name,
                "release": point.release.to_string(),
                "about": point.about,
            }))
            .collect::<Vec<_>>(),
    });
    for (name, release) in [
        ("first", release_list.first()),
        ("latest", release_list.latest()),
    ] {
        if range.contains(release) {
            document[name] = json!(release.to_string());
        }
    }
    serde_json::to_writer_pretty(&mut *out, &document)?;
    writeln!(out)
}
