//! The stand-in as a client meets it: a program named `codex`.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Output, Stdio};
use std::time::Instant;

use serde_json::{Value, json};

use crate::support::{GOOD, folder, run, workspace};

const EXEC: &str = "fixtures/exec/0.125.0";
const TURN: &str = "fixtures/app-server/0.169.0/03a_command_untrusted_accept.jsonl";

/// Installs recordings in a new folder; returns the program.
pub(crate) fn install(name: &str, recordings: &str) -> PathBuf {
    let folder = folder(name);
    let args = format!("replay --install {} {recordings}", folder.display());
    let installed = run(&workspace(), &args);
    assert_eq!(installed.code, 0, "{}", installed.stderr);
    folder.join(if cfg!(windows) { "codex.exe" } else { "codex" })
}

/// The stand-in with a home of its own, in an empty environment.
pub(crate) fn codex(program: &Path, home: &Path, args: &str) -> Command {
    let mut command = Command::new(program);
    command
        .args(args.split(' '))
        .env_clear()
        .env("CODEX_HOME", home)
        .current_dir(home)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

pub(crate) fn output(command: &mut Command) -> Output {
    command.output().unwrap()
}

fn recorded(path: &str) -> Vec<u8> {
    fs::read(workspace().join(path)).unwrap()
}

#[test]
fn a_run_is_printed_as_it_was_recorded() {
    let path = format!("{EXEC}/command_ok.jsonl");
    let finished = run(&workspace(), &format!("replay {path}"));
    assert_eq!(finished.stdout.as_bytes(), recorded(&path));
    let manifest: Value = serde_json::from_slice(&recorded("fixtures/exec/manifest.json")).unwrap();
    let entry = manifest["transcripts"]
        .as_array()
        .unwrap()
        .iter()
        .find(|entry| entry["file"] == "0.125.0/command_ok.jsonl");
    assert_eq!(
        i64::from(finished.code),
        entry.unwrap()["exit_code"].as_i64().unwrap()
    );
}

#[test]
fn an_installed_stand_in_answers_what_clients_probe() {
    let program = install("replay-probes", &format!("{EXEC}/command_ok.jsonl"));
    let home = folder("replay-probes-home");
    let version = output(&mut codex(&program, &home, "--version"));
    assert_eq!(
        String::from_utf8(version.stdout).unwrap(),
        "codex-cli 0.125.0\n"
    );
    let login = output(&mut codex(&program, &home, "login status"));
    assert!(login.status.success());
    let run = output(&mut codex(&program, &home, "exec --json go"));
    assert_eq!(run.stdout, recorded(&format!("{EXEC}/command_ok.jsonl")));
    // There is nothing to play for this.
    let server = output(&mut codex(&program, &home, "app-server"));
    assert_eq!(server.status.code(), Some(1));
    let said = String::from_utf8(server.stderr).unwrap();
    let expected = "the client started codex app-server, but the recordings are of exec: ";
    assert!(said.contains(expected), "{said}");
    assert!(said.trim_end().ends_with("command_ok.jsonl"), "{said}");
}

#[test]
fn a_program_that_is_no_stand_in_is_not_replaced() {
    let folder = folder("replay-no-stand-in");
    let name = if cfg!(windows) { "codex.exe" } else { "codex" };
    fs::write(folder.join(name), "the real one").unwrap();
    let args = format!(
        "replay --install {} {EXEC}/command_ok.jsonl",
        folder.display()
    );
    let refused = run(&workspace(), &args);
    assert_eq!(refused.code, 2);
    assert_eq!(
        fs::read_to_string(folder.join(name)).unwrap(),
        "the real one"
    );
}

#[test]
fn a_stand_in_is_installed_in_a_folder() {
    let folder = nameless("replay-install-file");
    let refused = run(&folder, "replay --install run.jsonl run.jsonl");
    let said = "codex-wire: run.jsonl is not a folder\n";
    assert_eq!((refused.code, &*refused.stderr), (2, said));
}

#[test]
fn what_is_installed_takes_no_flags_of_a_session() {
    let folder = folder("replay-install-flags");
    for flag in ["--listen ws://127.0.0.1:0", "--format text"] {
        let args = format!(
            "replay --install {} {flag} {EXEC}/command_ok.jsonl",
            folder.display()
        );
        let refused = run(&workspace(), &args);
        assert_eq!(refused.code, 2);
        let expected = "cannot be used with";
        assert!(refused.stderr.contains(expected), "{}", refused.stderr);
    }
}

/// A thread as the recording of a run says it.
pub(crate) fn thread_of(stdout: &[u8]) -> String {
    let first = stdout.split(|byte| *byte == b'\n').next().unwrap();
    let value: Value = serde_json::from_slice(first).unwrap();
    value["thread_id"].as_str().unwrap().to_owned()
}

/// Two recorded runs of one thread: the second resumes the first.
fn resumable(name: &str) -> PathBuf {
    let folder = folder(name);
    let write = |file: &str, words: &[&str], text: &str| {
        let line = |value: Value| {
            json!({"kind": "line", "from": "codex", "line": value.to_string()}).to_string()
        };
        let lines = [
            json!({"kind": "start", "transcript": 1, "protocol": "exec", "release": "0.125.0", "command": words}).to_string(),
            line(json!({"type": "thread.started", "thread_id": "01a1f985-5a61-7cf1-a49c-3848a4230ae1"})),
            line(json!({"type": "turn.started"})),
            line(json!({"type": "item.completed", "item": {"id": "item_0", "type": "agent_message", "text": text}})),
            line(json!({"type": "turn.completed", "usage": {"input_tokens": 1, "cached_input_tokens": 0, "output_tokens": 2, "reasoning_output_tokens": 0}})),
            json!({"kind": "exit", "status": 0}).to_string(),
        ];
        fs::write(folder.join(file), lines.join("\n") + "\n").unwrap();
    };
    write("1.jsonl", &["codex", "exec", "--json", "begin"], "first");
    write(
        "2.jsonl",
        &[
            "codex",
            "exec",
            "--json",
            "resume",
            "01a1f985-5a61-7cf1-a49c-3848a4230ae1",
            "go on",
        ],
        "second",
    );
    folder
}

#[test]
fn resume_continues_the_right_thread() {
    let recordings = resumable("replay-resume");
    let program = install("replay-resume-installed", &recordings.display().to_string());
    let home = folder("replay-resume-home");
    let begun: Vec<String> = (0..3)
        .map(|_| thread_of(&output(&mut codex(&program, &home, "exec --json begin")).stdout))
        .collect();
    // The first has the recorded id; each is a thread of its own.
    assert_eq!(begun[0], "01a1f985-5a61-7cf1-a49c-3848a4230ae1");
    assert!(begun[1] != begun[0] && begun[2] != begun[1] && begun[2] != begun[0]);
    for thread in [&begun[1], &begun[0]] {
        let resumed = output(&mut codex(
            &program,
            &home,
            &format!("exec --json resume {thread} again"),
        ));
        assert_eq!(thread_of(&resumed.stdout), **thread);
        assert!(
            String::from_utf8(resumed.stdout)
                .unwrap()
                .contains("second")
        );
    }
    let last = output(codex(&program, &home, "exec --json resume --last").stdin(Stdio::null()));
    // The thread that was resumed last has nothing left to play.
    assert_eq!(
        last.status.code(),
        Some(1),
        "{}",
        String::from_utf8_lossy(&last.stdout)
    );
    let unknown = output(&mut codex(
        &program,
        &home,
        "exec --json resume 01a1f985-0000-7cf1-a49c-3848a4230ae1 x",
    ));
    assert!(unknown.stdout.is_empty());
    assert_eq!(unknown.status.code(), Some(1));
}

/// A review and a copy of a thread are played from recordings of just these.
#[test]
fn each_command_of_exec_has_its_recordings() {
    let recordings = folder("replay-commands");
    let record = |file: &str, words: &[&str], text: &str| {
        let line = |value: Value| {
            json!({"kind": "line", "from": "codex", "line": value.to_string()}).to_string() + "\n"
        };
        let command: Vec<&str> = ["codex", "exec", "--json"]
            .iter()
            .chain(words)
            .copied()
            .collect();
        let start = json!({"kind": "start", "transcript": 1, "protocol": "exec", "release": "0.169.0", "command": command});
        let item = json!({"type": "item.completed", "item": {"id": "item_0", "type": "agent_message", "text": text}});
        let lines = [
            start.to_string() + "\n",
            line(
                json!({"type": "thread.started", "thread_id": "01a1f985-5a61-7cf1-a49c-3848a4230ae1"}),
            ),
            line(item),
        ];
        fs::write(recordings.join(file), lines.concat()).unwrap();
    };
    record("1.jsonl", &["begin"], "a new thread");
    record("2.jsonl", &["review", "--uncommitted"], "a review");
    let program = install(
        "replay-commands-installed",
        &recordings.display().to_string(),
    );
    let home = folder("replay-commands-home");
    let text_of = |args: &str| {
        let played = output(&mut codex(&program, &home, args));
        String::from_utf8(played.stdout).unwrap()
    };
    assert!(text_of("exec --json begin").contains("a new thread"));
    assert!(text_of("exec --json review --uncommitted").contains("a review"));
    let refused = output(&mut codex(
        &program,
        &home,
        "exec --json fork 01a1f985-5a61-7cf1-a49c-3848a4230ae1 begin",
    ));
    let said = String::from_utf8(refused.stderr).unwrap();
    assert_eq!(refused.status.code(), Some(1), "{said}");
    assert!(
        said.contains("no recording is of `codex exec fork`"),
        "{said}"
    );
}

#[test]
fn clients_in_parallel_do_not_disturb_each_other() {
    let recordings = resumable("replay-parallel");
    let program = install(
        "replay-parallel-installed",
        &recordings.display().to_string(),
    );
    let home = folder("replay-parallel-home");
    let children: Vec<Child> = (0..16)
        .map(|_| codex(&program, &home, "exec --json begin").spawn().unwrap())
        .collect();
    let mut threads: Vec<String> = children
        .into_iter()
        .map(|child| thread_of(&child.wait_with_output().unwrap().stdout))
        .collect();
    threads.sort();
    threads.dedup();
    assert_eq!(threads.len(), 16);
}

/// A client of the app-server.
pub(crate) struct Client {
    pub(crate) child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
}

impl Client {
    pub(crate) fn start(command: &mut Command) -> Self {
        let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
        let to = child.stdin.take().unwrap();
        let from = BufReader::new(child.stdout.take().unwrap());
        Client { child, to, from }
    }

    pub(crate) fn send(&mut self, message: &Value) {
        writeln!(self.to, "{message}").unwrap();
    }

    /// Reads until a message with that member, whose value is this.
    pub(crate) fn until(&mut self, key: &str, value: &Value) -> Value {
        let mut line = String::new();
        loop {
            line.clear();
            assert!(
                self.from.read_line(&mut line).unwrap() > 0,
                "no {key} {value}"
            );
            let message: Value = serde_json::from_str(&line).unwrap();
            if message[key] == *value {
                return message;
            }
        }
    }

    pub(crate) fn end(mut self) -> (i32, String) {
        drop(self.to);
        let mut stderr = String::new();
        self.child
            .stderr
            .take()
            .unwrap()
            .read_to_string(&mut stderr)
            .unwrap();
        (self.child.wait().unwrap().code().unwrap(), stderr)
    }
}

/// A turn with an approval, from a client with ids and paths of its own. What both sides wrote is
/// recorded, and conforms to the release.
#[test]
fn a_client_of_the_app_server_plays_a_turn() {
    let program = install("replay-turn", TURN);
    let home = folder("replay-turn-home");
    let record = home.join("run.jsonl");
    let mut command = codex(&program, &home, "app-server");
    command.env("CODEX_REPLAY_RECORD", &record);
    command.env(
        "CODEX_REPLAY_REPORT",
        format!("json={}", home.join("{pid}.json").display()),
    );
    let mut client = Client::start(&mut command);
    client.send(&json!({"id": "a", "method": "initialize", "params": {"clientInfo": {"name": "mine", "title": "Mine", "version": "3"}, "capabilities": {"experimentalApi": true}}}));
    let answer = client.until("id", &json!("a"));
    assert_eq!(answer["result"]["codexHome"], *home.to_str().unwrap());
    client.send(&json!({"method": "initialized"}));
    client.send(&json!({"id": "b", "method": "thread/start", "params": {"cwd": "/my/project", "approvalPolicy": "untrusted", "sandbox": "workspace-write"}}));
    let thread = client.until("id", &json!("b"))["result"]["thread"].clone();
    assert_eq!(thread["environments"][0]["cwd"], "/my/project");
    let text = json!([{"type": "text", "text": "Do it.", "text_elements": []}]);
    client.send(&json!({"id": "c", "method": "turn/start", "params": {"threadId": thread["id"], "input": text}}));
    let ask = client.until("method", &json!("item/commandExecution/requestApproval"));
    assert_eq!(ask["params"]["cwd"], "/my/project");
    client.send(&json!({"id": ask["id"], "result": {"decision": "accept"}}));
    let end = client.until("method", &json!("turn/completed"));
    assert_eq!(end["params"]["turn"]["status"], "completed");
    // Nobody recorded this.
    client.send(&json!({"id": "d", "method": "thread/fork", "params": {"threadId": thread["id"]}}));
    let refused = client.until("id", &json!("d"));
    assert_eq!(refused["error"]["code"], -32600);
    let (code, stderr) = client.end();
    assert_eq!(code, 0);
    assert!(
        stderr.contains("no recording answers thread/fork"),
        "{stderr}"
    );

    let checked = run(&home, "check --release 0.169.0 --profile exact run.jsonl");
    assert_eq!(checked.code, 0, "{}", checked.stdout);
    let reports: Vec<PathBuf> = fs::read_dir(&home)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "json"))
        .collect();
    let report: Value = serde_json::from_slice(&fs::read(&reports[0]).unwrap()).unwrap();
    let findings = report["inputs"][0]["findings"].as_array().unwrap().clone();
    let rules: Vec<&str> = findings
        .iter()
        .map(|f| f["rule"].as_str().unwrap())
        .collect();
    assert_eq!(
        rules,
        ["replay/different", "replay/no-recording"],
        "{findings:?}"
    );
}

