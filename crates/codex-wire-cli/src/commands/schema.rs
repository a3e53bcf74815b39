//! Implements `codex-wire schema`: prints the JSON Schema of a release.

use std::io::Write;
use std::process::ExitCode;

use anstream::ColorChoice;
use anyhow::bail;
use clap::builder::TypedValueParser;
use clap::{ArgAction, Args};
use codex_wire_base::MessageSet;
use codex_wire_schema::{BundleName, Draft, Profile, Stability, all_releases, codegen, project};
use serde_json::Value;

use crate::flags::values::{message_set_name, named, stability};
use crate::{output, resolve_release};

const EXAMPLES: &str = "\
Examples:
  codex-wire schema exec
      Print the schema of the newest release, for clients: what they do not know is allowed.
  codex-wire schema exec --release 0.44.0 --profile exact
      Allow only what this release writes.
  codex-wire schema exec --draft draft-07 > exec.schema.json
      Write the older draft of JSON Schema, for code generators that need it.
  codex-wire schema app-server --profile codegen > app-server.schema.json
      Write all messages of the app-server in one document, for code generators.
  codex-wire schema exec --all-releases
      Print all releases in one document; annotations say which release has what.

Exit codes:
  0  the schema was printed
  2  there is no such release, or no such schema";

/// Print the JSON Schema of a release
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct SchemaArgs {
    /// The message set; `exec-legacy` is `exec` up to 0.42.0, `core` is what `codex proto` writes. `app-server` and
    /// `hooks` are several, in one document with `--profile codegen`
    #[arg(value_name = "PROTOCOL", value_parser = subject())]
    pub(crate) subject: Subject,

    /// The release, such as 0.44.0 [default: latest]
    #[arg(long, short)]
    pub(crate) release: Option<String>,

    /// The draft of JSON Schema
    #[arg(long, value_parser = draft(), default_value = Draft::Draft202012.as_str())]
    pub(crate) draft: Draft,

    /// What to allow that the release does not have: fields, kinds and values (open), only fields
    /// (known), or nothing (exact); codegen is open, in the form that generators of code read best
    #[arg(long, value_parser = flavour(), default_value = Profile::Open.as_str())]
    pub(crate) profile: Flavour,

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

/// What is described: a message set, or several together.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Subject {
    One(MessageSet),
    /// Only for generators of code.
    All(BundleName),
}

/// A profile, or the form for generators of code.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Flavour {
    Projection(Profile),
    Codegen,
}

fn subject() -> impl TypedValueParser<Value = Subject> {
    let one = MessageSet::ALL.iter().copied().map(Subject::One);
    let several = [BundleName::AppServer, BundleName::Hooks].map(Subject::All);
    named(one.chain(several), |subject| match subject {
        Subject::One(message_set) => message_set_name(message_set),
        Subject::All(name) => name.as_str(),
    })
}

fn flavour() -> impl TypedValueParser<Value = Flavour> {
    let profiles = Profile::ALL.map(Flavour::Projection);
    named(
        profiles.into_iter().chain([Flavour::Codegen]),
        |flavour| match flavour {
            Flavour::Projection(profile) => profile.as_str(),
            Flavour::Codegen => "codegen",
        },
    )
}

/// The schema for generators of code.
fn for_generators(args: &SchemaArgs, color: ColorChoice) -> anyhow::Result<Value> {
    let name = match args.subject {
        Subject::All(name) => name,
        Subject::One(message_set) => {
            let mut names = BundleName::ALL.into_iter();
            let own = names.find(|name| name.message_sets().contains(&message_set));
            own.unwrap_or(BundleName::Exec)
        }
    };
    let text = args.release.as_deref().unwrap_or("latest");
    let (_, release) = resolve_release::of_message_sets(name.message_sets(), text, color)?;
    Ok(codegen(name, release, args.draft))
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
    let schema = match (args.subject, args.profile) {
        (Subject::One(message_set), _) if args.all_releases => all_releases(message_set),
        (_, Flavour::Codegen) => for_generators(args, color)?,
        (Subject::One(message_set), Flavour::Projection(profile)) => {
            let (message_set, release) = match &args.release {
                Some(text) => {
                    resolve_release::of_message_sets(candidates(message_set), text, color)?
                }
                None => (message_set, message_set.release_list().latest()),
            };
            project(message_set, release, profile, args.draft, args.stability)
        }
        (Subject::All(name), _) => {
            let own: Vec<_> = name.message_sets().iter().map(|set| set.as_str()).collect();
            bail!(
                "there is one schema of all of `{name}` with `--profile codegen` only; otherwise name one of {}",
                own.join(", ")
            );
        }
    };
    let mut out = output::stdout(color);
    serde_json::to_writer_pretty(&mut out, &schema).map_err(std::io::Error::from)?;
    writeln!(out)?;
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}
