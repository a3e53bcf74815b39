use codex_codes::{
    AppServerBuilder, Notification, ServerMessage, SyncClient, ThreadItemPayload,
    ThreadStartParams, TurnStartParams, TurnStatus, UserInput,
};
use serde_json::{Value, json};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let codex = std::env::args()
        .nth(1)
        .unwrap_or_else(|| "codex".to_owned());
    let mut client = SyncClient::start_with(AppServerBuilder::new().command(codex))?;
    let thread = client.thread_start(&ThreadStartParams::default())?;
    let answer = json!({"type": "integer"});
    client.turn_start(&TurnStartParams {
        thread_id: thread.thread.id.as_str().to_owned(),
        input: vec![UserInput::Text { text: "Do it.".to_owned(), text_elements: None }],
        output_schema: Some(
            json!({"type": "object", "properties": {"answer": answer}, "required": ["answer"], "additionalProperties": false}),
        ),
        ..Default::default()
    })?;
    let mut message = String::new();
    while let Some(received) = client.next_message()? {
        match received {
            ServerMessage::Notification(Notification::ItemCompleted(completed)) => {
                if let ThreadItemPayload::AgentMessage { text, .. } = completed.item.payload {
                    message = text;
                }
            }
            ServerMessage::Notification(Notification::TurnCompleted(completed)) => {
                if completed.turn.status != TurnStatus::Completed {
                    return Err(format!("the turn ended: {:?}", completed.turn.error).into());
                }
                let said: Value = serde_json::from_str(&message)?;
                println!("{}", said["answer"]);
                return Ok(());
            }
            _ => {}
        }
    }
    Err("codex ended".into())
}
