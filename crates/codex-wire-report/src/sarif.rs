//! Writes SARIF 2.1.0, the format of code scanning.
//!
//! Rules have their help and levels. Each finding is a result with its region and its place in the
//! message. Each input says what it was checked as. Findings that a baseline expects are suppressed
//! results, with the reason as the justification. Stale entries of a baseline are notifications
//! about the configuration; inputs that could not be checked are notifications about the run.
//!
//! Results are written at once; one line of facts per input is kept until the end. Columns count
//! Unicode characters. If a line is not text, columns are left out and the byte offset gives the
//! place.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt::Write as _;
use std::io::{self, Write};

use codex_wire_base::pointer::unescaped;
use codex_wire_check::baseline::Stale;
use codex_wire_check::finding::Earlier;
use codex_wire_check::{Finding, Outcome, Rule, Verdict, rules};
use serde::Serialize;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::escape::escaped;
use crate::escape::write_json;
use crate::renderer::Renderer;
use crate::settings::Settings;
use crate::totals::Totals;
use crate::words::not_exercised;

/// What relative paths are relative to: the folder the program ran in.
const ROOT: &str = "%SRCROOT%";

/// Where the project lives, and with it the page of each rule.
const REPOSITORY: &str = env!("CARGO_PKG_REPOSITORY");

pub(crate) struct Sarif {
    settings: Settings,
    first: bool,
    /// What is known of each input, as SARIF's artifacts.
    artifacts: Vec<Value>,
    /// What happened during the run.
    notifications: Vec<Value>,
    /// What is wrong with the baseline.
    configuration: Vec<Value>,
}

impl Sarif {
    pub(crate) fn new(settings: Settings) -> Self {
        Sarif {
            settings,
            first: true,
            artifacts: Vec::new(),
            notifications: Vec::new(),
            configuration: Vec::new(),
        }
    }
}

fn descriptor(rule: &Rule) -> Value {
    let summary = sentence(rule.summary);
    let explanation = if rule.explanation.is_empty() {
        String::new()
    } else {
        format!(" {}", sentence(rule.explanation.trim_end_matches('.')))
    };
    let text = format!(
        "{summary}{explanation} The level is `{}` unless `--deny`, `--warn` or `--allow` with `{}` \
         change it.",
        rule.level, rule.id
    );
    let plain = text.replace('`', "");
    json!({
        "id": rule.id,
        "name": pascal(rule.id),
        "shortDescription": { "text": summary },
        "fullDescription": { "text": summary },
        "help": { "text": plain, "markdown": text },
        "helpUri": format!("{REPOSITORY}/blob/main/docs/rules/{}.md", rule.id),
        "defaultConfiguration": { "level": rule.level.as_str() },
    })
}

/// A summary as a sentence.
fn sentence(summary: &str) -> String {
    let mut letters = summary.chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    first.chain(letters).chain(['.']).collect()
}

