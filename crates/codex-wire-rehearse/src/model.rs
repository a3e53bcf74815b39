//! A model that says what its script says: the Responses API over SSE, on loopback.

use std::collections::VecDeque;
use std::io::{self, BufReader, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use serde_json::{Value, json};

use crate::http::Request;

/// What the model answers to one request.
#[derive(Clone, Debug)]
pub struct Answer(Vec<Item>);

impl Answer {
    /// An answer of some items.
    pub fn new(items: impl IntoIterator<Item = Item>) -> Self {
        Answer(items.into_iter().collect())
    }

    /// An answer that is one message.
    pub fn message(text: &str) -> Self {
        Answer::new([Item::Message(text.to_owned())])
    }

    /// An answer that wants one command to be run.
    pub fn command(command: &str) -> Self {
        Answer::new([Item::Command(command.to_owned())])
    }
}

/// A part of an answer. It is spelled with the tools the request offers, so one script fits all
/// releases.
#[derive(Clone, Debug)]
pub enum Item {
    /// The model says something.
    Message(String),
    /// The model wants a shell to run something.
    Command(String),
}

/// A model that listens on a port of the loopback device for as long as the process lives.
#[derive(Debug)]
pub struct Model {
    port: u16,
    stage: Arc<Mutex<Stage>>,
}

#[derive(Debug, Default)]
struct Stage {
    script: VecDeque<Answer>,
    requests: Vec<Value>,
    ids: u32,
}

impl Model {
    /// Begins to listen.
    ///
    /// # Errors
    /// When there is no port to listen on.
    pub fn new(script: impl IntoIterator<Item = Answer>) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let port = listener.local_addr()?.port();
        let stage = Arc::new(Mutex::new(Stage {
            script: script.into_iter().collect(),
            ..Stage::default()
        }));
        let shared = Arc::clone(&stage);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let stage = Arc::clone(&shared);
                // A client that hangs up in the middle is none of the model's business.
                thread::spawn(move || serve(stream, &stage));
            }
        });
        Ok(Model { port, stage })
    }

    /// Where it listens.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// What it was asked so far.
    pub fn requests(&self) -> Vec<Value> {
        self.locked().requests.clone()
    }

    /// How many answers of the script are left.
    pub fn left(&self) -> usize {
        self.locked().script.len()
    }

    fn locked(&self) -> std::sync::MutexGuard<'_, Stage> {
        self.stage.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn serve(stream: TcpStream, stage: &Mutex<Stage>) -> io::Result<()> {
    let mut input = BufReader::new(stream.try_clone()?);
    let mut out = stream;
    let Some(request) = Request::read(&mut input)? else {
        return Ok(());
    };
    if request.method != "POST" || !request.path.ends_with("/responses") {
        let body = r#"{"error":{"message":"no such endpoint"}}"#;
        return write!(
            out,
            "HTTP/1.1 404 Not Found\r\ncontent-type: application/json\r\nconnection: close\r\n\
             content-length: {}\r\n\r\n{body}",
            body.len()
        );
    }
    let asked: Value = serde_json::from_slice(&request.body).unwrap_or_default();
    let tools = tools(&asked);
    let (answer, mut events) = {
        let mut stage = stage.lock().unwrap_or_else(PoisonError::into_inner);
        let answer = stage.script.pop_front();
        stage.requests.push(asked);
        stage.ids += 1;
        let prefix = stage.ids;
        let answer = answer.unwrap_or_else(|| Answer::message("The script is at its end."));
        (answer, Events::new(prefix))
    };
    write!(
        out,
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n"
    )?;
    for event in events.all(&answer, &tools) {
        let kind = event["type"].as_str().unwrap_or_default();
        write!(out, "event: {kind}\ndata: {event}\n\n")?;
        out.flush()?;
    }
    Ok(())
}

/// The names of the tools a request offers, with the members they take.
fn tools(request: &Value) -> Vec<(String, Value)> {
    let mut lists = vec![&request["tools"]];
    // Some releases put them among the input.
    let input = request["input"].as_array().into_iter().flatten();
    lists.extend(input.map(|item| &item["tools"]));
    let mut out = Vec::new();
    for tool in lists.into_iter().filter_map(Value::as_array).flatten() {
        let name = tool["name"].as_str().or(tool["type"].as_str());
        let members = tool["parameters"]["properties"].clone();
        out.push((name.unwrap_or_default().to_owned(), members));
    }
    out
}

/// The events of one answer.
struct Events {
    prefix: u32,
    ids: u32,
    sequence: u32,
}

impl Events {
    fn new(prefix: u32) -> Self {
        Events {
            prefix,
            ids: 0,
            sequence: 0,
        }
    }

    fn all(&mut self, answer: &Answer, tools: &[(String, Value)]) -> Vec<Value> {
        let id = self.id("resp");
        let mut out = Vec::new();
        let response =
            json!({"id": id, "object": "response", "status": "in_progress", "output": []});
        out.push(self.event("response.created", json!({"response": response})));
        let mut done = Vec::new();
        for (index, item) in answer.0.iter().enumerate() {
            let item = match item {
                Item::Message(text) => self.message(index, text, &mut out),
                Item::Command(command) => self.command(index, command, tools, &mut out),
            };
            let end = json!({"output_index": index, "item": item});
            out.push(self.event("response.output_item.done", end));
            done.push(item);
        }
        let usage = json!({
            "input_tokens": 137, "input_tokens_details": {"cached_tokens": 21},
            "output_tokens": 12, "output_tokens_details": {"reasoning_tokens": 3},
            "total_tokens": 149,
        });
        let response = json!({"id": id, "object": "response", "status": "completed",
                              "output": done, "usage": usage});
        out.push(self.event("response.completed", json!({"response": response})));
        out
    }

    fn message(&mut self, index: usize, text: &str, out: &mut Vec<Value>) -> Value {
        let id = self.id("msg");
        let item = |status: &str, content: Value| {
            json!({"type": "message", "role": "assistant", "id": id, "status": status,
                   "content": content})
        };
        let begin = json!({"output_index": index, "item": item("in_progress", json!([]))});
        out.push(self.event("response.output_item.added", begin));
        let chars: Vec<char> = text.chars().collect();
        for piece in chars.chunks(chars.len() / 3 + 1) {
            let piece: String = piece.iter().collect();
            let delta = json!({"item_id": id, "output_index": index, "content_index": 0,
                               "delta": piece});
            out.push(self.event("response.output_text.delta", delta));
        }
        let content = json!([{"type": "output_text", "text": text, "annotations": []}]);
        item("completed", content)
    }

    fn command(
        &mut self,
        index: usize,
        command: &str,
        tools: &[(String, Value)],
        out: &mut Vec<Value>,
    ) -> Value {
        let names = ["shell_command", "exec_command", "shell"];
        let offered = names
            .iter()
            .find(|name| tools.iter().any(|(tool, _)| tool == *name));
        let (name, arguments) = match offered.copied() {
            Some("shell_command") => ("shell_command", json!({"command": command})),
            Some("exec_command") => ("exec_command", json!({"cmd": command})),
            _ => ("shell", json!({"command": ["sh", "-c", command]})),
        };
        let (id, call) = (self.id("fc"), self.id("call"));
        let item = |arguments: &str| {
            json!({"type": "function_call", "id": id, "call_id": call, "name": name,
                   "arguments": arguments})
        };
        let begin = json!({"output_index": index, "item": item("")});
        out.push(self.event("response.output_item.added", begin));
        item(&arguments.to_string())
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
