use codex_wire::Reader;
use codex_wire::exec::{Event, ItemKind};

pub(crate) fn main() -> std::io::Result<()> {
    for message in Reader::<_, Event>::new(std::io::stdin().lock()) {
        let event = message?.value.map_err(std::io::Error::other)?;
        let item = event.item().filter(|i| i.kind() == ItemKind::AgentMessage);
        if let Some(text) = item.and_then(|item| item.text()) {
            println!("{text}");
        }
    }
    Ok(())
}
