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
use clap::Args;
use clap::builder::TypedValueParser;
use codex_wire_base::{MessageSet, Protocol, Release};
use codex_wire_report::Format;
use codex_wire_schema::{Change, ChangeKind, ReleaseChanges, changes};
use serde_json::json;

use crate::flags::values::{message_set_name, named, text_or_json};
use crate::{output, resolve_release};

const EXAMPLES: &str = "\
Examples:
  codex-wire releases exec
  codex-wire releases app-server
  codex-wire releases app-server --release 0.163..latest
      Only what came with these.
  codex-wire releases exec --format json | jq '.releases[] | select(.release == \"0.125.0\")'";

/// List what each release added, changed and removed
///
/// The oldest release comes first.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ReleasesArgs {
    /// The protocol; `exec-legacy` is `exec` up to 0.42.0, `core` is what `codex proto` writes,
    /// `app-server` stands for all message sets of the app-server
    #[arg(value_name = "PROTOCOL", value_parser = message_sets())]
    pub(crate) message_sets: MessageSets,

    /// Only these releases: one, or a range such as 0.140..0.150, 0.140.. or ..0.150
    #[arg(long, short, value_name = "RANGE")]
    pub(crate) release: Option<String>,

    /// The output format
    #[arg(long, value_parser = text_or_json(), default_value = Format::Text.as_str())]
    pub(crate) format: Format,
}

/// One message set, or all of the app-server.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MessageSets {
    /// The name on the command line.
    name: &'static str,
    message_sets: &'static [MessageSet],
}

fn message_sets() -> impl TypedValueParser<Value = MessageSets> {
    let one = |message_set: &'static MessageSet| MessageSets {
        name: message_set_name(*message_set),
        message_sets: std::slice::from_ref(message_set),
    };
    let whole = MessageSets {
        name: Protocol::AppServer.as_str(),
        message_sets: Protocol::AppServer.message_sets(),
    };
    let mut all: Vec<MessageSets> = MessageSet::ALL.iter().map(one).collect();
    let is_part = |sets: &MessageSets| sets.name.starts_with(whole.name);
    let at = all.iter().position(is_part).unwrap_or(all.len());
    all.insert(at, whole);
    named(all, |sets| sets.name)
}

/// Prints the releases.
pub(crate) fn run(args: &ReleasesArgs, color: ColorChoice) -> anyhow::Result<ExitCode> {
    let message_sets = args.message_sets.message_sets;
    let mut releases = merged(message_sets);
    if let Some(text) = &args.release {
        let range = resolve_release::range(message_sets, text, color)?;
        releases.retain(|changes| range.contains(changes.release));
    }
    let mut out = output::stdout(color);
    match args.format {
        Format::Json => json(&mut out, args.message_sets, &releases)?,
        _ => text(&mut out, args.message_sets, &releases)?,
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

/// What each release changed in any of some message sets of one protocol. A change of a definition
/// that several of them share is listed once.
fn merged(message_sets: &[MessageSet]) -> Vec<ReleaseChanges> {
    let mut found: BTreeMap<Release, Vec<Change>> = BTreeMap::new();
    for message_set in message_sets {
        for ReleaseChanges { release, changes } in changes(*message_set) {
            found.entry(release).or_default().extend(changes);
        }
    }
    let several = message_sets.len() > 1;
    let whole = |(release, mut changes): (Release, Vec<Change>)| {
        if several {
            changes.sort();
            changes.dedup();
        }
        ReleaseChanges { release, changes }
    };
    found.into_iter().map(whole).collect()
}

fn text(out: &mut dyn Write, sets: MessageSets, releases: &[ReleaseChanges]) -> io::Result<()> {
    let bold = Style::new().bold();
    let message_set = sets.message_sets[0];
    let release_list = message_set.release_list();
    writeln!(
        out,
        "{bold}{}{bold:#}  the protocol begins",
        release_list.first()
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
        release_list.latest(),
        if message_set.is_current() {
            "the newest known release"
        } else {
            "the last release with this protocol"
        }
    )?;
    for point in release_list.points() {
        writeln!(
            out,
            "\n{bold}{}{bold:#} has the protocol of {}: {}",
            point.name, point.release, point.about
        )?;
    }
    Ok(())
}

fn json(out: &mut dyn Write, sets: MessageSets, releases: &[ReleaseChanges]) -> io::Result<()> {
    let release_list = sets.message_sets[0].release_list();
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
        "protocol": match sets.message_sets {
            [one] => one.as_str(),
            _ => sets.name,
        },
        "first": release_list.first().to_string(),
        "latest": release_list.latest().to_string(),
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
