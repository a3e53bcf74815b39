//! Writes the JSON report. The document is an API; [`REPORT_SCHEMA`] is its JSON Schema.
//!
//! ```json
//! {
//!   "version": 2,
//!   "tool": { "name": "codex-wire", "version": "0.1.0" },
//!   "inputs": [ … ],
//!   "skipped": [],
//!   "baseline": null,
//!   "totals": { … }
//! }
//! ```
//!
//! `version` changes when a field is removed or means something else. New fields may come
//! without that: a reader skips what it does not know. The document is written as a stream, one
//! input a line, so it can be followed while it grows; until `totals` is there, the check is
//! not finished.
//!
//! # An input
//!
//! | Field | Type | Meaning |
//! |---|---|---|
//! | `path` | string | the path as it was given, `-` for standard input |
//! | `protocol` | string or null | the protocol it was checked as; null where none was identified |
//! | `releases` | object or null | `since` and `until`, both included: the releases that could have written it, or the stated one twice |
//! | `identified` | boolean | whether the release was identified from the stream rather than stated |
//! | `schemas` | array | the schemas of the newest of these releases: `message_set`, the messages they describe; `release`, one of their releases; `sha256`, their digest, as in the catalogue of published schemas |
//! | `messages` | integer | lines that are JSON objects |
//! | `verdict` | string | `conforms`: it holds messages and no rule is broken at error level; `findings`: one is; `not-exercised`: it holds no messages, so nothing was tried; `unreadable`: it could not be read, or is not a transcript of a known protocol |
//! | `error` | string | why it is unreadable; present only then |
//! | `counts` | object | `error`, `warning`, `note`: findings by severity, those beyond the limit included; `expected`: findings of any severity that a baseline lists, counted here only |
//! | `findings` | array | the findings in the order of the input, up to the limit |
//! | `dropped` | integer | how many findings are beyond the limit: counted, but not listed |
//!
//! # A finding
//!
//! | Field | Type | Meaning |
//! |---|---|---|
//! | `rule` | string | the stable name of the rule, such as `schema/unknown-value` |
//! | `severity` | string | `error`, `warning` or `note`, after the user's settings |
//! | `line` | integer | the line, from 1; lines end at a line feed only |
//! | `column` | integer | the byte within the line, from 1 |
//! | `offset` | integer | the byte within the input, from 0; within the unpacked input where it is compressed |
//! | `length` | integer | how many bytes from there on are meant; 0 for a point |
//! | `characters` | object or null | `column` and `length` in Unicode characters rather than bytes; null where the line is not text |
//! | `pointer` | string | the place within the message as a JSON Pointer (RFC 6901); empty for the message itself |
//! | `message_number` | integer or null | which message of the input it is, from 1; null where the line holds none |
//! | `message` | string | what is wrong, without payload text |
//! | `help` | string or null | what to do about it or how to read it |
//! | `releases` | object or null | `since` and `until`, each a release or null where that end is open: the releases in which it would be valid; null if it would be valid in none |
//! | `writer` | string or null | `codex` or `client`, where a recording says who wrote the line |
//! | `earlier` | object or null | an earlier message that explains it, such as the request of a response or the start of an item: `line` and `message_number`, from 1; `offset` and `length`, its bytes in the input (of a recording that holds it as a string, those of the line); `what` it is |
//! | `excerpt` | object or null | `text`, a window on the line with its payload masked unless values were asked for; `start` and `end`, the offending part as byte offsets into the UTF-8 of `text` |
//! | `expected` | string or null | the reason the baseline gives, where it lists the finding |
//!
//! # What was skipped
//!
//! The files of folders that were not read, in the order of names: `path`, and `reason`, which is
//! `compressed-copy` (the uncompressed file stands beside it), `prompt-history` (`history.jsonl` of
//! Codex), `session-index` (`session_index.jsonl` of Codex), `rollout-trace` (a file of a trace that
//! Codex wrote where `CODEX_ROLLOUT_TRACE_ROOT` says), `database`, `not-since` (nothing was
//! written to it since the time that the user asks for), `excluded` (the user excludes it), `linked-folder` (a link to a folder) or
//! `no-transcript` (no line of it is a message of Codex).
//!
//! # Statistics
//!
//! Only where the user asks for them: `rules`, the findings by rule and severity; `unlisted`, those beyond
//! the limit, of which the rule is not counted; `protocols` and `releases`, inputs and messages of each;
//! `kinds`, messages by message set and kind; `other_kinds`, messages of kinds beyond 4,096.
//!
//! # The baseline
//!
//! Null where there is none. Otherwise `path`, its name, and `stale`, the entries that do not
//! hold: `line` in the baseline, `rule`, `path`, `place` (a string or null), `message` and
//! `reason` as they stand there; `why` is `gone`, `changed`, `not-checked`, `beyond-limit` or
//! `too-wide`, and `now` what is found instead, where it is `changed`, or null.
//!
//! # The totals
//!
//! `inputs` and `messages` are sums; `conforms`, `findings`, `not_exercised` and `unreadable`
//! are numbers of inputs by verdict; `error`, `warning`, `note` and `expected` are numbers of
//! findings; `stale` is the number of entries of the baseline that do not hold.

use std::io::{self, Write};

use codex_wire_base::{Protocol, Release};
use codex_wire_check::baseline::{Stale, Why};
use codex_wire_check::{Finding, Outcome, Writer};
use serde::Serialize;

use crate::escape::write_json;
use crate::object::object;
use crate::renderer::Renderer;
use crate::settings::Settings;
use crate::skipped::Skipped;
use crate::statistics::Statistics;
use crate::totals::{Totals, counts};