/// A stand-in that is killed leaves whole lines only.
#[cfg(unix)]
#[test]
fn a_kill_leaves_whole_lines() {
    let folder = folder("replay-kill");
    let mut text = String::from("{\"type\":\"thread.started\",\"thread_id\":\"t\"}\n");
    for length in (0..400).map(|n| n * 97 % 30_000) {
        let item = json!({"type": "item.completed", "item": {"id": "item_0", "type": "agent_message", "text": "x".repeat(length)}});
        text += &format!("{item}\n");
    }
    fs::write(folder.join("long.jsonl"), &text).unwrap();
    for round in 0..40_usize {
        let mut child = crate::support::command(&folder, "replay long.jsonl")
            .spawn()
            .unwrap();
        let mut out = child.stdout.take().unwrap();
        let mut read = vec![0; 1 + round * 7919 % 200_000];
        let mut got = 0;
        // A reader that stops in the middle of anything, and a kill while the rest waits.
        while got < read.len() {
            match out.read(&mut read[got..]).unwrap() {
                0 => break,
                n => got += n,
            }
        }
        child.kill().unwrap();
        child.wait().unwrap();
        let mut all = read[..got].to_vec();
        out.read_to_end(&mut all).unwrap();
        assert!(text.as_bytes().starts_with(&all));
        assert!(
            all.is_empty() || all.ends_with(b"\n"),
            "round {round}: {} bytes",
            all.len()
        );
    }
}

