//! Hears what a client and Codex say to each other.

use std::collections::HashMap;

use codex_wire_base::Protocol;
use memchr::memmem;
use serde_json::Value;

use super::event::{ClientAction, Interrupted, Prompt, Sent};
use super::pending::{Pending, bare, relative, texts};
use crate::message::{self, Message};

/// What a line of Codex has that asks something, or that says what will be asked about.
const TELLING: [&[u8]; 4] = [
    b"pproval",
    b"requestUserInput",
    b"\"commandExecution\"",
    b"\"fileChange\"",
];

/// One connection, and what the client does in it.
#[derive(Clone, Debug)]
pub struct ClientTalk {
    protocol: Protocol,
    /// Where Codex works: of the process, and as the client says.
    directories: Vec<String>,
    /// What is not answered yet, with the name of the request or event that asks, by its id.
    asked: HashMap<String, (String, Pending)>,
    /// The prompts that Codex has not taken yet, by the id of the request.
    prompts: HashMap<String, Prompt>,
    /// What the items are about that have begun and not ended.
    items: HashMap<String, Pending>,
}

impl ClientTalk {
    /// A connection of a stand-in that works in this directory.
    pub fn new(protocol: Protocol, directory: impl Into<String>) -> Self {
        ClientTalk {
            protocol,
            directories: vec![directory.into()],
            asked: HashMap::new(),
            prompts: HashMap::new(),
            items: HashMap::new(),
        }
    }

    /// Hears a line of Codex, and says what the client has done with it: a prompt starts a turn when Codex takes it.
    pub fn codex(&mut self, line: &[u8]) -> Option<ClientAction> {
        let tells = |word: &&[u8]| memmem::find(line, word).is_some();
        let is_awaited = !self.prompts.is_empty() || TELLING.iter().any(tells);
        if self.protocol == Protocol::Exec || !is_awaited {
            return None;
        }
        let message = serde_json::from_slice::<Value>(line).ok()?;
        match self.protocol {
            Protocol::Core => self.event(&message),
            _ => self.message(&message),
        }
        self.taken(&message)
    }

    /// The prompt that a response takes.
    fn taken(&mut self, message: &Value) -> Option<ClientAction> {
        let id = message.get("id")?;
        if message.get("method").is_some() {
            return None;
        }
        let taken = self.prompts.remove(&id.to_string());
        // `fault/rpc-id-as-text` writes a number as a text.
        let prompt = taken.or_else(|| self.prompts.remove(id.as_str()?))?;
        message.get("result")?;
        Some(ClientAction::Prompt(prompt))
    }

    /// Hears a line of the client, and says what it does with it.
    pub fn client(&mut self, line: &[u8]) -> Vec<ClientAction> {
        let Ok(message) = serde_json::from_slice::<Value>(line) else {
            return vec![ClientAction::Sent(Sent {
                message: None,
                line: Some(String::from_utf8_lossy(line).into_owned()),
            })];
        };
        let text = std::str::from_utf8(line).unwrap_or_default();
        let mut done = match message::of_client(self.protocol, text) {
            Some(Message::Request { method, params, .. }) if self.protocol == Protocol::Core => {
                self.submission(&method, &params.unwrap_or_default())
            }
            Some(Message::Request { id, method, params }) => {
                self.request(id, &method, &params.unwrap_or_default())
            }
            Some(Message::Answer { id, content }) => self.answer(&id, content.get("result")),
            Some(Message::Notification { .. }) | None => Vec::new(),
        };
        let sent = Sent {
            message: Some(message),
            line: None,
        };
        done.insert(0, ClientAction::Sent(sent));
        done
    }

    /// A message of the app-server.
    fn message(&mut self, message: &Value) {
        let params = &message["params"];
        let item = &params["item"];
        match (message["method"].as_str(), message.get("id")) {
            (Some("item/started"), None) => {
                let about = match item["type"].as_str() {
                    Some("commandExecution") => Pending::command(bare(&item["command"])),
                    Some("fileChange") => {
                        let changes = item["changes"].as_array().into_iter().flatten();
                        let paths = changes.filter_map(|change| change["path"].as_str());
                        self.patch(paths)
                    }
                    _ => return,
                };
                self.items.insert(text(&item["id"]), about);
            }
            (Some("item/completed"), None) => {
                self.items.remove(&text(&item["id"]));
            }
            (Some(method), Some(id)) => {
                if let Some(pending) = self.asks(method, params) {
                    self.asked
                        .insert(id.to_string(), (method.to_owned(), pending));
                }
            }
            _ => {}
        }
    }

