//! What recorded streams are is found out from what they hold: the release that wrote them is
//! among those found, after every line; what is not a stream is called by its name.

#![allow(clippy::print_stdout)]

use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use codex_wire::Protocol;
use codex_wire_check::identify::{Kind, StreamDialect};
use codex_wire_check::{Checker, Identification, Options};
use libtest_mimic::{Failed, Trial};
use serde_json::Value;

use crate::support::{name, release_of, transcripts, trial};

pub(crate) fn trials() -> Vec<Trial> {
    let recorded = FOLDERS.iter().flat_map(|folder| transcripts(folder));
    let of_file =
        |path: PathBuf| Trial::test(format!("identify::{}", name(&path)), move || known(&path));
    let mut trials: Vec<Trial> = recorded.map(of_file).collect();
    let of_mcp_server = |path: PathBuf| {
        let name = format!("identify::{}", name(&path));
        Trial::test(name, move || mcp_server(&path))
    };
    trials.extend(transcripts("mcp-server").into_iter().map(of_mcp_server));
    trials.extend([
        trial("identify::widths", widths),
        trial("identify::others", others),
        trial("identify::mixed", mixed),
        trial("identify::evidence", evidence),
        trial("identify::of_the_client", of_the_client),
        trial("identify::as_check_does", as_check_does),
        trial("identify::claims", claims),
        trial("identify::unrecognized", unrecognized),
    ]);
    trials
}

const FOLDERS: [&str; 7] = [
    "exec",
    "exec-legacy",
    "core",
    "app-server",
    "synthetic/exec",
    "synthetic/exec-legacy",
    "synthetic/core",
];

static CHECKER: LazyLock<Checker> = LazyLock::new(|| Checker::new(Options::new()).unwrap());

fn identify(text: impl AsRef<[u8]>) -> Identification {
    CHECKER.identify(text.as_ref()).unwrap()
}

fn read(path: &Path) -> Vec<u8> {
    let mut text = Vec::new();
    let mut file = std::fs::File::open(path).unwrap();
    file.read_to_end(&mut text).unwrap();
    text
}

/// The stream without a hint of what it is: without what the recording says, and without what
/// Codex calls itself.
fn anonymous(path: &Path) -> Vec<u8> {
    let release = release_of(path).unwrap().to_string();
    let text = String::from_utf8_lossy(&read(path)).into_owned();
    let kept = text
        .split_inclusive('\n')
        .filter(|line| !line.starts_with("{\"kind\":\"start\""));
    let text: String = kept.collect();
    text.replace(&format!("/{release} ("), "/x (").into_bytes()
}

/// After every line the releases are fewer or the same, and the true one is among them.
fn known(path: &Path) -> Result<(), Failed> {
    let release = release_of(path)?;
    let text = anonymous(path);
    let mut identifier = CHECKER.identifier();
    let mut before = usize::MAX;
    let mut by_codex = false;
    for line in text.split(|byte| *byte == b'\n') {
        let Ok(line) = std::str::from_utf8(line) else {
            continue;
        };
        identifier.message(line);
        // What the client wrote counts until Codex writes something.
        if !by_codex && !line.contains("\"from\":\"client\"") {
            by_codex = true;
            before = usize::MAX;
        }
        let now = identifier.identification();
        let Some(releases) = &now.releases else {
            continue;
        };
        if now.kind != Kind::Identified || !releases.contains(release) || releases.count > before {
            return Err(format!("after {line}\n{now}\n{:#?}", now.evidence).into());
        }
        before = releases.count;
        // The evidence excludes every excluded release.
        let left = |known: &codex_wire::Release| {
            let says = |of: &codex_wire_check::identify::Evidence| of.releases.contains(*known);
            now.evidence.iter().all(says)
        };
        let all = timeline(&now).filter(left).count();
        if all != releases.count {
            return Err(format!("{now}: {:#?}", now.evidence).into());
        }
    }
    if before == usize::MAX && !text.is_empty() {
        return Err("nothing is known".into());
    }
    Ok(())
}

