//! Converts recordings of both directions into the project's transcript format.
//!
//! Recorders write `{"dir", "line"}` or `{"dir", "raw", "t_ms"}`, one object per line, with a
//! `client` where there were several. The text inside is copied as it is; the result is read back
//! and compared before it is kept.

use anyhow::{Context as _, Result, bail, ensure};
use codex_wire::transcript::{Connected, Exit, Line, Record, Side, Start, VERSION};
use codex_wire::{Maybe, Protocol};
use serde::Deserialize;

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