/// The first line of a recording of a thousand lines comes soon after the start. This machine may be
/// busy and this program is not optimised, so the limit is far above what a release build takes.
#[test]
fn the_first_line_comes_soon() {
    let folder = folder("replay-first");
    let line = |from: &str, value: Value| {
        json!({"kind": "line", "from": from, "line": value.to_string()}).to_string() + "\n"
    };
    let mut text =
        json!({"kind": "start", "transcript": 1, "protocol": "app-server", "release": "0.169.0"})
            .to_string()
            + "\n";
    text += &line(
        "client",
        json!({"id": 1, "method": "initialize", "params": {"clientInfo": {"name": "a", "version": "1"}}}),
    );
    text += &line(
        "codex",
        json!({"id": 1, "result": {"userAgent": "a/0.169.0 (a; 1)"}}),
    );
    for number in 0..1000 {
        text += &line(
            "codex",
            json!({"method": "item/agentMessage/delta", "params": {"threadId": "t", "turnId": "u", "itemId": "i", "delta": format!("word {number} ")}}),
        );
    }
    fs::write(folder.join("long.jsonl"), text).unwrap();
    let begun = Instant::now();
    let mut client = Client::start(&mut crate::support::command(&folder, "replay long.jsonl"));
    client.send(&json!({"id": 1, "method": "initialize", "params": {"clientInfo": {"name": "a", "version": "1"}}}));
    client.until("id", &json!(1));
    let took = begun.elapsed();
    // The rest waits for a reader.
    client.child.kill().unwrap();
    client.child.wait().unwrap();
    assert!(took.as_millis() < 1500, "{took:?}");
}

