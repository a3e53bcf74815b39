use codex::{Codex, CodexOptions, ThreadEvent, ThreadItem, ThreadOptions, TurnOptions};
use futures::StreamExt as _;
use tokio_util::sync::CancellationToken;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let codex = Codex::new(Some(CodexOptions {
        codex_path_override: std::env::args().nth(1),
        ..Default::default()
    }))?;
    let thread = codex.start_thread(Some(ThreadOptions {
        skip_git_repo_check: Some(true),
        ..Default::default()
    }));
    let stop = CancellationToken::new();
    let timer = stop.clone();
    tokio::spawn(async move {
        tokio::time::sleep(std::time::Duration::from_secs(10)).await;
        timer.cancel();
    });
    let options = TurnOptions {
        cancellation_token: Some(stop),
        ..Default::default()
    };
    let mut events = thread.run_streamed("Do it.", Some(options)).await?.events;
    let mut message = String::new();
    let mut tokens = None;
    while let Some(event) = events.next().await {
        let event = event?;
        eprintln!("{}", serde_json::to_value(&event)?["type"]);
        match event {
            ThreadEvent::ItemCompleted {
                item: ThreadItem::AgentMessage(said),
            } => message = said.text,
            ThreadEvent::TurnCompleted { usage } => tokens = Some(usage),
            ThreadEvent::TurnFailed { error } => return Err(error.message.into()),
            _ => {}
        }
    }
    println!("{message}");
    let usage = tokens.ok_or("the turn did not complete")?;
    println!("tokens {} {}", usage.input_tokens, usage.output_tokens);
    Ok(())
}
