//! The same script, recorded with a real Codex and played by the stand-in: the same lines, except for ids,
//! times and what [`DIFFERENCES`] lists. Where a binary was not fetched, its tests are ignored.

mod differences;
mod normal;

use std::fs;
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;

use codex_wire_base::Release;
use codex_wire_record::{Client, Configuration, Talk, binary, converse};
use codex_wire_replay::script::{self, AppServer, ExecRun, Script};
use libtest_mimic::Trial;
use serde_json::Value;

use crate::Trials;
use crate::support::{folder, output, program, records, until};
use differences::reason;
use normal::{Line, lines};

/// The releases whose real programs are run.
const RELEASES: [&str; 7] = [
    "0.63.0", "0.87.0", "0.98.0", "0.118.0", "0.125.0", "0.146.1", "0.169.0",
];

/// The prompt of each turn.
const PROMPT: &str = "Do what the script says.";

pub(crate) fn trials() -> Trials {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let scripts = workspace.join("crates/codex-wire-replay/tests/scripts");
    let mut names: Vec<String> = fs::read_dir(&scripts)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned())
        .collect();
    names.sort();
    let mut trials = Vec::new();
    // The stand-in speaks as earlier releases in other tests, too.
    let tried = match sampling::is_wide() {
        true => &RELEASES[..],
        false => &RELEASES[RELEASES.len() - 1..],
    };
    for &version in tried {
        let binary = binary(&workspace, version);
        for name in &names {
            for command in ["exec", "app-server"] {
                let test = Test {
                    version,
                    script: scripts.join(format!("{name}.toml")),
                    name: name.clone(),
                    command,
                };
                // What the release cannot say is not recorded either.
                if test.plays().is_err() || test.differs("refused") || test.takes_one_answer() {
                    continue;
                }
                let (binary, missing) = (binary.clone(), binary.is_none());
                let trial = Trial::test(
                    format!("same::{command} {name} codex {version}"),
                    move || test.run(&binary.ok_or("there is no binary")?),
                );
                trials.push(trial.with_ignored_flag(missing));
            }
        }
    }
    trials
}

/// How often a real program runs before a difference counts.
const ATTEMPTS: usize = 3;

/// A script, and where it is recorded.
struct Test {
    version: &'static str,
    script: PathBuf,
    name: String,
    command: &'static str,
}

impl Test {
    fn release(&self) -> Release {
        self.version.parse().unwrap()
    }

    fn differs(&self, kind: &str) -> bool {
        reason(&self.name, self.command, self.release(), kind).is_some()
    }

    /// Whether the script has one answer to an approval only: the client of this test gives another, and a real one
    /// goes on with any.
    fn takes_one_answer(&self) -> bool {
        let turns = self.script().turns.into_iter();
        let mut steps = turns.flat_map(|turn| turn.steps);
        steps.any(|step| step.action.approval().only().is_some())
    }

    /// Whether the stand-in plays the script.
    fn plays(&self) -> Result<(), codex_wire_replay::Error> {
        let (script, settings) = (self.script(), script::Settings::default());
        match self.command {
            "exec" => {
                script::exec(&script, self.release(), &ExecRun::default(), &settings).map(drop)
            }
            _ => AppServer::new(script, self.release(), settings).map(drop),
        }
    }

    /// A busy machine changes the order in which a real program writes some lines. So it runs again if
    /// there is a difference: one that is there every time counts.
    fn run(&self, binary: &Path) -> Result<(), libtest_mimic::Failed> {
        let is_different = |kind: &str| self.differs(kind);
        let played: Vec<Line> = lines(&self.played(), &is_different);
        let mut difference = String::new();
        for _ in 0..ATTEMPTS {
            let recorded: Vec<Line> = lines(&self.recorded(binary), &is_different);
            if recorded == played {
                return Ok(());
            }
            difference = normal::difference(&recorded, &played);
        }
        Err(difference.into())
    }

    /// What the real program writes.
    fn recorded(&self, binary: &Path) -> Vec<Value> {
        let scene = format!("same-{}-{}-{}", self.command, self.name, self.version);
        let out = folder(&scene);
        let mut command = program(&["record", "--no-hooks", "--out"]);
        command.arg(out.join("run")).arg("--codex").arg(binary);
        command.arg("--script").arg(&self.script);
        command.env("XDG_CACHE_HOME", out.join("cache"));
        match self.command {
            "exec" => command.args([
                "--",
                "exec",
                "--json",
                "--skip-git-repo-check",
                "--dangerously-bypass-approvals-and-sandbox",
                PROMPT,
            ]),
            _ => {
                for _ in &self.script().turns {
                    command.args(["--prompt", PROMPT]);
                }
                command.args(["--", "app-server"])
            }
        };
        let child = command.stdin(Stdio::null()).spawn().unwrap();
        if self.command == "exec" && self.hangs() {
            let run = out.join("run/run.jsonl");
            let text = || fs::read_to_string(&run).unwrap_or_default();
            until("the model hangs", || text().contains("reasoning"));
            // Only a signal ends it.
            let process = child.id().to_string();
            Command::new("kill")
                .args(["-INT", &process])
                .status()
                .unwrap();
        }
        let output = output(child);
        let errors = String::from_utf8_lossy(&output.stderr);
        let code = output.status.code().unwrap();
        assert!(code < 2 || self.hangs(), "{code}: {errors}");
        let records = records(&out.join("run/run.jsonl"));
        let codex = records.iter().filter(|record| record["from"] == "codex");
        codex
            .map(|record| serde_json::from_str(record["line"].as_str().unwrap()).unwrap())
            .collect()
    }

    fn script(&self) -> Script {
        Script::parse(&fs::read_to_string(&self.script).unwrap()).unwrap()
    }

    fn hangs(&self) -> bool {
        self.name == "hang"
    }

    /// What the stand-in writes.
    fn played(&self) -> Vec<Value> {
        let (script, settings) = (self.script(), script::Settings::default());
        if self.command == "exec" {
            let run = ExecRun::new().prompt(PROMPT);
            let play = script::exec(&script, self.release(), &run, &settings).unwrap();
            return play
                .lines()
                .map(|(_, line)| serde_json::from_slice(&line).unwrap())
                .collect();
        }
        let text = fs::read_to_string(&self.script).unwrap();
        let turns = script.turns.len();
        let prompts = vec![PROMPT.to_owned(); turns];
        let mut talk = Talk::new(self.release(), settings.cwd.clone().into(), prompts);
        talk.is_asked = text.contains("approval = true");
        talk.interrupts = vec![self.hangs(); turns];
        talk.planning_model = text
            .contains("ask = ")
            .then(|| Configuration::new(self.release(), 0).model().to_owned());
        let server = AppServer::new(script, self.release(), settings).unwrap();
        talk_to(server, &talk)
    }
}

/// What a played server writes to a client that has this to say.
fn talk_to(mut server: AppServer, talk: &Talk) -> Vec<Value> {
    let (from_client, to_server) = io::pipe().unwrap();
    let (from_server, mut to_client) = io::pipe().unwrap();
    let server = thread::spawn(move || {
        let mut written = Vec::new();
        for line in BufReader::new(from_client).lines() {
            for line in server.receive(&line.unwrap()) {
                writeln!(to_client, "{line}").unwrap();
                written.push(serde_json::from_str(&line).unwrap());
            }
        }
        written
    });
    let mut client = Client::of(from_server, to_server);
    converse(&mut client, talk).unwrap();
    drop(client);
    server.join().unwrap()
}
