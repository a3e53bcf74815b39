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

use crate::escape::{escaped, write_json};
use crate::object::object;
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

fn result(path: &str, finding: &Finding, fingerprint: &str) -> impl Serialize {
    let place = &finding.place;
    let pointer = place.pointer.as_str();
    let last = pointer.rsplit('/').next().unwrap_or_default();
    let logical = (!pointer.is_empty()).then(|| {
        object! { name: unescaped(last), fullyQualifiedName: pointer, kind: "property" }
    });
    // In a recording, places are in the text of the recorded line, not in the file.
    let in_file = finding.writer.is_none();
    let characters = place.characters.filter(|_| in_file);
    let index = rules::RULES
        .iter()
        .position(|rule| rule.id == finding.rule.id);
    let snippet = finding.excerpt.as_ref().map(|excerpt| {
        let part = excerpt.text.get(excerpt.start..excerpt.end);
        json!({ "text": escaped(part.unwrap_or_default()) })
    });
    let region = object! {
        startLine: place.line,
        #[serde(flatten)]
        columns: characters.map(|c| {
            object! { startColumn: c.column, endColumn: c.column + c.length }
        }),
        #[serde(flatten)]
        bytes: in_file.then_some(object! { byteOffset: place.offset, byteLength: place.length }),
        #[serde(flatten)]
        snippet: snippet.map(|snippet| object! { snippet: snippet }),
    };
    let location = object! {
        physicalLocation: object! { artifactLocation: artifact(path), region: region },
        #[serde(flatten)]
        logical: logical.map(|logical| object! { logicalLocations: [logical] }),
    };
    object! {
        ruleId: finding.rule.id,
        #[serde(flatten)]
        index: index.map(|index| object! { ruleIndex: index }),
        level: finding.severity.as_str(),
        message: json!({ "text": escaped(&finding.message) }),
        locations: [location],
        #[serde(flatten)]
        related: finding.earlier.as_ref().map(|earlier| {
            object! { relatedLocations: [related(path, earlier, in_file)] }
        }),
        partialFingerprints: json!({ "rulePlaceMessage/v1": fingerprint }),
        #[serde(flatten)]
        suppressions: finding.expected.as_ref().map(|reason| {
            object! { suppressions: [object! { kind: "external", justification: reason }] }
        }),
        properties: object! {
            #[serde(flatten)]
            number: place.message.map(|number| object! { messageNumber: number }),
            #[serde(flatten)]
            releases: finding.releases.map(|releases| object! { releases: releases.to_string() }),
            #[serde(flatten)]
            help: finding.help.as_ref().map(|help| object! { help: help }),
            #[serde(flatten)]
            writer: finding.writer.map(|writer| object! { writer: writer.as_str() }),
        },
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
            write_json(out, &result(path, finding, &format!("{digest}:{times}")))?;
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
