//! Implements `codex-wire example`: prints a recorded message of a kind.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::process::ExitCode;

use anstream::ColorChoice;
use anyhow::{Context as _, bail};
use clap::Args;
use codex_wire_base::{MessageSet, Release, ReleaseBounds, ReleaseChoice};
use codex_wire_schema::examples::{self, Example};
use strsim::osa_distance;

use crate::flags::values::{message_set_name, named};
use crate::{output, resolve_release};

const EXAMPLES: &str = "\
Examples:
  codex-wire example PreToolUse
      Print what a hook reads before a tool runs, as the newest recorded release wrote it.
  codex-wire example PreToolUse/apply_patch -r 0.139.0
  codex-wire example turn/completed --of app-server-server-notifications
  codex-wire example agent-turn-complete | jq '.[\"last-assistant-message\"]'
  codex-wire example --list | grep hooks-input

Exit codes:
  0  a message was printed, or the kinds were listed
  2  no message of this kind and release was recorded";

/// Print a recorded message of a kind
///
/// The message goes to standard output, byte for byte; its release and its recording go to standard error. If the
/// release has no recorded one, the nearest earlier release that has one is used.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ExampleArgs {
    /// The kind: an event of hooks, a tag or a method. What the message is about may follow after a slash
    #[arg(value_name = "KIND", required_unless_present = "list")]
    pub(crate) kind: Option<String>,

    /// The release, such as 0.139.0, 0.139 or latest; the newest that was recorded if not given
    ///
    /// For a range, such as 0.130..0.139, 0.130.. or ..0.139, the newest recorded release in it is used.
    #[arg(long, short)]
    pub(crate) release: Option<String>,

    /// The same as `--release`, as `find` takes it
    #[arg(value_name = "RELEASE", conflicts_with = "release")]
    pub(crate) at: Option<String>,

    /// The message set, where several have the kind
    #[arg(long, value_name = "MESSAGE-SET")]
    #[arg(value_parser = named(MessageSet::ALL.iter().copied(), message_set_name))]
    pub(crate) of: Option<MessageSet>,

    /// List the kinds with the releases that were recorded, all or those of KIND
    #[arg(long, conflicts_with_all = ["release", "at"])]
    pub(crate) list: bool,
}

/// Prints an example.
pub(crate) fn run(args: &ExampleArgs, color: ColorChoice) -> anyhow::Result<ExitCode> {
    let is_of = |example: &&Example| args.of.is_none_or(|of| example.message_set == of);
    let mut out = output::stdout(color);
    let found: Vec<&Example> = match &args.kind {
        Some(kind) => examples::of_kind(kind).filter(is_of).collect(),
        None => examples::all().iter().filter(is_of).collect(),
    };
    let kind = args.kind.as_deref().unwrap_or_default();
    if found.is_empty() {
        bail!(
            "no message of the kind `{kind}` was recorded; {}",
            similar(kind)
        );
    }
    if args.list {
        list(&mut out, &found)?;
    } else {
        let example = chosen(&found, kind, args, color)?;
        writeln!(out, "{}", example.text)?;
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

/// The example that is asked for.
fn chosen(
    found: &[&'static Example],
    kind: &str,
    args: &ExampleArgs,
    color: ColorChoice,
) -> anyhow::Result<&'static Example> {
    let mut message_sets: Vec<MessageSet> =
        found.iter().map(|example| example.message_set).collect();
    message_sets.dedup();
    // Those of today come first.
    message_sets.sort_by_key(|message_set| !message_set.is_current());
    let release = match args.release.as_ref().or(args.at.as_ref()) {
        Some(text) => Some(resolve_release::choice_of_message_sets(
            &message_sets,
            text,
            color,
        )?),
        None => None,
    };
    let wanted = match release {
        // What an earlier release wrote is the nearest to what this one writes.
        Some(ReleaseChoice::One(release)) => ReleaseBounds {
            until: Some(release),
            ..ReleaseBounds::ALWAYS
        },
        Some(ReleaseChoice::Range(range)) => range,
        None => ReleaseBounds::ALWAYS,
    };
    let newest = wanted.until.unwrap_or(Release::new(u32::MAX, 0, 0));
    let mut each = message_sets
        .iter()
        .filter_map(|message_set| examples::find(*message_set, kind, newest))
        .filter(|example| wanted.contains(example.release));
    let example = each.next().with_context(|| {
        let mut recorded: Vec<Release> = found.iter().map(|example| example.release).collect();
        recorded.sort_unstable();
        recorded.dedup();
        let recorded: Vec<String> = recorded.iter().map(Release::to_string).collect();
        let recorded = recorded.join(", ");
        format!("no message of the kind `{kind}` was recorded of {wanted}, only of {recorded}")
    })?;
    if let Some(ReleaseChoice::One(release)) = release
        && release != example.release
    {
        let text = format!(
            "none was recorded of {release}; this is of {}",
            example.release
        );
        output::remark(color, &text);
    }
    let Example {
        message_set,
        kind,
        release,
        transcript,
        line,
        ..
    } = example;
    output::remark(
        color,
        &format!("{kind} of {message_set}, {release}: line {line} of fixtures/{transcript}"),
    );
    let others: Vec<&str> = each.map(|example| example.message_set.as_str()).collect();
    if !others.is_empty() {
        let text = format!("with `--of`, one of {}", others.join(", "));
        output::remark(color, &text);
    }
    Ok(example)
}

/// Lists kinds with their releases.
fn list(out: &mut dyn Write, found: &[&Example]) -> io::Result<()> {
    let mut kinds: BTreeMap<(MessageSet, &str), Vec<String>> = BTreeMap::new();
    for example in found {
        let releases = kinds
            .entry((example.message_set, example.kind))
            .or_default();
        releases.push(example.release.to_string());
    }
    for ((message_set, kind), releases) in kinds {
        writeln!(out, "{message_set}\t{kind}\t{}", releases.join(" "))?;
    }
    Ok(())
}

/// A kind that is spelt nearly so, or where to find all.
fn similar(kind: &str) -> String {
    let nearest = examples::all()
        .iter()
        .map(|example| (osa_distance(kind, example.kind), example.kind))
        .min_by_key(|(distance, _)| *distance);
    match nearest {
        Some((distance, nearest)) if distance <= 3 => format!("did you mean `{nearest}`?"),
        _ => "`codex-wire example --list` lists the kinds".to_owned(),
    }
}
