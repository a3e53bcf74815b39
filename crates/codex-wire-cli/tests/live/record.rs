//! `record` with real binaries of Codex, and what it says where there is none. Where a binary was not
//! fetched, its test is ignored.

use std::fs;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;

use codex_wire_record::{Answer, Model, binary};
use libtest_mimic::Trial;
use serde_json::Value;

use crate::Trials;
use crate::support::{GOOD, folder, output, program, records, run, stderr_of};

type Test = (&'static str, &'static str, fn(&Path, &Path));

/// What is done with which release.
const REAL: [Test; 8] = [
    (
        "one_run_has_the_same_ids",
        "0.98.0",
        one_run_has_the_same_ids,
    ),
    (
        "one_run_has_the_same_ids",
        "0.125.0",
        one_run_has_the_same_ids,
    ),
    (
        "one_run_has_the_same_ids",
        "0.169.0",
        one_run_has_the_same_ids,
    ),
    ("a_home_is_kept", "0.98.0", a_home_is_kept),
    ("a_home_is_kept", "0.125.0", a_home_is_kept),
    ("a_home_is_kept", "0.169.0", a_home_is_kept),
    ("no_key_is_recorded", "0.169.0", no_key_is_recorded),
    (
        "nothing_private_is_left",
        "0.125.0",
        nothing_private_is_left,
    ),
];

pub(crate) fn trials() -> Trials {
    let mut trials = crate::trials![
        a_missing_release_comes_with_the_command_that_installs_it,
        a_recording_has_a_folder_of_its_own,
        a_home_is_not_that_of_somebody_else,
        an_error_in_a_script_names_its_line,
        what_is_not_written_is_no_success,
        a_run_that_cannot_start_leaves_nothing,
        what_codex_left_is_kept_if_it_dies,
        tap_asks_codex_for_its_release,
        tap_takes_the_release_from_the_first_answer,
    ];
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    trials.extend(REAL.map(|(name, version, test)| {
        let binary = binary(&workspace, version);
        let is_missing = binary.is_none();
        let name = format!("record::{name} codex {version}");
        let folder_name = name.replace([':', ' '], "-");
        let run = move || {
            test(&binary.ok_or("there is no binary")?, &folder(&folder_name));
            Ok(())
        };
        Trial::test(name, run).with_ignored_flag(is_missing)
    }));
    trials
}

const SCRIPT: &str = "[[step]]\nrun = \"echo recorded\"\noutput = \"recorded\\n\"\n\
                      [[step]]\nsay = \"It says: recorded.\"\n";

/// The arguments of a run in which nothing is asked.
const EXEC: [&str; 4] = [
    "exec",
    "--json",
    "--skip-git-repo-check",
    "--dangerously-bypass-approvals-and-sandbox",
];

/// `record` into `run` in a folder.
fn record(folder: &Path, codex: &Path) -> Command {
    let mut command = program(&["record"]);
    command.arg("--out").arg(folder.join("run"));
    command.arg("--codex").arg(codex);
    command.env("XDG_CACHE_HOME", folder.join("cache"));
    command.stdin(Stdio::null());
    command
}

fn with_script(folder: &Path, codex: &Path, script: &str) -> Command {
    let path = folder.join("script.toml");
    fs::write(&path, script).unwrap();
    let mut command = record(folder, codex);
    command.arg("--script").arg(path);
    command
}

fn done(command: &mut Command) -> Output {
    let output = output(command.spawn().unwrap());
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{errors}");
    output
}

/// All files of a recording.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut out = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => out.extend(files(&path)),
            false => out.push(path),
        }
    }
    out
}

fn messages(run: &Path) -> Vec<Value> {
    let lines = records(run).into_iter();
    let lines = lines.filter(|record| record["from"] == "codex");
    lines
        .map(|record| serde_json::from_str(record["line"].as_str().unwrap()).unwrap())
        .collect()
}

