//! Writes an answer as events of the Responses API.

use serde_json::{Value, json};

use crate::answer::{Answer, End, Item};

/// How long the model waits for a command before it does something else, in milliseconds.
const YIELD_MS: u32 = 30_000;

/// The namespace of the tools for agents, in newer releases, which do not always offer them.
const AGENTS: &str = "multi_agent_v1";

/// A tool that a request offers.
#[derive(Default)]
pub(crate) struct Tool {
    name: String,
    kind: String,
    /// The members of its arguments.
    parameters: Vec<String>,
    /// The namespace of its name, in newer releases.
    namespace: Option<String>,
}

/// The tools a request offers.
pub(crate) fn tools(request: &Value) -> Vec<Tool> {
    let mut lists = vec![&request["tools"]];
    // Some releases put them among the input.
    let input = request["input"].as_array().into_iter().flatten();
    lists.extend(input.map(|item| &item["tools"]));
    let mut out = Vec::new();
    for tool in lists.into_iter().filter_map(Value::as_array).flatten() {
        let within = tool["tools"].as_array();
        let namespace = within.and(tool["name"].as_str());
        for tool in within.unwrap_or(&vec![tool.clone()]) {
            let kind = tool["type"].as_str().unwrap_or_default();
            let parameters = tool["parameters"]["properties"].as_object();
            out.push(Tool {
                name: tool["name"].as_str().unwrap_or(kind).to_owned(),
                kind: kind.to_owned(),
                parameters: parameters
                    .map(|names| names.keys().cloned().collect())
                    .unwrap_or_default(),
                namespace: namespace.map(str::to_owned),
            });
        }
    }
    out
}

/// The events of one answer.
pub(crate) struct Events {
    prefix: u32,
    ids: u32,
    sequence: u32,
    /// The agents that were started.
    agents: Vec<String>,
}

impl Events {
    /// Events of the answer to a request. The ids begin with `prefix`.
    pub(crate) fn new(prefix: u32, request: &Value) -> Self {
        Events {
            prefix,
            ids: 0,
            sequence: 0,
            agents: agents(request),
        }
    }

    pub(crate) fn all(&mut self, answer: &Answer, tools: &[Tool]) -> Vec<Value> {
        let id = self.id("resp");
        let mut out = Vec::new();
        let response =
            json!({"id": id, "object": "response", "status": "in_progress", "output": []});
        out.push(self.event("response.created", json!({"response": response})));
        let mut done = Vec::new();
        for (index, item) in answer.items.iter().enumerate() {
            let is_last = index + 1 == answer.items.len();
            let item = match item {
                Item::Message(text) => self.message(index, text, &mut out),
                Item::Reasoning(parts) => self.reasoning(index, parts, &mut out),
                Item::Command(command) => self.command(index, command, tools, &mut out),
                Item::Patch(patch) => self.patch(index, patch, tools, &mut out),
                Item::Search(query) => self.search(index, query, &mut out),
                Item::Call(name, arguments) => match tools.iter().find(|tool| tool.name == *name) {
                    Some(tool) => self.call_of(index, tool, arguments, &mut out),
                    None => self.call(index, name, arguments, &mut out),
                },
                Item::ServerTool {
                    server,
                    tool,
                    arguments,
                } => {
                    let place = (server.as_str(), tool.as_str());
                    self.server_tool(index, place, arguments, tools, &mut out)
                }
                Item::Spawn(prompt) => {
                    let arguments = json!({"message": prompt});
                    self.spawn(index, &arguments, tools, &mut out)
                }
                Item::Fork(prompt) => {
                    let arguments = json!({"message": prompt, "fork_context": true});
                    self.spawn(index, &arguments, tools, &mut out)
                }
                Item::WaitForAgents => self.wait(index, tools, &mut out),
            };
            if is_last && answer.is_cut {
                return out;
            }
            let end = json!({"output_index": index, "item": item});
            out.push(self.event("response.output_item.done", end));
            done.push(item);
        }
        match &answer.end {
            End::Failed(code, message) => {
                let error = json!({"code": code, "message": message});
                let response = json!({"id": id, "object": "response", "status": "failed",
                                      "error": error, "output": done});
                out.push(self.event("response.failed", json!({"response": response})));
            }
            End::Dropped | End::Stalled => {}
            End::Completed | End::Refused(..) => {
                let tokens = answer.tokens;
                let usage = json!({
                    "input_tokens": tokens.input,
                    "input_tokens_details": {"cached_tokens": tokens.cached},
                    "output_tokens": tokens.output,
                    "output_tokens_details": {"reasoning_tokens": tokens.reasoning},
                    "total_tokens": tokens.input + tokens.output,
                });
                let response = json!({"id": id, "object": "response", "status": "completed",
                                      "output": done, "usage": usage});
                out.push(self.event("response.completed", json!({"response": response})));
            }
        }
        out
    }

