//! Program 4 of the comparison in `docs/clients/comparison.md`: two turns at once, one of which is interrupted.

#![allow(clippy::print_stdout, reason = "it is what the program does")]

use codex_wire::app_server::ThreadStartParams;
use codex_wire_client::{Client, Error, Options, TurnEvent};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let codex = std::env::args()
        .nth(1)
        .unwrap_or_else(|| "codex".to_owned());
    let codex = Client::start(codex, Options::new("compared", "1.0"))?;
    let thread = codex.start_thread(ThreadStartParams::new())?;
    let mut first = codex.start_turn(&thread.id, "Do it.")?;
    while let Some(event) = first.next_event()? {
        if let TurnEvent::MessageDelta(_) = event {
            break;
        }
    }
    let thread = codex.start_thread(ThreadStartParams::new())?;
    let second = codex.start_turn(&thread.id, "Do the other.")?.finish()?;
    println!("{}", second.message.unwrap_or_default());
    first.interrupt()?;
    match first.finish() {
        Err(Error::TurnInterrupted) => println!("interrupted"),
        other => println!("{other:?}"),
    }
    Ok(())
}