#[test]
fn a_run_is_played_as_another_release() {
    let path = format!("{EXEC}/command_ok.jsonl");
    let finished = run(&workspace(), &format!("replay --as-release 0.42.0 {path}"));
    assert_eq!(finished.code, 0, "{}", finished.stderr);
    let lines: Vec<Value> = finished
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines[0]["type"], "session.created");
    assert_eq!(
        lines.last().unwrap()["item"]["item_type"],
        "assistant_message"
    );
}

/// As `check --release` does: an unlisted release is the one before it, and standard error says so.
#[test]
fn a_release_that_does_not_exist_is_not_taken_in_silence() {
    let path = format!("{EXEC}/command_ok.jsonl");
    for flag in ["--as-release", "--release"] {
        let finished = run(&workspace(), &format!("replay {flag} 9.9.9 {path}"));
        assert_eq!(finished.code, 0, "{}", finished.stderr);
        assert!(
            finished.stderr.contains("9.9.9 is newer than 0."),
            "{flag}: {}",
            finished.stderr
        );
        for (release, part) in [
            ("0.1.0", "0.1.0 is older than the exec protocol"),
            ("walrus", "`walrus` is neither a release"),
        ] {
            let refused = run(&workspace(), &format!("replay {flag} {release} {path}"));
            assert_eq!(
                (refused.code, &*refused.stdout),
                (2, ""),
                "{flag} {release}"
            );
            assert!(refused.stderr.contains(part), "{}", refused.stderr);
        }
        let program = install(
            &format!("replay-unlisted{flag}"),
            &format!("{flag} 0.125.77 {path}"),
        );
        let home = folder(&format!("replay-unlisted{flag}-home"));
        let version = output(&mut codex(&program, &home, "--version"));
        assert_eq!(version.stdout, b"codex-cli 0.125.0\n");
    }
    let client = "conformance --client true --scenario exec/message";
    let finished = run(&workspace(), &format!("{client} --release 9.9.9"));
    assert!(
        finished.stderr.contains("9.9.9 is newer"),
        "{}",
        finished.stderr
    );
    let finished = run(&workspace(), &format!("{client} --release walrus"));
    assert_eq!(finished.code, 2);
    assert!(
        finished.stderr.contains("neither a release"),
        "{}",
        finished.stderr
    );
}

