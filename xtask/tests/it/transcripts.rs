use std::fs;
use std::path::{Path, PathBuf};

use codex_wire::Protocol;
use codex_wire::transcript::{Record, Side};
use serde_json::{Value, json};
use xtask::fixtures::convert_folder;
use xtask::transcripts::{Made, convert};

use crate::fixtures::{digest, put};

/// Both spellings of a direction and of a line, with what a tree would lose: duplicate keys, odd
/// spacing, escapes, an empty line, a carriage return, a line that is not JSON.
const RECORDING: &str = include_str!("golden/recording.jsonl");

fn made() -> Made {
    Made {
        version: "0.23.0".into(),
        argv: vec!["codex".into(), "proto".into()],
        exit_code: Some(0),
        signal_sent: None,
    }
}

pub(crate) fn the_transcript_is_as_it_was() {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/golden/transcript.jsonl");
    let transcript = convert(Protocol::Core, &made(), RECORDING).unwrap();
    golden_files::assert_file(&golden, &transcript);
}

pub(crate) fn no_line_is_lost_or_changed() {
    let transcript = convert(Protocol::Core, &made(), RECORDING).unwrap();
    let mut found = Vec::new();
    for line in transcript.lines() {
        if let Record::Line(line) = codex_wire::from_str(line).unwrap() {
            found.push((line.from, line.line.into_value().unwrap()));
        }
    }
    // Read with other means than the conversion has.
    let expected: Vec<(Side, String)> = RECORDING
        .lines()
        .map(|line| {
            let line: Value = serde_json::from_str(line).unwrap();
            let client = ["in", "client"].contains(&line["dir"].as_str().unwrap());
            let text = line.get("line").or(line.get("raw")).unwrap();
            let side = if client { Side::Client } else { Side::Codex };
            (side, text.as_str().unwrap().to_owned())
        })
        .collect();
    assert_eq!(found.len(), 6);
    assert_eq!(found, expected);
}

