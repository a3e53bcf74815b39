//! Program 5 of the comparison in `docs/clients/comparison.md`: an answer that fits a JSON Schema.

#![allow(clippy::print_stdout, reason = "it is what the program does")]

use codex_wire_client::exec::Exec;
use serde_json::{Value, json};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let codex = std::env::args()
        .nth(1)
        .unwrap_or_else(|| "codex".to_owned());
    let answer = json!({"type": "integer"});
    let schema = json!({"type": "object", "properties": {"answer": answer}, "required": ["answer"], "additionalProperties": false});
    let path = std::env::temp_dir().join(format!("schema-{}.json", std::process::id()));
    std::fs::write(&path, schema.to_string())?;
    let exec = Exec::new(codex).option("--skip-git-repo-check");
    let completed = exec.output_schema(&path).run("Do it.")?.finish()?;
    std::fs::remove_file(path)?;
    let said: Value = serde_json::from_str(&completed.message.unwrap_or_default())?;
    println!("{}", said["answer"]);
    Ok(())
}
