//! Runs one turn with `codex exec` and prints what the agent says: `cargo run --example exec -- codex 'Which files are here?'`
//!
//! It exits with 1 if the turn does not complete, or says nothing for ten seconds.

use std::io::Write as _;
use std::process::ExitCode;
use std::time::Duration;

use codex_wire::exec::{Event, ThreadItemDetails};
use codex_wire_client::Error;
use codex_wire_client::exec::Exec;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let program = arguments.next().unwrap_or_else(|| "codex".to_owned());
    let prompt = arguments.next().unwrap_or_else(|| "Say hello.".to_owned());
    match run(&program, prompt) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(program: &str, prompt: String) -> Result<(), Error> {
    let mut stdout = std::io::stdout().lock();
    let exec = Exec::new(program).option("--skip-git-repo-check");
    for event in exec.silence(Duration::from_secs(10)).run(prompt)? {
        if let Event::ItemCompleted(completed) = event?
            && let ThreadItemDetails::AgentMessage(message) = &completed.item.details
        {
            let _ = writeln!(stdout, "{}", message.text);
        }
    }
    Ok(())
}