fn one_run_has_the_same_ids(codex: &Path, folder: &Path) {
    let mut command = with_script(folder, codex, SCRIPT);
    done(command.args(["--prompt", "Go.", "--", "app-server"]));
    let run = folder.join("run");
    let start = &records(&run.join("run.jsonl"))[0];
    let version = codex.parent().unwrap().file_name().unwrap();
    assert_eq!(start["release"], version.to_str().unwrap());
    let messages = messages(&run.join("run.jsonl"));
    let of = |method: &str| {
        let mut messages = messages.iter();
        let message = messages.find(|message| message["method"] == method);
        message.unwrap_or_else(|| panic!("no {method}"))["params"].clone()
    };
    let thread = of("turn/started")["threadId"].as_str().unwrap().to_owned();
    let turn = of("turn/started")["turn"]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let notified = &records(&run.join("notify.jsonl"))[0];
    assert_eq!(notified["thread-id"], *thread);
    assert_eq!(notified["turn-id"], *turn);
    let rollouts = files(&run.join("sessions"));
    let name = rollouts[0].file_name().unwrap().to_str().unwrap();
    assert!(
        rollouts.len() == 1 && name.contains(&thread),
        "{rollouts:?}"
    );
    let meta = &records(&rollouts[0])[0];
    assert_eq!(meta["payload"]["id"], *thread);
    // 0.98.0 has no hooks.
    let hooks = run.join("hooks.jsonl");
    assert_eq!(hooks.exists(), version != "0.98.0");
    if hooks.exists() {
        let hooks = records(&hooks);
        assert!(hooks.len() >= 5, "{hooks:?}");
        assert!(hooks.iter().all(|hook| hook["session_id"] == *thread));
        let stop = hooks.iter().find(|hook| hook["hook_event_name"] == "Stop");
        assert_eq!(stop.unwrap()["turn_id"], *turn);
    }
    // The stage is gone.
    assert!(files(&folder.join("cache")).is_empty());
}

/// A script of two turns, of which the second needs what the first did.
const TWO_TURNS: &str = "[[turn]]\n[[turn.step]]\nrun = \"echo kept > kept.txt\"\n\
                         [[turn.step]]\nsay = \"First.\"\n\
                         [[turn]]\n[[turn.step]]\nrun = \"cat kept.txt\"\noutput = \"kept\\n\"\n\
                         [[turn.step]]\nsay = \"Second.\"\n";

/// What a client of `codex exec` sees of a run: the id of the thread, outputs and messages.
fn seen(output: &Output) -> Vec<String> {
    let text = String::from_utf8_lossy(&output.stdout);
    let lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
    let shown = lines.filter_map(|message: Value| {
        let item = &message["item"];
        let shown = match message["type"].as_str().unwrap() {
            "thread.started" => &message["thread_id"],
            "item.completed" if item["type"] == "command_execution" => &item["aggregated_output"],
            "item.completed" => &item["text"],
            _ => return None,
        };
        shown.as_str().map(str::to_owned)
    });
    shown.collect()
}

/// A client with two turns runs against what stands for Codex: `record`, then a stand-in from the recordings.
fn a_home_is_kept(codex: &Path, folder: &Path) {
    fs::write(folder.join("script.toml"), TWO_TURNS).unwrap();
    let run = |name: &str, arguments: &[&str]| {
        let mut command = program(&["record", "--script", "script.toml", "--home", "home"]);
        command.arg("--out").arg(name).arg("--codex").arg(codex);
        // Hooks of the first run are not those of another.
        if name == "second" {
            command.arg("--no-hooks");
        }
        command.current_dir(folder).stdin(Stdio::null());
        command.env("XDG_CACHE_HOME", folder.join("cache"));
        seen(&done(command.arg("--").args(EXEC).args(arguments)))
    };
    let first = run("first", &["Go."]);
    let thread = first[0].clone();
    assert_eq!(first[1..], ["", "First."]);
    let second = run("second", &["resume", &thread, "Go on."]);
    assert_eq!(second, [thread.as_str(), "kept\n", "Second."]);
    // The session file has both turns, and that of another thread is not part of the recording.
    let rollouts = files(&folder.join("second/sessions"));
    assert_eq!(rollouts.len(), 1, "{rollouts:?}");
    let rollout = fs::read_to_string(&rollouts[0]).unwrap();
    assert!(rollout.contains("First.") && rollout.contains("Second."));
    run("other", &["Go."]);
    assert_eq!(files(&folder.join("other/sessions")).len(), 1);

    let mut install = program(&["replay", "--install", "stand-in"]);
    install.args(["first/run.jsonl", "second/run.jsonl"]);
    done(install.current_dir(folder));
    let played = |arguments: &[&str]| {
        let mut command = Command::new(folder.join("stand-in/codex"));
        command.current_dir(folder).stdin(Stdio::null());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        seen(&done(command.args(EXEC).args(arguments)))
    };
    assert_eq!(played(&["Go."]), first);
    assert_eq!(played(&["resume", &thread, "Go on."]), second);
}

