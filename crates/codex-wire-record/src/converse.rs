//! A client of `codex app-server` that has prompts to send, and accepts whatever Codex asks.

use std::io;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use codex_wire_base::Release;
use serde_json::{Value, json};

use crate::client::Client;
use crate::requests;

/// Longer than Codex takes on a machine that has other things to do.
const PATIENCE: Duration = Duration::from_secs(120);

/// How long nothing comes before a turn that hangs is interrupted.
const QUIET: Duration = Duration::from_millis(1500);

/// What a client has to say.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Talk {
    /// The release of Codex.
    pub release: Release,
    /// The working directory of the thread.
    pub cwd: PathBuf,
    /// The prompts. Each starts a turn of one thread.
    pub prompts: Vec<String>,
    /// Whether Codex asks before it runs commands or changes files.
    pub is_asked: bool,
    /// The turns that are interrupted when nothing comes any more.
    pub interrupts: Vec<bool>,
    /// The model of the turns in which the model asks the user: it may ask while it plans.
    pub planning_model: Option<String>,
}

impl Talk {
    /// Prompts, while Codex asks nothing and is not interrupted.
    pub fn new(release: Release, cwd: PathBuf, prompts: Vec<String>) -> Self {
        Talk {
            release,
            cwd,
            prompts,
            is_asked: false,
            interrupts: Vec::new(),
            planning_model: None,
        }
    }
}

/// Says it to a server: a thread is started, and the turns are waited for.
///
/// # Errors
/// If the server does not answer, or refuses a request.
pub fn converse(client: &mut Client, talk: &Talk) -> io::Result<()> {
    let release = talk.release;
    ask(client, "initialize", requests::initialize(release))?;
    client.send(&json!({"method": "initialized"}))?;
    let approval = if talk.is_asked { "untrusted" } else { "never" };
    let params = requests::thread_start(release, &talk.cwd, approval, "danger-full-access");
    let started = ask(client, "thread/start", params)?;
    let thread = &started["thread"]["id"];
    for (index, prompt) in talk.prompts.iter().enumerate() {
        let mut params = json!({"threadId": thread, "input": requests::input(release, prompt)});
        if let Some(model) = &talk.planning_model {
            let settings = json!({"model": model, "reasoning_effort": null,
                                  "developer_instructions": null});
            params["collaborationMode"] = json!({"mode": "plan", "settings": settings});
        }
        let started = ask(client, "turn/start", params)?;
        let interrupted = talk.interrupts.get(index).copied().unwrap_or_default();
        let interrupt = json!({"threadId": thread, "turnId": started["turn"]["id"]});
        turn(client, release, thread, interrupted.then_some(interrupt))?;
    }
    // What comes behind the end of a turn is part of it.
    let until = Instant::now() + Duration::from_millis(300);
    while client
        .next(until.saturating_duration_since(Instant::now()))
        .is_ok()
    {}
    Ok(())
}

/// Waits for the end of a turn, and accepts what is asked. If the turn is to be interrupted, it is when
/// nothing comes any more.
fn turn(
    client: &mut Client,
    release: Release,
    thread: &Value,
    mut interrupt: Option<Value>,
) -> io::Result<()> {
    let ends = requests::turn_ends(release);
    loop {
        let most = if interrupt.is_some() { QUIET } else { PATIENCE };
        let message = match client.next(most) {
            Ok(message) => message,
            Err(error) => match interrupt.take() {
                Some(params) => {
                    ask(client, "turn/interrupt", params)?;
                    continue;
                }
                None => return Err(error),
            },
        };
        let Some(method) = message["method"].as_str() else {
            continue;
        };
        if message.get("id").is_some() {
            client.send(&answer(method, &message))?;
            continue;
        }
        // Old releases do not name the thread. Other agents have threads of their own.
        let its = &message["params"]["threadId"];
        if ends.contains(&method) && (its.is_null() || its == thread) {
            return Ok(());
        }
    }
}

/// A request that has to succeed.
fn ask(client: &mut Client, method: &str, params: Value) -> io::Result<Value> {
    let mut response = client.request(method, params, PATIENCE)?;
    match response.get("error") {
        Some(error) => Err(io::Error::other(format!("Codex refuses {method}: {error}"))),
        None => Ok(response["result"].take()),
    }
}

/// Yes to everything. A question is answered with its first option.
pub(crate) fn answer(method: &str, message: &Value) -> Value {
    let result = match method {
        "execCommandApproval" | "applyPatchApproval" => json!({"decision": "approved"}),
        "item/tool/requestUserInput" => {
            let questions = message["params"]["questions"].as_array();
            let answers = questions.into_iter().flatten().filter_map(|question| {
                let first = question["options"][0]["label"].as_str().unwrap_or("yes");
                Some((
                    question["id"].as_str()?.to_owned(),
                    json!({"answers": [first]}),
                ))
            });
            json!({"answers": answers.collect::<serde_json::Map<_, _>>()})
        }
        "mcpServer/elicitation/request" => json!({"action": "accept", "content": {}}),
        method if method.ends_with("/requestApproval") => json!({"decision": "accept"}),
        _ => {
            let error = json!({"code": -32601, "message": "this client cannot do that"});
            return json!({"id": message["id"], "error": error});
        }
    };
    json!({"id": message["id"], "result": result})
}
