use codex_app_server_sdk::api::{Codex, ThreadOptions, TurnOptions};
use codex_app_server_sdk::events::{ServerEvent, ServerNotification};
use codex_app_server_sdk::requests::{
    ClientInfo, InitializeParams, ThreadStartParams, TurnInterruptParams, TurnStartParams,
};
use codex_app_server_sdk::{CodexClient, StdioConfig};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let client = CodexClient::spawn_stdio(StdioConfig {
        codex_binary: std::env::args()
            .nth(1)
            .unwrap_or_else(|| "codex".to_owned()),
        ..Default::default()
    })
    .await?;
    let mut events = client.subscribe();
    let info = ClientInfo::new("compared", "Compared", "1.0");
    client.initialize(InitializeParams::new(info)).await?;
    client.initialized().await?;
    // A turn that runs is not named by `Thread`, and without its name it cannot be interrupted.
    let thread = client.thread_start(ThreadStartParams::default()).await?;
    let thread_id = thread.thread.id;
    let first = TurnStartParams::text(thread_id.clone(), "Do it.");
    let first = client.turn_start(first).await?.turn.id;
    loop {
        match events.recv().await? {
            ServerEvent::Notification(ServerNotification::ItemAgentMessageDelta(_)) => break,
            ServerEvent::TransportClosed => return Err("codex ended".into()),
            _ => {}
        }
    }
    let mut second = Codex::from_client(client.clone()).start_thread(ThreadOptions::default());
    println!(
        "{}",
        second.ask("Do the other.", TurnOptions::default()).await?
    );
    client
        .turn_interrupt(TurnInterruptParams {
            thread_id: thread_id.clone(),
            turn_id: first,
            extra: Default::default(),
        })
        .await?;
    loop {
        match events.recv().await? {
            ServerEvent::Notification(ServerNotification::TurnCompleted(completed))
                if completed.extra["threadId"] == *thread_id =>
            {
                println!("{}", completed.turn.status.unwrap_or_default());
                return Ok(());
            }
            ServerEvent::TransportClosed => return Err("codex ended".into()),
            _ => {}
        }
    }
}