/// Stands before a model, and keeps the heads of the requests. Returns its port.
fn guard(model: u16, heads: Arc<Mutex<Vec<u8>>>) -> u16 {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for client in listener.incoming().flatten() {
            let (mut from, mut back) = (client.try_clone().unwrap(), client);
            let mut to = TcpStream::connect((Ipv4Addr::LOCALHOST, model)).unwrap();
            let mut answers = to.try_clone().unwrap();
            let heads = Arc::clone(&heads);
            thread::spawn(move || {
                let mut buffer = [0; 4096];
                while let Ok(read @ 1..) = from.read(&mut buffer) {
                    heads.lock().unwrap().extend_from_slice(&buffer[..read]);
                    if to.write_all(&buffer[..read]).is_err() {
                        break;
                    }
                }
            });
            thread::spawn(move || {
                let _ = std::io::copy(&mut answers, &mut back);
                let _ = back.shutdown(std::net::Shutdown::Both);
            });
        }
    });
    port
}

fn no_key_is_recorded(codex: &Path, folder: &Path) {
    const KEY: &str = "sk-a-key-of-a-user-0123456789";
    // The name is one that Codex does not hide from commands.
    const NAME: &str = "MODEL_WORD";
    let model = Model::new([
        Answer::command(
            "echo \"the word is $MODEL_WORD\"; for before in '' a ab; do printf %s \"$before$MODEL_WORD\" | base64; \
             done; printf %s \"$MODEL_WORD\" | od -An -v -tx1 | tr -d ' \\n'",
        ),
        Answer::message("Done."),
    ])
    .unwrap();
    let heads = Arc::default();
    let port = guard(model.port(), Arc::clone(&heads));
    let mut command = record(folder, codex);
    command.args(["--proxy", &format!("http://127.0.0.1:{port}/v1")]);
    command.env(NAME, KEY).args(["--key-env", NAME]);
    done(command.arg("--").args(EXEC).arg("Go."));
    // The endpoint gets the key, and Codex tells it what the command has printed.
    let heads = String::from_utf8_lossy(&heads.lock().unwrap()).to_lowercase();
    assert!(heads.contains(&format!("authorization: bearer {KEY}")));
    assert_eq!(model.left(), 0);
    let stars = "*".repeat(KEY.len());
    let said = format!("the word is {stars}");
    let files = files(&folder.join("run"));
    let mut places = 0;
    for file in &files {
        let text = String::from_utf8(fs::read(file).unwrap()).unwrap();
        assert!(!text.contains(KEY), "{}", file.display());
        // The same in Base64, with nothing, one or two characters before, and in hexadecimal digits.
        for encoded in [
            "c2stYS1rZXkt",
            "ay1hLWtleS1v",
            "LWEta2V5LW9m",
            "736b2d612d6b",
        ] {
            assert!(!text.contains(encoded), "{encoded}: {}", file.display());
        }
        assert!(!text.to_lowercase().contains("authorization:"));
        places += usize::from(text.contains(&said));
    }
    // The transcript, the rollout and the hooks.
    assert_eq!(places, 3, "{files:?}");
}

fn nothing_private_is_left(codex: &Path, folder: &Path) {
    let mut command = with_script(folder, codex, SCRIPT);
    command.arg("--scrub");
    done(command.arg("--").args(EXEC).arg("A prompt in plain sight."));
    let run = folder.join("run");
    let files = files(&run);
    assert_eq!(files.len(), 4, "{files:?}");
    for file in &files {
        let text = String::from_utf8(fs::read(file).unwrap()).unwrap();
        for private in [
            "plain sight",
            "It says: recorded",
            "echo recorded",
            "stage-",
        ] {
            assert!(!text.contains(private), "{private}: {}", file.display());
        }
    }
    // The same placeholder in all files.
    let thread = messages(&run.join("run.jsonl"))[0]["thread_id"].clone();
    assert_eq!(records(&run.join("hooks.jsonl"))[0]["session_id"], thread);
    let notified = fs::read_to_string(run.join("notify.jsonl")).unwrap();
    assert!(notified.contains(thread.as_str().unwrap()), "{notified}");
    assert!(run.join("sessions/rollout-1.jsonl").exists());
}