/// The name of a rule as SARIF writes names: `SchemaUnknownValue`.
fn pascal(id: &str) -> String {
    id.split(['/', '-'])
        .map(|word| {
            let mut letters = word.chars();
            let first = letters.next().into_iter().flat_map(char::to_uppercase);
            first.chain(letters).collect::<String>()
        })
        .collect()
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Result<'a> {
    rule_id: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    rule_index: Option<usize>,
    level: &'static str,
    message: Message<'a>,
    locations: [Location<'a>; 1],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    related_locations: Vec<Value>,
    partial_fingerprints: Fingerprints,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    suppressions: Vec<Suppression<'a>>,
    properties: Properties<'a>,
}

#[derive(Serialize)]
struct Message<'a> {
    text: Cow<'a, str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Location<'a> {
    physical_location: PhysicalLocation,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    logical_locations: Vec<LogicalLocation<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PhysicalLocation {
    artifact_location: Value,
    region: Region,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Region {
    start_line: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    start_column: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    end_column: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    byte_offset: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    byte_length: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    snippet: Option<Value>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct LogicalLocation<'a> {
    name: String,
    fully_qualified_name: &'a str,
    kind: &'static str,
}

#[derive(Serialize)]
struct Fingerprints {
    #[serde(rename = "rulePlaceMessage/v1")]
    rule_place_message: String,
}

#[derive(Serialize)]
struct Suppression<'a> {
    kind: &'static str,
    justification: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Properties<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    message_number: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    releases: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    help: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    writer: Option<&'static str>,
}

impl<'a> Result<'a> {
    fn new(path: &str, finding: &'a Finding, fingerprint: String) -> Self {
        let place = &finding.place;
        let pointer = place.pointer.as_str();
        let last = pointer.rsplit('/').next().unwrap_or_default();
        let logical = (!pointer.is_empty()).then(|| LogicalLocation {
            name: unescaped(last).into_owned(),
            fully_qualified_name: pointer,
            kind: "property",
        });
        // In a recording, places are in the text of the recorded line, not in the file.
        let in_file = finding.writer.is_none();
        let characters = place.characters.filter(|_| in_file);
        let suppressed = finding.expected.as_deref();
        Result {
            rule_id: finding.rule.id,
            rule_index: rules::RULES
                .iter()
                .position(|rule| rule.id == finding.rule.id),
            level: finding.severity.as_str(),
            message: Message {
                text: escaped(&finding.message),
            },
            locations: [Location {
                physical_location: PhysicalLocation {
                    artifact_location: artifact(path),
                    region: Region {
                        start_line: place.line,
                        start_column: characters.map(|c| c.column),
                        end_column: characters.map(|c| c.column + c.length),
                        byte_offset: in_file.then_some(place.offset),
                        byte_length: in_file.then_some(place.length),
                        snippet: finding.excerpt.as_ref().map(|excerpt| {
                            let part = excerpt.text.get(excerpt.start..excerpt.end);
                            json!({ "text": escaped(part.unwrap_or_default()) })
                        }),
                    },
                },
                logical_locations: logical.into_iter().collect(),
            }],
            related_locations: finding
                .earlier
                .iter()
                .map(|earlier| related(path, earlier, in_file))
                .collect(),
            partial_fingerprints: Fingerprints {
                rule_place_message: fingerprint,
            },
            suppressions: suppressed
                .map(|reason| Suppression {
                    kind: "external",
                    justification: reason,
                })
                .into_iter()
                .collect(),
            properties: Properties {
                message_number: place.message,
                releases: finding.releases.map(|releases| releases.to_string()),
                help: finding.help.as_deref(),
                writer: finding.writer.map(codex_wire_check::Writer::as_str),
            },
        }
    }
}

/// The earlier message that explains a finding. `in_file` says whether bytes of the input are bytes of
/// the file.
fn related(path: &str, earlier: &Earlier, in_file: bool) -> Value {
    let mut region = json!({ "startLine": earlier.line });
    if in_file {
        region["byteOffset"] = earlier.offset.into();
        region["byteLength"] = earlier.length.into();
    }
    json!({
        "id": 1,
        "message": { "text": earlier.what },
        "physicalLocation": {
            "artifactLocation": artifact(path),
            "region": region,
        },
    })
}

/// What a finding is, wherever its line moves to: rule, place in the message, and message.
fn digest(finding: &Finding) -> String {
    let place = &finding.place.pointer;
    let text = format!("{}\n{place}\n{}", finding.rule.id, finding.message);
    let digest = Sha256::digest(text.as_bytes());
    let bytes = digest.iter().take(16);
    bytes.map(|byte| format!("{byte:02x}")).collect()
}

/// Where an input is. A path that leads out of the root is relative to nothing in particular.
fn artifact(path: &str) -> Value {
    if path == "-" {
        return json!({ "description": { "text": "standard input" } });
    }
    let slashes = if cfg!(windows) {
        Cow::Owned(path.replace('\\', "/"))
    } else {
        Cow::Borrowed(path)
    };
    let uri = encoded(&slashes);
    let drive = cfg!(windows) && slashes.as_bytes().get(1) == Some(&b':');
    if slashes.starts_with('/') {
        json!({ "uri": format!("file://{uri}") })
    } else if drive {
        json!({ "uri": format!("file:///{uri}") })
    } else if slashes.split('/').any(|name| name == "..") {
        json!({ "uri": uri })
    } else {
        json!({ "uri": uri, "uriBaseId": ROOT })
    }
}

/// A path as a URI: without `.` in front, and with everything else escaped that is not plain.
fn encoded(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    let path = path.strip_prefix("./").unwrap_or(path);
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                out.push(char::from(byte));
            }
            _ => {
                let _ = write!(out, "%{byte:02X}");
            }
        }
    }
    out
}