/// The JSON Schema of the report, draft 2020-12. It is closed: it allows exactly the fields this
/// release of the crate writes.
pub const REPORT_SCHEMA: &str = codex_wire_schema::own::REPORT;

pub(crate) struct Json {
    settings: Settings,
    first: bool,
    /// How many members behind the list of inputs are written.
    written: Behind,
    statistics: Option<Statistics>,
}

/// How far the report is, behind its inputs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Behind {
    Inputs,
    Skipped,
    Baseline,
}

impl Json {
    pub(crate) fn new(settings: Settings) -> Self {
        Json {
            settings,
            first: true,
            written: Behind::Inputs,
            statistics: None,
        }
    }
}

impl Renderer for Json {
    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(b"{\"version\":2,\"tool\":")?;
        write_json(out, &tool(&self.settings))?;
        out.write_all(b",\"inputs\":[")
    }

    fn outcome(&mut self, out: &mut dyn Write, outcome: &Outcome) -> io::Result<()> {
        let separator: &[u8] = if self.first { b"\n" } else { b",\n" };
        self.first = false;
        out.write_all(separator)?;
        write_json(out, &input(outcome, Some(&outcome.findings)))
    }

    fn skipped(&mut self, out: &mut dyn Write, files: &[Skipped]) -> io::Result<()> {
        self.written = Behind::Skipped;
        out.write_all(b"\n],\"skipped\":")?;
        write_json(out, &files)
    }

    fn baseline(&mut self, out: &mut dyn Write, path: &str, stale: &[Stale]) -> io::Result<()> {
        if self.written == Behind::Inputs {
            self.skipped(out, &[])?;
        }
        self.written = Behind::Baseline;
        out.write_all(b",\"baseline\":")?;
        write_json(out, &baseline(path, stale))
    }

    fn finish(&mut self, out: &mut dyn Write, totals: &Totals) -> io::Result<()> {
        if self.written == Behind::Inputs {
            self.skipped(out, &[])?;
        }
        if self.written != Behind::Baseline {
            out.write_all(b",\"baseline\":null")?;
        }
        out.write_all(b",\"totals\":")?;
        write_json(out, totals)?;
        if let Some(statistics) = &self.statistics {
            out.write_all(b",\"statistics\":")?;
            write_json(out, &statistics.to_json())?;
        }
        out.write_all(b"}\n")
    }

    fn statistics(&mut self, statistics: Statistics) {
        self.statistics = Some(statistics);
    }
}

pub(crate) fn tool(settings: &Settings) -> impl Serialize {
    object! { name: &settings.tool_name, version: &settings.tool_version }
}

/// An input, with its findings if they are given.
pub(crate) fn input(outcome: &Outcome, findings: Option<&[Finding]>) -> impl Serialize {
    let schemas = outcome.schemas.iter().map(|schema| {
        object! {
            message_set: schema.message_set.as_str(),
            release: schema.release.to_string(),
            sha256: &schema.sha256,
        }
    });
    object! {
        path: &outcome.path,
        protocol: outcome.protocol.map(Protocol::as_str),
        releases: outcome.releases.map(|own| releases(Some(own.since), Some(own.until))),
        identified: outcome.identified,
        schemas: schemas.collect::<Vec<_>>(),
        messages: outcome.messages,
        verdict: outcome.verdict.as_str(),
        #[serde(flatten)]
        error: outcome.error.as_ref().map(|error| object! { error: error }),
        counts: counts(&outcome.counts),
        #[serde(flatten)]
        findings: findings.map(|all| {
            object! { findings: all.iter().map(finding).collect::<Vec<_>>() }
        }),
        dropped: outcome.dropped(),
    }
}

fn releases(since: Option<Release>, until: Option<Release>) -> impl Serialize {
    let text = |release: Option<Release>| release.map(|release| release.to_string());
    object! { since: text(since), until: text(until) }
}

pub(crate) fn finding(finding: &Finding) -> impl Serialize {
    let place = &finding.place;
    object! {
        rule: finding.rule.id,
        severity: finding.severity.as_str(),
        line: place.line,
        column: place.column,
        offset: place.offset,
        length: place.length,
        characters: place.characters.map(|characters| {
            object! { column: characters.column, length: characters.length }
        }),
        pointer: &place.pointer,
        message_number: place.message,
        message: &finding.message,
        help: &finding.help,
        releases: finding.releases.map(|bounds| releases(bounds.since, bounds.until)),
        writer: finding.writer.map(Writer::as_str),
        earlier: finding.earlier.as_ref().map(|earlier| {
            object! {
                line: earlier.line,
                message_number: earlier.message,
                offset: earlier.offset,
                length: earlier.length,
                what: earlier.what,
            }
        }),
        excerpt: finding.excerpt.as_ref().map(|excerpt| {
            object! { text: &excerpt.text, start: excerpt.start, end: excerpt.end }
        }),
        expected: &finding.expected,
    }
}

pub(crate) fn baseline(path: &str, stale: &[Stale]) -> impl Serialize {
    let stale = stale.iter().map(|stale| {
        let entry = &stale.entry;
        object! {
            line: entry.line,
            rule: entry.rule.id,
            path: &entry.path,
            place: &entry.place,
            message: &entry.message,
            reason: &entry.reason,
            why: stale.why.as_str(),
            now: match &stale.why {
                Why::Changed { now } => Some(now),
                _ => None,
            },
        }
    });
    object! { path: path, stale: stale.collect::<Vec<_>>() }
}
