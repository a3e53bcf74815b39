//! Uses codex-client-sdk as a project would, and prints what it shows: one JSON object a line.
//!
//! Arguments: the scenario, the path of `codex`, and the working directory of the agent.

use std::process::ExitCode;

use codex::{
    ApprovalMode, Codex, CodexOptions, Error, Result, SandboxMode, Thread, ThreadOptions,
};
use futures::StreamExt as _;
use serde_json::{Value, json};

const PROMPT: &str = "Do the recorded thing.";

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let mut words = std::env::args().skip(1);
    let mut next = || words.next().unwrap_or_default();
    let (scenario, path, project) = (next(), next(), next());
    match run(&scenario, &path, &project).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            show("error", json!(error.to_string()));
            ExitCode::FAILURE
        }
    }
}

async fn run(scenario: &str, path: &str, project: &str) -> Result<()> {
    let client = || {
        Codex::new(Some(CodexOptions {
            codex_path_override: Some(path.to_owned()),
            ..CodexOptions::default()
        }))
    };
    let options = ThreadOptions {
        working_directory: Some(project.to_owned()),
        skip_git_repo_check: Some(true),
        sandbox_mode: Some(SandboxMode::DangerFullAccess),
        approval_policy: Some(ApprovalMode::Never),
        ..ThreadOptions::default()
    };
    let thread = client()?.start_thread(Some(options.clone()));
    match scenario {
        "streamed" => {
            let mut events = thread.run_streamed(PROMPT, None).await?.events;
            while let Some(event) = events.next().await {
                show("event", plain(&event?)?);
            }
        }
        "resume" => {
            turn(&thread, PROMPT).await?;
            // A second program continues the thread, so it knows no more than the id.
            let id = thread.id().unwrap_or_default();
            turn(&client()?.resume_thread(id, Some(options)), "Go on.").await?;
        }
        _ => turn(&thread, PROMPT).await?,
    }
    Ok(())
}

async fn turn(thread: &Thread, prompt: &str) -> Result<()> {
    let turn = thread.run(prompt, None).await?;
    let shown = json!({
        "final_response": turn.final_response,
        "items": plain(&turn.items)?,
        "usage": plain(&turn.usage)?,
    });
    show("turn", shown);
    show("thread", json!(thread.id()));
    Ok(())
}

fn plain(value: &impl serde::Serialize) -> Result<Value> {
    serde_json::to_value(value).map_err(|error| Error::JsonParse(error.to_string()))
}

fn show(what: &str, value: Value) {
    println!("{}", json!({ what: value }));
}