impl Renderer for Sarif {
    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let tool = json!({ "driver": {
            "name": self.settings.tool_name,
            "version": self.settings.tool_version,
            "informationUri": REPOSITORY,
            "rules": rules::RULES.iter().map(|rule| descriptor(rule)).collect::<Vec<_>>(),
        }});
        let root = json!({ ROOT: {
            "description": { "text": "the folder the program ran in" },
        }});
        write!(
            out,
            "{{\"$schema\":\"https://json.schemastore.org/sarif-2.1.0.json\",\
             \"version\":\"2.1.0\",\"runs\":[{{\"tool\":{tool},\n\
             \"columnKind\":\"unicodeCodePoints\",\"originalUriBaseIds\":{root},\n\
             \"results\":["
        )
    }

    fn outcome(&mut self, out: &mut dyn Write, outcome: &Outcome) -> io::Result<()> {
        let path = outcome.path.as_str();
        let mut seen: HashMap<String, u64> = HashMap::new();
        for finding in &outcome.findings {
            let digest = digest(finding);
            let times = seen.entry(digest.clone()).or_default();
            *times += 1;
            let separator: &[u8] = if self.first { b"\n" } else { b",\n" };
            self.first = false;
            out.write_all(separator)?;
            let result = Result::new(path, finding, format!("{digest}:{times}"));
            write_json(out, &result)?;
        }
        let notification = match outcome.verdict {
            Verdict::Conforms | Verdict::Findings => None,
            Verdict::NotExercised => Some(("warning", not_exercised(outcome))),
            Verdict::Unreadable => {
                Some(("error", outcome.error.as_deref().unwrap_or("unreadable")))
            }
        };
        if let Some((level, text)) = notification {
            self.notifications.push(json!({
                "level": level,
                "message": { "text": escaped(text) },
                "locations": [{ "physicalLocation": { "artifactLocation": artifact(path) } }],
            }));
        }
        let schemas = outcome.schemas.iter().map(|schema| {
            json!({
                "messageSet": schema.message_set.as_str(),
                "release": schema.release.to_string(),
                "sha256": schema.sha256,
            })
        });
        let counts = outcome.counts;
        self.artifacts.push(json!({
            "location": artifact(path),
            "properties": {
                "protocol": outcome.protocol.map(codex_wire_base::Protocol::as_str),
                "releases": outcome.releases.map(|releases| json!({
                    "since": releases.since.to_string(),
                    "until": releases.until.to_string(),
                })),
                "identified": outcome.identified,
                "schemas": schemas.collect::<Vec<_>>(),
                "messages": outcome.messages,
                "verdict": outcome.verdict.as_str(),
                "error": counts.error,
                "warning": counts.warning,
                "note": counts.note,
                "expected": counts.expected,
                "dropped": outcome.dropped(),
            },
        }));
        Ok(())
    }

    fn baseline(&mut self, _: &mut dyn Write, path: &str, stale: &[Stale]) -> io::Result<()> {
        for entry in stale {
            let text = format!("{entry}; expected: {}", entry.entry.message);
            self.configuration.push(json!({
                "level": "error",
                "message": { "text": escaped(&text) },
                "associatedRule": { "id": entry.entry.rule.id },
                "locations": [{ "physicalLocation": {
                    "artifactLocation": artifact(path),
                    "region": { "startLine": entry.entry.line },
                }}],
            }));
        }
        Ok(())
    }

    fn finish(&mut self, out: &mut dyn Write, totals: &Totals) -> io::Result<()> {
        let invocation = json!({
            "executionSuccessful": totals.unreadable == 0 && totals.checked() > 0,
            "toolExecutionNotifications": self.notifications,
            "toolConfigurationNotifications": self.configuration,
        });
        let properties = json!({
            "inputs": totals.inputs,
            "messages": totals.messages,
            "conforms": totals.conforms,
            "findings": totals.findings,
            "notExercised": totals.not_exercised,
            "unreadable": totals.unreadable,
            "error": totals.counts.error,
            "warning": totals.counts.warning,
            "note": totals.counts.note,
            "expected": totals.counts.expected,
            "stale": totals.stale,
        });
        let artifacts: Vec<String> = self.artifacts.iter().map(Value::to_string).collect();
        writeln!(
            out,
            "\n],\n\"artifacts\":[\n{}\n],\n\"invocations\":[{invocation}],\n\
             \"properties\":{properties}}}]}}",
            artifacts.join(",\n")
        )
    }
}
