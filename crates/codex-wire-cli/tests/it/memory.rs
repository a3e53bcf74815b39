//! Inputs that make the program hold or write much: `--max-memory` and `--max-output` end it.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::Stdio;
use std::thread;
use std::time::Duration;

use flate2::Compression;
use flate2::write::GzEncoder;

use serde_json::{Value, json};

use crate::support::{Finished, GOOD, command, folder, run, run_with};

/// How much the system may say that the program has, with a limit of what it allocates: a third more, which the
/// allocator rounds up and keeps for later, the program itself, and stacks.
fn seen(limit: u64) -> u64 {
    limit + limit / 3 + (48 << 20)
}

/// Runs the program, and also says how many bytes it had at most, as the system sees it.
fn measured(folder: &Path, args: &str) -> (Finished, u64) {
    let mut child = command(folder, args).stdout(Stdio::null()).spawn().unwrap();
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    while child.try_wait().unwrap().is_none() {
        let text = fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kib = line.and_then(|line| line.trim().strip_suffix(" kB")?.parse::<u64>().ok());
        peak = peak.max(kib.unwrap_or(0) << 10);
        thread::sleep(Duration::from_millis(1));
    }
    let output = child.wait_with_output().unwrap();
    let finished = Finished {
        stdout: String::new(),
        stderr: String::from_utf8(output.stderr).unwrap(),
        code: output.status.code().unwrap(),
    };
    (finished, peak)
}

/// A command ends because of the limit, with the place, and did not have more.
#[track_caller]
fn is_limited(folder: &Path, args: &str, limit: u64, place: &str) {
    let (finished, peak) = measured(folder, &format!("{args} --max-memory {limit}M"));
    let said = format!(
        "codex-wire: {place}more than {limit} MiB of memory is needed, which `--max-memory` sets\n"
    );
    assert_eq!(finished.stderr, said, "{args}");
    assert_eq!(finished.code, 2, "{args}");
    assert!(peak < seen(limit << 20), "{args}: {peak} bytes");
}

/// A message of one line that is this long.
fn long_line(bytes: usize) -> String {
    let text = "x".repeat(bytes);
    let item = format!(r#"{{"id":"item_1","type":"agent_message","text":"{text}"}}"#);
    format!("{{\"type\":\"item.completed\",\"item\":{item}}}\n")
}

/// A message that is invalid, with very many members, so that a tree is built of it.
fn many_members(count: usize) -> String {
    let members: Vec<String> = (0..count).map(|i| format!("\"m{i}\":{i}")).collect();
    format!("{{\"type\":\"turn.started\",{}}}\n", members.join(","))
}

/// A session with that many messages.
fn long_session(messages: usize) -> String {
    let (begin, end) = GOOD.split_at(GOOD.find("{\"type\":\"item.started\"").unwrap());
    let end = &end[end.find("{\"type\":\"turn.completed\"").unwrap()..];
    let mut out = begin.to_owned();
    for i in 0..messages {
        let text = format!("message {i} ").repeat(20);
        out += &format!(
            "{{\"type\":\"item.completed\",\"item\":{{\"id\":\"item_{i}\",\"type\":\"agent_message\",\"text\":\"{text}\"}}}}\n"
        );
    }
    out + end
}

/// The first lines of a turn.
fn begin() -> &'static str {
    &GOOD[..GOOD.find("{\"type\":\"item").unwrap()]
}

/// What is written compressed.
fn packed(parts: &[&[u8]]) -> Vec<u8> {
    let mut out = GzEncoder::new(Vec::new(), Compression::fast());
    for part in parts {
        out.write_all(part).unwrap();
    }
    out.finish().unwrap()
}

/// The commands that read a transcript.
const COMMANDS: [&str; 9] = [
    "check",
    "check --follow --until-idle 0.5",
    "identify",
    "show",
    "usage",
    "convert",
    "convert --to acp",
    "scrub",
    "diff --to 0.169.0 --transcript",
];

#[test]
fn a_long_line() {
    let folder = folder("memory-line");
    let text = format!("{}{}", begin(), long_line(50 << 20));
    fs::write(folder.join("a.jsonl"), text).unwrap();
    for command in COMMANDS {
        let place = match command {
            // It is given bytes as they come.
            "check --follow --until-idle 0.5" => "",
            _ => "a.jsonl:3: ",
        };
        is_limited(&folder, &format!("{command} a.jsonl"), 48, place);
    }
    is_limited(
        &folder,
        "replay a.jsonl --release 0.169.0",
        48,
        "a.jsonl:3: ",
    );
}

