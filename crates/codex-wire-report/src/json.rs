//! JSON for machines. The document is an API; [`REPORT_SCHEMA`] is its JSON Schema.
//!
//! ```json
//! {
//!   "version": 1,
//!   "tool": { "name": "codex-wire", "version": "0.1.0" },
//!   "inputs": [ … ],
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
//! | `messages` | integer | lines that are JSON objects |
//! | `verdict` | string | `conforms`: it holds messages and no rule is broken at deny level; `findings`: one is; `not-exercised`: it holds no messages, so nothing was tried; `unreadable`: it could not be read, or is no transcript of a known protocol |
//! | `error` | string | why it is unreadable; present only then |
//! | `counts` | object | `deny`, `warn`, `note`: findings by severity, those beyond the limit included |
//! | `findings` | array | the findings in the order of the input, up to the limit |
//! | `dropped` | integer | how many findings are beyond the limit: counted, but not listed |
//!
//! # A finding
//!
//! | Field | Type | Meaning |
//! |---|---|---|
//! | `rule` | string | the stable name of the rule, such as `shape/unknown-value` |
//! | `severity` | string | `deny`, `warn` or `note`, after the user's settings |
//! | `line` | integer | the line, from 1; lines end at a line feed only |
//! | `column` | integer | the byte within the line, from 1 |
//! | `offset` | integer | the byte within the input, from 0; within the unpacked input where it is compressed |
//! | `length` | integer | how many bytes from there on are meant; 0 for a point |
//! | `pointer` | string | the place within the message as a JSON Pointer (RFC 6901); empty for the message itself |
//! | `message_number` | integer or null | which message of the input it is, from 1; null where the line holds none |
//! | `message` | string | what is wrong, without payload text |
//! | `help` | string or null | what to do about it or how to read it |
//! | `releases` | object or null | `since` and `until`, each a release or null where that end is open: the releases in which it would be right; null where it would be right in none |
//! | `writer` | string or null | `codex` or `client`, where a recording says who wrote the line |
//! | `excerpt` | object or null | `text`, a window on the line with its payload masked unless values were asked for; `start` and `end`, the offending part as byte offsets into the UTF-8 of `text` |
//!
//! # The totals
//!
//! `inputs` and `messages` are sums; `conforms`, `findings`, `not_exercised` and `unreadable`
//! are numbers of inputs by verdict; `deny`, `warn` and `note` are numbers of findings.

use std::io::{self, Write};

use codex_wire::Release;
use codex_wire_check::{Counts, Finding, Outcome, Writer};
use serde::{Serialize, Serializer};

use crate::{Renderer, Settings, Totals};

/// The JSON Schema of the report, draft 2020-12. It is closed: it allows exactly the fields this
/// release of the crate writes.
pub const REPORT_SCHEMA: &str = include_str!("../report.schema.json");

pub(crate) struct Json {
    settings: Settings,
    first: bool,
}

impl Json {
    pub(crate) fn new(settings: Settings) -> Self {
        Json {
            settings,
            first: true,
        }
    }
}

impl Renderer for Json {
    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let tool = JsonTool {
            name: &self.settings.tool_name,
            version: &self.settings.tool_version,
        };
        out.write_all(b"{\"version\":1,\"tool\":")?;
        serde_json::to_writer(&mut *out, &tool)?;
        out.write_all(b",\"inputs\":[")
    }

    fn outcome(&mut self, out: &mut dyn Write, outcome: &Outcome) -> io::Result<()> {
        let separator: &[u8] = if self.first { b"\n" } else { b",\n" };
        self.first = false;
        out.write_all(separator)?;
        serde_json::to_writer(out, &JsonInput::from(outcome))?;
        Ok(())
    }

    fn finish(&mut self, out: &mut dyn Write, totals: &Totals) -> io::Result<()> {
        out.write_all(b"\n],\"totals\":")?;
        serde_json::to_writer(&mut *out, &JsonTotals::from(totals))?;
        out.write_all(b"}\n")
    }
}

