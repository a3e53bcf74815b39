use std::io::Write as _;

use codex_app_server_sdk::events::{ServerEvent, ServerNotification, ServerRequestEvent};
use codex_app_server_sdk::requests::{
    ClientInfo, InitializeParams, ThreadStartParams, TurnStartParams,
};
use codex_app_server_sdk::{CodexClient, StdioConfig};
use serde_json::json;

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
    let params = ThreadStartParams {
        approval_policy: Some("untrusted".to_owned()),
        ..Default::default()
    };
    let thread = client.thread_start(params).await?;
    let turn = TurnStartParams::text(thread.thread.id, "Do it.");
    client.turn_start(turn).await?;
    loop {
        match events.recv().await? {
            ServerEvent::Notification(ServerNotification::ItemAgentMessageDelta(delta)) => {
                print!("{}", delta.delta.unwrap_or_default());
                std::io::stdout().flush()?;
            }
            ServerEvent::Notification(ServerNotification::TurnCompleted(completed)) => {
                return match completed.turn.status.as_deref() {
                    Some("completed") => Ok(()),
                    _ => Err(format!("the turn ended: {:?}", completed.turn.error).into()),
                };
            }
            ServerEvent::ServerRequest(ServerRequestEvent::CommandExecutionRequestApproval {
                id,
                params,
            }) => {
                println!(
                    "[{}]",
                    params
                        .extra
                        .get("command")
                        .unwrap_or(&params.extra["itemId"])
                );
                client
                    .respond_server_request(id, json!({"decision": "accept"}))
                    .await?;
            }
            ServerEvent::ServerRequest(ServerRequestEvent::FileChangeRequestApproval {
                id,
                params,
            }) => {
                println!("[{}]", params.extra["itemId"]);
                client
                    .respond_server_request(id, json!({"decision": "accept"}))
                    .await?;
            }
            ServerEvent::TransportClosed => return Err("codex ended".into()),
            _ => {}
        }
    }
}
