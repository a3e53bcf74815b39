//! A client of a played app-server.

use codex_wire_base::Release;
use codex_wire_replay::script::{AppServer, Script, Settings};
use serde_json::{Value, json};

/// A connection with what both sides wrote.
pub(crate) struct Client {
    pub(crate) server: AppServer,
    pub(crate) lines: Vec<(&'static str, String)>,
    pub(crate) thread: Value,
    ids: u64,
    decision: &'static str,
}

impl Client {
    /// A client that answers each request for approval with `decision`, and has a thread.
    pub(crate) fn new(
        script: &Script,
        release: Release,
        decision: &'static str,
    ) -> Result<Self, String> {
        let server = AppServer::new(script.clone(), release, Settings::default());
        let mut client = Client {
            server: server.map_err(|error| error.to_string())?,
            lines: Vec::new(),
            thread: Value::Null,
            ids: 0,
            decision,
        };
        let info = json!({"name": "tester", "title": "Tester", "version": "1.0.0"});
        let capabilities = json!({"experimentalApi": true});
        client.request(
            "initialize",
            &json!({"clientInfo": info, "capabilities": capabilities}),
        );
        client.send(&json!({"method": "initialized"}));
        let result = client.request("thread/start", &json!({"cwd": "/workspace/project"}));
        client.thread = result["thread"]["id"].clone();
        Ok(client)
    }

    /// Starts a turn, and answers what Codex asks.
    pub(crate) fn turn(&mut self, prompt: &str) -> Value {
        let input = json!([{"type": "text", "text": prompt}]);
        let result = self.request(
            "turn/start",
            &json!({"threadId": self.thread.clone(), "input": input}),
        );
        result["turn"]["id"].clone()
    }

    pub(crate) fn request(&mut self, method: &str, params: &Value) -> Value {
        self.ids += 1;
        let (id, from) = (self.ids, self.lines.len());
        self.send(&json!({"id": id, "method": method, "params": params}));
        let response = self.lines[from..].iter().find_map(|(from, line)| {
            let message: Value = serde_json::from_str(line).unwrap();
            let answers = message["id"] == id && message.get("method").is_none();
            (*from == "codex" && answers).then_some(message)
        });
        response.unwrap_or_else(|| panic!("no response to {method}"))["result"].clone()
    }

    fn send(&mut self, message: &Value) {
        let line = message.to_string();
        let written = self.server.receive(&line);
        self.lines.push(("client", line));
        let asked = written.iter().find_map(|line| {
            let message: Value = serde_json::from_str(line).unwrap();
            (message.get("id").is_some() && message.get("method").is_some()).then_some(message)
        });
        self.lines
            .extend(written.into_iter().map(|line| ("codex", line)));
        let Some(asked) = asked.filter(|_| !self.decision.is_empty()) else {
            return;
        };
        let old = asked["method"].as_str().unwrap().ends_with("Approval")
            && !asked["method"].as_str().unwrap().starts_with("item/");
        let result = match (asked["method"].as_str().unwrap(), self.decision) {
            ("item/tool/requestUserInput", _) => {
                let question = asked["params"]["questions"][0]["id"].as_str().unwrap();
                json!({"answers": {question: {"answers": ["Red"]}}})
            }
            (_, "accept") if old => json!({"decision": "approved"}),
            (_, "decline") if old => json!({"decision": "denied"}),
            (_, "cancel") if old => json!({"decision": "abort"}),
            (_, decision) => json!({"decision": decision}),
        };
        self.send(&json!({"id": asked["id"], "result": result}));
    }

    /// The messages of Codex.
    pub(crate) fn messages(&self) -> Vec<Value> {
        let codex = self.lines.iter().filter(|(from, _)| *from == "codex");
        codex
            .map(|(_, line)| serde_json::from_str(line).unwrap())
            .collect()
    }
}