#[derive(Serialize)]
struct JsonTool<'a> {
    name: &'a str,
    version: &'a str,
}

#[derive(Serialize)]
struct JsonInput<'a> {
    path: &'a str,
    protocol: Option<&'static str>,
    releases: Option<JsonReleases>,
    identified: bool,
    messages: u64,
    verdict: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a str>,
    counts: JsonCounts,
    findings: Vec<JsonFinding<'a>>,
    dropped: u64,
}

impl<'a> From<&'a Outcome> for JsonInput<'a> {
    fn from(outcome: &'a Outcome) -> Self {
        JsonInput {
            path: &outcome.path,
            protocol: outcome.protocol.map(codex_wire::Protocol::as_str),
            releases: outcome.releases.map(|releases| JsonReleases {
                since: Some(Text(releases.since)),
                until: Some(Text(releases.until)),
            }),
            identified: outcome.identified,
            messages: outcome.messages,
            verdict: outcome.verdict.as_str(),
            error: outcome.error.as_deref(),
            counts: outcome.counts.into(),
            findings: outcome.findings.iter().map(JsonFinding::from).collect(),
            dropped: outcome.dropped(),
        }
    }
}

#[derive(Serialize)]
struct JsonReleases {
    since: Option<Text>,
    until: Option<Text>,
}

/// A release as its text.
struct Text(Release);

impl Serialize for Text {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

#[derive(Serialize)]
struct JsonCounts {
    deny: u64,
    warn: u64,
    note: u64,
}

impl From<Counts> for JsonCounts {
    fn from(counts: Counts) -> Self {
        JsonCounts {
            deny: counts.deny,
            warn: counts.warn,
            note: counts.note,
        }
    }
}

#[derive(Serialize)]
struct JsonFinding<'a> {
    rule: &'static str,
    severity: &'static str,
    line: u64,
    column: u64,
    offset: u64,
    length: u64,
    pointer: &'a str,
    message_number: Option<u64>,
    message: &'a str,
    help: Option<&'a str>,
    releases: Option<JsonReleases>,
    writer: Option<&'static str>,
    excerpt: Option<JsonExcerpt<'a>>,
}

impl<'a> From<&'a Finding> for JsonFinding<'a> {
    fn from(finding: &'a Finding) -> Self {
        let place = &finding.place;
        JsonFinding {
            rule: finding.rule.id,
            severity: finding.severity.as_str(),
            line: place.line,
            column: place.column,
            offset: place.offset,
            length: place.length,
            pointer: &place.pointer,
            message_number: place.message,
            message: &finding.message,
            help: finding.help.as_deref(),
            releases: finding.releases.map(|life| JsonReleases {
                since: life.since.map(Text),
                until: life.until.map(Text),
            }),
            writer: finding.writer.map(Writer::as_str),
            excerpt: finding.excerpt.as_ref().map(|excerpt| JsonExcerpt {
                text: &excerpt.text,
                start: excerpt.start,
                end: excerpt.end,
            }),
        }
    }
}

#[derive(Serialize)]
struct JsonExcerpt<'a> {
    text: &'a str,
    start: usize,
    end: usize,
}

#[derive(Serialize)]
struct JsonTotals {
    inputs: u64,
    messages: u64,
    conforms: u64,
    findings: u64,
    not_exercised: u64,
    unreadable: u64,
    #[serde(flatten)]
    counts: JsonCounts,
}

impl From<&Totals> for JsonTotals {
    fn from(totals: &Totals) -> Self {
        JsonTotals {
            inputs: totals.inputs,
            messages: totals.messages,
            conforms: totals.conforms,
            findings: totals.findings,
            not_exercised: totals.not_exercised,
            unreadable: totals.unreadable,
            counts: totals.counts.into(),
        }
    }
}
