// codex-codes has types for the events of `codex exec`, but does not run it.
use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};

use codex_codes::ThreadEvent;
use codex_codes::io::items::ThreadItem;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut child = Command::new(
        std::env::args()
            .nth(1)
            .unwrap_or_else(|| "codex".to_owned()),
    )
    .args(["exec", "--json", "--skip-git-repo-check", "Do it."])
    .stdin(Stdio::null())
    .stdout(Stdio::piped())
    .spawn()?;
    let mut message = String::new();
    let mut usage = None;
    let out = child.stdout.take().ok_or("no output")?;
    for line in BufReader::new(out).lines() {
        let event: ThreadEvent = serde_json::from_str(&line?)?;
        eprintln!("{}", event.event_type());
        match event {
            ThreadEvent::ItemCompleted(completed) => {
                if let ThreadItem::AgentMessage(said) = completed.item {
                    message = said.text;
                }
            }
            ThreadEvent::TurnCompleted(completed) => usage = Some(completed.usage),
            ThreadEvent::TurnFailed(failed) => return Err(failed.error.message.into()),
            _ => {}
        }
    }
    if !child.wait()?.success() {
        return Err("codex failed".into());
    }
    println!("{message}");
    let usage = usage.ok_or("the turn did not complete")?;
    println!("tokens {} {}", usage.input_tokens, usage.output_tokens);
    Ok(())
}
