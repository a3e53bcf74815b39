//! What a release accepts on its command line and its help does not say, found by trying.
//!
//! A flag is tried with `--help` behind it. If Codex takes the flag, it prints its help and does
//! nothing else; otherwise it says what is wrong with the flag.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use codex_wire_replay::arguments::data::Output;
use codex_wire_replay::arguments::help::{Help, Opt};

use super::run::{Login, Stage};

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

/// The lines of facts about one command of a release. `seen` are the options that any release shows
/// for this command.
pub(super) fn facts(
    stage: &Stage,
    name: &str,
    help: &Help,
    seen: &BTreeSet<String>,
) -> Result<String> {
    let command: Vec<&str> = name.split(' ').skip(usize::from(name == "codex")).collect();
    let ask = |words: &[&str]| stage.run(&[&command, words].concat(), Login::No);
    let mut lines = Vec::new();
    // A value for each option that takes one, for the questions that need one.
    let mut values: BTreeMap<String, Option<String>> = BTreeMap::new();
    let all = seen
        .iter()
        .map(String::as_str)
        .chain(NEVER_SHOWN.iter().copied());
    for flag in all.collect::<BTreeSet<_>>() {
        if ["--help", "--version"].contains(&flag) {
            continue;
        }
        let shown = help.options.iter().find(|option| option.flag() == flag);
        let takes = match shown {
            Some(Opt { value, .. }) => value.as_ref().map(|value| format!("{flag} <{value}>")),
            None => {
                let alone = ask(&[flag, "--help"])?;
                if first(&alone).starts_with("error: unexpected argument") {
                    continue;
                }
                quoted(&alone, "error: a value is required for '")
            }
        };
        let value = match (&takes, shown) {
            (None, _) => None,
            (Some(_), Some(Opt { values, .. })) if !values.is_empty() => Some(values[0].clone()),
            (Some(takes), _) => {
                let bad = ask(&[flag, BAD, "--help"])?;
                let refusal = format!("error: invalid value '{BAD}' for '{takes}'");
                let reason = first(&bad).strip_prefix(&refusal).unwrap_or(first(&bad));
                if bad.status == Some(0) {
                    Some(BAD.to_owned())
                } else {
                    lines.push(format!(
                        "{flag} refuses {BAD}: {}",
                        reason.trim_start_matches(": ")
                    ));
                    let good = GOOD.iter().find(|(known, _)| *known == flag);
                    good.map(|(_, value)| (*value).to_owned())
                }
            }
        };
        let twice = match (&takes, &value) {
            (None, _) => Some(ask(&[flag, flag, "--help"])?),
            (Some(_), Some(value)) => Some(ask(&[flag, value, flag, value, "--help"])?),
            // Its value has a form of its own, so it is not a list.
            (Some(_), None) => None,
        };
        if let Some(twice) = twice {
            let own = quoted(&twice, "error: the argument '");
            match own.as_deref().and_then(|own| own.split(' ').next()) {
                Some(own) if own != flag => {
                    lines.push(format!("{flag} = {own}"));
                    continue;
                }
                None if twice.status == Some(0) => lines.push(format!("{flag} repeats")),
                _ => {}
            }
        }
        if shown.is_none() {
            let takes = takes.as_deref().and_then(|takes| takes.split_once(' '));
            let value = takes
                .map(|(_, value)| format!(" {value}"))
                .unwrap_or_default();
            lines.push(format!("{flag} hidden{value}"));
        }
        if takes.is_none() || value.is_some() {
            values.insert(flag.to_owned(), value);
        }
    }
    lines.extend(conflicts(&ask, help, values)?);
    Ok(lines
        .into_iter()
        .map(|line| format!("{name}: {line}\n"))
        .collect())
}

/// Which arguments exclude each other: all are given at once, and whichever is complained of is left
/// out next time.
fn conflicts(
    ask: &impl Fn(&[&str]) -> Result<Output>,
    help: &Help,
    mut values: BTreeMap<String, Option<String>>,
) -> Result<Vec<String>> {
    let mut lines = Vec::new();
    // A server or a session that starts would wait for a while: something must be refused.
    let mut positional: Vec<&str> = help
        .positionals
        .iter()
        .map(|one| one.name.as_str())
        .collect();
    loop {
        let mut words: Vec<&str> = Vec::new();
        for (flag, value) in &values {
            words.push(flag);
            words.extend(value.as_deref());
        }
        words.extend(positional.iter().map(|_| "word"));
        let output = ask(&words)?;
        let text = first(&output);
        let Some(own) = quoted(&output, "error: the argument '") else {
            if text.starts_with("error:") && !text.contains("unrecognized subcommand") {
                lines.push(format!("? {text}"));
            }
            return Ok(lines);
        };
        let own = own.split(' ').next().unwrap_or_default().to_owned();
        let others: Vec<String> = match text.split_once("cannot be used with '") {
            Some((_, other)) => vec![other.trim_end_matches('\'').to_owned()],
            None => output
                .stderr
                .lines()
                .skip(1)
                .take_while(|line| line.starts_with("  "))
                .map(|line| line.trim().to_owned())
                .collect(),
        };
        if others.is_empty() {
            lines.push(format!("? {text}"));
            return Ok(lines);
        }
        for other in others {
            let other = other.split(' ').next().unwrap_or_default();
            lines.push(format!("{own} excludes {other}"));
        }
        if values.remove(&own).is_none() {
            positional.pop();
            if positional.is_empty() && !own.starts_with('[') {
                return Ok(lines);
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