    fn message(&mut self, index: usize, text: &str, out: &mut Vec<Value>) -> Value {
        let id = self.id("msg");
        let item = |status: &str, content: Value| {
            json!({"type": "message", "role": "assistant", "id": id, "status": status,
                   "content": content})
        };
        self.begins(index, item("in_progress", json!([])), out);
        for text in deltas(text) {
            let delta = json!({"item_id": id, "output_index": index, "content_index": 0,
                               "delta": text});
            out.push(self.event("response.output_text.delta", delta));
        }
        let content = json!([{"type": "output_text", "text": text, "annotations": []}]);
        item("completed", content)
    }

    fn reasoning(&mut self, index: usize, parts: &[String], out: &mut Vec<Value>) -> Value {
        let id = self.id("rs");
        let item = |summary: Value| {
            json!({"type": "reasoning", "id": id, "summary": summary,
                   "encrypted_content": "cmVoZWFyc2Vk"})
        };
        self.begins(index, item(json!([])), out);
        for (number, text) in parts.iter().enumerate() {
            let place = json!({"item_id": id, "output_index": index, "summary_index": number});
            let with = |name: &str, value: Value| {
                let mut members = place.clone();
                members[name] = value;
                members
            };
            let part = json!({"type": "summary_text", "text": ""});
            out.push(self.event("response.reasoning_summary_part.added", with("part", part)));
            for text in deltas(text) {
                let delta = with("delta", text.into());
                out.push(self.event("response.reasoning_summary_text.delta", delta));
            }
            let whole = with("text", text.as_str().into());
            out.push(self.event("response.reasoning_summary_text.done", whole));
        }
        let summary = parts
            .iter()
            .map(|text| json!({"type": "summary_text", "text": text}));
        item(summary.collect())
    }

    fn command(
        &mut self,
        index: usize,
        command: &str,
        tools: &[Tool],
        out: &mut Vec<Value>,
    ) -> Value {
        let name = shell(tools);
        let arguments = match name {
            "shell_command" => json!({"command": command}),
            "exec_command" => json!({"cmd": command, "yield_time_ms": YIELD_MS}),
            _ => json!({"command": ["sh", "-c", command]}),
        };
        self.call(index, name, &arguments, out)
    }

    fn patch(&mut self, index: usize, patch: &str, tools: &[Tool], out: &mut Vec<Value>) -> Value {
        const NAME: &str = "apply_patch";
        match tools.iter().find(|tool| tool.name == NAME) {
            Some(tool) if tool.kind == "custom" => {
                let (id, call) = (self.id("ctc"), self.id("call"));
                let item = |input: &str| {
                    json!({"type": "custom_tool_call", "id": id, "call_id": call, "name": NAME,
                           "status": "completed", "input": input})
                };
                self.begins(index, item(""), out);
                item(patch)
            }
            Some(_) => self.call(index, NAME, &json!({"input": patch}), out),
            // Codex recognizes the patch in a command for bash.
            None => {
                let command = format!("{NAME} <<'EOF'\n{patch}\nEOF\n");
                match shell(tools) {
                    "shell" => {
                        let arguments = json!({"command": ["bash", "-lc", command]});
                        self.call(index, "shell", &arguments, out)
                    }
                    _ => self.command(index, &command, tools, out),
                }
            }
        }
    }

    fn search(&mut self, index: usize, query: &str, out: &mut Vec<Value>) -> Value {
        let id = self.id("ws");
        let item = |status: &str, action: Value| json!({"type": "web_search_call", "id": id, "status": status, "action": action});
        self.begins(index, item("in_progress", Value::Null), out);
        item("completed", json!({"type": "search", "query": query}))
    }

    /// A server's tool has its name behind that of the server, at first in one word and later in
    /// a namespace. The newest releases do not offer it before it was searched for.
    fn server_tool(
        &mut self,
        index: usize,
        (server, name): (&str, &str),
        arguments: &Value,
        tools: &[Tool],
        out: &mut Vec<Value>,
    ) -> Value {
        let suffix = format!("{server}__{name}");
        let offered = tools.iter().find(|tool| match &tool.namespace {
            Some(namespace) => tool.name == name && namespace.contains(server),
            None => tool.name.ends_with(&suffix),
        });
        match offered {
            Some(tool) => self.call_of(index, tool, arguments, out),
            None => {
                let mut item = self.call(index, name, arguments, out);
                item["namespace"] = format!("mcp__{server}").into();
                item
            }
        }
    }

    fn spawn(
        &mut self,
        index: usize,
        arguments: &Value,
        tools: &[Tool],
        out: &mut Vec<Value>,
    ) -> Value {
        let offered = tools.iter().find(|tool| tool.name == "spawn_agent");
        self.call_of(
            index,
            offered.unwrap_or(&hidden("spawn_agent")),
            arguments,
            out,
        )
    }

    /// Waits for all agents of which the request has an id.
    fn wait(&mut self, index: usize, tools: &[Tool], out: &mut Vec<Value>) -> Value {
        let mut names = ["wait_agent", "wait"].iter();
        let offered = names.find_map(|name| tools.iter().find(|tool| tool.name == *name));
        let hidden = hidden("wait_agent");
        let tool = offered.unwrap_or(&hidden);
        // The oldest releases call them ids.
        let has_ids = tool.parameters.iter().any(|name| name == "ids");
        let agents = if has_ids { "ids" } else { "targets" };
        let arguments = json!({agents: self.agents, "timeout_ms": 30_000});
        self.call_of(index, tool, &arguments, out)
    }

