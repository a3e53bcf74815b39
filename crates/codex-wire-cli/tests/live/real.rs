//! `tap` between a small client and real binaries of Codex, offline: the model is a script on
//! loopback. Where a binary was not fetched, its test is ignored.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use codex_wire_base::Release;
use codex_wire_record::{Answer, Client, Home, Model, binary};
use libtest_mimic::Trial;
use serde_json::{Value, json};

use crate::Trials;
use crate::support::{folder, output, program, records, rules};

/// Longer than a Codex takes on a machine that has other things to do.
const PATIENCE: Duration = Duration::from_secs(120);

/// What is done, by its name, with which release.
type Test = (&'static str, &'static str, fn(&Stage));

const TESTS: [Test; 4] = [
    ("exec", "0.98.0", exec),
    ("exec", "0.125.0", exec),
    ("app_server", "0.169.0", app_server),
    ("app_server_interrupted", "0.169.0", app_server_interrupted),
];

pub(crate) fn trials() -> Trials {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let trial = |(name, version, test): Test| {
        let binary = binary(&workspace, version);
        let is_missing = binary.is_none();
        let name = format!("real::{name} codex {version}");
        let scene = name.replace([':', ' '], "-");
        let run = move || {
            test(&Stage::new(
                version,
                binary.ok_or("there is no binary")?,
                &scene,
            ));
            Ok(())
        };
        Trial::test(name, run).with_ignored_flag(is_missing)
    };
    TESTS.into_iter().map(trial).collect()
}

/// A binary, and where it is used.
struct Stage {
    version: &'static str,
    binary: PathBuf,
    folder: PathBuf,
}

impl Stage {
    fn new(version: &'static str, binary: PathBuf, name: &str) -> Self {
        Stage {
            version,
            binary,
            folder: folder(name),
        }
    }

    fn home(&self, model: &Model) -> Home {
        let release: Release = self.version.parse().unwrap();
        Home::new(&self.folder.join("stage"), release, model.port()).unwrap()
    }

    fn record(&self) -> PathBuf {
        self.folder.join("run.jsonl")
    }

    fn log(&self) -> PathBuf {
        self.folder.join("log.jsonl")
    }

    /// `tap` before the binary.
    fn tap(&self, flags: &[&str], args: &[&str], home: &Home) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_codex-wire"));
        command.args(["tap", "--format", "jsonl", "--log"]);
        command.arg(self.log()).arg("--record").arg(self.record());
        command.args(flags).arg("--").arg(&self.binary).args(args);
        home.furnish(&mut command);
        let errors = fs::File::create(self.folder.join("stderr.txt")).unwrap();
        command.stderr(errors);
        command
    }

    /// Nothing was found while it happened, and nothing is found in the record, whether the
    /// release is known or not.
    fn is_spotless(&self, protocol: &str) {
        self.conforms(protocol);
        let report = records(&self.log());
        assert_eq!(rules(&report), [""; 0], "{report:?}");
        self.record_conforms(&["--release", self.version, "--deny", "*"]);
    }

    /// Nothing worse than a note was found while it happened, or is found in the record.
    fn conforms(&self, protocol: &str) {
        let report = records(&self.log());
        let input = report.iter().find(|line| line["kind"] == "input").unwrap();
        assert_eq!(input["verdict"], "conforms", "{report:?}");
        assert_eq!(input["counts"]["warning"], 0, "{report:?}");
        assert_eq!(input["protocol"], protocol);
        self.record_conforms(&[]);
    }

    fn record_conforms(&self, flags: &[&str]) {
        let record = self.record();
        let args = [&["check"], flags, &[record.to_str().unwrap()]].concat();
        let checked = output(program(&args).spawn().unwrap());
        let text = String::from_utf8_lossy(&checked.stdout).into_owned();
        assert_eq!(checked.status.code(), Some(0), "{text}");
    }
}

/// One run with one command.
fn exec(stage: &Stage) {
    let model = Model::new([
        Answer::command("echo recorded"),
        Answer::message("It says: recorded."),
    ])
    .unwrap();
    let home = stage.home(&model);
    let args = [
        "exec",
        "--json",
        "--skip-git-repo-check",
        "--dangerously-bypass-approvals-and-sandbox",
        "Do the recorded thing.",
    ];
    let mut command = stage.tap(&[], &args, &home);
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn();
    let output = output(child.unwrap());
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(model.left(), 0);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("\"command_execution\"") && text.contains("It says: recorded."));
    // The client sees what is recorded, and nothing else.
    let lines = records(&stage.record());
    let recorded = lines.iter().filter(|line| line["kind"] == "line");
    let recorded: String = recorded
        .map(|line| format!("{}\n", line["line"].as_str().unwrap()))
        .collect();
    assert_eq!(recorded, text);
    stage.is_spotless("exec");
}