#[test]
fn a_line_that_was_compressed() {
    let folder = folder("memory-bomb");
    let text = long_line(1 << 20);
    let (start, end) = text.split_at(text.find('x').unwrap());
    let many = "x".repeat(200 << 20);
    let bytes = packed(&[
        begin().as_bytes(),
        start.as_bytes(),
        many.as_bytes(),
        end.as_bytes(),
    ]);
    assert!(bytes.len() < 2 << 20);
    fs::write(folder.join("a.jsonl.gz"), bytes).unwrap();
    is_limited(&folder, "check a.jsonl.gz", 64, "a.jsonl.gz:3: ");
    is_limited(&folder, "show a.jsonl.gz", 64, "a.jsonl.gz:3: ");
    is_limited(&folder, "scrub a.jsonl.gz", 64, "a.jsonl.gz:3: ");
}

#[test]
fn very_many_members() {
    let folder = folder("memory-members");
    let text = format!("{}{}", begin(), many_members(1_000_000));
    fs::write(folder.join("a.jsonl"), text).unwrap();
    for command in ["check", "identify", "show", "usage"] {
        is_limited(&folder, &format!("{command} a.jsonl"), 32, "a.jsonl:3: ");
    }
}

#[test]
fn a_long_session() {
    let folder = folder("memory-session");
    fs::write(folder.join("a.jsonl"), long_session(100_000)).unwrap();
    for command in [
        "show --format json",
        "convert --to acp",
        "convert --to otlp",
        "scrub",
    ] {
        let (finished, peak) = measured(&folder, &format!("{command} a.jsonl --max-memory 24M"));
        let said = &finished.stderr;
        assert!(
            said.starts_with("codex-wire: a.jsonl:"),
            "{command}: {said}"
        );
        assert!(
            said.contains(": more than 24 MiB of memory"),
            "{command}: {said}"
        );
        assert_eq!(finished.code, 2, "{command}");
        assert!(peak < seen(24 << 20), "{command}: {peak} bytes");
    }
    // It is held while it is shown only if it is wanted whole.
    let (finished, _) = measured(&folder, "check a.jsonl --max-memory 64M");
    assert_eq!((finished.stderr.as_str(), finished.code), ("", 0));
}

/// A recording of one turn of the app-server with this many bytes of output, and what a client sends to be played it.
fn long_recording(bytes: usize) -> (String, String) {
    let mut out = String::from(
        "{\"kind\":\"start\",\"transcript\":1,\"protocol\":\"app-server\",\"release\":\"0.169.0\"}\n",
    );
    let mut sent = String::new();
    let mut line = |from: &str, line: Value| {
        let line = line.to_string();
        if from == "client" {
            sent += &format!("{line}\n");
        }
        out += &format!("{}\n", json!({"kind": "line", "from": from, "line": line}));
        out.len()
    };
    let client = json!({"name": "a", "version": "1"});
    let input = json!([{"type": "text", "text": "Go."}]);
    let params = json!({"threadId": "thread-1", "input": input});
    line(
        "client",
        json!({"id": 1, "method": "initialize", "params": {"clientInfo": client}}),
    );
    line("codex", json!({"id": 1, "result": {}}));
    line(
        "client",
        json!({"id": 2, "method": "thread/start", "params": {}}),
    );
    line(
        "codex",
        json!({"id": 2, "result": {"thread": {"id": "thread-1"}}}),
    );
    line(
        "client",
        json!({"id": 3, "method": "turn/start", "params": params}),
    );
    line(
        "codex",
        json!({"id": 3, "result": {"turn": {"id": "turn-1"}}}),
    );
    let delta = "a line of output\n".repeat(16);
    let params = json!({"threadId": "thread-1", "turnId": "turn-1", "itemId": "i", "delta": delta});
    let delta = json!({"method": "item/commandExecution/outputDelta", "params": params});
    while line("codex", delta.clone()) < bytes {}
    let turn = json!({"id": "turn-1", "status": "completed"});
    let params = json!({"threadId": "thread-1", "turn": turn});
    line(
        "codex",
        json!({"method": "turn/completed", "params": params}),
    );
    (out, sent)
}

/// What is played is held once, as it is stored, and what is known of its lines besides.
#[test]
fn a_long_recording_is_played() {
    let folder = folder("memory-recording");
    let (recording, sent) = long_recording(24 << 20);
    fs::write(folder.join("a.jsonl"), &recording).unwrap();
    let played = run_with(&folder, "replay a.jsonl --max-memory 48M", sent.as_bytes());
    assert_eq!((played.stderr.as_str(), played.code), ("", 0));
    // All lines of Codex.
    let lines = recording.lines().count() - 4;
    assert_eq!(played.stdout.lines().count(), lines);
    let last = played.stdout.lines().last().unwrap();
    assert!(last.contains("turn/completed"), "{last}");
}

