use codex_app_server_sdk::StdioConfig;
use codex_app_server_sdk::api::{Codex, ThreadOptions, TurnOptions};
use serde_json::{Value, json};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let codex = Codex::spawn_stdio(StdioConfig {
        codex_binary: std::env::args()
            .nth(1)
            .unwrap_or_else(|| "codex".to_owned()),
        ..Default::default()
    })
    .await?;
    let mut thread = codex.start_thread(ThreadOptions::default());
    let answer = json!({"type": "integer"});
    let schema = json!({"type": "object", "properties": {"answer": answer}, "required": ["answer"], "additionalProperties": false});
    let options = TurnOptions::builder().output_schema(schema).build();
    let said: Value = serde_json::from_str(&thread.ask("Do it.", options).await?)?;
    println!("{}", said["answer"]);
    Ok(())
}
