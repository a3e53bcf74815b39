//! Program 3 of the comparison in `docs/clients/comparison.md`, with Tokio.

#![allow(clippy::print_stdout, reason = "it is what the program does")]

use std::io::Write as _;
use std::time::Duration;

use codex_wire::app_server::{AskForApproval, ThreadStartParams};
use codex_wire_client::tokio::Client;
use codex_wire_client::{Options, TurnEvent};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let codex = std::env::args()
        .nth(1)
        .unwrap_or_else(|| "codex".to_owned());
    let options = Options::new("compared", "1.0").silence(Duration::from_secs(10));
    let codex = Client::start(codex, options).await?;
    let params = ThreadStartParams::new().with_approval_policy(AskForApproval::Untrusted);
    let thread = codex.start_thread(params).await?;
    let mut turn = codex.start_turn(&thread.id, "Do it.").await?;
    while let Some(event) = turn.next_event().await? {
        match event {
            TurnEvent::MessageDelta(delta) => print!("{}", delta.text),
            TurnEvent::Approval(approval) => {
                println!("[{}]", approval.command().unwrap_or_default());
                approval.accept()?;
            }
            _ => {}
        }
        std::io::stdout().flush()?;
    }
    codex.close().await;
    Ok(())
}
