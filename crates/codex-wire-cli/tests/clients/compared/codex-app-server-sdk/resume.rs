use codex_app_server_sdk::StdioConfig;
use codex_app_server_sdk::api::{Codex, ThreadOptions, TurnOptions};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let codex = start().await?;
    let mut thread = codex.start_thread(ThreadOptions::default());
    println!("{}", thread.ask("Do it.", TurnOptions::default()).await?);
    let id = thread.id().ok_or("no id")?.to_owned();
    drop((thread, codex));
    // Nothing else ends the process, and nothing says when it is gone.
    tokio::time::sleep(std::time::Duration::from_secs(1)).await;
    let mut thread = start()
        .await?
        .resume_thread_by_id(id, ThreadOptions::default());
    println!("{}", thread.ask("Go on.", TurnOptions::default()).await?);
    Ok(())
}

async fn start() -> Result<Codex, codex_app_server_sdk::ClientError> {
    Codex::spawn_stdio(StdioConfig {
        codex_binary: std::env::args()
            .nth(1)
            .unwrap_or_else(|| "codex".to_owned()),
        ..Default::default()
    })
    .await
}
