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

use codex_wire_base::Release;
use codex_wire_check::baseline::{Stale, Why};
use codex_wire_check::{Counts, Finding, Outcome, SchemaUsed, Writer};
use serde::{Serialize, Serializer};

use crate::escape::write_json;
use crate::renderer::Renderer;
use crate::settings::Settings;
use crate::skipped::Skipped;
use crate::statistics::Statistics;
use crate::totals::{JsonCounts, Totals};

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
        let tool = JsonTool::from(&self.settings);
        out.write_all(b"{\"version\":2,\"tool\":")?;
        write_json(out, &tool)?;
        out.write_all(b",\"inputs\":[")
    }

    fn outcome(&mut self, out: &mut dyn Write, outcome: &Outcome) -> io::Result<()> {
        let separator: &[u8] = if self.first { b"\n" } else { b",\n" };
        self.first = false;
        out.write_all(separator)?;
        let input = JsonInput {
            findings: Some(outcome.findings.iter().map(JsonFinding::from).collect()),
            ..JsonInput::from(outcome)
        };
        write_json(out, &input)
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
        write_json(out, &JsonBaseline::new(path, stale))
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

#[derive(Serialize)]
pub(crate) struct JsonTool<'a> {
    name: &'a str,
    version: &'a str,
}

impl<'a> From<&'a Settings> for JsonTool<'a> {
    fn from(settings: &'a Settings) -> Self {
        JsonTool {
            name: &settings.tool_name,
            version: &settings.tool_version,
        }
    }
}

#[derive(Serialize)]
pub(crate) struct JsonInput<'a> {
    path: &'a str,
    protocol: Option<&'static str>,
    releases: Option<JsonReleases>,
    identified: bool,
    schemas: Vec<JsonSchema<'a>>,
    messages: u64,
    verdict: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a str>,
    #[serde(serialize_with = "JsonCounts::serialize")]
    counts: Counts,
    #[serde(skip_serializing_if = "Option::is_none")]
    findings: Option<Vec<JsonFinding<'a>>>,
    dropped: u64,
}

impl<'a> From<&'a Outcome> for JsonInput<'a> {
    fn from(outcome: &'a Outcome) -> Self {
        JsonInput {
            path: &outcome.path,
            protocol: outcome.protocol.map(codex_wire_base::Protocol::as_str),
            releases: outcome.releases.map(|releases| JsonReleases {
                since: Some(Text(releases.since)),
                until: Some(Text(releases.until)),
            }),
            identified: outcome.identified,
            schemas: outcome.schemas.iter().map(JsonSchema::from).collect(),
            messages: outcome.messages,
            verdict: outcome.verdict.as_str(),
            error: outcome.error.as_deref(),
            counts: outcome.counts,
            findings: None,
            dropped: outcome.dropped(),
        }
    }
}

#[derive(Serialize)]
struct JsonSchema<'a> {
    message_set: &'static str,
    release: Text,
    sha256: &'a str,
}

impl<'a> From<&'a SchemaUsed> for JsonSchema<'a> {
    fn from(schema: &'a SchemaUsed) -> Self {
        JsonSchema {
            message_set: schema.message_set.as_str(),
            release: Text(schema.release),
            sha256: &schema.sha256,
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
pub(crate) struct JsonFinding<'a> {
    rule: &'static str,
    severity: &'static str,
    line: u64,
    column: u64,
    offset: u64,
    length: u64,
    characters: Option<JsonCharacters>,
    pointer: &'a str,
    message_number: Option<u64>,
    message: &'a str,
    help: Option<&'a str>,
    releases: Option<JsonReleases>,
    writer: Option<&'static str>,
    earlier: Option<JsonEarlier>,
    excerpt: Option<JsonExcerpt<'a>>,
    expected: Option<&'a str>,
}

#[derive(Serialize)]
struct JsonEarlier {
    line: u64,
    message_number: u64,
    offset: u64,
    length: u64,
    what: &'static str,
}

#[derive(Serialize)]
struct JsonCharacters {
    column: u64,
    length: u64,
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
            characters: place.characters.map(|characters| JsonCharacters {
                column: characters.column,
                length: characters.length,
            }),
            pointer: &place.pointer,
            message_number: place.message,
            message: &finding.message,
            help: finding.help.as_deref(),
            releases: finding.releases.map(|releases| JsonReleases {
                since: releases.since.map(Text),
                until: releases.until.map(Text),
            }),
            writer: finding.writer.map(Writer::as_str),
            earlier: finding.earlier.as_ref().map(|earlier| JsonEarlier {
                line: earlier.line,
                message_number: earlier.message,
                offset: earlier.offset,
                length: earlier.length,
                what: earlier.what,
            }),
            excerpt: finding.excerpt.as_ref().map(|excerpt| JsonExcerpt {
                text: &excerpt.text,
                start: excerpt.start,
                end: excerpt.end,
            }),
            expected: finding.expected.as_deref(),
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
pub(crate) struct JsonBaseline<'a> {
    path: &'a str,
    stale: Vec<JsonStale<'a>>,
}

impl<'a> JsonBaseline<'a> {
    pub(crate) fn new(path: &'a str, stale: &'a [Stale]) -> Self {
        JsonBaseline {
            path,
            stale: stale.iter().map(JsonStale::from).collect(),
        }
    }
}

#[derive(Serialize)]
struct JsonStale<'a> {
    line: u64,
    rule: &'static str,
    path: &'a str,
    place: Option<&'a str>,
    message: &'a str,
    reason: &'a str,
    why: &'static str,
    now: Option<&'a str>,
}

impl<'a> From<&'a Stale> for JsonStale<'a> {
    fn from(stale: &'a Stale) -> Self {
        let entry = &stale.entry;
        JsonStale {
            line: entry.line,
            rule: entry.rule.id,
            path: &entry.path,
            place: entry.place.as_deref(),
            message: &entry.message,
            reason: &entry.reason,
            why: stale.why.as_str(),
            now: match &stale.why {
                Why::Changed { now } => Some(now),
                _ => None,
            },
        }
    }
}
