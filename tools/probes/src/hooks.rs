//! Asks a release what it makes of outputs of hooks.
//!
//! All outputs for an event are tried at once: Codex runs all hooks of an event, and says of each what it
//! made of its output, in `hook/completed`.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::io;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use codex_wire_base::Release;
use codex_wire_record::{Answer, Client, Dialogue, End, Home, Item, Model};
use serde_json::{Value, json};

use crate::server::Subject;
use crate::walk::STRANGER;

/// Longer than Codex takes on a machine that has other things to do.
const PATIENCE: Duration = Duration::from_secs(60);

/// How long a hook may take, in seconds.
const TIMEOUT: u32 = 30;

/// Prints what it is told, after it has read its input.
const SCRIPT: &str = "\
cat > /dev/null
cd \"$(dirname \"$0\")\"
cat \"$1.out\"
cat \"$1.err\" >&2
exit \"$(cat \"$1.exit\")\"
";

/// An event of hooks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// Its name.
    pub name: &'static str,
    /// The first release that has it.
    pub since: Release,
    cause: Cause,
}

/// What makes an event happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cause {
    /// A turn.
    Turn,
    /// A turn with a command.
    Command,
    /// A turn with a command that Codex asks about.
    Question,
    /// The history is compacted.
    Compaction,
    /// A turn with another agent.
    Agent,
    /// A turn that is interrupted.
    Interrupt,
    /// The thread ends.
    End,
}

const fn event(name: &'static str, minor: u32, cause: Cause) -> Event {
    Event {
        name,
        since: Release::new(0, minor, 0),
        cause,
    }
}

/// All events.
pub const EVENTS: &[Event] = &[
    event("SessionStart", 114, Cause::Turn),
    event("UserPromptSubmit", 116, Cause::Turn),
    event("PreToolUse", 117, Cause::Command),
    event("PermissionRequest", 122, Cause::Question),
    event("PostToolUse", 117, Cause::Command),
    event("PreCompact", 129, Cause::Compaction),
    event("PostCompact", 129, Cause::Compaction),
    event("SubagentStart", 133, Cause::Agent),
    event("SubagentStop", 133, Cause::Agent),
    event("Stop", 114, Cause::Turn),
    event("Interrupt", 150, Cause::Interrupt),
    event("SessionEnd", 145, Cause::End),
];

/// What a hook prints, and how it ends.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Output {
    /// Its standard output.
    pub stdout: String,
    /// Its standard error.
    pub stderr: String,
    /// Its exit status.
    pub exit: i32,
}

impl Output {
    /// How the hook ends, and what it prints as an error: `exit 2, stderr "no"`.
    pub fn ending(&self) -> String {
        match self.stderr.is_empty() {
            true => format!("exit {}", self.exit),
            false => format!("exit {}, stderr {}", self.exit, Value::from(&*self.stderr)),
        }
    }
}

impl Output {
    /// Reads how a hook ends, and what it prints, as the log has it.
    ///
    /// # Errors
    /// In words, when the texts are malformed.
    pub fn parse(ending: &str, stdout: &str) -> Result<Self, String> {
        let fault = || format!("`{ending}` with `{stdout}` is not an output of a hook");
        let text = |json: &str| serde_json::from_str(json).map_err(|_| fault());
        let rest = ending.strip_prefix("exit ").ok_or_else(fault)?;
        let (exit, stderr) = match rest.split_once(", stderr ") {
            Some((exit, stderr)) => (exit, text(stderr)?),
            None => (rest, String::new()),
        };
        Ok(Output {
            stdout: text(stdout)?,
            stderr,
            exit: exit.parse().map_err(|_| fault())?,
        })
    }
}

impl Event {
    /// The outputs that are tried: those in `tried`, and each member that an output of any event has, with
    /// values of each kind.
    pub fn outputs(self, tried: &[Output]) -> Vec<Output> {
        let mut out = tried.to_vec();
        let all = members(self.name).into_iter().map(|value| Output {
            stdout: value.to_string(),
            stderr: String::new(),
            exit: 0,
        });
        out.extend(all);
        let mut seen = HashSet::new();
        out.retain(|output| seen.insert(output.clone()));
        out
    }
}