fn timeline(known: &Identification) -> impl Iterator<Item = codex_wire::Release> {
    let message_set = match known.dialect {
        Some(StreamDialect::ExecLegacy) => codex_wire::MessageSet::ExecLegacy,
        _ => known.protocol.unwrap_or(Protocol::Exec).into(),
    };
    message_set.release_list().releases().iter().copied()
}

/// How many releases are left at the end of a recorded stream: the median of each protocol is
/// what the documentation says, whose rows
/// `cargo xtask generate --only rules` writes.
fn widths() {
    let mut said = Vec::new();
    for folder in &FOLDERS[..4] {
        let mut widths = BTreeMap::<&str, Vec<usize>>::new();
        for path in transcripts(folder) {
            let mut note = |of, text: &[u8]| {
                let releases = identify(text).releases;
                widths
                    .entry(of)
                    .or_default()
                    .extend(releases.map(|releases| releases.count));
            };
            let text = anonymous(&path);
            note("whole", &text);
            let first = text.iter().position(|byte| *byte == b'\n');
            note("first", &text[..first.unwrap_or(text.len())]);
            if *folder == "app-server" {
                note("named", &read(&path));
            }
        }
        for (of, mut widths) in widths {
            widths.sort_unstable();
            let (median, most) = (widths[widths.len() / 2], widths[widths.len() - 1]);
            said.push(format!(
                "{folder} {of}: {} streams, median {median}, most {most}",
                widths.len()
            ));
        }
    }
    println!("{}", said.join("\n"));
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/identification.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let mut written = page.clone();
    for line in said {
        let (of, numbers) = line.split_once(": ").unwrap();
        let row = page
            .lines()
            .find(|row| row.starts_with(&format!("| {of} |")));
        let row = row.unwrap_or_else(|| panic!("no row for {line}"));
        let numbers: Vec<_> = numbers.split(|c: char| !c.is_ascii_digit()).collect();
        let numbers: Vec<_> = numbers.into_iter().filter(|n| !n.is_empty()).collect();
        written = written.replace(row, &format!("| {of} | {} |", numbers.join(" | ")));
    }
    golden_files::assert_file(&path, &written);
}

fn reason(text: impl AsRef<[u8]>) -> String {
    let known = identify(text);
    assert_eq!(known.kind, Kind::Unknown, "{known}");
    assert_eq!(known.releases, None);
    assert_eq!(known.to_string(), *known.reason.as_ref().unwrap());
    known.reason.unwrap()
}

