//! Converts recordings of both directions into the project's transcript format.
//!
//! Recorders write `{"dir", "line"}` or `{"dir", "raw", "t_ms"}`, one object per line, with a
//! `client` where there were several. The text inside is copied as it is; the result is read back
//! and compared before it is kept.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result, bail, ensure};
use codex_wire::transcript::{Connected, Exit, Line, Record, Side, Start, VERSION};
use codex_wire::{Maybe, Protocol};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::fixtures::{Folder, exercises, read, sha256};

/// How a recording was made, according to its manifest.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct Made {
    /// The release.
    #[serde(alias = "release")]
    pub version: String,
    /// The command line; empty where it is not known.
    #[serde(default)]
    pub argv: Vec<String>,
    /// The exit code; negative for a signal.
    pub exit_code: Option<i32>,
    /// The signal it was sent.
    #[serde(alias = "signal")]
    pub signal_sent: Option<String>,
}

/// One line as recorders write it.
#[derive(Deserialize)]
struct Recorded {
    dir: String,
    line: Option<String>,
    raw: Option<String>,
    t_ms: Option<f64>,
    /// Whose connection it is, where several clients were recorded.
    client: Option<String>,
}

/// Converts a recording.
///
/// # Errors
/// When a line is not what recorders write, or the result does not hold the same lines.
pub fn convert(protocol: Protocol, made: &Made, recording: &str) -> Result<String> {
    let mut start = Start::new(VERSION);
    start.protocol = Maybe::Value(protocol.as_str().to_owned());
    start.release = Maybe::Value(made.version.clone());
    if !made.argv.is_empty() {
        start.command = Maybe::Value(made.argv.clone());
    }
    let mut records = vec![Record::Start(start)];
    let mut clients: Vec<String> = Vec::new();
    for (index, text) in recording.split_terminator('\n').enumerate() {
        let place = || format!("line {}", index + 1);
        let recorded: Recorded = serde_json::from_str(text).with_context(place)?;
        let from = match recorded.dir.as_str() {
            "in" | "client" => Side::Client,
            "out" | "server" => Side::Codex,
            other => bail!("{}: unknown direction {other}", place()),
        };
        let text = recorded.line.or(recorded.raw).with_context(place)?;
        let mut line = Line::text(from, text);
        let ms = recorded
            .t_ms
            .map_or(Maybe::Absent, |ms| Maybe::Value(ms as u64));
        if let Some(client) = recorded.client {
            let known = clients.iter().position(|known| *known == client);
            let number = known.unwrap_or(clients.len()) as u32;
            line.connection = Maybe::Value(number);
            if known.is_none() {
                let mut connected = Connected::new(number);
                connected.client = Maybe::Value(client.clone());
                connected.ms = ms;
                records.push(Record::Connected(connected));
                clients.push(client);
            }
        }
        line.ms = ms;
        records.push(Record::Line(line));
    }
    let mut exit = Exit::new();
    match (made.exit_code, &made.signal_sent) {
        (Some(code @ 0..), _) => exit.status = Maybe::Value(code),
        (_, Some(signal)) => exit.signal = Maybe::Value(signal.clone()),
        (Some(code), None) => exit.signal = Maybe::Value(signal_name(-code)),
        (None, None) => {}
    }
    if !exit.status.is_absent() || !exit.signal.is_absent() {
        records.push(Record::Exit(exit));
    }
    let mut out = String::new();
    for record in &records {
        out.push_str(&codex_wire::to_string(record));
        out.push('\n');
    }
    ensure!(
        lines_of(&out)? == recorded_lines(recording)?,
        "lines were lost"
    );
    Ok(out)
}

/// Converts the recordings `<release>/<scenario>.jsonl` of a folder, as its `manifest.json`
/// lists them, into another folder, whose manifest says the same and in addition which
/// recording each transcript was made from, unless it says so already because values were
/// replaced in that recording before. Of the app-server protocol it also says what occurs.
/// Returns how many there were.
///
/// # Errors
/// When a recording is not what the manifest says or cannot be converted, or a result not
/// written.
pub fn convert_folder(protocol: Protocol, from: &Path, to: &Path) -> Result<usize> {
    #[derive(Deserialize)]
    struct Manifest {
        transcripts: Vec<Map<String, Value>>,
    }
    let place = from.join("manifest.json");
    let manifest: Manifest =
        serde_json::from_slice(&read(&place)?).with_context(|| place.display().to_string())?;
    let mut entries = Vec::new();
    for mut entry in manifest.transcripts {
        let file = entry["file"]
            .as_str()
            .context("an entry without a file")?
            .to_owned();
        let made: Made = serde_json::from_value(Value::Object(entry.clone()))?;
        let bytes = read(&from.join(&file))?;
        let digest = json!(sha256(&bytes));
        ensure!(
            entry["sha256"] == digest,
            "{file} is not what its manifest says"
        );
        let recording = String::from_utf8(bytes).with_context(|| file.clone())?;
        let text = convert(protocol, &made, &recording).with_context(|| file.clone())?;
        entry.entry("recording_sha256").or_insert(digest);
        entry.insert("sha256".into(), json!(sha256(text.as_bytes())));
        entry.insert("bytes".into(), json!(text.len()));
        entry.insert("origin".into(), json!("recorded, converted"));
        if protocol == Protocol::AppServer {
            let found = exercises(Folder::AppServer, text.as_bytes())?;
            entry.insert("messages".into(), json!(found.messages));
            entry.insert("exercises".into(), json!(found.seen));
        }
        write(&to.join(&file), &text)?;
        entries.push(serde_json::to_string(&entry)?);
    }
    let text = format!("{{\"transcripts\": [\n{}\n]}}\n", entries.join(",\n"));
    write(&to.join("manifest.json"), &text)?;
    Ok(entries.len())
}

fn write(path: &Path, text: &str) -> Result<()> {
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)?;
    }
    fs::write(path, text).with_context(|| path.display().to_string())
}

/// The lines of a transcript with their writers.
fn lines_of(transcript: &str) -> Result<Vec<(bool, String)>> {
    let mut out = Vec::new();
    for text in transcript.lines() {
        if let Record::Line(line) = codex_wire::from_str(text)? {
            let text = line.line.into_value().context("a line without text")?;
            out.push((line.from == Side::Codex, text));
        }
    }
    Ok(out)
}

/// The lines of a recording with their writers.
fn recorded_lines(recording: &str) -> Result<Vec<(bool, String)>> {
    recording
        .split_terminator('\n')
        .map(|text| {
            let recorded: Recorded = serde_json::from_str(text)?;
            let from_codex = matches!(recorded.dir.as_str(), "out" | "server");
            let line = recorded
                .line
                .or(recorded.raw)
                .context("a line without text")?;
            Ok((from_codex, line))
        })
        .collect()
}

fn signal_name(number: i32) -> String {
    match number {
        2 => "SIGINT".to_owned(),
        9 => "SIGKILL".to_owned(),
        15 => "SIGTERM".to_owned(),
        other => format!("signal {other}"),
    }
}
