//! Uses codex-codes as a project would, and prints what it shows: one JSON object a line.
//!
//! Arguments: the scenario, the path of `codex`, and the working directory of the agent.

use std::error::Error;
use std::io::{BufRead, BufReader, ErrorKind};
use std::process::{Command, ExitCode, Stdio};

use codex_codes::{
    AppServerBuilder, CommandExecutionApprovalDecision, CommandExecutionRequestApprovalResponse,
    Notification, ServerMessage, ServerRequest, SyncClient, ThreadEvent, TurnInterruptParams,
};
use serde_json::{Value, json};

const PROMPT: &str = "Do the recorded thing.";

type Done = Result<(), Box<dyn Error>>;

struct Arguments {
    codex: String,
    project: String,
}

fn main() -> ExitCode {
    let mut words = std::env::args().skip(1);
    let mut next = || words.next().unwrap_or_default();
    let scenario = next();
    let arguments = Arguments {
        codex: next(),
        project: next(),
    };
    let accept = CommandExecutionApprovalDecision::Accept;
    let done = match scenario.as_str() {
        "exec" | "exec_everything" | "exec_failed" => exec(&arguments),
        "turn" | "everything" | "failed" => turn(&arguments, "never", None),
        "approved" => turn(&arguments, "untrusted", Some(accept)),
        "declined" => {
            let decline = CommandExecutionApprovalDecision::Decline;
            turn(&arguments, "untrusted", Some(decline))
        }
        "interrupted" => interrupted(&arguments),
        other => Err(format!("no scenario {other}").into()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Whether the client finds out by writing or by reading is left to chance.
            let is_gone = match error.downcast_ref::<codex_codes::Error>() {
                Some(codex_codes::Error::Io(error)) => error.kind() == ErrorKind::BrokenPipe,
                Some(codex_codes::Error::ServerClosed) => true,
                _ => false,
            };
            match is_gone {
                true => show("error", json!("Codex has exited")),
                false => show("error", json!(error.to_string())),
            }
            ExitCode::FAILURE
        }
    }
}

fn show(what: &str, value: Value) {
    println!("{}", json!({ what: value }));
}

/// Starts `codex exec`, and reads each line as an event.
fn exec(arguments: &Arguments) -> Done {
    let mut child = Command::new(&arguments.codex)
        .args(["exec", "--json", "--skip-git-repo-check"])
        .args(["--dangerously-bypass-approvals-and-sandbox", PROMPT])
        .current_dir(&arguments.project)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()?;
    let Some(out) = child.stdout.take() else {
        return Err("no output".into());
    };
    for line in BufReader::new(out).lines() {
        let line = line?;
        match serde_json::from_str::<ThreadEvent>(&line) {
            Ok(event) => show("event", serde_json::to_value(event)?),
            Err(error) => show("refused", json!({"error": error.to_string(), "line": line})),
        }
    }
    show("exit", json!(child.wait()?.code()));
    Ok(())
}

/// Starts an app-server, a thread and a turn. Returns the client, the thread and the turn.
fn begin(
    arguments: &Arguments,
    policy: &str,
) -> Result<(SyncClient, String, String), Box<dyn Error>> {
    let builder = AppServerBuilder::new()
        .command(&arguments.codex)
        .working_directory(&arguments.project);
    let mut client = SyncClient::start_with(builder)?;
    let params = json!({
        "cwd": arguments.project, "approvalPolicy": policy, "sandbox": "danger-full-access",
    });
    let thread = client.thread_start(&serde_json::from_value(params)?)?;
    let thread = thread.thread.id.as_str().to_owned();
    show("thread", json!(thread));
    let params = json!({"threadId": thread, "input": [{"type": "text", "text": PROMPT}]});
    let turn = client.turn_start(&serde_json::from_value(params)?)?;
    Ok((client, thread, turn.turn.id))
}

/// Shows a turn to its end, and decides what Codex asks.
fn turn(
    arguments: &Arguments,
    policy: &str,
    decision: Option<CommandExecutionApprovalDecision>,
) -> Done {
    let (mut client, _, _) = begin(arguments, policy)?;
    while let Some(message) = client.next_message()? {
        match message {
            ServerMessage::Notification(notification) => {
                if show_notification(&notification)? {
                    return Ok(());
                }
            }
            ServerMessage::Request { id, request } => {
                let (ServerRequest::CmdExecApproval(params), Some(decision)) =
                    (&request, &decision)
                else {
                    return Err(format!("{} was asked", request.method()).into());
                };
                show("asked", serde_json::to_value(params)?);
                let decision = decision.clone();
                client.respond(id, &CommandExecutionRequestApprovalResponse { decision })?;
            }
        }
    }
    Err("the turn does not end".into())
}

/// Interrupts a turn while its message comes.
fn interrupted(arguments: &Arguments) -> Done {
    let (mut client, thread_id, turn_id) = begin(arguments, "never")?;
    let mut is_first = true;
    while let Some(message) = client.next_message()? {
        let ServerMessage::Notification(notification) = message else {
            return Err("something was asked".into());
        };
        if show_notification(&notification)? {
            return Ok(());
        }
        if is_first && matches!(notification, Notification::AgentMessageDelta(_)) {
            is_first = false;
            client.turn_interrupt(&TurnInterruptParams {
                thread_id: thread_id.clone(),
                turn_id: turn_id.clone(),
            })?;
        }
    }
    Err("the turn does not end".into())
}

/// Shows what a notification says of the turn. Returns whether the turn is at its end.
fn show_notification(notification: &Notification) -> Result<bool, Box<dyn Error>> {
    let payload = match notification {
        Notification::AgentMessageDelta(delta) => json!(delta.delta),
        Notification::ItemStarted(started) => serde_json::to_value(&started.item)?,
        Notification::ItemCompleted(completed) => serde_json::to_value(&completed.item)?,
        Notification::TurnCompleted(completed) => serde_json::to_value(&completed.turn)?,
        Notification::Error(error) => serde_json::to_value(error)?,
        _ => Value::Null,
    };
    show(
        "event",
        json!({"method": notification.method(), "payload": payload}),
    );
    Ok(matches!(notification, Notification::TurnCompleted(_)))
}