/// Members of outputs, and a value that is right for each.
fn members(event: &str) -> Vec<Value> {
    let top = [
        ("continue", json!(true)),
        ("decision", json!("block")),
        ("decision", json!("approve")),
        ("hookSpecificOutput", json!({"hookEventName": event})),
        ("reason", json!("x")),
        ("stopReason", json!("x")),
        ("suppressOutput", json!(false)),
        ("systemMessage", json!("x")),
        (STRANGER, json!(1)),
    ];
    let specific = [
        ("additionalContext", json!("x")),
        ("decision", json!({"behavior": "allow"})),
        ("hookEventName", json!("Walrus")),
        ("permissionDecision", json!("allow")),
        ("permissionDecision", json!("ask")),
        ("permissionDecision", json!("deny")),
        ("permissionDecisionReason", json!("x")),
        ("updatedInput", json!({"command": "true"})),
        ("updatedMCPToolOutput", json!("x")),
        (STRANGER, json!(1)),
    ];
    let decision = [
        ("behavior", json!("deny")),
        ("interrupt", json!(false)),
        ("message", json!("x")),
        ("updatedInput", json!({"command": "true"})),
        ("updatedPermissions", json!([])),
        (STRANGER, json!(1)),
    ];
    let mut out = Vec::new();
    for (name, value) in top {
        out.extend(kinds(value).map(|value| json!({ name: value })));
    }
    for (name, value) in specific {
        out.extend(kinds(value).map(|value| {
            let mut specific = json!({"hookEventName": event});
            specific[name] = value;
            json!({"hookSpecificOutput": specific})
        }));
    }
    for (name, value) in decision {
        out.extend(kinds(value).map(|value| {
            let mut decision = json!({"behavior": "allow"});
            decision[name] = value;
            json!({"hookSpecificOutput": {"hookEventName": event, "decision": decision}})
        }));
    }
    out
}

/// A value, and one of each other kind.
fn kinds(value: Value) -> impl Iterator<Item = Value> {
    [value, Value::Null, json!(5), json!(STRANGER), json!({})].into_iter()
}

impl Subject<'_> {
    /// What the release makes of outputs for an event: `status`, and behind it the entries, each as
    /// `kind:text`. An output of which it says nothing is missing.
    ///
    /// # Errors
    /// When the program does not do what makes the event happen.
    pub fn hook_outcomes(
        &self,
        event: Event,
        outputs: &[Output],
    ) -> io::Result<BTreeMap<Output, String>> {
        let model = event.cause.model()?;
        let mut home = Home::new(self.stage, self.release, model.port())?;
        self.install(&mut home, event, outputs)?;
        home.trust_hooks(self.program)?;
        let mut command = Command::new(self.program);
        command.arg("app-server").stderr(Stdio::null());
        let mut client = Client::start(home.furnish(&mut command))?;
        event.cause.happen(&mut client, &home)?;
        let until = Instant::now() + PATIENCE;
        let mut out = BTreeMap::new();
        while out.len() < outputs.len() {
            let left = until.saturating_duration_since(Instant::now());
            let Ok(message) = client.next(left) else {
                break;
            };
            let run = &message["params"]["run"];
            if message["method"] != "hook/completed" || !is_of(&run["eventName"], event.name) {
                continue;
            }
            let Some(output) = run["displayOrder"]
                .as_u64()
                .and_then(|order| outputs.get(usize::try_from(order).ok()?))
            else {
                continue;
            };
            out.entry(output.clone()).or_insert_with(|| outcome(run));
        }
        Ok(out)
    }

    fn install(&self, home: &mut Home, event: Event, outputs: &[Output]) -> io::Result<()> {
        let folder = self.stage.join("hooks");
        fs::create_dir_all(&folder)?;
        let script = folder.join("hook.sh");
        fs::write(&script, SCRIPT)?;
        let mut hooks = Vec::new();
        for (index, output) in outputs.iter().enumerate() {
            for (extension, text) in [
                ("out", &output.stdout),
                ("err", &output.stderr),
                ("exit", &output.exit.to_string()),
            ] {
                fs::write(folder.join(format!("{index}.{extension}")), text)?;
            }
            let command = format!("/bin/sh {} {index}", script.display());
            hooks.push(json!({"type": "command", "command": command, "timeout": TIMEOUT}));
        }
        let text = json!({"hooks": {event.name: [{"hooks": hooks}]}}).to_string();
        fs::write(home.codex_home().join("hooks.json"), text)?;
        home.reconfigure(|configuration| {
            configuration.has_hooks = true;
            configuration.has_agents = event.cause == Cause::Agent;
        })
    }
}

