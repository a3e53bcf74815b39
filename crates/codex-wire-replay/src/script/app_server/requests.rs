//! Requests of the client.

use serde_json::Value;

use super::super::answers::Used;
use super::super::json::{Node, object, texts};
use super::super::model::Tokens;
use super::{AppServer, RESPONSES, Thread};

/// The code of nearly every refusal of Codex.
const REFUSED: i64 = -32600;

impl AppServer {
    pub(super) fn request(&mut self, id: &Value, method: &str, params: &Value) {
        if method == "initialize" {
            return self.initialize(id, params);
        }
        if self.client.is_none() {
            return self.refuse(id, "Not initialized");
        }
        match method {
            "thread/start" => self.thread_start(id, params),
            "thread/resume" => self.thread_resume(id, params),
            "turn/start" => self.turn_start(id, params),
            "turn/interrupt" => self.turn_interrupt(id, params),
            _ => self.other(id, method, params),
        }
    }

    fn initialize(&mut self, id: &Value, params: &Value) {
        if self.client.is_some() {
            return self.refuse(id, "Already initialized");
        }
        let info = |name: &str| params["clientInfo"][name].as_str().map(str::to_owned);
        let (Some(name), Some(version)) = (info("name"), info("version")) else {
            return self.refuse(id, "Invalid request: missing field `clientInfo`");
        };
        let release = self.writer.release();
        let program = self.habits.user_agent(&name);
        let agent = format!("{program}/{release} (Debian 12.0.0; x86_64) dumb ({name}; {version})");
        self.client = Some((name, version));
        let result = object! {
            "userAgent" => agent,
            "codexHome" => &self.settings.codex_home,
            "platformFamily" => "unix",
            "platformOs" => "linux",
        };
        self.respond(id, "initialize", &result);
    }

    fn thread_start(&mut self, id: &Value, params: &Value) {
        let thread = self.new_thread(params);
        let result = self.thread_result(&thread);
        self.respond(id, "thread/start", &result);
        let started = object! { "thread" => self.thread_node(&thread) };
        self.note("thread/started", started);
    }

    fn thread_resume(&mut self, id: &Value, params: &Value) {
        let Some(name) = params["threadId"].as_str().map(str::to_owned) else {
            return self.refuse(id, "Invalid request: missing field `threadId`");
        };
        if !self.threads.contains_key(&name) {
            // A thread of an earlier process: a stand-in has no rollouts, so it starts with no turns.
            let thread = self.make_thread(name.clone(), params);
            self.threads.insert(name.clone(), thread);
        }
        let thread = self.threads[&name].clone();
        let result = self.thread_result(&thread);
        self.respond(id, "thread/resume", &result);
    }

    fn turn_start(&mut self, id: &Value, params: &Value) {
        let name = params["threadId"].as_str().unwrap_or_default().to_owned();
        let Some(thread) = self.threads.get(&name) else {
            return self.refuse(id, &format!("thread not found: {name}"));
        };
        if let Some(running) = &thread.running {
            // What is said during a turn is a part of it.
            let turn = self.turn_node(running, "inProgress", false, Node::Null);
            return self.respond(id, "turn/start", &object! { "turn" => turn });
        }
        let steps = self.script.turn(thread.turns).steps.clone();
        let turn = self.begin(&name, steps);
        self.respond(id, "turn/start", &object! { "turn" => turn });
        self.started(&name, &params["input"]);
        // Every step was tried when the server was made.
        let _ = self.go_on(&name);
    }

    fn turn_interrupt(&mut self, id: &Value, params: &Value) {
        let name = params["threadId"].as_str().unwrap_or_default().to_owned();
        let thread = self.threads.get(&name);
        let running = thread.and_then(|thread| thread.running.as_ref());
        if running.is_none() {
            return self.refuse(id, "no active turn to interrupt");
        }
        self.interrupting(&name);
        self.respond(id, "turn/interrupt", &object! {});
        self.interrupted(&name);
    }

    /// A request that has nothing to do with the script: the least that the release can answer.
    fn other(&mut self, id: &Value, method: &str, params: &Value) {
        let mut names = object! {};
        for name in ["threadId", "turnId"] {
            if let Some(id) = params[name].as_str() {
                names.push(name, id);
            }
        }
        match self.writer.result(RESPONSES, method, &names) {
            Some(result) => self.answer(id, result),
            None => {
                let message = format!("Invalid request: unknown variant `{method}`");
                self.refuse(id, &message);
            }
        }
    }

    pub(super) fn new_thread(&mut self, params: &Value) -> Thread {
        let id = self.ids.uuid();
        let thread = self.make_thread(id.clone(), params);
        self.threads.insert(id, thread.clone());
        thread
    }

    fn make_thread(&mut self, id: String, params: &Value) -> Thread {
        let cwd = params["cwd"].as_str().unwrap_or(&self.settings.cwd);
        let text = |name: &str| params[name].as_str();
        let approval = match &params["approvalPolicy"] {
            Value::Null => Node::from("on-request"),
            policy => Node::OneOf(vec![Node::from(policy), Node::from("on-request")]),
        };
        let roots = texts([] as [&str; 0]);
        let sandbox = match text("sandbox") {
            Some("danger-full-access" | "dangerFullAccess") => {
                object! { "type" => "dangerFullAccess" }
            }
            Some("workspace-write" | "workspaceWrite") => object! {
                "type" => "workspaceWrite",
                "writableRoots" => roots,
                "networkAccess" => false,
                "excludeTmpdirEnvVar" => false,
                "excludeSlashTmp" => false,
            },
            _ => object! { "type" => "readOnly", "networkAccess" => false },
        };
        Thread {
            id,
            cwd: cwd.to_owned(),
            approval,
            sandbox,
            created: self.ids.seconds(),
            turns: 0,
            tokens: Tokens::default(),
            used: Used::default(),
            running: None,
        }
    }

    fn respond(&mut self, id: &Value, method: &str, wanted: &Node) {
        match self.writer.result(RESPONSES, method, wanted) {
            Some(result) => self.answer(id, result),
            None => self.refuse(id, &format!("Invalid request: unknown variant `{method}`")),
        }
    }

    fn answer(&mut self, id: &Value, result: Node) {
        self.ids.tick();
        let response = object! { "id" => Node::from(id), "result" => result };
        self.out.push(response.to_string());
    }

    fn refuse(&mut self, id: &Value, message: &str) {
        let error = object! { "code" => REFUSED, "message" => message };
        let response = object! { "error" => error, "id" => Node::from(id) };
        self.out.push(response.to_string());
    }
}