fn others() {
    let like = "not a transcript of a known protocol: it looks like ";
    for (text, says) in [
        ("", "the input is empty"),
        ("\n\n", "the input holds no messages"),
        (
            "event: response.created\ndata: {\"type\":\"response.created\"}\n\n",
            "a log of the Responses API, which is what Codex receives from its model",
        ),
        (
            "{\"type\":\"response.output_text.delta\",\"delta\":\"x\"}\n",
            "a log of the Responses API, which is what Codex receives from its model",
        ),
        (
            "{\n  \"$schema\": \"https://json.schemastore.org/sarif-2.1.0.json\",\n  \"runs\": []\n}\n",
            "a SARIF report",
        ),
        ("{\"version\":\"2.1.0\",\"runs\":[]}", "a SARIF report"),
        (
            "{\n  \"name\": \"x\"\n}\n",
            "a JSON document of many lines, where a transcript has one object per line",
        ),
        (
            "{\"session_id\":\"a\",\"ts\":1795359818,\"text\":\"say hello\"}\n",
            "`history.jsonl` of Codex: the prompts that a user typed",
        ),
        (
            "{\"id\":\"a\",\"thread_name\":\"b\",\"updated_at\":\"2025-11-20T23:08:01Z\"}\n",
            "`session_index.jsonl` of Codex: the names of sessions",
        ),
        (
            "{\"schema_version\":2,\"seq\":1,\"wall_time_unix_ms\":1795681047896,\"rollout_id\":\"a\",\"thread_id\":null,\"codex_turn_id\":null,\"payload\":{\"type\":\"recording_completed\"}}\n",
            "a trace of Codex, of which the session file has the session",
        ),
        (
            "{\n  \"schema_version\": 2,\n  \"raw_event_log\": \"trace.jsonl\"\n}\n",
            "the manifest of a trace of Codex",
        ),
        (
            "2025-11-20T15:09:39.736125Z ERROR codex_core::codex: failed\n",
            "a log as Codex writes it to stderr",
        ),
        (
            "{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{\"serverInfo\":{\"name\":\"codex-mcp-server\",\"version\":\"0.98.0\"}}}\n",
            "`codex mcp-server` 0.98.0: MCP, with core events in `codex/event`. It is recognized, but not checked",
        ),
        (
            "{\"jsonrpc\":\"2.0\",\"method\":\"codex/event\",\"params\":{\"id\":\"2\",\"msg\":{\"type\":\"task_started\"}}}\n",
            "`codex mcp-server`: MCP, with core events in `codex/event`. It is recognized, but not checked",
        ),
        (
            "OpenAI Codex v0.98.0 (research preview)\n--------\n",
            "plain text, perhaps the output without `--json` or a stderr log",
        ),
    ] {
        let says = match says.starts_with("the input") {
            true => says.to_owned(),
            false => format!("{like}{says}"),
        };
        assert_eq!(reason(text), says, "{text}");
    }
    assert!(reason(b"\xff\xfe{\0").starts_with("UTF-16 text"));
    // Data to train models has prompts too. The old form of exec has its settings before, or events behind.
    let prompt = "{\"prompt\":\"a\"}\n";
    for text in [prompt, "{\"prompt\":\"a\",\"completion\":\"b\"}\n"] {
        assert!(reason(text).ends_with("no line is one of its messages"));
    }
    let event = "{\"id\":\"1\",\"msg\":{\"type\":\"task_started\"}}\n";
    let known = identify(format!("{prompt}{event}"));
    assert_eq!(known.dialect, Some(StreamDialect::ExecLegacy));
}

/// A recording of `codex mcp-server` is called that, with its release: as a transcript, also without
/// what it says of itself, and as what Codex printed.
fn mcp_server(path: &Path) -> Result<(), Failed> {
    let called = format!(
        "it looks like `codex mcp-server` {}: MCP",
        release_of(path)?
    );
    let whole = String::from_utf8(read(path)).unwrap();
    let nameless = whole.split_once('\n').unwrap().1.to_owned();
    let records = whole
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    let printed = records.filter(|record| record["from"] == "codex");
    let printed = printed.map(|record| format!("{}\n", record["line"].as_str().unwrap()));
    for text in [whole.clone(), nameless, printed.collect()] {
        let reason = reason(text);
        if !reason.contains(&called) {
            return Err(reason.into());
        }
    }
    Ok(())
}

const EXEC: &str = r#"{"type":"thread.started","thread_id":"t"}"#;
const OLD: &str = r#"{"type":"turn.completed","usage":{"input_tokens":1,"cached_input_tokens":0,"output_tokens":2}}"#;
const NEW: &str = r#"{"type":"turn.completed","usage":{"input_tokens":1,"cached_input_tokens":0,"cache_write_input_tokens":0,"output_tokens":2,"reasoning_output_tokens":0}}"#;

