use codex_wrapper::{Codex, ExecCommand, ExecResumeCommand};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let codex = std::env::args()
        .nth(1)
        .unwrap_or_else(|| "codex".to_owned());
    let codex = Codex::builder().binary(codex).build()?;
    let first = ExecCommand::new("Do it.").skip_git_repo_check();
    let first = first.execute_json(&codex).await?;
    println!("{}", first.result);
    let second = ExecResumeCommand::new()
        .session_id(first.thread_id.ok_or("no id")?)
        .prompt("Go on.")
        .skip_git_repo_check();
    println!("{}", second.execute_json(&codex).await?.result);
    Ok(())
}
