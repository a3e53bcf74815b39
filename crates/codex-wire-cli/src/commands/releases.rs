//! Implements `codex-wire releases`: lists the releases of a protocol and what each changed.

use std::io::Write as _;
use std::process::ExitCode;

use anstream::ColorChoice;
use clap::Args;
use clap::builder::TypedValueParser;
use codex_wire_base::{MessageSet, Protocol, ReleaseBounds};
use codex_wire_report::changes::{write_changes, write_changes_json};
use codex_wire_report::{Format, Styles};
use codex_wire_schema::changes_of_all;

use crate::flags::values::{message_set_name, named, text_or_json};
use crate::{output, resolve_release};

const EXAMPLES: &str = "\
Examples:
  codex-wire releases exec
  codex-wire releases app-server
  codex-wire releases app-server --release 0.163..latest
      Only what came with these.
  codex-wire releases exec --format json | jq '.releases[] | select(.release == \"0.125.0\")'

Exit codes:
  0  the releases were listed
  2  the protocol has no such release";

/// List what each release added, changed and removed
///
/// The oldest release comes first.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ReleasesArgs {
    /// The protocol; `exec-legacy` is `exec` up to 0.42.0, `core` is what `codex proto` writes,
    /// `app-server` and `hooks` stand for all message sets of theirs
    #[arg(value_name = "PROTOCOL", value_parser = message_sets())]
    pub(crate) message_sets: MessageSets,

    /// Only these releases: one, or a range such as 0.140..0.150, 0.140.. or ..0.150
    #[arg(long, short, value_name = "RANGE")]
    pub(crate) release: Option<String>,

    /// The output format
    #[arg(long, value_parser = text_or_json(), default_value = Format::Text.as_str())]
    pub(crate) format: Format,
}

/// One message set, or all of the app-server or of hooks.
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
    let mut all: Vec<MessageSets> = MessageSet::ALL.iter().map(one).collect();
    for protocol in [Protocol::AppServer, Protocol::Hooks] {
        let whole = MessageSets {
            name: protocol.as_str(),
            message_sets: protocol.message_sets(),
        };
        let is_part = |sets: &MessageSets| sets.name.starts_with(whole.name);
        let at = all.iter().position(is_part).unwrap_or(all.len());
        all.insert(at, whole);
    }
    named(all, |sets| sets.name)
}

/// Prints the releases.
pub(crate) fn run(args: &ReleasesArgs, color: ColorChoice) -> anyhow::Result<ExitCode> {
    let message_sets = args.message_sets.message_sets;
    let mut releases = changes_of_all(message_sets);
    let range = match &args.release {
        Some(text) => resolve_release::range(message_sets, text, color)?,
        None => ReleaseBounds::ALWAYS,
    };
    releases.retain(|changes| range.contains(changes.release));
    if releases.is_empty() && args.release.is_some() {
        output::remark(color, "these releases changed nothing");
    }
    let mut out = output::stdout(color);
    match args.format {
        Format::Json => {
            let name = match message_sets {
                [one] => one.as_str(),
                _ => args.message_sets.name,
            };
            write_changes_json(&mut out, name, message_sets[0], &releases, range)?;
        }
        _ => write_changes(
            &mut out,
            message_sets[0],
            &releases,
            range,
            &Styles::coloured(),
        )?,
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}
