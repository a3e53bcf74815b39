//! Implements `codex-wire diff --transcript`: would this transcript, and the client that read it,
//! still work with another release?
//!
//! These are two questions. Are the recorded lines valid in the other release? They are checked
//! against it. Could a client built for the transcript's release read what the other release writes
//! in messages of the same kinds? The two releases are compared.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use anstream::ColorChoice;
use anyhow::{Context, anyhow, bail};
use codex_wire_base::{MessageSet, Protocol, Release};
use codex_wire_check::{Checker, Event, Finding, Options, Outcome, Severity, Step, Writer};
use codex_wire_diff::{Comparison, Message, diff};
use codex_wire_report::{Format, Styles};
use serde_json::Value;

use super::args::DiffArgs;
use super::fail_on::{FAILS, exit_code};
use super::scope::Scope;
use super::sides::of_release;
use super::text;
use crate::escape::{json, page, plain};
use crate::inputs::Source;
use crate::progress::Progress;
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
    protocol: Protocol,
    release: Release,
    to: String,
    messages: u64,
    kinds: BTreeMap<Message, Kind>,
    /// Findings in lines that the other release neither writes nor reads.
    unmatched: Vec<Finding>,
    comparison: Comparison,
}

pub(super) fn run(args: &DiffArgs, path: &Path, color: ColorChoice) -> anyhow::Result<ExitCode> {
    let to = args.to.as_deref().unwrap_or_default();
    let stated = match args.protocol {
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
    let outcome = observe(options, path, |step| collect(step, &mut kinds))?;
    let shown = path.display();
    let (Some(protocol), Some(releases)) = (outcome.protocol, outcome.releases) else {
        let reason = outcome
            .error
            .unwrap_or_else(|| "not a transcript of Codex".to_owned());
        bail!("{shown}: {reason}");
    };
    // Several releases could have written it. Assume that the client was built for the oldest,
    // which differs most from the other release.
    let release = releases.since;
    let newer = resolve_release::of_protocol(Some(protocol), to, color)?;
    let mut options = Options::new();
    options.protocol = Some(protocol);
    options.release = Some(newer);
    let unmatched = match Checker::new(options.clone()) {
        Ok(_) => unmatched(observe(options, path, |_| {})?),
        Err(error) => return Err(error.into()),
    };
    let scope = Scope::Protocol(protocol);
    let side = |release| of_release(scope, release, args.stability);
    let comparison = diff(&side(release), &side(newer).named(to))?;
    let seen: Vec<Message> = kinds.keys().cloned().collect();
    let compatibility = Compatibility {
        path: shown.to_string(),
        protocol,
        release,
        to: to.to_owned(),
        messages: outcome.messages,
        kinds,
        unmatched,
        comparison: comparison.concerning(&seen),
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

fn observe(
    options: Options,
    path: &Path,
    mut each: impl FnMut(&Step<'_>),
) -> anyhow::Result<Outcome> {
    let checker = Checker::new(options)?;
    let progress = Progress::new();
    let source = Source::File(path.to_path_buf());
    let name = source.name();
    let input = source
        .open(&progress)
        .map_err(|error| anyhow!("cannot read {name}: {error}"))?;
    let outcome = checker.observe(&name, input, |step| {
        each(step);
        Ok(())
    })?;
    progress.clear();
    Ok(outcome)
}

/// Counts the kind of message of a line.
fn collect(step: &Step<'_>, kinds: &mut BTreeMap<Message, Kind>) {
    let Event::Message {
        message,
        protocol: Some(protocol),
        answers,
    } = step.event
    else {
        return;
    };
    let answered = answers.and_then(|answers| answers.method.as_deref());
    if let Some((message_set, name)) = kind(protocol, message, step.writer, answered) {
        let kind = kinds
            .entry(Message::new(message_set.as_str(), name))
            .or_insert(Kind {
                lines: 0,
                first: step.line,
            });
        kind.lines += 1;
    }
}

/// The message set of a message, and the name of its kind there.
fn kind<'m>(
    protocol: Protocol,
    message: &'m Value,
    writer: Option<Writer>,
    answered: Option<&'m str>,
) -> Option<(MessageSet, &'m str)> {
    let tag = |holder: &'m Value| holder.get("type")?.as_str();
    match protocol {
        // The legacy dialect contains core events.
        Protocol::Exec => match message.get("msg") {
            Some(inner) => Some((MessageSet::ExecLegacy, tag(inner)?)),
            None => Some((MessageSet::Exec, tag(message)?)),
        },
        Protocol::Core => match (message.get("msg"), message.get("op")) {
            (Some(inner), _) => Some((MessageSet::CoreEvents, tag(inner)?)),
            (None, Some(inner)) => Some((MessageSet::CoreSubmissions, tag(inner)?)),
            (None, None) => None,
        },
        _ => {
            let by_codex = writer == Some(Writer::Codex);
            let request = message.get("id").is_some();
            let Some(method) = message.get("method").and_then(Value::as_str) else {
                message.get("result")?;
                let message_set = if by_codex {
                    MessageSet::AppServerServerResponses
                } else {
                    MessageSet::AppServerClientResponses
                };
                return Some((message_set, answered?));
            };
            let message_set = match (by_codex, request) {
                (true, true) => MessageSet::AppServerServerRequests,
                (true, false) => MessageSet::AppServerServerNotifications,
                (false, true) => MessageSet::AppServerClientRequests,
                (false, false) => MessageSet::AppServerClientNotifications,
            };
            Some((message_set, method))
        }
    }
}

/// Findings about the schema of lines. Their order depends on the run, not on the release.
fn unmatched(outcome: Outcome) -> Vec<Finding> {
    let denied = |finding: &Finding| {
        finding.severity == Severity::Error && finding.rule.id.starts_with("schema/")
    };
    outcome.findings.into_iter().filter(denied).collect()
}

impl Compatibility {
    fn summary(&self) -> String {
        format!(
            "{}: {} as of {}, {} messages of {} kinds, checked against {}",
            self.path,
            self.protocol,
            self.release,
            self.messages,
            self.kinds.len(),
            self.to
        )
    }

    /// How many recorded lines are invalid, in a phrase.
    fn stream(&self) -> String {
        match self.unmatched.len() {
            0 => format!("every line is valid in {}", self.to),
            1 => format!("1 finding in {}", self.to),
            many => format!("{many} findings in {}", self.to),
        }
    }

    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        let Styles {
            error: bad,
            good,
            place,
            ..
        } = Styles::coloured();
        writeln!(out, "{place}{}{place:#}\n", plain(&self.summary()))?;
        let style = if self.unmatched.is_empty() { good } else { bad };
        writeln!(out, "the transcript: {style}{}{style:#}", self.stream())?;
        for finding in self.unmatched.iter().take(LISTED) {
            writeln!(
                out,
                "  line {}: {}  [{}]",
                finding.place.line,
                plain(&finding.message),
                finding.rule.id
            )?;
        }
        let left = self.unmatched.len().saturating_sub(LISTED);
        if left > 0 {
            writeln!(out, "  and {left} more")?;
        }
        writeln!(out, "\nthe client: changes in these kinds of message\n")?;
        text::comparison(out, self.protocol.as_str(), &self.comparison)
    }

    fn markdown(&self, out: &mut dyn Write) -> io::Result<()> {
        let text = self.comparison.to_markdown(&plain(&self.summary()));
        let page = page(&text);
        let (head, rest) = page.split_once("\n\n").unwrap_or((&page, ""));
        writeln!(
            out,
            "{head}\n\nThe transcript: {}.\n\nThe client: changes in these kinds of message:\n\n{rest}",
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
        let unmatched: Vec<Value> = self
            .unmatched
            .iter()
            .map(|finding| {
                serde_json::json!({
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
