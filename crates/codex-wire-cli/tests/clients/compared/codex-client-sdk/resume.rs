use codex::{Codex, CodexOptions, ThreadOptions};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let start = || {
        Codex::new(Some(CodexOptions {
            codex_path_override: std::env::args().nth(1),
            ..Default::default()
        }))
    };
    let options = ThreadOptions {
        skip_git_repo_check: Some(true),
        ..Default::default()
    };
    let thread = start()?.start_thread(Some(options.clone()));
    println!("{}", thread.run("Do it.", None).await?.final_response);
    let id = thread.id().ok_or("no id")?;
    let thread = start()?.resume_thread(id, Some(options));
    println!("{}", thread.run("Go on.", None).await?.final_response);
    Ok(())
}
