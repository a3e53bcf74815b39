//! Scenes of `codex exec --json`.

use std::io::{self, BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use codex_wire_base::Release;
use serde_json::{Value, json};

use super::scene::{Recording, Scene};
use crate::{Answer, End, Home, Item, Model};

/// Longer than a run takes on a machine that has other things to do.
const PATIENCE: Duration = Duration::from_secs(90);

/// Commands run as they are.
const FREE: &str = "--dangerously-bypass-approvals-and-sandbox";

/// What the model says, and the runs it says it to.
#[derive(Debug)]
struct Script {
    answers: Vec<Answer>,
    runs: Vec<Run>,
    /// Whether there is a tool server.
    has_server: bool,
}

/// One call of `codex exec`.
#[derive(Debug)]
struct Run {
    args: &'static [&'static str],
    /// It is interrupted once a line with this text came.
    until: Option<&'static str>,
}

/// A scene: its name, and what makes its script.
type Listed = (&'static str, fn() -> Script);

pub(super) fn scenes() -> impl Iterator<Item = Scene> {
    let scenes: [Listed; 19] = [
        ("message", || once([said("Hello there.")])),
        ("commands", commands),
        ("command_fails", || {
            once([command("echo no >&2; exit 3"), said("It failed.")])
        }),
        ("command_is_missing", || {
            once([command("no-such-program --at-all"), said("There is none.")])
        }),
        ("long_output", || {
            once([command("seq 1 4000"), said("Counted.")])
        }),
        ("patch", || once([Answer::patch(PATCH), said("Changed.")])),
        ("patch_fails", || {
            once([Answer::patch(WRONG_PATCH), said("It does not fit.")])
        }),
        ("reasoning", reasoning),
        ("plan", plan),
        ("web_search", web_search),
        ("unknown_tool", unknown_tool),
        ("tool_server", tool_server),
        ("sandboxed", || Script {
            answers: vec![command("touch /forbidden.txt"), said("Not allowed.")],
            runs: vec![run(&["--sandbox", "read-only", PROMPT])],
            has_server: false,
        }),
        ("refused", || {
            once([Answer::new([]).ending(End::refused(400, "invalid_request_error", "No."))])
        }),
        ("failed", || {
            once([said("I be").ending(End::failed("server_error", "Something broke."))])
        }),
        ("dropped", || {
            once([0; 3].map(|_| said("The line is about to").ending(End::Dropped)))
        }),
        ("dropped_once", || {
            once([
                said("The line is about to").ending(End::Dropped),
                said("Here again."),
            ])
        }),
        ("interrupted", interrupted),
        ("resumed", resumed),
    ];
    scenes.into_iter().map(|(name, script)| Scene {
        name,
        protocol: "exec",
        since: None,
        play: Box::new(move |name, program, release, root| {
            play(name, script(), program, release, root)
        }),
    })
}

/// Stands for the thread of the run before.
const THREAD: &str = "{thread}";

const PROMPT: &str = "Do the recorded thing.";

const PATCH: &str = "*** Begin Patch\n*** Add File: notes.txt\n+one\n+two\n*** Update File: README.md\n\
                     @@\n-first line\n+first line, changed\n*** End Patch";

const WRONG_PATCH: &str = "*** Begin Patch\n*** Update File: README.md\n@@\n-no such line\n+another\n\
                           *** End Patch";

fn said(text: &str) -> Answer {
    Answer::message(text)
}

fn command(text: &str) -> Answer {
    Answer::command(text)
}

fn run(args: &'static [&'static str]) -> Run {
    Run { args, until: None }
}

/// One run in which everything is allowed.
fn once(answers: impl IntoIterator<Item = Answer>) -> Script {
    Script {
        answers: answers.into_iter().collect(),
        runs: vec![run(&[FREE, PROMPT])],
        has_server: false,
    }
}

/// Several at once, then another.
fn commands() -> Script {
    let both = [
        Item::Command("echo one".into()),
        Item::Command("ls README.md".into()),
    ];
    once([
        Answer::new(both),
        Answer::new([
            Item::Message("One more.".into()),
            Item::Command("printf 'a\\tb'; cat README.md".into()),
        ]),
        said("Done."),
    ])
}

fn reasoning() -> Script {
    once([
        Answer::new([
            Item::Reasoning(vec!["**Looking around**\n\nThere is a file.".into()]),
            Item::Command("true".into()),
        ]),
        Answer::new([
            Item::Reasoning(vec!["**Summing up**\n\nNothing is wrong.".into()]),
            Item::Message("Nothing is wrong — “really”.\n".into()),
        ]),
    ])
}

fn plan() -> Script {
    let plan = |first: &str, second: &str| {
        let steps = json!([{"step": "Look", "status": first}, {"step": "Act", "status": second}]);
        Answer::new([Item::Call("update_plan".into(), json!({"plan": steps}))])
    };
    once([
        plan("in_progress", "pending"),
        plan("completed", "in_progress"),
        said("Planned."),
    ])
}

