//! Renders a transcript as a readable timeline: one row for each request, action and result, with
//! findings where they occur.
//!
//! Deltas are joined to their item, and requests to their responses. State is bounded: only open
//! items and requests are kept, up to a limit.

mod app_server;
mod core;
mod deferred;
mod exec;
mod hooks;
mod items;
mod open;
mod options;
mod phrasing;
mod rollout;
mod rows;

use std::fmt;
use std::io::{self, Write};

use codex_wire_base::Protocol;
use codex_wire_base::transcript::{Record, Side};
use codex_wire_check::{Answered, Event, Finding, Outcome, Step, Verdict};
use serde_json::Value;

use crate::escape::escaped;
use crate::numbers::{counted, levels};
use crate::styles::Styles;
use crate::words::unreadable;
pub use options::TimelineOptions;
use rows::{LineContext, Rows, Tone, joined};

/// A timeline that is being written.
pub struct Timeline<'w> {
    rows: Rows<'w>,
}

impl fmt::Debug for Timeline<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = f.debug_struct("Timeline");
        out.field("options", &self.rows.options)
            .finish_non_exhaustive()
    }
}

impl<'w> Timeline<'w> {
    /// Begins a timeline.
    pub fn new(options: TimelineOptions, out: &'w mut dyn Write) -> Self {
        Timeline {
            rows: Rows::new(options, out),
        }
    }

    /// Begins a timeline in an element of HTML that keeps spaces and ends of lines.
    pub(crate) fn in_html(options: TimelineOptions, out: &'w mut dyn Write) -> Self {
        let mut timeline = Timeline::new(options, out);
        timeline.rows.out.is_html = true;
        timeline
    }

    /// Writes the rows of a line.
    ///
    /// # Errors
    /// When writing fails.
    pub fn step(&mut self, step: &Step<'_>) -> io::Result<()> {
        let is_unknown = |finding: &Finding| finding.rule.id == "schema/unknown-kind";
        let is_blank = |finding: &Finding| finding.rule.id == "framing/blank-line";
        self.rows.line = LineContext {
            number: step.line,
            ms: step.ms,
            connection: step.connection,
            writer: step.writer,
            unknown: step.findings.iter().any(is_unknown),
            has_findings: !step.findings.is_empty(),
        };
        match step.event {
            Event::Message {
                message,
                protocol,
                answers,
            } => self.message(message, protocol, answers)?,
            Event::Record(record) => self.record(record)?,
            Event::Nothing if step.findings.iter().all(is_blank) => {}
            Event::Nothing => {
                self.rows
                    .row(Tone::Bad, "unreadable", "no message can be read here")?;
            }
            Event::End => self.end()?,
            _ => {}
        }
        for finding in step.findings {
            self.rows.finding(finding)?;
        }
        if step.recognized {
            self.rows.out.pass_on()?;
        }
        if self.rows.options.live {
            self.rows.out.flush()?;
        }
        Ok(())
    }

    /// Writes the summary at the end.
    ///
    /// # Errors
    /// When writing fails.
    pub fn finish(mut self, outcome: &Outcome) -> io::Result<()> {
        self.summary(outcome)
    }