/// The release that a recording names is its own, listed or not.
#[test]
fn the_release_of_a_recording_need_not_be_listed() {
    let folder = folder("replay-own-release");
    let text = "{\"kind\":\"start\",\"transcript\":1,\"release\":\"0.125.77\"}\n\
        {\"kind\":\"line\",\"from\":\"codex\",\"line\":\"{\\\"type\\\":\\\"turn.started\\\"}\"}\n";
    fs::write(folder.join("run.jsonl"), text).unwrap();
    let finished = run(&folder, "replay --release 0.125.77 --install bin run.jsonl");
    assert_eq!(finished.code, 0, "{}", finished.stderr);
    assert!(
        finished.stderr.contains("as Codex 0.125.77"),
        "{}",
        finished.stderr
    );
    assert!(
        !finished.stderr.contains("not listed"),
        "{}",
        finished.stderr
    );
}

#[test]
fn an_installed_stand_in_is_the_release_that_it_plays_as() {
    let recordings = format!("--as-release 0.98.0 {EXEC}/command_ok.jsonl {TURN}");
    let program = install("replay-as-release", &recordings);
    let home = folder("replay-as-release-home");
    let version = output(&mut codex(&program, &home, "--version"));
    assert_eq!(version.stdout, b"codex-cli 0.98.0\n");
    let run = output(&mut codex(&program, &home, "exec --json go"));
    let text = String::from_utf8(run.stdout).unwrap();
    assert!(
        text.contains("\"usage\"") && !text.contains("reasoning_output_tokens"),
        "{text}"
    );
    // The environment comes after the file.
    let mut other = codex(&program, &home, "--version");
    other.env("CODEX_REPLAY_AS_RELEASE", "0.116.0");
    assert_eq!(output(&mut other).stdout, b"codex-cli 0.116.0\n");
    other.env("CODEX_REPLAY_AS_RELEASE", "0.1.0");
    assert!(!output(&mut other).status.success());
}