fn mixed() {
    let known = identify(format!("{EXEC}\n{OLD}\n{NEW}\n"));
    assert_eq!(known.kind, Kind::Mixed);
    assert_eq!(
        known.to_string(),
        "mixed: line 3 (`cache_write_input_tokens`) is of 0.145.0 or later, and the lines before \
         are of 0.43.0-alpha.5 to 0.124.0"
    );
    let event = r#"{"id":"0","msg":{"type":"task_complete","last_agent_message":null}}"#;
    let known = identify(format!("{EXEC}\n{event}\n"));
    assert_eq!(
        known.to_string(),
        "mixed: line 2 is a message of `codex proto`, and the lines before are of \
         `codex exec --json`"
    );
    let answer = |release: &str| {
        format!(r#"{{"id":1,"result":{{"userAgent":"me/{release} (Linux 6; x86_64) x"}}}}"#)
    };
    let known = identify(format!("{}\n{}\n", answer("0.98.0"), answer("0.125.0")));
    assert_eq!(
        known.to_string(),
        "mixed: on line 2 Codex says it is 0.125.0, and the lines before are of 0.98.0"
    );
}

fn evidence() {
    let known = identify(format!("{EXEC}\n{NEW}\n"));
    let evidence: Vec<_> = known
        .evidence
        .iter()
        .map(|e| (e.line, e.to_string()))
        .collect();
    // That the stream begins with `thread.started` says nothing more.
    let says = "`cache_write_input_tokens`: 0.145.0 or later".to_owned();
    assert_eq!(evidence, [(2, says)]);
    assert_eq!(known.evidence[0].pointer, "/usage/cache_write_input_tokens");
}

/// What a client writes shows the release that the client is made for.
fn of_the_client() {
    let op = r#"{"id":"1","op":{"type":"get_history"}}"#;
    let event = r#"{"id":"1","msg":{"type":"agent_message","message":"x"}}"#;
    let alone = identify(op).releases.unwrap();
    let both = identify(format!("{op}\n{event}\n")).releases.unwrap();
    assert_eq!(both, identify(event).releases.unwrap());
    assert!(alone.count < both.count);
}

/// A check without a stated release finds the same releases, of one side and of both.
fn as_check_does() {
    for folder in &FOLDERS[..4] {
        for path in transcripts(folder).into_iter().step_by(5) {
            let text = anonymous(&path);
            let known = identify(&text);
            let Some(found) = known.releases.filter(|_| known.unmatched.is_none()) else {
                continue;
            };
            let checked = CHECKER.check("-", text.as_slice()).releases.unwrap();
            let ends = (checked.since, checked.until);
            let (first, last) = (&found.ranges[0], &found.ranges[found.ranges.len() - 1]);
            assert_eq!((first.since, last.until), ends, "{}", path.display());
        }
    }
}

/// A recording is not taken at its word.
fn claims() {
    let recording = |release: &str| {
        let line = serde_json::json!({"kind": "line", "from": "codex", "line": NEW});
        format!(
            "{{\"kind\":\"start\",\"transcript\":1,\"protocol\":\"exec\",\"release\":\"{release}\"}}\n{line}\n"
        )
    };
    for (release, holds) in [
        ("0.145.0", Some(true)),
        ("0.44.0", Some(false)),
        ("x", None),
    ] {
        let known = identify(recording(release));
        assert_eq!(known.kind, Kind::Identified);
        assert_eq!(known.releases.unwrap().to_string(), "0.145.0 or later");
        assert_eq!(known.claim.unwrap().holds, holds, "{release}");
    }
}

fn unrecognized() {
    let known = identify(format!("Reading prompt\n{EXEC}\nnoise\n\n{{\"a\":1}}\n"));
    let unrecognized = known.unrecognized.unwrap();
    assert_eq!(
        (known.kind, unrecognized.count, unrecognized.first),
        (Kind::Identified, 3, 1)
    );
    let mismatch = r#"{"type":"turn.completed","usage":"none"}"#;
    let known = identify(format!("{EXEC}\n{mismatch}\n"));
    let unmatched = known.unmatched.unwrap();
    assert_eq!(
        (known.kind, unmatched.count, unmatched.first),
        (Kind::Identified, 1, 2)
    );
}
