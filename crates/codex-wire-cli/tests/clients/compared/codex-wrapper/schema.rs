use codex_wrapper::structured::OutputSchema;
use codex_wrapper::{Codex, ExecCommand};
use serde_json::{Value, json};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let codex = std::env::args()
        .nth(1)
        .unwrap_or_else(|| "codex".to_owned());
    let codex = Codex::builder().binary(codex).build()?;
    let answer = json!({"type": "integer"});
    let schema = OutputSchema::new(
        &json!({"type": "object", "properties": {"answer": answer}, "required": ["answer"], "additionalProperties": false}),
    )?;
    let result = ExecCommand::new("Do it.")
        .skip_git_repo_check()
        .output_schema(schema.path().to_string_lossy())
        .execute_json(&codex)
        .await?;
    let said: Value = result.decode_structured()?;
    println!("{}", said["answer"]);
    Ok(())
}
