use codex_codes::{
    AppServerBuilder, Notification, ServerMessage, SyncClient, ThreadItemPayload,
    ThreadResumeParams, ThreadStartParams, TurnStartParams, TurnStatus, UserInput,
};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

fn main() -> Result<()> {
    let mut client = start()?;
    let thread = client.thread_start(&ThreadStartParams::default())?;
    let thread_id = thread.thread.id.as_str().to_owned();
    println!("{}", turn(&mut client, &thread_id, "Do it.")?);
    client.shutdown()?;
    let mut client = start()?;
    client.thread_resume(&ThreadResumeParams {
        thread_id: thread_id.clone(),
        ..Default::default()
    })?;
    println!("{}", turn(&mut client, &thread_id, "Go on.")?);
    Ok(())
}

fn start() -> Result<SyncClient> {
    let codex = std::env::args()
        .nth(1)
        .unwrap_or_else(|| "codex".to_owned());
    Ok(SyncClient::start_with(
        AppServerBuilder::new().command(codex),
    )?)
}

fn turn(client: &mut SyncClient, thread_id: &str, prompt: &str) -> Result<String> {
    client.turn_start(&TurnStartParams {
        thread_id: thread_id.to_owned(),
        input: vec![UserInput::Text {
            text: prompt.to_owned(),
            text_elements: None,
        }],
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
                return match completed.turn.status {
                    TurnStatus::Completed => Ok(message),
                    other => Err(format!("the turn ended: {other:?}").into()),
                };
            }
            _ => {}
        }
    }
    Err("codex ended".into())
}
