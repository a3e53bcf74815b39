use std::io::Write as _;

use codex_wrapper::app_server::{
    AppServer, ServerMessage, ThreadStartParams, TurnStartParams, TurnStatus,
};
use codex_wrapper::{ApprovalPolicy, Codex};
use serde_json::json;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let codex = std::env::args()
        .nth(1)
        .unwrap_or_else(|| "codex".to_owned());
    let codex = Codex::builder().binary(codex).build()?;
    let mut server = AppServer::builder(&codex).start().await?;
    let thread = server
        .handle()
        .thread_start(ThreadStartParams::new().approval_policy(ApprovalPolicy::Untrusted))
        .await?;
    let turn = TurnStartParams::text(&thread.id, "Do it.");
    server.handle().turn_start(turn).await?;
    while let Some(message) = server.next_message().await? {
        match message {
            ServerMessage::Notification(notification) => {
                if notification.method == "item/agentMessage/delta" {
                    print!(
                        "{}",
                        notification.params["delta"].as_str().unwrap_or_default()
                    );
                    std::io::stdout().flush()?;
                }
                if let Some(completed) = notification.turn_completed() {
                    server.shutdown().await?;
                    return match completed.turn.status {
                        TurnStatus::Completed => Ok(()),
                        _ => Err(format!("the turn ended: {:?}", completed.turn.error).into()),
                    };
                }
            }
            ServerMessage::Request(request) if request.method.ends_with("/requestApproval") => {
                println!(
                    "[{}]",
                    request
                        .params
                        .get("command")
                        .unwrap_or(&request.params["itemId"])
                );
                server
                    .handle()
                    .respond(request.id, json!({"decision": "accept"}))?;
            }
            ServerMessage::Request(request) => {
                server
                    .handle()
                    .respond_error(request.id, -32601, "not supported")?;
            }
            _ => {}
        }
    }
    server.shutdown().await?;
    Err("codex ended".into())
}