    /// What a request of the app-server asks.
    fn asks(&self, method: &str, params: &Value) -> Option<Pending> {
        let begun = || self.items.get(&text(&params["itemId"])).cloned();
        Some(match method {
            "item/commandExecution/requestApproval" => match bare(&params["command"]) {
                None => begun().unwrap_or_else(|| Pending::command(None)),
                command => Pending::command(command),
            },
            "execCommandApproval" => Pending::command(bare(&params["command"])),
            "item/fileChange/requestApproval" => {
                begun().unwrap_or_else(|| Pending::patch(Vec::new()))
            }
            "applyPatchApproval" => self.patch(keys(&params["fileChanges"])),
            "item/tool/requestUserInput" => {
                let questions = params["questions"].as_array().into_iter().flatten();
                let questions =
                    questions.map(|asked| (text(&asked["id"]), text(&asked["question"])));
                Pending::Questions(questions.collect())
            }
            _ => return None,
        })
    }

    /// An event of `codex proto`.
    fn event(&mut self, event: &Value) {
        let msg = &event["msg"];
        let name = text(&msg["type"]);
        let pending = match name.as_str() {
            "exec_approval_request" => Pending::command(bare(&msg["command"])),
            "apply_patch_approval_request" => self.patch(keys(&msg["changes"])),
            _ => return,
        };
        self.asked.insert(event["id"].to_string(), (name, pending));
    }

    /// A request of a client of the app-server.
    fn request(&mut self, id: String, method: &str, params: &Value) -> Vec<ClientAction> {
        let named = |name: &str| params[name].as_str().map(str::to_owned);
        if let Some(cwd) = named("cwd")
            && !self.directories.contains(&cwd)
        {
            self.directories.push(cwd);
        }
        let prompt = match method {
            "turn/start" => prompt(named("threadId"), &params["input"]),
            "sendUserTurn" | "sendUserMessage" => prompt(named("conversationId"), &params["items"]),
            "turn/interrupt" | "interruptConversation" => {
                return vec![ClientAction::Interrupted(Interrupted {
                    thread_id: named("threadId").or_else(|| named("conversationId")),
                    turn_id: named("turnId"),
                })];
            }
            _ => return Vec::new(),
        };
        self.prompts.insert(id, prompt);
        Vec::new()
    }

    /// The answer to what Codex asked with this id, as JSON.
    fn answer(&mut self, id: &str, result: Option<&Value>) -> Vec<ClientAction> {
        let asked = self.asked.remove(id);
        let answered = asked.map(|(name, pending)| pending.answered(&name, result));
        answered.unwrap_or_default()
    }

    /// A submission to `codex proto`.
    fn submission(&mut self, name: &str, op: &Value) -> Vec<ClientAction> {
        match name {
            "user_input" | "user_turn" => vec![ClientAction::Prompt(prompt(None, &op["items"]))],
            "interrupt" => vec![ClientAction::Interrupted(Interrupted {
                thread_id: None,
                turn_id: None,
            })],
            "exec_approval" | "patch_approval" => self.answer(&op["id"].to_string(), Some(op)),
            _ => Vec::new(),
        }
    }

    fn patch<'p>(&self, paths: impl Iterator<Item = &'p str>) -> Pending {
        let paths = paths.map(|path| relative(path, &self.directories));
        Pending::patch(paths.collect())
    }
}

/// A prompt, from what the user put in. Images and the like are left out.
fn prompt(thread_id: Option<String>, input: &Value) -> Prompt {
    let parts = input.as_array().into_iter().flatten();
    let said = parts.map(|part| match &part["data"]["text"] {
        Value::Null => part["text"].clone(),
        text => text.clone(),
    });
    Prompt {
        thread_id,
        text: texts(&Value::Array(said.collect())).join("\n"),
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn keys(object: &Value) -> impl Iterator<Item = &str> {
    let members = object.as_object().into_iter();
    members.flat_map(|members| members.keys().map(String::as_str))
}