/// A program named `codex` that says it is 0.98.0, and otherwise does this.
fn fake(folder: &Path, name: &str, script: &str) -> PathBuf {
    use std::os::unix::fs::PermissionsExt as _;

    let path = folder.join(name);
    let version = "if [ \"$1\" = --version ]; then echo codex-cli 0.98.0; exit; fi";
    fs::write(&path, format!("#!/bin/sh\n{version}\n{script}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path
}

fn complaint(command: &mut Command) -> String {
    let output = output(command.spawn().unwrap());
    assert_eq!(output.status.code(), Some(2));
    String::from_utf8(output.stderr).unwrap()
}

fn a_missing_release_comes_with_the_command_that_installs_it() {
    let folder = folder("record-missing");
    let mut command = program(&["record", "--release", "0.1.2", "--script", "script.toml"]);
    fs::write(folder.join("script.toml"), SCRIPT).unwrap();
    command.current_dir(&folder).env("PATH", "");
    command.env("CODEX_WIRE_CACHE", "/nowhere/cache");
    let text = complaint(command.args(["--out", "run", "--", "exec", "Go."]));
    let install = "npm install --no-save --prefix '/nowhere/cache/0.1.2' @openai/codex@0.1.2";
    assert!(text.contains(install), "{text}");
    assert!(!folder.join("run").exists());
}

fn a_recording_has_a_folder_of_its_own() {
    let folder = folder("record-full");
    let codex = fake(&folder, "codex", "exit 0");
    fs::create_dir(folder.join("run")).unwrap();
    fs::write(folder.join("run/mine"), "").unwrap();
    let mut command = with_script(&folder, &codex, SCRIPT);
    let text = complaint(command.arg("--").args(EXEC).arg("Go."));
    assert!(text.contains("run is not empty"), "{text}");
}

fn a_home_is_not_that_of_somebody_else() {
    let folder = folder("record-home");
    let codex = fake(&folder, "codex", "exit 0");
    fs::create_dir(folder.join("mine")).unwrap();
    fs::write(folder.join("mine/config.toml"), "mine").unwrap();
    let mut command = with_script(&folder, &codex, SCRIPT);
    command.arg("--home").arg(folder.join("mine"));
    let text = complaint(command.arg("--").args(EXEC).arg("Go."));
    let expected = "mine is not empty, and not a home of an earlier recording";
    assert!(text.contains(expected), "{text}");
    assert_eq!(files(&folder.join("mine")).len(), 1);
    assert!(!folder.join("run").exists());
}

fn an_error_in_a_script_names_its_line() {
    let folder = folder("record-script");
    let codex = fake(&folder, "codex", "exit 0");
    let mut command = with_script(&folder, &codex, "[[step]]\nsay = 1\n");
    let text = complaint(command.arg("--").args(EXEC).arg("Go."));
    assert!(text.contains("script.toml:2:"), "{text}");
}

/// Neither output that is lost nor a recording that is cut passes for a whole one.
fn what_is_not_written_is_no_success() {
    let folder = folder("record-cut");
    let lines = folder.join("lines");
    fs::write(&lines, GOOD.repeat(400)).unwrap();
    let codex = fake(&folder, "codex", &format!("cat '{}'", lines.display()));
    if cfg!(target_os = "linux") {
        let full = fs::File::options().write(true).open("/dev/full").unwrap();
        let mut command = with_script(&folder, &codex, SCRIPT);
        command.arg("--").args(EXEC).arg("Go.").stdout(full);
        let text = complaint(&mut command);
        let expected = "cannot write standard output: ";
        assert!(text.contains(expected), "{text}");
        fs::remove_dir_all(folder.join("run")).unwrap();
    }
    let mut command = with_script(&folder, &codex, SCRIPT);
    command.arg("--").args(EXEC).arg("Go.");
    let mut limited = Command::new("sh");
    limited.args(["-c", "ulimit -f 64; exec \"$0\" \"$@\""]);
    limited.arg(command.get_program()).args(command.get_args());
    limited.env("XDG_CACHE_HOME", folder.join("cache"));
    limited.stdin(Stdio::null()).stdout(Stdio::null());
    let text = complaint(limited.stderr(Stdio::piped()));
    assert!(text.contains("the recording is not complete"), "{text}");
}

fn a_run_that_cannot_start_leaves_nothing() {
    let folder = folder("record-no-folder");
    let codex = fake(&folder, "codex", "exit 0");
    let run = |cwd: &str| {
        let mut command = with_script(&folder, &codex, SCRIPT);
        command.arg("--cwd").arg(folder.join(cwd));
        output(command.arg("--").args(EXEC).arg("Go.").spawn().unwrap())
    };
    let failed = run("nowhere");
    assert_eq!(failed.status.code(), Some(2));
    let text = stderr_of(&failed);
    assert!(text.contains("nowhere is not a folder"), "{text}");
    assert!(!folder.join("run").exists());
    assert_eq!(run("").status.code(), Some(0));
}

/// Codex ends in the middle of the talk with our own client, which named the folder that it works in as a whole path.
fn what_codex_left_is_kept_if_it_dies() {
    let folder = folder("record-dies");
    fs::create_dir(folder.join("project")).unwrap();
    let answer = r#"{"id":1,"result":{"userAgent":"me/0.98.0 (Debian 12.0.0; x86_64) dumb"}}"#;
    let script = format!(
        "mkdir -p \"$CODEX_HOME/sessions\"; echo '{{}}' > \"$CODEX_HOME/sessions/rollout-1.jsonl\"\n\
         read line; echo '{answer}'; read line; read line; exit 7"
    );
    let codex = fake(&folder, "codex", &script);
    let mut command = with_script(&folder, &codex, SCRIPT);
    command.current_dir(&folder).args(["--cwd", "project"]);
    command.args(["--prompt", "Go.", "--", "app-server"]);
    let output = output(command.spawn().unwrap());
    let text = stderr_of(&output);
    assert_eq!(output.status.code(), Some(7), "{text}");
    assert!(text.contains("the talk with Codex failed"), "{text}");
    let run = folder.join("run");
    assert!(run.join("sessions/rollout-1.jsonl").exists());
    let sent = records(&run.join("run.jsonl")).into_iter();
    let sent =
        sent.filter_map(|record| serde_json::from_str::<Value>(record["line"].as_str()?).ok());
    let mut started = sent.filter(|message| message["method"] == "thread/start");
    let project = folder.join("project").canonicalize().unwrap();
    assert_eq!(
        started.next().unwrap()["params"]["cwd"],
        project.to_str().unwrap()
    );
}

fn release(run: &Path) -> Value {
    records(run)[0]["release"].clone()
}

fn tap_asks_codex_for_its_release() {
    let folder = folder("tap-version");
    let lines = folder.join("lines");
    fs::write(&lines, GOOD).unwrap();
    let script = format!("cat '{}'", lines.display());
    for (name, expected) in [("codex", Value::from("0.98.0")), ("other", Value::Null)] {
        let path = folder.join(format!("{name}.jsonl"));
        let mut command = program(&["tap", "--record"]);
        command
            .arg(&path)
            .arg("--")
            .arg(fake(&folder, name, &script));
        let output = run(command, b"");
        assert_eq!(String::from_utf8(output.stdout).unwrap(), GOOD);
        assert_eq!(release(&path), expected, "{name}");
    }
}

/// The client's first line is recorded behind the start, although the release is known only later.
fn tap_takes_the_release_from_the_first_answer() {
    let folder = folder("tap-agent");
    let agent = r#"{"id":1,"result":{"userAgent":"me/0.125.0 (Debian 12.0.0; x86_64) dumb"}}"#;
    let path = folder.join("run.jsonl");
    let script = format!("read line; echo 'A warning.'; echo '{agent}'; read line");
    let mut command = program(&["tap", "--record"]);
    command
        .arg(&path)
        .arg("--")
        .arg(fake(&folder, "server", &script));
    let hello =
        r#"{"id":1,"method":"initialize","params":{"clientInfo":{"name":"me","version":"1"}}}"#;
    let ready = r#"{"method":"initialized"}"#;
    run(command, format!("{hello}\n{ready}\n").as_bytes());
    let records = records(&path);
    assert_eq!(release(&path), "0.125.0");
    let lines: Vec<&Value> = records.iter().map(|record| &record["line"]).collect();
    assert!(
        lines[1] == hello && (lines[3] == agent || lines[4] == agent),
        "{records:?}"
    );
}