#[test]
fn what_a_release_cannot_say_is_refused_with_its_line() {
    let path = "fixtures/app-server/0.63.0/15a_v1_basic.jsonl";
    let refused = run(&workspace(), &format!("replay --as-release 0.169.0 {path}"));
    assert_eq!(refused.code, 2);
    let text = refused.stderr;
    assert!(
        text.contains("15a_v1_basic") && text.contains("line "),
        "{text}"
    );
    assert!(text.contains("0.169.0 has no `newConversation`"), "{text}");
}

/// A recording that does not name its release.
fn nameless(name: &str) -> PathBuf {
    let folder = folder(name);
    let path = folder.join("run.jsonl");
    fs::write(&path, recorded(&format!("{EXEC}/command_ok.jsonl"))).unwrap();
    folder
}

#[test]
fn an_inferred_release_is_told() {
    let folder = nameless("replay-inferred");
    let said = |args: &str| {
        let finished = run(&folder, &format!("replay {args}"));
        assert_eq!(finished.code, 0, "{}", finished.stderr);
        finished.stderr
    };
    let why = "the newest that could have written it; --release names another\n";
    let installed = said("--install stand-in run.jsonl");
    let expected = format!("plays 1 recording as Codex 0.144.6, {why}");
    assert!(installed.ends_with(&expected), "{installed}");
    assert_eq!(installed.lines().count(), 1);
    let played = said("run.jsonl");
    let expected = format!("codex-wire: run.jsonl is taken for Codex 0.144.6, {why}");
    assert_eq!(played, expected);
    let told = said("--install stand-in --as-release 0.98.0 run.jsonl");
    let expected =
        format!("plays 1 recording as Codex 0.98.0; run.jsonl is taken for Codex 0.144.6, {why}");
    assert!(told.ends_with(&expected), "{told}");
    // What is named is not remarked on.
    assert_eq!(said("--release 0.125.0 run.jsonl"), "");
    let named = said("--install stand-in --release 0.125.0 run.jsonl");
    assert!(named.ends_with("as Codex 0.125.0\n"), "{named}");
    let program = folder.join(if cfg!(windows) {
        "stand-in/codex.exe"
    } else {
        "stand-in/codex"
    });
    let played = output(&mut codex(&program, &folder, "exec --json go"));
    assert_eq!(played.stderr, b"");
}