/// Whether a name in `camelCase` is that of an event.
fn is_of(name: &Value, event: &str) -> bool {
    name.as_str()
        .is_some_and(|name| name.eq_ignore_ascii_case(event))
}

/// The status and the entries.
fn outcome(run: &Value) -> String {
    let mut text = run["status"].as_str().unwrap_or_default().to_owned();
    for (index, entry) in run["entries"].as_array().into_iter().flatten().enumerate() {
        text += if index == 0 { " " } else { "; " };
        text += entry["kind"].as_str().unwrap_or_default();
        text += ":";
        text += entry["text"].as_str().unwrap_or_default();
    }
    text.replace('\\', "\\\\").replace('\n', "\\n")
}

impl Cause {
    fn model(self) -> io::Result<Model> {
        let said = || Answer::message("Done.");
        Model::new(match self {
            Cause::Command => vec![Answer::command("true"), said()],
            Cause::Question => vec![Answer::command("touch asked.txt"), said()],
            Cause::Interrupt => vec![Answer::message("Wait for it").ending(End::Stalled)],
            Cause::Agent => {
                let spawn = Answer::new([Item::Spawn("Count them.".to_owned())]);
                let wait = Answer::new([Item::WaitForAgents]);
                let mut dialogue = Dialogue::new([vec![spawn, wait, said()]]);
                dialogue.add_agent("Count them.", Answer::message("Three."));
                return Model::of_dialogue(dialogue);
            }
            Cause::Turn | Cause::Compaction | Cause::End => vec![said()],
        })
    }

    fn happen(self, client: &mut Client, home: &Home) -> io::Result<()> {
        let info = json!({"name": "probe", "title": "Probe", "version": "1.0.0"});
        let params = json!({"clientInfo": info, "capabilities": {"experimentalApi": true}});
        client.request("initialize", params, PATIENCE)?;
        client.send(&json!({"method": "initialized"}))?;
        let approval = match self {
            Cause::Question => "untrusted",
            _ => "never",
        };
        let params = json!({"cwd": home.project(), "approvalPolicy": approval,
                            "sandbox": "danger-full-access"});
        let started = client.request("thread/start", params, PATIENCE)?;
        let thread = &started["result"]["thread"]["id"];
        let input = json!([{"type": "text", "text": "Do the probed thing.", "text_elements": []}]);
        let params = json!({"threadId": thread, "input": input});
        let turn = client.request("turn/start", params, PATIENCE)?;
        match self {
            Cause::Compaction => {
                client.wait("turn/completed", PATIENCE)?;
                client.request(
                    "thread/compact/start",
                    json!({"threadId": thread}),
                    PATIENCE,
                )?;
            }
            Cause::Interrupt => {
                client.wait("item/started", PATIENCE)?;
                let params = json!({"threadId": thread, "turnId": turn["result"]["turn"]["id"]});
                client.request("turn/interrupt", params, PATIENCE)?;
            }
            Cause::End => {
                client.wait("turn/completed", PATIENCE)?;
                client.request("thread/archive", json!({"threadId": thread}), PATIENCE)?;
            }
            Cause::Turn | Cause::Command | Cause::Question | Cause::Agent => {}
        }
        Ok(())
    }
}
