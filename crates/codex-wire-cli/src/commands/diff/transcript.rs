//! Implements `codex-wire diff --transcript`: would this transcript, and the client that read it,
//! still work with another release?
//!
//! These are two questions. Are the recorded lines valid in the other release? They are checked
//! against it. Could a client built for the transcript's release read what the other release writes
//! in the places that the recorded messages have? The two releases are compared.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use anstream::ColorChoice;
use anyhow::Context;
use codex_wire_base::{Protocol, Release};
use codex_wire_check::{Event, Finding, Options, Outcome, Severity, Step};
use codex_wire_diff::{Comparison, Message, Side, diff_observed};
use codex_wire_report::{Format, Settings, Styles, write_findings};
use serde_json::Value;

use super::args::DiffArgs;
use super::fail_on::{FAILS, exit_code};
use super::recordings::{Recorded, Recordings};
use super::scope::{About, Scope};
use super::sides::of_release;
use super::text;
use crate::escape::{json, page, plain};
use crate::{output, resolve_release};

/// How many unmatched lines are listed.
const LISTED: usize = 20;

/// The messages of one kind in a transcript.
struct Kind {
    lines: u64,
    first: u64,
}

/// Whether the transcript and its client work with the other release.
struct Compatibility {
    path: String,
    /// How many recordings there are.
    inputs: usize,
    protocol: Protocol,
    release: Release,
    to: String,
    messages: u64,
    kinds: BTreeMap<Message, Kind>,
    /// Findings in lines that the other release neither writes nor reads, by path.
    unmatched: Vec<(String, Vec<Finding>)>,
    comparison: Comparison,
}

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
    let side = |release| of_release(scope, release, args.stability);
    let sides = [&side(release), &side(newer).named(to)];
    let comparison = used(&recordings, recorded, options, sides)?;
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
            writeln!(out, "{}", json(&format!("{:#}", compatibility.to_json())))?;
        }
        Format::Markdown => compatibility.markdown(&mut out)?,
        _ => compatibility.text(&mut out)?,
    }
    out.flush().context("cannot write")?;
    if args.fail_on.is_some() && !compatibility.unmatched.is_empty() {
        return Ok(ExitCode::from(FAILS));
    }
    Ok(exit_code(args.fail_on, &compatibility.comparison))
}

/// Compares two releases in what recordings of one protocol contain.
pub(crate) fn used(
    recordings: &Recordings,
    recorded: &Recorded,
    options: Options,
    [before, after]: [&Side; 2],
) -> anyhow::Result<Comparison> {
    diff_observed(before, after, |see| {
        let each = |step: &Step<'_>| {
            if let Some((message, value)) = message(step) {
                see(&message, value);
            }
        };
        recordings.observe(recorded, options, each).map(drop)
    })
}

/// Counts the kind of message of a line.
fn collect(step: &Step<'_>, kinds: &mut BTreeMap<Message, Kind>) {
    if let Some((message, _)) = message(step) {
        let kind = kinds.entry(message).or_insert(Kind {
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

/// Findings about the schema of lines. Their order depends on the run, not on the release.
fn unmatched(outcomes: Vec<Outcome>) -> Vec<(String, Vec<Finding>)> {
    let denied = |finding: &Finding| {
        finding.severity == Severity::Error && finding.rule.id.starts_with("schema/")
    };
    let by_path = outcomes.into_iter().map(|outcome| {
        let findings = outcome.findings.into_iter().filter(denied).collect();
        (outcome.path, findings)
    });
    by_path
        .filter(|(_, findings): &(_, Vec<Finding>)| !findings.is_empty())
        .collect()
}

fn counted(number: u64, one: &str) -> String {
    let ending = if number == 1 { "" } else { "s" };
    format!("{number} {one}{ending}")
}

impl Compatibility {
    fn summary(&self) -> String {
        format!(
            "{}: {}{} as of {}, {} of {}, checked against {}",
            self.path,
            match self.inputs {
                1 => String::new(),
                several => format!("{several} transcripts, "),
            },
            self.protocol,
            self.release,
            counted(self.messages, "message"),
            counted(self.kinds.len() as u64, "kind"),
            self.to
        )
    }

    /// How many findings there are.
    fn findings(&self) -> usize {
        let each = self.unmatched.iter().map(|(_, findings)| findings.len());
        each.sum()
    }

    /// How many recorded lines are invalid, in a phrase.
    fn stream(&self) -> String {
        match self.findings() {
            0 => format!("every line is valid in {}", self.to),
            1 => format!("1 finding in {}", self.to),
            many => format!("{many} findings in {}", self.to),
        }
    }

    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        let styles = Styles::coloured();
        let Styles {
            error: bad,
            good,
            place,
            ..
        } = styles;
        writeln!(out, "{place}{}{place:#}\n", plain(&self.summary()))?;
        let style = if self.unmatched.is_empty() { good } else { bad };
        writeln!(out, "the transcript: {style}{}{style:#}", self.stream())?;
        let mut settings = Settings::new("", "").with_styles(styles);
        settings.width = output::terminal_width();
        let mut left = self.findings();
        let mut room = LISTED;
        for (path, findings) in &self.unmatched {
            let listed = &findings[..findings.len().min(room)];
            if !listed.is_empty() {
                writeln!(out)?;
            }
            write_findings(out, path, listed, &settings)?;
            room -= listed.len();
            left -= listed.len();
        }
        if left > 0 {
            writeln!(out, "\n… and {left} more")?;
        }
        writeln!(
            out,
            "\nthe client: changes in what these messages contain\n"
        )?;
        text::comparison(out, self.protocol.as_str(), &self.comparison)
    }

    fn markdown(&self, out: &mut dyn Write) -> io::Result<()> {
        let text = self.comparison.to_markdown(&plain(&self.summary()));
        let page = page(&text);
        let (head, rest) = page.split_once("\n\n").unwrap_or((&page, ""));
        writeln!(
            out,
            "{head}\n\nThe transcript: {}.\n\nThe client: changes in what these messages contain:\n\n{rest}",
            self.stream()
        )
    }

    fn to_json(&self) -> Value {
        let kinds: Vec<Value> = self
            .kinds
            .iter()
            .map(|(message, kind)| {
                serde_json::json!({
                    "part": message.part,
                    "name": message.name,
                    "lines": kind.lines,
                    "first": kind.first,
                })
            })
            .collect();
        let unmatched = self.unmatched.iter();
        let unmatched = unmatched.flat_map(|(path, findings)| {
            let findings = findings.iter();
            findings.map(move |finding| (path, finding))
        });
        let unmatched: Vec<Value> = unmatched
            .map(|(path, finding)| {
                serde_json::json!({
                    "path": path,
                    "line": finding.place.line,
                    "rule": finding.rule.id,
                    "message": finding.message,
                })
            })
            .collect();
        serde_json::json!({
            "version": 1,
            "transcript": {
                "path": self.path,
                "inputs": self.inputs,
                "protocol": self.protocol.as_str(),
                "release": self.release.to_string(),
                "messages": self.messages,
                "kinds": kinds,
            },
            "to": self.to,
            "unmatched": {"count": unmatched.len(), "list": unmatched},
            "differences": self.comparison.to_json(),
        })
    }
}