pub(crate) fn the_end_is_told_as_far_as_it_is_known() {
    let last = |exit_code, signal: Option<&str>| {
        let made = Made {
            exit_code,
            signal_sent: signal.map(Into::into),
            ..made()
        };
        let transcript = convert(Protocol::Core, &made, RECORDING).unwrap();
        let last = transcript.lines().last().unwrap().to_owned();
        last.contains(r#""kind":"exit""#).then_some(last)
    };
    let exit = |text: &str| Some(format!(r#"{{"kind":"exit",{text}}}"#));
    assert_eq!(last(Some(3), None), exit(r#""status":3"#));
    assert_eq!(last(Some(-2), None), exit(r#""signal":"SIGINT""#));
    assert_eq!(
        last(Some(-2), Some("SIGTERM")),
        exit(r#""signal":"SIGTERM""#)
    );
    assert_eq!(last(Some(-31), None), exit(r#""signal":"signal 31""#));
    assert_eq!(last(None, None), None);
}

pub(crate) fn what_recorders_do_not_write_is_refused() {
    let refused = |recording: &str| {
        let error = convert(Protocol::Core, &made(), recording).unwrap_err();
        format!("{error:#}")
    };
    let good = r#"{"dir":"in","line":"a"}"#;
    let message = refused(&format!("{good}\n{{\"dir\":\"err\",\"line\":\"a\"}}\n"));
    assert_eq!(message, "line 2: unknown direction err");
    assert_eq!(refused(r#"{"dir":"in"}"#), "line 1");
    let message = refused(r#"{"line":"a"}"#);
    assert!(
        message.starts_with("line 1: missing field `dir`"),
        "{message}"
    );
    let message = refused(&format!("{good}\n\n"));
    assert!(message.starts_with("line 2: EOF"), "{message}");
}

/// A folder of recordings, and where transcripts of them go.
fn folder(name: &str, digest: &str) -> (PathBuf, PathBuf) {
    let base = Path::new(env!("CARGO_TARGET_TMPDIR")).join("transcripts");
    let base = golden_files::folders::empty(&base, name);
    let from = base.join("from");
    put(&from.join("0.23.0/turn.jsonl"), RECORDING);
    let entry = json!({
        "file": "0.23.0/turn.jsonl", "release": "0.23.0", "scenario": "turn",
        "argv": ["codex", "proto"], "exit_code": 0, "sha256": digest, "bytes": RECORDING.len(),
    });
    let manifest = json!({"transcripts": [entry]});
    put(&from.join("manifest.json"), &manifest.to_string());
    (from, base.join("to"))
}

pub(crate) fn a_folder_is_converted_with_its_manifest() {
    let (from, to) = folder("whole", &digest(RECORDING));
    assert_eq!(convert_folder(Protocol::Core, &from, &to).unwrap(), 1);
    let text = fs::read_to_string(to.join("0.23.0/turn.jsonl")).unwrap();
    assert_eq!(text, convert(Protocol::Core, &made(), RECORDING).unwrap());
    let manifest = fs::read(to.join("manifest.json")).unwrap();
    let manifest: Value = serde_json::from_slice(&manifest).unwrap();
    let expected = json!({"transcripts": [{
        "file": "0.23.0/turn.jsonl", "release": "0.23.0", "scenario": "turn",
        "argv": ["codex", "proto"], "exit_code": 0, "origin": "recorded, converted",
        "recording_sha256": digest(RECORDING), "sha256": digest(&text), "bytes": text.len(),
    }]});
    assert_eq!(manifest, expected);
}

pub(crate) fn an_altered_recording_is_refused_and_nothing_written() {
    let (from, to) = folder("altered", &digest("something else"));
    let error = convert_folder(Protocol::Core, &from, &to).unwrap_err();
    assert_eq!(
        error.to_string(),
        "0.23.0/turn.jsonl is not what its manifest says"
    );
    assert!(!to.exists());
}

pub(crate) fn several_clients_are_told_apart() {
    let recording = r#"{"dir":"client","t_ms":1.5,"raw":"a","client":"left"}
{"dir":"server","t_ms":2,"raw":"b","client":"right"}
{"dir":"server","t_ms":3,"raw":"c","client":"left"}
"#;
    let made = Made {
        version: "0.169.0".into(),
        ..Made::default()
    };
    assert_eq!(
        convert(Protocol::AppServer, &made, recording).unwrap(),
        r#"{"kind":"start","transcript":1,"protocol":"app-server","release":"0.169.0"}
{"kind":"connected","connection":0,"client":"left","ms":1}
{"kind":"line","from":"client","connection":0,"ms":1,"line":"a"}
{"kind":"connected","connection":1,"client":"right","ms":2}
{"kind":"line","from":"codex","connection":1,"ms":2,"line":"b"}
{"kind":"line","from":"codex","connection":0,"ms":3,"line":"c"}
"#
    );
}

pub(crate) fn what_a_connection_exercises_is_told_and_its_origin_kept() {
    let (from, to) = folder("app-server", "");
    let recording = r#"{"dir":"client","t_ms":1,"raw":"{\"id\":1,\"method\":\"thread/list\"}"}
{"dir":"server","t_ms":2,"raw":"{\"method\":\"error\",\"params\":{}}"}
"#;
    put(&from.join("0.80.0/x.jsonl"), recording);
    let entry = json!({
        "file": "0.80.0/x.jsonl", "release": "0.80.0", "argv": ["codex", "app-server"],
        "exit_code": null, "sha256": digest(recording), "replaced": ["host name"],
        "recording_sha256": digest("before"),
    });
    let manifest = json!({"transcripts": [entry]});
    put(&from.join("manifest.json"), &manifest.to_string());
    assert_eq!(convert_folder(Protocol::AppServer, &from, &to).unwrap(), 1);
    let manifest: Value =
        serde_json::from_slice(&fs::read(to.join("manifest.json")).unwrap()).unwrap();
    let entry = &manifest["transcripts"][0];
    assert_eq!(entry["recording_sha256"], digest("before"));
    assert_eq!(entry["messages"], 2);
    assert_eq!(entry["exercises"], json!(["call:thread/list", "error"]));
}
