//! Implements `codex-wire find`: looks up messages, kinds, members, values, types and rules by words.

mod words;

use std::io::Write;
use std::process::ExitCode;

use anstream::ColorChoice;
use anyhow::ensure;
use clap::Args;
use codex_wire_base::{Protocol, Release, ReleaseChoice};
use codex_wire_check::{Rule, rules};
use codex_wire_report::parts::{Parts, write_parts, write_parts_json};
use codex_wire_report::{Format, Styles};
use codex_wire_schema::examples;
use codex_wire_schema::find::{Place, find, names};
use strsim::osa_distance;

use crate::exit_code::COULD_NOT_CHECK;
use crate::flags::values::{protocol, text_or_json};
use crate::{output, resolve_release};

const EXAMPLES: &str = "\
Examples:
  codex-wire find durationMs
      Where it stands, and since when.
  codex-wire find turn/completed durationMs
      The members of this name that a message turn/completed leads to.
  codex-wire find turn/completed --example
      What the message has, what came later than the message, and a recorded line.
  codex-wire find turn/completed -r 0.142.0
      What the message has in this release, and what it does not have yet or no longer has.
  codex-wire find turn/completed durationMs 0.110
      Whether this release has it: a release among the words is taken as `--release`.
  codex-wire find declined --protocol exec --format json | jq '.parts[].places[0]'

Exit codes:
  0  something was found
  2  nothing has such a name";

/// Look up messages, members, values and rules by any word
///
/// Prints where each stands, who writes it, since when and until when, whether it is always there, and what it holds.
/// With several words, one names the part, and the others what it stands in. Case, `_` and `-` make no difference.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct FindArgs {
    /// A method, kind, member, value, type or rule, or what it stands in
    #[arg(required = true, value_name = "WORD")]
    pub(crate) words: Vec<String>,

    /// The release to describe, such as 0.142.0, 0.142 or latest, or a range such as 0.110..0.120; one may also stand
    /// among the words
    #[arg(long, short)]
    pub(crate) release: Option<String>,

    /// Only this protocol
    #[arg(long, short, value_parser = protocol())]
    pub(crate) protocol: Option<Protocol>,

    /// Print a recorded message of the first message found; with `--release`, of that release or the one before it, or of
    /// the newest of a range
    #[arg(long)]
    pub(crate) example: bool,

    /// Print everything that is found, not only the first ten with exactly these names
    #[arg(long)]
    pub(crate) all: bool,

    /// The output format
    #[arg(long, value_parser = text_or_json(), default_value = Format::Text.as_str())]
    pub(crate) format: Format,
}

/// How many parts are printed unless all are asked for.
const FIRST: usize = 10;

/// Prints what is found.
pub(crate) fn run(args: &FindArgs, color: ColorChoice) -> anyhow::Result<ExitCode> {
    ensure!(
        args.words
            .iter()
            .all(|word| word.contains(char::is_alphanumeric)),
        "a word is empty, or has signs alone: name what to look up"
    );
    ensure!(
        !args.example || args.format != Format::Json,
        "`--example` prints a message behind the text: leave out `--format json`, or see `codex-wire example`"
    );
    let (words, release) = words::divided(&args.words, args.release.as_deref())?;
    if args.release.is_none()
        && let Some(text) = release
    {
        output::remark(color, &format!("`{text}` is taken as `--release {text}`"));
    }
    let asked = match release {
        Some(text) => Some(resolve_release::choice(args.protocol, text, color)?),
        None => None,
    };
    let mut found = look_up(args, &words);
    if found.is_empty() {
        // `find` and `example` name a kind of a message by both: `item/completed/commandExecution`.
        let words: Vec<&str> = words
            .iter()
            .flat_map(|word| {
                word.rsplit_once('/')
                    .map_or(vec![*word], |(of, kind)| vec![of, kind])
            })
            .collect();
        found = look_up(args, &words);
    }
    found.releases = asked;
    if found.is_empty() {
        output::remark(color, &nothing(&words));
        return Ok(ExitCode::from(COULD_NOT_CHECK));
    }
    let mut out = output::stdout(color);
    let first = (!args.all).then_some(FIRST);
    match args.format {
        Format::Json => write_parts_json(&mut out, &found)?,
        _ => write_parts(&mut out, &found, &Styles::coloured(), first)?,
    }
    if args.example {
        for place in found.hits.iter().take(1).flat_map(|hit| hit.places.first()) {
            example(&mut out, place, asked)?;
        }
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

/// Looks up the words.
fn look_up(args: &FindArgs, words: &[&str]) -> Parts {
    let mut hits = find(words);
    if let Some(protocol) = args.protocol {
        for hit in &mut hits {
            hit.places
                .retain(|place| place.message_set.protocol() == protocol);
        }
        hits.retain(|hit| !hit.places.is_empty());
    }
    let plain = |text: &str| text.to_lowercase().replace(['_', '-'], "");
    let named = |rule: &&Rule| {
        let of = args.protocol.is_none_or(|protocol| rule.concerns(protocol));
        of && words
            .iter()
            .all(|word| plain(rule.id).contains(&plain(word)))
    };
    let rules = rules::RULES.iter().copied().filter(named).collect();
    let words = words.iter().map(|word| (*word).to_owned()).collect();
    Parts::new(words, hits, rules)
}

/// Prints a recorded message of a kind.
fn example(out: &mut dyn Write, place: &Place, asked: Option<ReleaseChoice>) -> anyhow::Result<()> {
    let newest = Release::new(u32::MAX, 0, 0);
    let wanted = asked.and_then(|asked| asked.bounds().until);
    let wanted = wanted.unwrap_or(newest);
    let of = |kind| examples::find(place.message_set, kind, wanted);
    match of(&place.kind).or_else(|| of(place.message())) {
        Some(example) => {
            let from = format!("{}:{}", example.transcript, example.line);
            writeln!(out, "\nas {} wrote it (fixtures/{from}):", example.release)?;
            writeln!(out, "{}", example.text)?;
        }
        None => writeln!(out, "\nno `{}` was recorded", place.message())?,
    }
    Ok(())
}

/// Says that nothing was found, and what is spelt nearly so.
fn nothing(words: &[&str]) -> String {
    let asked = words.join(" ");
    let word = words.iter().max_by_key(|word| word.len());
    let word = word.copied().unwrap_or_default();
    let lower = word.to_lowercase();
    let nearest = names()
        .map(|name| (osa_distance(&lower, &name.to_lowercase()), name))
        .min_by_key(|(distance, _)| *distance);
    match nearest {
        Some((distance @ 1..=3, name)) if distance < word.len() => {
            format!("nothing is named `{asked}`; did you mean `{name}`?")
        }
        _ => format!("nothing is named `{asked}`"),
    }
}
