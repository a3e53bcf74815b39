//! Runs one turn and prints what the agent says: `cargo run --example app_server -- codex 'Which files are here?'`
//!
//! It allows what Codex asks to do, and exits with 1 if the turn does not complete, or says nothing for ten seconds.

use std::io::Write as _;
use std::process::ExitCode;
use std::time::Duration;

use codex_wire::app_server::{ThreadItem, ThreadItemDetails, ThreadStartParams};
use codex_wire_client::{Client, Error, Options, TurnEvent};

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let program = arguments.next().unwrap_or_else(|| "codex".to_owned());
    let prompt = arguments.next().unwrap_or_else(|| "Say hello.".to_owned());
    match run(&program, &prompt) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(program: &str, prompt: &str) -> Result<(), Error> {
    let mut stdout = std::io::stdout().lock();
    let options = Options::new("example", "1.0").silence(Duration::from_secs(10));
    let codex = Client::start(program, options)?;
    let thread = codex.start_thread(ThreadStartParams::new())?;
    for event in codex.start_turn(&thread.id, prompt)? {
        let _ = match event? {
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
