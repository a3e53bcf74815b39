//! Implements `codex-wire schema`: prints the JSON Schema of a release.

use std::io::Write;
use std::process::ExitCode;

use anstream::ColorChoice;
use clap::builder::TypedValueParser;
use clap::{ArgAction, Args};
use codex_wire_base::MessageSet;
use codex_wire_schema::{Draft, Profile, Stability, all_releases, project};

use crate::flags::values::{message_set, named, profile, stability};
use crate::{output, resolve_release};

const EXAMPLES: &str = "\
Examples:
  codex-wire schema exec
      Print the schema of the newest release, for clients: unknown fields are allowed.
  codex-wire schema exec --release 0.44.0 --profile exact
      Allow only what this release writes: no unknown fields.
  codex-wire schema exec --draft draft-07 > exec.schema.json
      Write the older draft of JSON Schema, for code generators that need it.
  codex-wire schema exec --all-releases
      Print all releases in one document; annotations say which release has what.";

/// Print the JSON Schema of a release
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct SchemaArgs {
    /// The protocol; `exec-legacy` is `exec` up to 0.42.0, `core` is what `codex proto` writes
    #[arg(value_name = "PROTOCOL", value_parser = message_set())]
    pub(crate) message_set: MessageSet,

    /// The release, such as 0.44.0; the newest if not given
    #[arg(long, short)]
    pub(crate) release: Option<String>,

    /// The draft of JSON Schema
    #[arg(long, value_parser = draft(), default_value = Draft::Draft202012.as_str())]
    pub(crate) draft: Draft,

    /// Whether unknown fields are allowed (open) or not (exact)
    #[arg(long, value_parser = profile(), default_value = Profile::Open.as_str())]
    pub(crate) profile: Profile,

    /// Whether to leave out (stable) or include (experimental) the API that clients opt in to
    ///
    /// Only `app-server` has such an API. Codex also sends experimental fields to clients that did not
    /// opt in, so a client can receive fields that the stable schema does not have.
    #[arg(long, value_parser = stability(), default_value = Stability::Experimental.as_str())]
    pub(crate) stability: Stability,

    /// Print one document for all releases, with annotations that say which release has what
    #[arg(long, action = ArgAction::SetTrue)]
    #[arg(conflicts_with_all = ["release", "draft", "profile", "stability"])]
    pub(crate) all_releases: bool,
}

fn draft() -> impl TypedValueParser<Value = Draft> {
    named(Draft::ALL, Draft::as_str)
}

/// The message sets that may have a release: `exec` at 0.34.0 can only mean its legacy dialect.
fn candidates(message_set: MessageSet) -> &'static [MessageSet] {
    let all = message_set.protocol().message_sets();
    match message_set {
        MessageSet::Exec => all,
        other => all
            .iter()
            .position(|s| *s == other)
            .map_or(all, |at| &all[at..=at]),
    }
}

/// Prints a schema.
pub(crate) fn run(args: &SchemaArgs, color: ColorChoice) -> anyhow::Result<ExitCode> {
    let schema = if args.all_releases {
        all_releases(args.message_set)
    } else {
        let (message_set, release) = match &args.release {
            Some(text) => {
                resolve_release::of_message_sets(candidates(args.message_set), text, color)?
            }
            None => (args.message_set, args.message_set.release_list().latest()),
        };
        project(
            message_set,
            release,
            args.profile,
            args.draft,
            args.stability,
        )
    };
    let mut out = output::stdout(color);
    serde_json::to_writer_pretty(&mut out, &schema).map_err(std::io::Error::from)?;
    writeln!(out)?;
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}
