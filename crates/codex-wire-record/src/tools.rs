//! What Codex starts on the stage: a tool server (MCP) on standard input and output that returns what it is told, and
//! hooks that keep what they receive.

use std::collections::BTreeSet;
use std::fs::OpenOptions;
use std::io::{self, BufRead, Write};
use std::path::Path;

use serde_json::{Value, json};

/// A call of a tool, and what it returns.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolCall {
    /// The tool.
    pub tool: String,
    /// The arguments.
    pub arguments: Value,
    /// The text that the tool returns.
    pub result: String,
    /// Whether the tool says that it failed.
    pub fails: bool,
}

impl ToolCall {
    /// The call as JSON.
    pub fn to_json(&self) -> Value {
        json!({"tool": self.tool, "arguments": self.arguments, "result": self.result,
               "fails": self.fails})
    }

    /// Reads it.
    pub fn of_json(value: &Value) -> Option<Self> {
        Some(ToolCall {
            tool: value["tool"].as_str()?.to_owned(),
            arguments: value["arguments"].clone(),
            result: value["result"].as_str()?.to_owned(),
            fails: value["fails"].as_bool()?,
        })
    }
}

/// Adds a line to a file, in one write, since hooks run at the same time. White space at its end is not kept.
///
/// # Errors
/// If the file cannot be written.
pub fn collect(file: &Path, line: &[u8]) -> io::Result<()> {
    let mut line = line.trim_ascii_end().to_vec();
    line.push(b'\n');
    let mut out = OpenOptions::new().append(true).create(true).open(file)?;
    out.write_all(&line)
}

/// Serves the tools of these calls until the input ends.
///
/// A call returns what the next one of that tool returns that is told, with the same arguments if there
/// is one.
///
/// # Errors
/// If the input cannot be read, or the output not be written.
pub fn serve(
    mut calls: Vec<ToolCall>,
    input: impl BufRead,
    mut output: impl Write,
) -> io::Result<()> {
    let names: BTreeSet<String> = calls.iter().map(|call| call.tool.clone()).collect();
    for line in input.split(b'\n') {
        let message: Value = serde_json::from_slice(&line?).unwrap_or_default();
        let Some(id) = message.get("id") else {
            continue;
        };
        let params = &message["params"];
        let result = match message["method"].as_str().unwrap_or_default() {
            "initialize" => json!({
                "protocolVersion": params["protocolVersion"],
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "script", "version": "1.0.0"},
            }),
            "tools/list" => {
                let tools: Vec<Value> = names.iter().map(|name| described(name)).collect();
                json!({"tools": tools})
            }
            "tools/call" => called(&mut calls, params),
            "resources/list" => json!({"resources": []}),
            "resources/templates/list" => json!({"resourceTemplates": []}),
            _ => json!({}),
        };
        let answer = json!({"jsonrpc": "2.0", "id": id, "result": result});
        writeln!(output, "{answer}")?;
        output.flush()?;
    }
    Ok(())
}

/// The tool, as one that may be called without asking.
fn described(name: &str) -> Value {
    let hints = json!({"readOnlyHint": true, "destructiveHint": false, "openWorldHint": false});
    json!({
        "name": name,
        "description": "A tool of the script.",
        "inputSchema": {"type": "object", "additionalProperties": true},
        "annotations": hints,
    })
}

fn called(calls: &mut Vec<ToolCall>, params: &Value) -> Value {
    let of_tool = |call: &ToolCall| params["name"] == *call.tool;
    let same = |call: &ToolCall| of_tool(call) && params["arguments"] == call.arguments;
    let place = calls.iter().position(same);
    let place = place.or_else(|| calls.iter().position(of_tool));
    let Some(place) = place else {
        let text = json!({"type": "text", "text": "The script does not call it."});
        return json!({"content": [text], "isError": true});
    };
    // It comes again after all others, if it is called more often than that.
    let call = calls.remove(place);
    let text = json!({"type": "text", "text": call.result});
    let mut result = json!({"content": [text]});
    if call.fails {
        result["isError"] = true.into();
    }
    calls.push(call);
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(arguments: Value, result: &str, fails: bool) -> ToolCall {
        ToolCall {
            tool: "look".to_owned(),
            arguments,
            result: result.to_owned(),
            fails,
        }
    }

    #[test]
    fn calls_return_what_is_told() {
        let calls = vec![
            call(json!({"a": 1}), "first", false),
            call(json!({"a": 1}), "second", false),
            call(json!({}), "third", true),
        ];
        for call in &calls {
            assert_eq!(ToolCall::of_json(&call.to_json()).as_ref(), Some(call));
        }
        let request = |id: u32, arguments: Value| {
            let params = json!({"name": "look", "arguments": arguments});
            format!(
                "{}\n",
                json!({"id": id, "method": "tools/call", "params": params})
            )
        };
        let input = request(1, json!({}))
            + &request(2, json!({"a": 1}))
            + "{\"method\":\"notifications/initialized\"}\n"
            + &request(3, json!({"a": 1}))
            + &request(4, json!({"a": 1}))
            + "{\"id\":5,\"method\":\"tools/list\"}\n";
        let mut output = Vec::new();
        serve(calls, input.as_bytes(), &mut output).unwrap();
        let answers: Vec<Value> = String::from_utf8(output)
            .unwrap()
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        let texts: Vec<&Value> = answers[..4]
            .iter()
            .map(|answer| &answer["result"]["content"][0]["text"])
            .collect();
        assert_eq!(texts, ["third", "first", "second", "first"]);
        assert_eq!(answers[0]["result"]["isError"], true);
        assert_eq!(answers[4]["result"]["tools"].as_array().unwrap().len(), 1);
    }
}
