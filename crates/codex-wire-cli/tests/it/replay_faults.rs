//! Faults of bytes, time and processes, as a client meets them.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::{command, folder, run, workspace};

const EXEC: &str = "fixtures/exec/0.125.0/command_ok.jsonl";
const TURN: &str = "fixtures/app-server/0.169.0/02_reasoning.jsonl";
const READS: &str = "fixtures/app-server/0.169.0/10a_plain_requests.jsonl";

fn recorded() -> Vec<u8> {
    fs::read(workspace().join(EXEC)).unwrap()
}

/// Plays a run with a fault.
fn exec(fault: &str) -> Output {
    let args = format!("replay --fault {fault} --seed 3 {EXEC}");
    command(&workspace(), &args).output().unwrap()
}

/// Plays a recording to a client on pipes.
fn play(recording: &str, fault: &str) -> Child {
    let args = format!("replay {fault} {recording}");
    let mut command = command(&workspace(), &args);
    command
        .stdin(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

fn send(child: &mut Child, lines: &[Value]) {
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    child
        .stdin
        .as_mut()
        .unwrap()
        .write_all(text.as_bytes())
        .unwrap();
}

fn initialize() -> Value {
    let info = json!({"name": "capture_rig", "title": "Capture Rig", "version": "1.0.0"});
    json!({"id": 1, "method": "initialize", "params": {"clientInfo": info, "capabilities": {"experimentalApi": true}}})
}

/// Sends what starts a turn, one after another.
fn start_turn(child: &mut Child, lines: &mut impl Iterator<Item = String>) {
    let thread =
        json!({"id": 2, "method": "thread/start", "params": {"cwd": "/workspace/app-project"}});
    send(child, &[initialize()]);
    answer(lines, 1);
    send(child, &[json!({"method": "initialized"}), thread]);
    let started = answer(lines, 2);
    let params = json!({"threadId": started["result"]["thread"]["id"], "input": [{"type": "text", "text": "go"}]});
    send(
        child,
        &[json!({"id": 3, "method": "turn/start", "params": params})],
    );
}

fn answer(lines: &mut impl Iterator<Item = String>, id: u64) -> Value {
    let mut values = lines.map(|line| serde_json::from_str::<Value>(&line).unwrap());
    values
        .find(|value| value["id"] == id && value.get("method").is_none())
        .unwrap()
}

fn lines_of(child: &mut Child) -> impl Iterator<Item = String> + use<> {
    let stdout = child.stdout.take().unwrap();
    BufReader::new(stdout).lines().map(|line| line.unwrap())
}

/// Plays a run with a fault; returns what was written, and how many reads ended within a line.
fn read_at_once(fault: &str) -> (Vec<u8>, usize) {
    let args = format!("replay --fault {fault} {EXEC}");
    let mut child = command(&workspace(), &args).spawn().unwrap();
    let mut stdout = child.stdout.take().unwrap();
    let (mut bytes, mut cut, mut buffer) = (Vec::new(), 0, vec![0; 1 << 16]);
    loop {
        let read = stdout.read(&mut buffer).unwrap();
        if read == 0 {
            break;
        }
        bytes.extend_from_slice(&buffer[..read]);
        cut += usize::from(bytes.last() != Some(&b'\n'));
    }
    assert!(child.wait().unwrap().success());
    (bytes, cut)
}

#[test]
fn parts_of_lines_join_to_the_recording() {
    for fault in ["split-writes", "byte-by-byte"] {
        // A busy machine may hand all parts over at once, but not every time.
        let sees_parts = (0..20).any(|_| {
            let (bytes, cut) = read_at_once(fault);
            assert_eq!(bytes, recorded(), "{fault}");
            cut > 0
        });
        assert!(sees_parts, "{fault}");
    }
}

#[test]
fn a_crash_leaves_half_a_line() {
    let crashed = exec("crash-mid-line");
    assert_eq!(crashed.status.code(), Some(101));
    assert!(recorded().starts_with(&crashed.stdout) && !crashed.stdout.ends_with(b"\n"));
    let second = exec("crash-mid-line@2");
    assert_eq!(
        second.stdout.iter().filter(|byte| **byte == b'\n').count(),
        1
    );
}

#[test]
fn a_process_exits_before_the_end() {
    let gone = exec("exit-without-end");
    assert_eq!(gone.status.code(), Some(0));
    let text = String::from_utf8(gone.stdout).unwrap();
    assert!(
        text.ends_with('\n') && !text.contains("turn.completed"),
        "{text}"
    );
    let mut child = play(TURN, "--fault exit-without-end");
    let mut lines = lines_of(&mut child);
    start_turn(&mut child, &mut lines);
    assert!(lines.all(|line| !line.contains("\"turn/completed\"")));
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn noise_stands_between_lines() {
    let noisy = exec("stdout-noise");
    let text = String::from_utf8(noisy.stdout).unwrap();
    let is_json = |line: &&str| serde_json::from_str::<Value>(line).is_ok();
    assert!(!is_json(&text.lines().next().unwrap()));
    let kept: String = text
        .lines()
        .filter(is_json)
        .map(|line| format!("{line}\n"))
        .collect();
    assert_eq!(kept.as_bytes(), recorded());
}

#[test]
fn standard_error_is_flooded() {
    let flooded = exec("stderr-flood");
    assert!(flooded.stderr.len() > 2 << 20, "{}", flooded.stderr.len());
    assert_eq!(flooded.stdout, recorded());
}

#[test]
fn lines_are_long_and_the_same() {
    let long = exec("long-line");
    let text = String::from_utf8(long.stdout).unwrap();
    for line in text.lines() {
        // What a client shows, and the end.
        let is_long = line.contains("agent_message") || line.contains("turn.completed");
        assert_eq!(line.len() > 4_900_000, is_long, "{} bytes", line.len());
    }
    let values = |text: &str| -> Vec<Value> {
        text.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    };
    assert_eq!(
        values(&text),
        values(&String::from_utf8(recorded()).unwrap())
    );
}

#[test]
fn the_start_is_slow() {
    let begun = Instant::now();
    assert_eq!(exec("slow-start@400").stdout, recorded());
    assert!(begun.elapsed() >= Duration::from_millis(400));
}

#[test]
fn a_response_is_late_and_in_order() {
    let mut child = play(TURN, "--fault rpc-late");
    let mut lines = lines_of(&mut child);
    start_turn(&mut child, &mut lines);
    let begun = Instant::now();
    let is_response = |line: &String| line.starts_with("{\"id\":3,");
    let before: Vec<String> = lines
        .by_ref()
        .take_while(|line| !is_response(line))
        .collect();
    assert!(
        begun.elapsed() >= Duration::from_millis(1400),
        "{:?}",
        begun.elapsed()
    );
    assert!(
        before.iter().all(|line| !line.contains("turn/started")),
        "{before:?}"
    );
    drop(child.stdin.take());
    child.wait().unwrap();
}

#[test]
fn responses_are_reordered() {
    for (fault, expected) in [("", [2, 3]), ("--fault rpc-reordered", [3, 2])] {
        let mut child = play(READS, fault);
        let mut lines = lines_of(&mut child);
        send(&mut child, &[initialize()]);
        // A response that waits is written together with those of the requests that follow.
        answer(&mut lines, 1);
        let reads = ["model/list", "account/read"];
        let requests: Vec<Value> = (2..)
            .zip(reads)
            .map(|(id, m)| json!({"id": id, "method": m, "params": {}}))
            .collect();
        send(&mut child, &requests);
        let values = lines.map(|line| serde_json::from_str::<Value>(&line).unwrap());
        let mut ids = values
            .filter(|v| v.get("method").is_none())
            .filter_map(|v| v["id"].as_u64());
        let ids: Vec<u64> = ids.by_ref().filter(|id| *id > 1).take(2).collect();
        assert_eq!(ids, expected, "{fault}");
        drop(child.stdin.take());
        child.wait().unwrap();
    }
}

#[cfg(unix)]
#[test]
fn sigterm_is_ignored() {
    use std::os::unix::process::ExitStatusExt;

    const SIGKILL: i32 = 9;
    let terminated = |child: &Child| {
        let id = child.id().to_string();
        assert!(Command::new("kill").arg(id).status().unwrap().success());
    };
    for fault in ["", "--fault ignores-sigterm"] {
        let mut child = play(TURN, fault);
        let mut lines = lines_of(&mut child);
        send(&mut child, &[initialize()]);
        answer(&mut lines, 1);
        terminated(&child);
        if fault.is_empty() {
            assert_eq!(child.wait().unwrap().code(), Some(0));
            continue;
        }
        // It answers still, stays when its input ends, and only SIGKILL ends it.
        let thread = json!({"cwd": "/workspace/app-project"});
        let start = json!({"id": 2, "method": "thread/start", "params": thread});
        send(&mut child, &[json!({"method": "initialized"}), start]);
        answer(&mut lines, 2);
        drop(child.stdin.take());
        terminated(&child);
        child.kill().unwrap();
        assert_eq!(child.wait().unwrap().signal(), Some(SIGKILL));
    }
}

/// As the real ones: old releases do not handle SIGTERM, new ones end with success, also if their output is not read.
#[cfg(unix)]
#[test]
fn sigterm_ends_a_session_as_the_release_does() {
    use std::os::unix::process::ExitStatusExt;

    let folder = folder("replay-sigterm");
    for (path, ends) in [
        (
            "fixtures/app-server/0.98.0/02b_reasoning_raw.jsonl",
            (None, Some(15)),
        ),
        (TURN, (Some(0), None)),
    ] {
        let record = folder.join("run.jsonl");
        let mut child = play(path, &format!("--record {}", record.display()));
        let mut lines = lines_of(&mut child);
        send(&mut child, &[initialize()]);
        answer(&mut lines, 1);
        let id = child.id().to_string();
        assert!(Command::new("kill").arg(id).status().unwrap().success());
        let status = child.wait().unwrap();
        assert_eq!((status.code(), status.signal()), ends, "{path}");
        let text = fs::read_to_string(&record).unwrap();
        let has_exit = text.contains("{\"kind\":\"exit\",\"status\":0");
        assert_eq!(has_exit, ends.0.is_some(), "{text}");
    }
}

/// Who ignores that it should end does not stay when nobody is there to end it.
#[cfg(unix)]
#[test]
fn a_stand_in_ends_with_its_owner() {
    let exec = format!("--fault ignores-sigterm --fault turn-never-ends {EXEC}");
    for args in [format!("--fault ignores-sigterm {TURN}"), exec] {
        let script = format!(
            "'{}' replay {args} </dev/null >/dev/null 2>&1 & echo $!; exec sleep 600",
            env!("CARGO_BIN_EXE_codex-wire")
        );
        let mut owner = Command::new("sh")
            .args(["-c", &script])
            .current_dir(workspace())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let number = lines_of(&mut owner).next().unwrap();
        let is_there = || {
            let asked = Command::new("kill")
                .args(["-0", &number])
                .stderr(Stdio::null())
                .status();
            asked.unwrap().success()
        };
        // It has begun, and stays.
        thread::sleep(Duration::from_secs(2));
        assert!(is_there(), "{args}");
        owner.kill().unwrap();
        owner.wait().unwrap();
        crate::support::until("it ends", || !is_there());
    }
}

#[test]
fn a_run_never_ends() {
    let args = format!("replay --fault turn-never-ends {EXEC}");
    let mut child = command(&workspace(), &args).spawn().unwrap();
    let mut lines = lines_of(&mut child);
    let count = String::from_utf8(recorded()).unwrap().lines().count() - 1;
    assert_eq!(lines.by_ref().take(count).count(), count);
    // Nothing more comes, not even the end of the output.
    let (sender, more) = mpsc::channel();
    thread::spawn(move || sender.send(lines.next()));
    assert!(more.recv_timeout(Duration::from_millis(300)).is_err());
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn faults_without_a_place_are_refused_with_the_reason() {
    let refused = run(&workspace(), &format!("replay --fault rpc-error {EXEC}"));
    assert_eq!((refused.code, refused.stdout.as_str()), (2, ""));
    assert!(
        refused.stderr.contains("answers no requests"),
        "{}",
        refused.stderr
    );
    let unknown = run(&workspace(), &format!("replay --fault walrus {EXEC}"));
    assert!(
        unknown.stderr.contains("there is no fault `walrus`"),
        "{}",
        unknown.stderr
    );
    let turn = run(&workspace(), &format!("replay --fault turn-fails@2 {EXEC}"));
    assert!(turn.stderr.contains("has one turn"), "{}", turn.stderr);
}

/// A stand-in that cannot have a fault is not installed: its client would see a failure of another kind.
#[test]
fn faults_without_a_place_are_refused_at_the_start() {
    let folder = folder("replay-faults-refused");
    let script = "say = \"hi\"\n";
    fs::write(folder.join("hello.toml"), format!("[[step]]\n{script}")).unwrap();
    let script = folder.join("hello.toml").display().to_string();
    let refusal = |args: &str| {
        let install = folder.join("stand-in");
        let args = format!("replay --install {} {args}", install.display());
        let refused = run(&workspace(), &args);
        assert_eq!(refused.code, 2, "{args}: {}", refused.stderr);
        assert!(!install.exists(), "{args}");
        refused.stderr
    };
    for (args, reason) in [
        (
            format!("--fault turn-fails@2 {EXEC}"),
            "command_ok.jsonl: fault/turn-fails@2: a run of `codex exec` has one turn",
        ),
        (
            format!("--fault rpc-error {EXEC}"),
            "command_ok.jsonl: fault/rpc-error cannot be injected here: `codex exec` answers no requests",
        ),
        (
            format!("--fault long-line@99 {EXEC}"),
            "command_ok.jsonl: fault/long-line@99: the run has 7 lines",
        ),
        // One of the two would not have it.
        (
            format!("--fault rpc-error {TURN} {EXEC}"),
            "command_ok.jsonl: ",
        ),
        (
            format!("--fault turn-never-ends@2 {TURN}"),
            "02_reasoning.jsonl: fault/turn-never-ends@2: 1 turn was recorded",
        ),
        (
            format!("--fault turn-fails {READS}"),
            "10a_plain_requests.jsonl: fault/turn-fails: no turn was recorded",
        ),
        (
            format!("--fault rpc-error --release 0.42.0 --script {script}"),
            "hello.toml: fault/rpc-error cannot be injected here: ",
        ),
        (
            format!("--fault turn-fails --release 0.41.0 --script {script}"),
            "hello.toml: fault/turn-fails",
        ),
    ] {
        let text = refusal(&args);
        assert!(text.contains(reason), "{args}: {text}");
    }
    // What a script plays is said when the client starts: `codex exec`, or the app-server, whose turns
    // come again.
    let install = folder.join("scripted");
    for fault in ["turn-fails@2", "rpc-error"] {
        let args = format!("--fault {fault} --script {script}");
        let installed = run(
            &workspace(),
            &format!("replay --install {} {args}", install.display()),
        );
        assert_eq!(installed.code, 0, "{}", installed.stderr);
    }
    // The same without a program.
    let played = run(&workspace(), &format!("replay --fault turn-fails@2 {TURN}"));
    assert_eq!((played.code, played.stdout.as_str()), (2, ""));
}

/// An installed stand-in has the faults of its settings, or of the environment.
#[test]
fn an_installed_stand_in_has_faults() {
    let folder = folder("replay-faults");
    let log = folder.join("faults.txt");
    let args = format!(
        "replay --install {} --fault turn-fails --fault split-writes --fault-log {} {EXEC}",
        folder.display(),
        log.display()
    );
    assert_eq!(run(&workspace(), &args).code, 0);
    let codex = |faults: Option<&str>| {
        let mut command = Command::new(Path::new(&folder).join("codex"));
        command
            .args(["exec", "--json", "go"])
            .env("CODEX_HOME", &folder)
            .stdin(Stdio::null());
        match faults {
            Some(faults) => command.env("CODEX_REPLAY_FAULTS", faults),
            None => command.env_remove("CODEX_REPLAY_FAULTS"),
        };
        command.output().unwrap()
    };
    let failed = codex(None);
    assert_eq!(failed.status.code(), Some(1));
    assert!(
        String::from_utf8(failed.stdout)
            .unwrap()
            .contains("turn.failed")
    );
    let log = fs::read_to_string(log).unwrap();
    assert!(
        log.contains("fault/turn-fails\n") && log.contains("fault/split-writes\n"),
        "{log}"
    );
    let other = codex(Some("future-method"));
    assert_eq!(other.status.code(), Some(0));
    assert!(String::from_utf8(other.stdout).unwrap().lines().count() > 4);
}

#[test]
fn faults_are_explained() {
    let page = run(&workspace(), "explain fault/turn-fails");
    assert_eq!(page.code, 0);
    assert!(page.stdout.contains("turn.status"), "{}", page.stdout);
    let help = run(&workspace(), "replay --help");
    for id in ["turn-fails", "slow-start", "rpc-id-as-text"] {
        assert!(help.stdout.contains(id), "{id}");
    }
    assert_eq!(run(&workspace(), "explain fault/walrus").code, 2);
}
