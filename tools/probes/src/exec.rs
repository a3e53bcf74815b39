//! Asks a release how `codex exec` takes its command line, and how it ends.

use std::fs;
use std::io::{self, BufRead as _, BufReader, Read as _};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use codex_wire_base::Release;
use codex_wire_record::{Answer, End, Home, Model};
use serde_json::Value;

use crate::server::Subject;

/// Longer than a run takes on a machine that has other things to do.
const PATIENCE: Duration = Duration::from_secs(60);

const POLL: Duration = Duration::from_millis(5);

/// The first release with the current stream under `--json`. 0.42.0 has it under another name.
const HAS_JSON: Release = Release::new(0, 43, 0);

/// The first release with the current stream.
pub const FIRST: Release = Release::new(0, 42, 0);

/// A run of `codex exec`.
#[derive(Clone, Copy, Debug)]
pub struct Run {
    /// What it is about.
    pub about: &'static str,
    /// What is tried, where the command line does not say it.
    pub put: &'static str,
    /// The arguments after `codex exec --json --skip-git-repo-check`, separated by blanks.
    arguments: &'static str,
    /// The text of the file `schema.json`, if there is one.
    schema: Option<&'static str>,
    model: Says,
    signal: Option<&'static str>,
}

/// What the model does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Says {
    Message,
    Refusal,
    Failure,
    Nothing,
}

const fn run(about: &'static str, arguments: &'static str) -> Run {
    Run {
        about,
        put: "run",
        arguments,
        schema: None,
        model: Says::Message,
        signal: None,
    }
}

const fn schema(text: &'static str) -> Run {
    Run {
        put: text,
        schema: Some(text),
        ..run("--output-schema", "--output-schema schema.json x")
    }
}

const fn model(put: &'static str, model: Says) -> Run {
    Run {
        put,
        model,
        ..run("the model", "x")
    }
}

const fn signal(signal: &'static str) -> Run {
    Run {
        about: "a signal while the model answers",
        put: signal,
        signal: Some(signal),
        ..model("", Says::Nothing)
    }
}

/// All runs.
pub const RUNS: &[Run] = &[
    model("a message", Says::Message),
    model("HTTP status 400", Says::Refusal),
    model("response.failed", Says::Failure),
    signal("INT"),
    signal("TERM"),
    run("--output-schema", "--output-schema missing.json x"),
    schema("{"),
    schema("5"),
    schema("[]"),
    schema("{}"),
    schema(
        r#"{"type":"object","properties":{"a":{"type":"integer"}},"required":["a"],"additionalProperties":false}"#,
    ),
    schema(r#"{"type":"walrus"}"#),
    run("a prompt", ""),
    run("a prompt", "-"),
    run("resume", "resume 00000000-0000-7000-8000-000000000000 x"),
    run("resume", "resume walrus x"),
    run("resume", "resume --last x"),
    run("settings", "-c walrus=1 x"),
    run("settings", "-c model_reasoning_effort=walrus x"),
    run("settings", "-c sandbox_mode=walrus x"),
    run("settings", "-c approval_policy=walrus x"),
    run("settings", "-c approval_policy=on-failure x"),
    run("settings", "-c model_provider=walrus x"),
    run("settings", "--strict-config -c walrus=1 x"),
];

impl Run {
    /// The command line with which a release is started.
    pub fn command_line(&self, release: Release) -> String {
        let json = match release >= HAS_JSON {
            true => "--json",
            false => "--experimental-json",
        };
        let line = format!("codex exec {json} --skip-git-repo-check {}", self.arguments);
        line.trim_end().to_owned()
    }
}

impl Subject<'_> {
    /// How a run ends, and what it prints: `exit 1, turn.started turn.failed, "Error: …"`.
    ///
    /// # Errors
    /// When a folder cannot be written, or the program not started.
    pub fn exec_outcome(&self, run: &Run) -> io::Result<String> {
        let model = run.model.listen()?;
        let home = Home::new(self.stage, self.release, model.port())?;
        if let Some(text) = run.schema {
            fs::write(home.project().join("schema.json"), text)?;
        }
        let mut command = Command::new(self.program);
        let line = run.command_line(self.release);
        command.args(line.split(' ').skip(1));
        command.stdin(Stdio::null());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = home.furnish(&mut command).spawn()?;
        let (status, stdout, stderr) = follow(&mut child, run.signal, &model)?;
        let mut text = ending(status);
        if run.signal.is_some() {
            // What it still writes is a matter of time.
            return Ok(text);
        }
        let kinds = kinds(&stdout);
        if !kinds.is_empty() {
            text += &format!(", {kinds}");
        } else if let Some(complaint) = complaint(&stderr) {
            text += &format!(", {}", Value::from(complaint));
        }
        if run.schema.is_some()
            && let Some(request) = model.requests().first()
        {
            text += &format!(", asks for {}", request["text"]["format"]["schema"]);
        }
        let stage = self.stage.to_string_lossy();
        let port = format!(":{}", model.port());
        Ok(text.replace(&*stage, "/stage").replace(&port, ":PORT"))
    }
}