fn web_search() -> Script {
    let search = Item::Search("recordings".into());
    once([Answer::new([search, Item::Message("Found.".into())])])
}

fn unknown_tool() -> Script {
    once([
        Answer::new([Item::Call("no_such_tool".into(), json!({"a": 1}))]),
        said("There is no such tool."),
    ])
}

fn tool_server() -> Script {
    let call = |tool| Answer::new([Item::tiny(tool, json!({"text": "a"}))]);
    Script {
        has_server: true,
        ..once([call("echo"), call("fail"), said("Called.")])
    }
}

/// While the model speaks, and while a command runs.
fn interrupted() -> Script {
    let run = |until| Run {
        args: &[FREE, PROMPT],
        until: Some(until),
    };
    Script {
        answers: vec![
            said("Wait for it").ending(End::Stalled),
            command("sleep 30"),
            said("The scene waits for nothing."),
        ],
        runs: vec![run("turn.started"), run("command_execution")],
        has_server: false,
    }
}

fn resumed() -> Script {
    Script {
        answers: vec![
            command("echo first"),
            said("First."),
            said("Second."),
            command("echo third"),
            said("Third."),
        ],
        runs: vec![
            run(&[FREE, PROMPT]),
            run(&[FREE, "resume", THREAD, "Go on."]),
            run(&[FREE, "resume", THREAD, "And on."]),
        ],
        has_server: false,
    }
}

fn play(
    name: &str,
    script: Script,
    program: &Path,
    release: Release,
    root: &Path,
) -> io::Result<Vec<Recording>> {
    let model = Model::new(script.answers)?;
    let mut home = Home::new(root, release, model.port())?;
    if script.has_server {
        home.add_server()?;
    }
    let several = script.runs.len() > 1;
    let mut out = Vec::new();
    let mut thread = String::new();
    for (index, run) in script.runs.iter().enumerate() {
        let mut command = Command::new(program);
        command.args(["exec", "--json", "--skip-git-repo-check"]);
        let args = run.args.iter();
        command.args(args.map(|arg| if *arg == THREAD { &thread } else { *arg }));
        let (bytes, complaint) = perform(home.furnish(&mut command), run.until)?;
        thread = thread_of(&bytes).unwrap_or_default();
        let name = match several {
            true => format!("{name}_{}", index + 1),
            false => name.to_owned(),
        };
        out.push(Recording {
            name,
            bytes,
            complaint,
        });
    }
    Ok(out)
}

/// The thread that a stream begins with.
fn thread_of(stream: &[u8]) -> Option<String> {
    let line = stream.split(|byte| *byte == b'\n').next()?;
    let first: Value = serde_json::from_slice(line).ok()?;
    first["thread_id"].as_str().map(str::to_owned)
}

/// Runs a command to its end, interrupting it once a line has that text.
fn perform(
    command: &mut Command,
    mut until: Option<&str>,
) -> io::Result<(Vec<u8>, Option<String>)> {
    let quiet = command.stdin(Stdio::null()).stderr(Stdio::null());
    let mut child = quiet.stdout(Stdio::piped()).spawn()?;
    let (sender, lines) = mpsc::channel();
    if let Some(output) = child.stdout.take() {
        let mut output = BufReader::new(output);
        thread::spawn(move || {
            let mut line = Vec::new();
            while output
                .read_until(b'\n', &mut line)
                .is_ok_and(|read| read > 0)
            {
                if sender.send(std::mem::take(&mut line)).is_err() {
                    break;
                }
            }
        });
    }
    let (mut bytes, mut complaint) = (Vec::new(), None);
    let end = Instant::now() + PATIENCE;
    loop {
        match lines.recv_timeout(end.saturating_duration_since(Instant::now())) {
            Ok(line) => {
                bytes.extend_from_slice(&line);
                let text = String::from_utf8_lossy(&line);
                if until.is_some_and(|until| text.contains(until)) {
                    until = None;
                    // What comes at once is let through: a delta, the start of a command.
                    thread::sleep(Duration::from_millis(500));
                    interrupt(child.id())?;
                }
            }
            Err(RecvTimeoutError::Disconnected) => break,
            Err(RecvTimeoutError::Timeout) => {
                complaint = Some("it does not end".to_owned());
                child.kill()?;
                break;
            }
        }
    }
    child.wait()?;
    if let Some(until) = until {
        complaint = Some(format!("no line has `{until}`"));
    }
    Ok((bytes, complaint))
}

/// As a terminal does it.
fn interrupt(process: u32) -> io::Result<()> {
    let process = process.to_string();
    Command::new("kill")
        .args(["-INT", &process])
        .status()
        .map(drop)
}