/// A run of `codex exec` is held once, whether it was recorded as a transcript or as it is.
#[test]
fn a_long_run_is_played() {
    let folder = folder("memory-run");
    let run = long_session(80_000);
    assert!(run.len() > 24 << 20, "{}", run.len());
    let start = json!({"kind": "start", "transcript": 1, "protocol": "exec", "release": "0.124.0"});
    let records = run
        .lines()
        .map(|line| json!({"kind": "line", "from": "codex", "line": line}));
    let records = std::iter::once(start).chain(records);
    let records: String = records.map(|record| format!("{record}\n")).collect();
    // Of each line of a transcript, it is known where it stands.
    for (recording, more) in [(&run, 12), (&records, 32)] {
        fs::write(folder.join("a.jsonl"), recording).unwrap();
        let limit = (recording.len() >> 20) + more;
        let args = format!("replay a.jsonl --release 0.124.0 --max-memory {limit}M");
        let played = run_with(&folder, &args, b"");
        assert_eq!((played.stderr.as_str(), played.code), ("", 0));
        assert_eq!(played.stdout, run);
    }
}

/// Each thread says what it was at.
#[test]
fn one_of_several_inputs() {
    let folder = folder("memory-threads");
    let long = format!("{}{}", begin(), long_line(50 << 20));
    for name in ["a.jsonl", "b.jsonl", "d.jsonl"] {
        fs::write(folder.join(name), GOOD).unwrap();
    }
    fs::write(folder.join("c.jsonl"), long).unwrap();
    is_limited(&folder, "check -j 2 .", 48, "./c.jsonl:3: ");
}

/// Not even under another name.
#[test]
fn no_file_is_left_half_written() {
    let folder = folder("memory-files");
    fs::create_dir(folder.join("in")).unwrap();
    fs::create_dir(folder.join("out")).unwrap();
    let text = format!("{}{}", begin(), long_line(50 << 20));
    fs::write(folder.join("in/a.jsonl"), text).unwrap();
    for args in [
        "convert in/a.jsonl --out out/a.jsonl",
        "check in/a.jsonl --report json=out/a.json",
    ] {
        is_limited(&folder, args, 48, "in/a.jsonl:3: ");
        let left = fs::read_dir(folder.join("out")).unwrap().count();
        assert_eq!(left, 0, "{args}");
    }
}

/// What would be written beyond the limit is not, and the command says so.
#[test]
fn output_has_a_limit() {
    let folder = folder("memory-output");
    fs::create_dir(folder.join("out")).unwrap();
    fs::write(folder.join("a.jsonl"), long_session(1_000)).unwrap();
    for (args, limit) in [
        ("check --format json a.jsonl", 100),
        ("check --format json --report junit=out/a.xml a.jsonl", 100),
        ("identify --format json a.jsonl", 100),
        ("show --full --no-pager a.jsonl", 20_000),
        ("show --format json a.jsonl", 20_000),
        ("usage a.jsonl", 100),
        ("scrub a.jsonl", 20_000),
        ("scrub a.jsonl --out out/a.jsonl", 20_000),
        ("convert a.jsonl", 20_000),
        ("convert a.jsonl --out out/a.jsonl", 20_000),
        ("convert --to acp a.jsonl", 20_000),
        ("convert --to atif a.jsonl --out out/a.json", 20_000),
        ("convert . --out out", 20_000),
        ("diff --to 0.169.0 --transcript a.jsonl", 50),
        ("diff exec 0.44.0 0.169.0", 50),
    ] {
        let finished = run(&folder, &format!("{args} --max-output {limit}"));
        let said = format!("more than {limit} bytes of output, which `--max-output` sets\n");
        assert!(finished.stderr.ends_with(&said), "{args}: {finished:?}");
        assert_eq!(finished.code, 2, "{args}: {finished:?}");
        assert!(
            finished.stdout.len() <= limit,
            "{args}: {}",
            finished.stdout.len()
        );
        if args.starts_with("scrub") || args.starts_with("convert") {
            assert_eq!(finished.stdout, "", "{args}");
        }
        let left = fs::read_dir(folder.join("out")).unwrap().count();
        assert_eq!(left, 0, "{args}");
    }
    let whole = run(&folder, "convert a.jsonl").stdout;
    let limit = whole.len();
    let finished = run(&folder, &format!("convert a.jsonl --max-output {limit}"));
    assert_eq!((finished.code, finished.stdout), (0, whole));
}