impl Says {
    fn listen(self) -> io::Result<Model> {
        // Codex tries again; the model says the same again.
        let answer = match self {
            Says::Message => return Model::new([Answer::message("Done.")]),
            Says::Refusal => {
                Answer::new([]).ending(End::refused(400, "invalid_request_error", "No."))
            }
            Says::Failure => Answer::new([]).ending(End::failed("server_error", "Broken.")),
            Says::Nothing => Answer::message("Wait for it").ending(End::Stalled),
        };
        Model::new(vec![answer; 8])
    }
}

/// Follows a process to its end. It gets the signal once it waits for the model.
fn follow(
    child: &mut Child,
    signal: Option<&str>,
    model: &Model,
) -> io::Result<(ExitStatus, String, String)> {
    let (sender, lines) = mpsc::channel();
    let stdout = child.stdout.take();
    let reader = thread::spawn(move || {
        let mut all = String::new();
        for line in stdout
            .into_iter()
            .flat_map(|out| BufReader::new(out).lines())
        {
            let Ok(line) = line else { break };
            all += &line;
            all.push('\n');
            // Nobody may be waiting for it.
            let _ = sender.send(line);
        }
        all
    });
    let stderr = child.stderr.take();
    let errors = thread::spawn(move || {
        let mut all = Vec::new();
        if let Some(mut stderr) = stderr {
            // What was read before counts.
            let _ = stderr.read_to_end(&mut all);
        }
        String::from_utf8_lossy(&all).into_owned()
    });
    let until = Instant::now() + PATIENCE;
    let left = || until.saturating_duration_since(Instant::now());
    if let Some(signal) = signal {
        while let Ok(line) = lines.recv_timeout(left()) {
            // 0.42.0 says nothing of turns.
            if line.contains("turn.started") || line.contains("session.created") {
                break;
            }
        }
        while model.requests().is_empty() && !left().is_zero() {
            thread::sleep(POLL);
        }
        send(signal, child.id())?;
    }
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if left().is_zero() {
            child.kill()?;
            break child.wait()?;
        }
        thread::sleep(POLL);
    };
    Ok((
        status,
        reader.join().unwrap_or_default(),
        errors.join().unwrap_or_default(),
    ))
}

fn send(signal: &str, process: u32) -> io::Result<()> {
    let mut command = Command::new("kill");
    command.args([format!("-{signal}"), process.to_string()]);
    command.status().map(drop)
}

fn ending(status: ExitStatus) -> String {
    #[cfg(unix)]
    {
        use std::os::unix::process::ExitStatusExt as _;
        if let Some(signal) = status.signal() {
            return format!("signal {signal}");
        }
    }
    match status.code() {
        Some(code) => format!("exit {code}"),
        None => "no exit status".to_owned(),
    }
}

/// The types of the lines, each once where several follow each other.
fn kinds(stdout: &str) -> String {
    let kinds = stdout.lines().map(|line| {
        let line: Value = serde_json::from_str(line).unwrap_or_default();
        line["type"].as_str().unwrap_or("?").to_owned()
    });
    let mut kinds: Vec<String> = kinds.collect();
    kinds.dedup();
    kinds.join(" ")
}

/// The line of standard error that says why no stream begins: the first with an error, else the last. The
/// time of a line is left out.
fn complaint(stderr: &str) -> Option<&str> {
    let is_error = |line: &&str| line.to_ascii_lowercase().contains("error");
    let last = || stderr.lines().rfind(|line| !line.trim().is_empty());
    let line = stderr.lines().find(is_error).or_else(last)?;
    match line.split_once(' ') {
        Some((time, rest)) if time.starts_with("20") && time.ends_with('Z') => Some(rest),
        _ => Some(line),
    }
}
