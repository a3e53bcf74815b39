use codex_wrapper::{Codex, ExecCommand};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let codex = std::env::args()
        .nth(1)
        .unwrap_or_else(|| "codex".to_owned());
    let codex = Codex::builder().binary(codex).timeout_secs(10).build()?;
    let mut message = String::new();
    let mut usage = None;
    let mut failure = None;
    ExecCommand::new("Do it.")
        .skip_git_repo_check()
        .stream(&codex, |event| {
            eprintln!("{}", event.event_type);
            message = event.agent_message_text().unwrap_or(message.clone());
            usage = event.usage().or(usage.take());
            failure = event
                .turn_failure_message()
                .map(str::to_owned)
                .or(failure.take());
        })
        .await?;
    if let Some(failure) = failure {
        return Err(failure.into());
    }
    println!("{message}");
    let usage = usage.ok_or("the turn did not complete")?;
    let (read, written) = (usage.input_tokens, usage.output_tokens);
    println!(
        "tokens {} {}",
        read.unwrap_or_default(),
        written.unwrap_or_default()
    );
    Ok(())
}
