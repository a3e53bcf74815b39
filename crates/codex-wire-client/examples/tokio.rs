//! Runs one turn with Tokio and prints what the agent says: `cargo run --features tokio --example tokio -- codex 'Which files are here?'`
//!
//! It allows what Codex asks to do, and exits with 1 if the turn does not complete, or says nothing for ten seconds.

use std::io::Write as _;
use std::process::ExitCode;
use std::time::Duration;

use codex_wire::app_server::{ThreadItem, ThreadItemDetails, ThreadStartParams};
use codex_wire_client::tokio::Client;
use codex_wire_client::{Error, Options, TurnEvent};

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let program = arguments.next().unwrap_or_else(|| "codex".to_owned());
    let prompt = arguments.next().unwrap_or_else(|| "Say hello.".to_owned());
    match run(&program, &prompt).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "error: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn run(program: &str, prompt: &str) -> Result<(), Error> {
    let options = Options::new("example", "1.0").silence(Duration::from_secs(10));
    let codex = Client::start(program, options).await?;
    let shown = turn(&codex, prompt).await;
    // Otherwise the end of the runtime would kill it.
    codex.close().await;
    shown
}

async fn turn(codex: &Client, prompt: &str) -> Result<(), Error> {
    let mut stdout = std::io::stdout().lock();
    let thread = codex.start_thread(ThreadStartParams::new()).await?;
    let mut turn = codex.start_turn(&thread.id, prompt).await?;
    while let Some(event) = turn.next_event().await? {
        let _ = match event {
            TurnEvent::MessageDelta(delta) => write!(stdout, "{}", delta.text),
            TurnEvent::Approval(approval) => {
                let what = approval
                    .command()
                    .unwrap_or_else(|| approval.files().join(" "));
                approval.accept()?;
                writeln!(stdout, "[{what}]")
            }
            TurnEvent::ItemCompleted(item) if is_message(&item) => writeln!(stdout),
            _ => Ok(()),
        };
    }
    Ok(())
}

fn is_message(item: &ThreadItem) -> bool {
    matches!(item.details, ThreadItemDetails::AgentMessage(_))
}
