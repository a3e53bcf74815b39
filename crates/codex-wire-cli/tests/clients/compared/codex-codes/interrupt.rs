use codex_codes::{
    AppServerBuilder, Notification, ServerMessage, SyncClient, ThreadItemPayload,
    ThreadStartParams, TurnInterruptParams, TurnStartParams, TurnStatus, UserInput,
};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

fn main() -> Result<()> {
    let codex = std::env::args()
        .nth(1)
        .unwrap_or_else(|| "codex".to_owned());
    let mut client = SyncClient::start_with(AppServerBuilder::new().command(codex))?;
    let first = turn(&mut client, "Do it.")?;
    let mut second = None;
    while let Some(message) = client.next_message()? {
        let ServerMessage::Notification(notification) = message else {
            return Err("something was asked".into());
        };
        match notification {
            Notification::AgentMessageDelta(delta) if delta.thread_id == first.thread_id => {
                if second.is_none() {
                    second = Some(turn(&mut client, "Do the other.")?);
                }
            }
            Notification::ItemCompleted(completed) if completed.thread_id != first.thread_id => {
                if let ThreadItemPayload::AgentMessage { text, .. } = completed.item.payload {
                    println!("{text}");
                }
            }
            Notification::TurnCompleted(completed) if completed.thread_id == first.thread_id => {
                return match completed.turn.status {
                    TurnStatus::Interrupted => {
                        println!("interrupted");
                        Ok(())
                    }
                    other => Err(format!("the turn ended: {other:?}").into()),
                };
            }
            Notification::TurnCompleted(_) => {
                client.turn_interrupt(&first)?;
            }
            _ => {}
        }
    }
    Err("codex ended".into())
}

fn turn(client: &mut SyncClient, prompt: &str) -> Result<TurnInterruptParams> {
    let thread = client.thread_start(&ThreadStartParams::default())?;
    let thread_id = thread.thread.id.as_str().to_owned();
    let turn = client.turn_start(&TurnStartParams {
        thread_id: thread_id.clone(),
        input: vec![UserInput::Text {
            text: prompt.to_owned(),
            text_elements: None,
        }],
        ..Default::default()
    })?;
    Ok(TurnInterruptParams {
        thread_id,
        turn_id: turn.turn.id,
    })
}
