use codex_wire::Reader;
use codex_wire::exec::{Event, ThreadItemDetails};

pub(crate) fn main() -> std::io::Result<()> {
    for message in Reader::<_, Event>::new(std::io::stdin().lock()) {
        let event = message?.value.map_err(std::io::Error::other)?;
        let item = event.item().map(|item| &item.details);
        if let Some(ThreadItemDetails::AgentMessage(message)) = item {
            println!("{}", message.text);
        }
    }
    Ok(())
}