/// Whatever a recording is written as, it shows the release.
#[test]
fn the_release_of_every_form_is_inferred() {
    let folder = nameless("replay-inferred-forms");
    let text = fs::read_to_string(folder.join("run.jsonl")).unwrap();
    let wrap = |line: &str| serde_json::json!({ "dir": "server", "line": line }).to_string() + "\n";
    let wrapped: String = text.lines().map(wrap).collect();
    fs::write(folder.join("log.jsonl"), wrapped).unwrap();
    let array = text.lines().collect::<Vec<_>>().join(",");
    fs::write(folder.join("array.json"), format!("[{array}]")).unwrap();
    assert_eq!(run(&folder, "convert run.jsonl --out own.jsonl").code, 0);
    for file in ["log.jsonl", "array.json", "own.jsonl"] {
        let finished = run(&folder, &format!("replay {file}"));
        assert_eq!(finished.code, 0, "{}", finished.stderr);
        let said = format!("codex-wire: {file} is taken for Codex 0.144.6, ");
        assert!(finished.stderr.starts_with(&said), "{}", finished.stderr);
        let installed = run(&folder, &format!("replay --install {file}.bin {file}"));
        assert_eq!(installed.code, 0, "{}", installed.stderr);
    }
}

#[test]
fn a_release_that_did_not_write_a_recording_is_doubted() {
    let folder = nameless("replay-doubted");
    let finished = run(&folder, "replay --release 0.124.0 run.jsonl");
    assert_eq!(
        (finished.code, finished.stderr.as_str()),
        (
            0,
            "codex-wire: 0.124.0 did not write run.jsonl:7: `reasoning_output_tokens`: 0.125.0 or later\n"
        )
    );
    // Of a conversation, the line is that of the recording.
    let args = format!(
        "replay --install {} --release 0.98.0 {TURN}",
        folder.join("old").display()
    );
    let installed = run(&workspace(), &args);
    assert_eq!(installed.code, 0);
    let expected =
        "0.98.0 did not write fixtures/app-server/0.169.0/03a_command_untrusted_accept.jsonl:";
    assert!(installed.stderr.contains(expected), "{}", installed.stderr);
}

#[test]
fn what_cannot_be_played_overwrites_no_exchange() {
    let folder = nameless("replay-several");
    let exchange = folder.join("exchange.jsonl");
    fs::write(&exchange, "kept").unwrap();
    for recordings in [
        format!("{TURN} {EXEC}/command_ok.jsonl"),
        format!("{TURN} fixtures/core/0.42.0/compact.jsonl"),
        format!("{EXEC}/command_ok.jsonl {TURN}"),
    ] {
        let args = format!("replay --record {} {recordings}", exchange.display());
        let finished = run(&workspace(), &args);
        assert_eq!(finished.code, 2, "{}", finished.stderr);
        assert_eq!(
            fs::read_to_string(&exchange).unwrap(),
            "kept",
            "{recordings}"
        );
    }
}

