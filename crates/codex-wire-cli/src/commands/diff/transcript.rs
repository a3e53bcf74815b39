//! Implements `codex-wire diff --transcript`: would this transcript, and the client that read it,
//! still work with another release?
//!
//! These are two questions. Are the recorded lines valid in the other release? They are checked
//! against it. Could a client built for the transcript's release read what the other release writes
//! in the places that the recorded messages have? The two releases are compared.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;

use anstream::ColorChoice;
use anyhow::Context;
use codex_wire_check::{Event, Finding, Options, Outcome, Severity, Step};
use codex_wire_diff::{Comparison, Message, Side, diff_observed};
use codex_wire_report::differences::{Compatibility, KindLines};
use codex_wire_report::{Format, Styles, escaped_json};
use serde_json::Value;

use super::args::DiffArgs;
use super::fail_on::{FAILS, exit_code};
use super::recordings::{Recorded, Recordings};
use super::scope::{About, Scope};
use super::sides::of_release;
use crate::exit_code::COULD_NOT_CHECK;
use crate::{output, resolve_release};

pub(super) fn run(args: &DiffArgs, path: &Path, color: ColorChoice) -> anyhow::Result<ExitCode> {
    let to = args.to.as_deref().unwrap_or_default();
    let stated = match args.about.as_ref().and_then(About::scope) {
        Some(Scope::Protocol(protocol)) => Some(protocol),
        Some(Scope::MessageSet(message_set)) => Some(message_set.protocol()),
        None => None,
    };
    let mut options = Options::new();
    options.protocol = stated;
    if let Some(from) = &args.from {
        options.release = Some(resolve_release::of_protocol(stated, from, color)?);
    }
    let mut kinds = BTreeMap::new();
    let recordings = Recordings::read(path, options.clone(), |step| collect(step, &mut kinds))?;
    output::remark_skipped(color, &recordings.skipped);
    let (protocol, recorded) = recordings.of_one_protocol()?;
    let release = recorded.release;
    // Several releases could have written them. Assume that the client was built for the oldest,
    // which differs most from the other release.
    let newer = resolve_release::of_protocol(Some(protocol), to, color)?;
    let mut other = Options::new();
    other.protocol = Some(protocol);
    other.release = Some(newer);
    let unmatched = unmatched(recordings.observe(recorded, other, |_| {})?);
    let scope = Scope::Protocol(protocol);
    let side = |release| of_release(scope, release, args.stability());
    let sides = [&side(release), &side(newer).named(to)];
    let (comparison, _) = used(&recordings, recorded, options, sides)?;
    let compatibility = Compatibility {
        path: recordings.name.clone(),
        inputs: recorded.inputs.len(),
        protocol,
        release,
        to: to.to_owned(),
        messages: recorded.messages,
        kinds,
        unmatched,
        comparison: args.filter.apply(comparison),
    };
    let mut out = output::stdout(color);
    match args.format {
        Format::Json => {
            writeln!(
                out,
                "{}",
                escaped_json(&format!("{:#}", compatibility.to_json()))
            )?;
        }
        Format::Markdown => compatibility.write_markdown(&mut out)?,
        _ => compatibility.write_text(&mut out, &Styles::coloured(), output::terminal_width())?,
    }
    out.flush().context("cannot write")?;
    let mut findings = compatibility.unmatched.iter().flat_map(|(_, found)| found);
    if findings.any(is_unread) {
        return Ok(ExitCode::from(COULD_NOT_CHECK));
    }
    if args.fail_on.is_some() && !compatibility.unmatched.is_empty() {
        return Ok(ExitCode::from(FAILS));
    }
    Ok(exit_code(args.fail_on, &compatibility.comparison))
}

/// Compares two releases in what recordings of one protocol contain, and returns what was found in these.
pub(crate) fn used(
    recordings: &Recordings,
    recorded: &Recorded,
    options: Options,
    [before, after]: [&Side; 2],
) -> anyhow::Result<(Comparison, Vec<Outcome>)> {
    let mut outcomes = Vec::new();
    let comparison = diff_observed(before, after, |see| {
        let each = |step: &Step<'_>| {
            if let Some((message, value)) = message(step) {
                see(&message, value);
            }
        };
        outcomes = recordings.observe(recorded, options, each)?;
        anyhow::Ok(())
    })?;
    Ok((comparison, outcomes))
}

/// Counts the kind of message of a line.
fn collect(step: &Step<'_>, kinds: &mut BTreeMap<Message, KindLines>) {
    if let Some((message, _)) = message(step) {
        let kind = kinds.entry(message).or_insert(KindLines {
            lines: 0,
            first: step.line,
        });
        kind.lines += 1;
    }
}

/// The kind of message of a line, and the message.
fn message<'s>(step: &Step<'s>) -> Option<(Message, &'s Value)> {
    let Event::Message { message, .. } = step.event else {
        return None;
    };
    let (message_set, name) = step.kind()?;
    Some((Message::new(message_set.as_str(), name), message))
}

/// Findings about the schema of lines, and lines that hold no message. Their order depends on the run, not on the
/// release.
pub(crate) fn unmatched(outcomes: Vec<Outcome>) -> Vec<(String, Vec<Finding>)> {
    let denied = |finding: &Finding| {
        let is_error = finding.severity == Severity::Error;
        is_error && finding.rule.id.starts_with("schema/") || is_unread(finding)
    };
    let by_path = outcomes.into_iter().map(|outcome| {
        let findings = outcome.findings.into_iter().filter(denied).collect();
        (outcome.path, findings)
    });
    by_path
        .filter(|(_, findings): &(_, Vec<Finding>)| !findings.is_empty())
        .collect()
}

/// Whether a finding is an error about a line that holds no message: nothing of it was compared.
pub(crate) fn is_unread(finding: &Finding) -> bool {
    finding.severity == Severity::Error
        && finding.place.message.is_none()
        && finding.rule.id.starts_with("framing/")
}
