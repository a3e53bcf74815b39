//! Program 1 of the comparison in `docs/clients/comparison.md`: a prompt with its events, the last message and the tokens.

#![allow(
    clippy::print_stderr,
    clippy::print_stdout,
    reason = "it is what the program does"
)]

use codex_wire_client::exec::Exec;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let codex = std::env::args()
        .nth(1)
        .unwrap_or_else(|| "codex".to_owned());
    let exec = Exec::new(codex).option("--skip-git-repo-check");
    let mut run = exec
        .silence(std::time::Duration::from_secs(10))
        .run("Do it.")?;
    for event in &mut run {
        eprintln!("{}", event?.tag());
    }
    let completed = run.finish()?;
    println!("{}", completed.message.unwrap_or_default());
    if let Some(usage) = completed.usage {
        println!("tokens {} {}", usage.input_tokens, usage.output_tokens);
    }
    Ok(())
}
