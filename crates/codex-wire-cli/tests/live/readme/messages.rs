use codex_wire::Reader;
use codex_wire::exec::{Event, ItemKind};

pub(crate) fn main() -> std::io::Result<()> {
    for message in Reader::<_, Event>::new(std::io::stdin().lock()) {
        let message = message?;
        match &message.value {
            Ok(event) => {
                let said = event
                    .item()
                    .filter(|item| item.kind() == ItemKind::AgentMessage);
                if let Some(text) = said.and_then(|item| item.text()) {
                    println!("{text}");
                }
            }
            Err(error) => eprintln!("line {}: {error}", message.line),
        }
    }
    Ok(())
}