/// Codex is silent about a line that it does not read. The stand-in is, too, but says so to the user.
#[test]
fn a_line_that_codex_does_not_read_is_told() {
    let program = install("replay-unread", TURN);
    let home = folder("replay-unread-home");
    let mut client = Client::start(&mut codex(&program, &home, "app-server"));
    client.send(&json!({"id": 1, "method": "initialize", "params": {"clientInfo": {"name": "mine", "version": "3"}}}));
    client.until("id", &json!(1));
    client.send(&json!({"method": "initialized"}));
    writeln!(client.to, "{{not json").unwrap();
    client.send(&json!({"id": null, "method": "account/read"}));
    let (code, stderr) = client.end();
    assert_eq!(code, 0);
    assert_eq!(
        stderr,
        "codex-wire: line 3 of the client is not JSON: Codex does not answer it\n\
         codex-wire: line 4 of the client is not a request, notification or answer: Codex does not answer it\n"
    );
}

#[test]
fn a_turn_beyond_the_recorded_ones_says_so() {
    let program = install(
        "replay-no-turn",
        "fixtures/app-server/0.169.0/02_reasoning.jsonl",
    );
    let home = folder("replay-no-turn-home");
    let mut client = Client::start(&mut codex(&program, &home, "app-server"));
    client.send(&json!({"id": 1, "method": "initialize", "params": {"clientInfo": {"name": "mine", "version": "3"}, "capabilities": {"experimentalApi": true}}}));
    client.until("id", &json!(1));
    client.send(&json!({"id": 2, "method": "thread/start", "params": {"cwd": "/my/project"}}));
    let thread = client.until("id", &json!(2))["result"]["thread"]["id"].clone();
    let input = json!([{"type": "text", "text": "go"}]);
    let turn = |id| json!({"id": id, "method": "turn/start", "params": {"threadId": thread, "input": input}});
    client.send(&turn(3));
    client.until("method", &json!("turn/completed"));
    client.send(&turn(4));
    let refused = client.until("id", &json!(4));
    assert_eq!(
        refused["error"]["message"],
        "no recording answers this turn/start: all turns that were recorded were played"
    );
    let (_, stderr) = client.end();
    assert!(
        stderr.contains("it was played already, and each turn is played once"),
        "{stderr}"
    );
}

#[test]
fn only_what_can_be_played_is_a_protocol() {
    for other in ["hooks", "notify", "rollout"] {
        let args = format!("replay --script x.toml --protocol {other}");
        let refused = run(&workspace(), &args);
        assert_eq!(refused.code, 2);
        let expected = "[possible values: exec, app-server, core]";
        assert!(refused.stderr.contains(expected), "{}", refused.stderr);
    }
}

/// What no stand-in plays is refused, and its kind is named.
#[test]
fn what_is_not_played_is_refused() {
    let folder = folder("replay-refused");
    fs::write(folder.join("empty.jsonl"), "").unwrap();
    fs::write(folder.join("array.json"), "[]").unwrap();
    let garbled = [
        GOOD.as_bytes(),
        b"{\"type\":\"error\",\"message\":\"\xff\"}\n",
    ]
    .concat();
    fs::write(folder.join("garbled.jsonl"), garbled).unwrap();
    let root = workspace();
    let session = "fixtures/rollout/0.169.0/collab/home/sessions/2026/11/22/rollout-2026-11-22T15-02-17-01a203c7-8645-7651-9110-141af80b28fc.jsonl";
    for (folder, file, reason) in [
        (&root, session, "it is a session file"),
        (&root, "fixtures/notify/0.169.0.jsonl", "it is of `notify`"),
        (
            &root,
            "fixtures/hooks/0.169.0/passive.jsonl",
            "it is of hooks",
        ),
        (&folder, "empty.jsonl", "it holds no message"),
        (&folder, "array.json", "it holds no message"),
        (&folder, "garbled.jsonl", "line 6 is not UTF-8"),
    ] {
        let finished = run(folder, &format!("replay {file}"));
        assert_eq!((finished.code, &*finished.stdout), (2, ""), "{finished:?}");
        assert!(finished.stderr.contains(reason), "{finished:?}");
    }
}
