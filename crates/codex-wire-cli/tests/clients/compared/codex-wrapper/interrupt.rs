use codex_wrapper::Codex;
use codex_wrapper::app_server::{
    AppServer, AppServerHandle, ServerMessage, ThreadStartParams, TurnStartParams, TurnStatus,
};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

#[tokio::main]
async fn main() -> Result<()> {
    let codex = std::env::args()
        .nth(1)
        .unwrap_or_else(|| "codex".to_owned());
    let codex = Codex::builder().binary(codex).build()?;
    let mut server = AppServer::builder(&codex).start().await?;
    let handle = server.handle();
    let (thread, first) = turn(&handle, "Do it.").await?;
    let mut has_second = false;
    while let Some(message) = server.next_message().await? {
        let ServerMessage::Notification(notification) = message else {
            return Err("something was asked".into());
        };
        if notification.method == "item/agentMessage/delta" && !has_second {
            has_second = true;
            turn(&handle, "Do the other.").await?;
        }
        if let Some(message) = notification.agent_message()
            && message.thread_id != thread
        {
            println!("{}", message.text);
        }
        match notification.turn_completed() {
            Some(done) if done.thread_id != thread => {
                handle.turn_interrupt(&thread, &first).await?
            }
            Some(done) if done.turn.status == TurnStatus::Interrupted => {
                println!("interrupted");
                return Ok(server.shutdown().await?);
            }
            Some(done) => return Err(format!("the turn ended: {:?}", done.turn.status).into()),
            None => {}
        }
    }
    Err("codex ended".into())
}

async fn turn(handle: &AppServerHandle, prompt: &str) -> Result<(String, String)> {
    let thread = handle.thread_start(ThreadStartParams::new()).await?;
    let turn = handle
        .turn_start(TurnStartParams::text(&thread.id, prompt))
        .await?;
    Ok((thread.id, turn.id))
}
