//! Two clients of one Codex that listens: `codex app-server --listen ws://127.0.0.1:4500`, and then
//! `cargo run --features tokio-websocket --example socket -- ws://127.0.0.1:4500 'Say hello.'`
//!
//! The first blocks, the second is asynchronous. On Unix, the address can be `unix://PATH`.

use std::io::Write as _;
use std::process::ExitCode;

use codex_wire::app_server::ThreadStartParams;
use codex_wire_client::{Client, Error, Options, tokio as tasks};

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let address = arguments.next();
    let address = address.unwrap_or_else(|| "ws://127.0.0.1:4500".to_owned());
    let prompt = arguments.next().unwrap_or_else(|| "Say hello.".to_owned());
    match run(&address, &prompt).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let source = std::error::Error::source(&error);
            let reason = source.map(|source| format!(": {source}"));
            let reason = reason.unwrap_or_default();
            let _ = writeln!(std::io::stderr(), "error: {error}{reason}");
            ExitCode::FAILURE
        }
    }
}

async fn run(address: &str, prompt: &str) -> Result<(), Error> {
    let mut stdout = std::io::stdout();
    let _ = writeln!(stdout, "{}", blocking(address, prompt)?);
    let _ = writeln!(stdout, "{}", asynchronous(address, prompt).await?);
    Ok(())
}

fn blocking(address: &str, prompt: &str) -> Result<String, Error> {
    let codex = Client::connect_to(address, Options::new("example", "1.0"))?;
    let thread = codex.start_thread(ThreadStartParams::new())?;
    let completed = codex.start_turn(&thread.id, prompt)?.finish()?;
    Ok(completed.message.unwrap_or_default())
}

async fn asynchronous(address: &str, prompt: &str) -> Result<String, Error> {
    let codex = tasks::Client::connect_to(address, Options::new("example", "1.0")).await?;
    let thread = codex.start_thread(ThreadStartParams::new()).await?;
    let turn = codex.start_turn(&thread.id, prompt).await?;
    let completed = turn.finish().await?;
    // Codex goes on, for others.
    codex.close().await;
    Ok(completed.message.unwrap_or_default())
}
