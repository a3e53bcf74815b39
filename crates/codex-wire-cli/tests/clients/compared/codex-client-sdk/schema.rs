use codex::{Codex, CodexOptions, ThreadOptions, TurnOptions};
use serde_json::{Value, json};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let codex = Codex::new(Some(CodexOptions {
        codex_path_override: std::env::args().nth(1),
        ..Default::default()
    }))?;
    let thread = codex.start_thread(Some(ThreadOptions {
        skip_git_repo_check: Some(true),
        ..Default::default()
    }));
    let answer = json!({"type": "integer"});
    let options = TurnOptions {
        output_schema: Some(
            json!({"type": "object", "properties": {"answer": answer}, "required": ["answer"], "additionalProperties": false}),
        ),
        ..Default::default()
    };
    let turn = thread.run("Do it.", Some(options)).await?;
    let said: Value = serde_json::from_str(&turn.final_response)?;
    println!("{}", said["answer"]);
    Ok(())
}
