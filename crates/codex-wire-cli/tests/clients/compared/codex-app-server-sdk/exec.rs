use codex_app_server_sdk::StdioConfig;
use codex_app_server_sdk::api::{Codex, ThreadEvent, ThreadItem, ThreadOptions, TurnOptions};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let codex = Codex::spawn_stdio(StdioConfig {
        codex_binary: std::env::args()
            .nth(1)
            .unwrap_or_else(|| "codex".to_owned()),
        ..Default::default()
    })
    .await?;
    let mut thread = codex.start_thread(ThreadOptions::default());
    let mut turn = thread
        .run_streamed("Do it.", TurnOptions::default())
        .await?;
    let mut message = String::new();
    let mut tokens = None;
    while let Some(event) = turn.next_event().await {
        let event = event?;
        eprintln!("{event:?}");
        match event {
            ThreadEvent::ItemCompleted {
                item: ThreadItem::AgentMessage(said),
            } => message = said.text,
            ThreadEvent::TurnCompleted { usage } => {
                tokens = usage;
                break;
            }
            ThreadEvent::TurnFailed { error } => return Err(error.message.into()),
            _ => {}
        }
    }
    println!("{message}");
    let usage = tokens.ok_or("no tokens")?;
    println!("tokens {} {}", usage.input_tokens, usage.output_tokens);
    Ok(())
}