    /// Writes the summary at the end, and hands back what was written to.
    pub(crate) fn finish_in_html(mut self, outcome: &Outcome) -> io::Result<&'w mut dyn Write> {
        self.summary(outcome)?;
        Ok(self.rows.out.into_inner())
    }

    fn summary(&mut self, outcome: &Outcome) -> io::Result<()> {
        let Styles {
            error: bad,
            warning: warn,
            good,
            ..
        } = self.rows.options.styles;
        // An input that is not a transcript has no rows.
        if outcome.verdict == Verdict::Unreadable && self.rows.out.discard() {
            self.rows.any = false;
        }
        self.rows.out.pass_on()?;
        if self.rows.any {
            writeln!(self.rows.out)?;
        }
        let what = match (outcome.protocol, outcome.releases) {
            (Some(protocol), Some(releases)) => format!(" ({protocol} {releases})"),
            _ => String::new(),
        };
        if outcome.dropped() > 0 {
            let more = counted(outcome.dropped(), "finding is", "findings are");
            writeln!(self.rows.out, "… {more} not shown")?;
        }
        let messages = counted(outcome.messages, "message", "messages");
        let found = levels(&outcome.counts);
        let found = match found.is_empty() {
            true => String::new(),
            false => format!("; {}", found.join(", ")),
        };
        match outcome.verdict {
            Verdict::Conforms => {
                writeln!(
                    self.rows.out,
                    "{messages}: {good}conforms{good:#}{what}{found}"
                )
            }
            Verdict::Findings => writeln!(
                self.rows.out,
                "{messages}: {bad}does not conform{bad:#}{what}{found}"
            ),
            Verdict::NotExercised => writeln!(self.rows.out, "{warn}holds no messages{warn:#}"),
            Verdict::Unreadable => {
                writeln!(self.rows.out, "{bad}{}{bad:#}", unreadable(outcome))
            }
        }
    }

    fn message(
        &mut self,
        message: &Value,
        protocol: Option<Protocol>,
        answers: Option<&Answered>,
    ) -> io::Result<()> {
        if self.rows.line.ms.is_none() {
            let now = message.get("emittedAtMs").and_then(Value::as_u64);
            let begun = *self.rows.begun.get_or_insert(now.unwrap_or(0));
            self.rows.line.ms = now.map(|now| now.saturating_sub(begun));
            if now.is_none() {
                self.rows.begun = self.rows.begun.filter(|begun| *begun > 0);
            }
        }
        match protocol {
            Some(Protocol::Exec) if message.get("type").is_some() => self.rows.exec(message),
            Some(Protocol::Exec | Protocol::Core) => self.rows.core(message, None),
            Some(Protocol::AppServer) => self.rows.app_server(message, answers),
            Some(Protocol::Rollout) => self.rows.rollout(message),
            Some(Protocol::Hooks) => self.rows.hook(message),
            Some(Protocol::Notify) => self.rows.notify(message),
            _ => self
                .rows
                .row(Tone::Bad, "unknown", "a JSON object of no known protocol"),
        }
    }

    fn record(&mut self, record: &Record) -> io::Result<()> {
        match record {
            Record::Start(start) => {
                let parts = [&start.protocol, &start.release];
                let mut texts: Vec<String> = parts
                    .into_iter()
                    .filter_map(|part| part.value())
                    .map(|part| escaped(part).into_owned())
                    .collect();
                if let Some(command) = start.command.value() {
                    texts.push(self.rows.phrasing.text(&command.join(" ")));
                }
                self.rows
                    .row(Tone::TopLevel, "recording", &texts.join(", "))
            }
            Record::Connected(record) => {
                self.rows.several |= record.connection > 0;
                let who = record
                    .client
                    .value()
                    .map(|who| self.rows.phrasing.text(who));
                let text = format!("connection {}", record.connection);
                self.rows
                    .row(Tone::TopLevel, "connected", &joined([Some(text), who]))
            }
            Record::Closed(record) => {
                let by = match record.by.value() {
                    Some(Side::Codex) => Some("by Codex".to_owned()),
                    Some(Side::Client) => Some("by the client".to_owned()),
                    _ => None,
                };
                let of = record.connection.value();
                let of = of.map(|connection| format!("connection {connection}"));
                self.rows.row(Tone::TopLevel, "closed", &joined([of, by]))
            }
            Record::Exit(record) => {
                let status = record
                    .status
                    .value()
                    .map(|status| format!("status {status}"));
                let signal = record.signal.value().map(|name| escaped(name).into_owned());
                let tone = match record.status.value() {
                    Some(0) => Tone::TopLevel,
                    _ => Tone::Bad,
                };
                self.rows.row(tone, "exit", &joined([status, signal]))
            }
            _ => Ok(()),
        }
    }

    /// Writes what is still open after the last line.
    fn end(&mut self) -> io::Result<()> {
        let last = self.rows.line.number;
        for (place, item) in self.rows.open.take_all_items() {
            self.rows.line.number = item.line;
            self.rows.line.connection = place.connection;
            self.rows.announce_location(&place)?;
            self.rows.unfinished(&item)?;
        }
        for (connection, request) in self.rows.open.take_all_requests() {
            self.rows.line.number = request.line;
            self.rows.line.connection = connection;
            let text = format!("{}, never answered", request.what);
            self.rows.row(Tone::Bad, request.label, &text)?;
        }
        self.rows.line = LineContext {
            number: last,
            ..LineContext::default()
        };
        Ok(())
    }
}
