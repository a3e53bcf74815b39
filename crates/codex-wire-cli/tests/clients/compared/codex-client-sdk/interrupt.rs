// `codex exec` cannot be told to interrupt a turn, so the process is ended.
use std::time::Duration;

use codex::{Codex, CodexOptions, Error, ThreadEvent, ThreadOptions, TurnOptions};
use futures::StreamExt as _;
use tokio_util::sync::CancellationToken;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let codex = Codex::new(Some(CodexOptions {
        codex_path_override: std::env::args().nth(1),
        ..Default::default()
    }))?;
    let options = ThreadOptions {
        skip_git_repo_check: Some(true),
        ..Default::default()
    };
    let stop = CancellationToken::new();
    let turn = TurnOptions {
        cancellation_token: Some(stop.clone()),
        ..Default::default()
    };
    let first = codex.start_thread(Some(options.clone()));
    let mut events = first.run_streamed("Do it.", Some(turn)).await?.events;
    while let Some(event) = events.next().await {
        if matches!(event?, ThreadEvent::TurnStarted) {
            break;
        }
    }
    // What began has no sign of life before the end of its first item.
    tokio::time::sleep(Duration::from_secs(1)).await;
    let second = codex.start_thread(Some(options));
    println!(
        "{}",
        second.run("Do the other.", None).await?.final_response
    );
    stop.cancel();
    while let Some(event) = events.next().await {
        match event {
            Err(Error::Cancelled) => {
                println!("interrupted");
                return Ok(());
            }
            event => drop(event?),
        }
    }
    Err("the turn completed".into())
}
