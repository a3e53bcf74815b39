use std::io::Write as _;

use codex_codes::{
    AppServerBuilder, AskForApproval, Notification, ServerMessage, ServerRequest, SyncClient,
    ThreadStartParams, TurnStartParams, TurnStatus, UserInput,
};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let codex = std::env::args()
        .nth(1)
        .unwrap_or_else(|| "codex".to_owned());
    let mut client = SyncClient::start_with(AppServerBuilder::new().command(codex))?;
    let thread = client.thread_start(&ThreadStartParams {
        approval_policy: Some(AskForApproval::Untrusted),
        ..Default::default()
    })?;
    client.turn_start(&TurnStartParams {
        thread_id: thread.thread.id.as_str().to_owned(),
        input: vec![UserInput::Text {
            text: "Do it.".to_owned(),
            text_elements: None,
        }],
        ..Default::default()
    })?;
    while let Some(message) = client.next_message()? {
        match message {
            ServerMessage::Notification(Notification::AgentMessageDelta(delta)) => {
                print!("{}", delta.delta);
                std::io::stdout().flush()?;
            }
            ServerMessage::Notification(Notification::TurnCompleted(completed)) => {
                return match completed.turn.status {
                    TurnStatus::Completed => Ok(()),
                    _ => Err(format!("the turn ended: {:?}", completed.turn.error).into()),
                };
            }
            ServerMessage::Request { id, request } => match request {
                ServerRequest::CmdExecApproval(params) => {
                    println!("[{}]", params.command.unwrap_or_default());
                    client.respond(id, &serde_json::json!({"decision": "accept"}))?;
                }
                ServerRequest::FileChangeApproval(params) => {
                    println!("[{}]", params.item_id);
                    client.respond(id, &serde_json::json!({"decision": "accept"}))?;
                }
                _ => client.respond_error(id, -32601, "not supported")?,
            },
            _ => {}
        }
    }
    Err("codex ended".into())
}