/// Says hello and starts a thread in which every command has to be approved. Returns the thread.
fn begin(client: &mut Client, home: &Home) -> Value {
    let info = json!({"name": "recorder", "title": "Recorder", "version": "1.0.0"});
    let params = json!({"clientInfo": info, "capabilities": {"experimentalApi": true}});
    let hello = client.request("initialize", params, PATIENCE).unwrap();
    assert!(hello["result"]["userAgent"].is_string(), "{hello}");
    client.send(&json!({"method": "initialized"})).unwrap();
    let params = json!({"cwd": home.project(), "approvalPolicy": "untrusted",
                        "sandbox": "danger-full-access"});
    let started = client.request("thread/start", params, PATIENCE).unwrap();
    started["result"]["thread"]["id"].clone()
}

fn start_turn(client: &mut Client, thread: &Value) -> Value {
    let input = json!([{"type": "text", "text": "Do the recorded thing.", "text_elements": []}]);
    let params = json!({"threadId": thread, "input": input});
    let started = client.request("turn/start", params, PATIENCE).unwrap();
    started["result"]["turn"]["id"].clone()
}

const ASKS: &str = "item/commandExecution/requestApproval";

/// A turn with a command that is approved.
fn app_server(stage: &Stage) {
    let model = Model::new([
        Answer::command("touch approved.txt && echo recorded"),
        Answer::message("Done: recorded."),
    ])
    .unwrap();
    let home = stage.home(&model);
    let mut client = Client::start(&mut stage.tap(&[], &["app-server"], &home)).unwrap();
    let thread = begin(&mut client, &home);
    start_turn(&mut client, &thread);
    let asked = client.wait(ASKS, PATIENCE).unwrap();
    assert!(!home.project().join("approved.txt").exists());
    client
        .send(&json!({"id": asked["id"], "result": {"decision": "accept"}}))
        .unwrap();
    let completed = client.wait("turn/completed", PATIENCE).unwrap();
    assert_eq!(
        completed["params"]["turn"]["status"], "completed",
        "{completed}"
    );
    assert!(home.project().join("approved.txt").exists());
    let (status, received) = client.finish(PATIENCE).unwrap();
    assert_eq!(status.code(), Some(0));
    assert_eq!(model.left(), 0);
    let lines = records(&stage.record());
    let of = |side: &str| -> Vec<String> {
        let lines = lines.iter().filter(|line| line["from"] == side);
        lines
            .map(|line| line["line"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(of("codex"), received);
    assert_eq!(of("client").len(), 5);
    // A request stands before its answer.
    let place = |from: &str, id: u64| {
        lines.iter().position(|line| {
            let message = line["line"].as_str().unwrap_or_default();
            let message: Value = serde_json::from_str(message).unwrap_or_default();
            let is_request = message.get("method").is_some();
            line["from"] == from && message["id"] == id && is_request == (from == "client")
        })
    };
    for id in 1..=3 {
        assert!(place("client", id).unwrap() < place("codex", id).unwrap());
    }
    stage.is_spotless("app-server");
}

/// A turn that is interrupted while its command waits for an answer, which is then never
/// completed: worth a note.
fn app_server_interrupted(stage: &Stage) {
    let model = Model::new([Answer::command("touch never.txt")]).unwrap();
    let home = stage.home(&model);
    let mut client = Client::start(&mut stage.tap(&[], &["app-server"], &home)).unwrap();
    let thread = begin(&mut client, &home);
    let turn = start_turn(&mut client, &thread);
    client.wait(ASKS, PATIENCE).unwrap();
    let params = json!({"threadId": thread, "turnId": turn});
    client.request("turn/interrupt", params, PATIENCE).unwrap();
    let completed = client.wait("turn/completed", PATIENCE).unwrap();
    assert_eq!(
        completed["params"]["turn"]["status"], "interrupted",
        "{completed}"
    );
    let (status, _) = client.finish(PATIENCE).unwrap();
    assert_eq!(status.code(), Some(0));
    assert!(!home.project().join("never.txt").exists());
    stage.conforms("app-server");
}
