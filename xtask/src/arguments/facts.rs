//! What a release accepts on its command line and its help does not say, found by trying.
//!
//! A flag is tried with `--help` behind it. If Codex takes the flag, it prints its help and does
//! nothing else; otherwise it says what is wrong with the flag.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Result, bail};

use super::help::{Help, Opt};
use super::run::{Output, Stage};

/// Options that no help of any release shows.
const NEVER_SHOWN: &[&str] = &[
    "--api-key",
    "--auto-edit",
    "--dangerously-auto-approve-everything",
    "--experimental-json",
    "--experimental_client-id",
    "--experimental_issuer",
    "--include-apply-patch-tool",
    "--include-plan-tool",
    "--last-message-file",
    "--max-turns",
    "--session-source",
    "--yolo",
];

/// Values for options that refuse most.
const GOOD: &[(&str, &str)] = &[
    ("--code-mode-host", "http://127.0.0.1:9"),
    ("--listen", "stdio://"),
    ("--profile", "walrus"),
    ("--ws-max-clock-skew-seconds", "1"),
];

/// A value that options with an opinion refuse.
const BAD: &str = "?bogus";

/// The facts about one command of a release, as `grammar.rs` of the stand-in reads them. `seen` are the
/// options that any release has for this command.
pub(super) fn facts(
    stage: &Stage,
    command: &[&str],
    help: &Help,
    seen: &BTreeSet<String>,
) -> Result<Vec<String>> {
    let ask = |words: &[&str]| stage.run(&[command, words].concat());
    let mut facts: Vec<String> = help.others().collect();
    // What to give each option, for the questions about several: nothing, or a value.
    let mut given: BTreeMap<String, Option<String>> = BTreeMap::new();
    let mut flags: BTreeSet<&str> = seen.iter().map(String::as_str).collect();
    flags.extend(NEVER_SHOWN);
    for flag in flags {
        if ["--help", "--version"].contains(&flag) {
            continue;
        }
        let shown = help.options.iter().find(|option| option.flag() == flag);
        let option = match shown {
            Some(option) => Some(option.clone()),
            None => hidden(flag, &ask(&[flag, "--help"])?),
        };
        let Some(mut option) = option else { continue };
        let value = match option.value {
            Some(_) => value(&mut option, ask)?,
            None => None,
        };
        let twice = match (&option.value, &value) {
            (None, _) => Some(ask(&[flag, flag, "--help"])?),
            (Some(_), Some(value)) => Some(ask(&[flag, value, flag, value, "--help"])?),
            // Its value has a form of its own, so it is not a list.
            (Some(_), None) => None,
        };
        if let Some(twice) = twice {
            let own = quoted(&twice, "error: the argument '");
            match own.as_deref().and_then(|own| own.split(' ').next()) {
                Some(own) if own != flag => {
                    facts.push(format!("{flag} = {own}"));
                    continue;
                }
                None => option.repeats = twice.status == Some(0),
                Some(_) => {}
            }
        }
        if option.value.is_none() || value.is_some() {
            given.insert(flag.to_owned(), value);
        }
        facts.push(option.fact());
    }
    conflicts(ask, help, given, &mut facts)?;
    Ok(facts)
}

/// An option that no help shows, from what Codex says to it.
fn hidden(flag: &str, alone: &Output) -> Option<Opt> {
    if first(alone).starts_with("error: unexpected argument") {
        return None;
    }
    let value = quoted(alone, "error: a value is required for '");
    Some(Opt {
        long: flag.trim_start_matches("--").to_owned(),
        value: value.and_then(|value| Some(value.split_once('<')?.1.trim_end_matches('>').into())),
        is_hidden: true,
        ..Opt::default()
    })
}

/// A value that an option takes, if one is known. Notes what its refusal says about others.
fn value(option: &mut Opt, ask: impl Fn(&[&str]) -> Result<Output>) -> Result<Option<String>> {
    if let Some(value) = option.values.first() {
        return Ok(Some(value.clone()));
    }
    let flag = option.flag();
    let bad = ask(&[&flag, BAD, "--help"])?;
    if bad.status == Some(0) {
        return Ok(Some(BAD.to_owned()));
    }
    // ``expected `stdio://` or `ws://IP:PORT` ``
    if let Some((_, forms)) = first(&bad).split_once("expected `") {
        let forms = forms.split('`').step_by(2);
        option.values = forms
            .filter(|form| !form.is_empty())
            .map(str::to_owned)
            .collect();
    }
    option.is_plain = first(&bad).contains("pass a plain name");
    let good = GOOD.iter().find(|(known, _)| *known == flag);
    Ok(good.map(|(_, value)| (*value).to_owned()))
}

/// Adds which arguments exclude each other: all are given at once, and whichever is complained of is
/// left out next time.
fn conflicts(
    ask: impl Fn(&[&str]) -> Result<Output>,
    help: &Help,
    mut given: BTreeMap<String, Option<String>>,
    facts: &mut Vec<String>,
) -> Result<()> {
    // A server or a session that starts would wait for a while: something must be refused.
    let mut positionals = help.positionals.len();
    loop {
        let mut words: Vec<&str> = Vec::new();
        for (flag, value) in &given {
            words.push(flag);
            words.extend(value.as_deref());
        }
        words.extend(std::iter::repeat_n("word", positionals));
        let output = ask(&words)?;
        let text = first(&output);
        let Some(own) = quoted(&output, "error: the argument '") else {
            if text.starts_with("error:") && !text.contains("unrecognized subcommand") {
                bail!("nothing is known of this refusal: {text}");
            }
            return Ok(());
        };
        let own = own.split(' ').next().unwrap_or_default().to_owned();
        let others: Vec<&str> = match text.split_once("cannot be used with '") {
            Some((_, other)) => vec![other.trim_end_matches('\'')],
            None => {
                let lines = output.stderr.lines().skip(1);
                let lines = lines.take_while(|line| line.starts_with("  "));
                lines.map(str::trim).collect()
            }
        };
        if others.is_empty() {
            bail!("nothing is known of this refusal: {text}");
        }
        for other in others {
            let other = other.split(' ').next().unwrap_or_default();
            facts.push(format!("{own} excludes {other}"));
        }
        if given.remove(&own).is_none() {
            positionals = positionals.saturating_sub(1);
            if positionals == 0 && !own.starts_with('[') {
                return Ok(());
            }
        }
    }
}

/// The first line that Codex says when it complains.
fn first(output: &Output) -> &str {
    output.stderr.lines().next().unwrap_or_default()
}

/// What stands between these words and the next quote, in the first line of a complaint.
fn quoted(output: &Output, before: &str) -> Option<String> {
    let (text, _) = first(output).strip_prefix(before)?.split_once('\'')?;
    Some(text.to_owned())
}