    /// A call of a tool that is offered. In newer releases its name has a namespace.
    fn call_of(
        &mut self,
        index: usize,
        tool: &Tool,
        arguments: &Value,
        out: &mut Vec<Value>,
    ) -> Value {
        let mut item = self.call(index, &tool.name, arguments, out);
        if let Some(namespace) = &tool.namespace {
            item["namespace"] = namespace.as_str().into();
        }
        item
    }

    fn call(&mut self, index: usize, name: &str, arguments: &Value, out: &mut Vec<Value>) -> Value {
        let (id, call) = (self.id("fc"), self.id("call"));
        let item = |arguments: &str| {
            json!({"type": "function_call", "id": id, "call_id": call, "name": name,
                   "arguments": arguments})
        };
        self.begins(index, item(""), out);
        item(&arguments.to_string())
    }

    fn begins(&mut self, index: usize, item: Value, out: &mut Vec<Value>) {
        let begin = json!({"output_index": index, "item": item});
        out.push(self.event("response.output_item.added", begin));
    }

    fn event(&mut self, kind: &str, mut members: Value) -> Value {
        members["type"] = kind.into();
        members["sequence_number"] = self.sequence.into();
        self.sequence += 1;
        members
    }

    fn id(&mut self, kind: &str) -> String {
        self.ids += 1;
        format!("{kind}_{:02}{:02}", self.prefix, self.ids)
    }
}

/// The ids of the agents that were started, from the outputs of the tool that starts them.
fn agents(request: &Value) -> Vec<String> {
    let input = request["input"].as_array().into_iter().flatten();
    let outputs = input.filter(|item| item["type"] == "function_call_output");
    let ids = outputs.filter_map(|item| {
        let output: Value = serde_json::from_str(item["output"].as_str()?).ok()?;
        output["agent_id"].as_str().map(str::to_owned)
    });
    ids.collect()
}

/// A tool for agents that is not offered: it has to be searched for.
fn hidden(name: &str) -> Tool {
    Tool {
        name: name.to_owned(),
        namespace: Some(AGENTS.to_owned()),
        ..Tool::default()
    }
}

/// The name of the tool that runs commands.
fn shell(tools: &[Tool]) -> &'static str {
    let is_offered = |name: &&str| tools.iter().any(|tool| tool.name == **name);
    let names = ["shell_command", "exec_command"];
    names.into_iter().find(is_offered).unwrap_or("shell")
}

/// A text in about three deltas.
fn deltas(text: &str) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    let deltas = chars.chunks(chars.len() / 3 + 1);
    deltas.map(|delta| delta.iter().collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(answer: &Answer, tools: &[Tool]) -> Vec<String> {
        let events = Events::new(1, &Value::Null).all(answer, tools);
        events
            .iter()
            .map(|event| {
                let item = event["item"]["type"].as_str().unwrap_or_default();
                format!("{} {item}", event["type"].as_str().unwrap())
            })
            .collect()
    }

    #[test]
    fn an_answer_ends_as_it_should() {
        let last = |end: End| {
            let all = kinds(&Answer::message("a").ending(end), &[]);
            all.last().unwrap().trim_end().to_owned()
        };
        assert_eq!(last(End::Completed), "response.completed");
        assert_eq!(last(End::failed("code", "No.")), "response.failed");
        // The message stays open.
        assert_eq!(last(End::Dropped), "response.output_text.delta");
        assert_eq!(last(End::Stalled), "response.output_text.delta");
        // Here it is complete.
        let all = kinds(&Answer::message("a").then(End::Dropped), &[]);
        assert_eq!(all.last().unwrap(), "response.output_item.done message");
    }

    #[test]
    fn a_patch_is_spelled_with_the_tools_there_are() {
        let offered = |tool: Value| {
            let tools = tools(&json!({"tools": [tool]}));
            let events = Events::new(1, &Value::Null).all(&Answer::patch("p"), &tools);
            let done = events
                .iter()
                .find(|e| e["type"] == "response.output_item.done");
            done.unwrap()["item"].clone()
        };
        let custom = offered(json!({"type": "custom", "name": "apply_patch"}));
        assert_eq!(
            (&custom["type"], &custom["input"]),
            (&json!("custom_tool_call"), &json!("p"))
        );
        let function = offered(json!({"type": "function", "name": "apply_patch"}));
        assert_eq!(function["arguments"], r#"{"input":"p"}"#);
        let shell = offered(json!({"type": "function", "name": "shell_command"}));
        assert_eq!(shell["name"], "shell_command");
        let arguments: Value = serde_json::from_str(shell["arguments"].as_str().unwrap()).unwrap();
        assert_eq!(arguments["command"], "apply_patch <<'EOF'\np\nEOF\n");
    }
}
