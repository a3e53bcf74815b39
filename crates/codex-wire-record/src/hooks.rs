//! Hooks: which events a release has, the file that declares them, and that Codex trusts them.

use std::fs;
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use codex_wire_base::Release;
use serde_json::{Value, json};

use crate::client::Client;
use crate::home::Home;

/// The events of hooks, each with the first release that has it.
const EVENTS: [(&str, u32); 12] = [
    ("SessionStart", 114),
    ("Stop", 114),
    ("UserPromptSubmit", 116),
    ("PreToolUse", 117),
    ("PostToolUse", 117),
    ("PermissionRequest", 122),
    ("PreCompact", 129),
    ("PostCompact", 129),
    ("SubagentStart", 133),
    ("SubagentStop", 133),
    ("SessionEnd", 145),
    ("Interrupt", 150),
];

/// How long a hook may take, in seconds. Codex gives some events no more than three, and says so.
const PATIENCE: u32 = 3;

/// How long Codex may take to list its hooks.
const START: Duration = Duration::from_secs(30);

impl Home {
    /// Makes Codex run a command line with every event that the release has. The command gets the input of
    /// the hook on its standard input. Releases up to 0.113.0 have no hooks: nothing is done.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn add_hooks(&mut self, command: &str) -> io::Result<()> {
        let release = self.configuration().release;
        let events = EVENTS
            .iter()
            .filter(|(_, minor)| release >= Release::new(0, *minor, 0));
        let hook = json!({"type": "command", "command": command, "timeout": PATIENCE});
        let groups: serde_json::Map<String, Value> = events
            .map(|(event, _)| ((*event).to_owned(), json!([{"hooks": [hook]}])))
            .collect();
        if groups.is_empty() {
            return Ok(());
        }
        let text = json!({"hooks": groups}).to_string();
        fs::write(self.hooks_file(), text)?;
        self.reconfigure(|configuration| configuration.has_hooks = true)
    }

    /// Makes Codex trust the hooks: from 0.129.0 on it runs no others. The program is asked for their
    /// hashes.
    ///
    /// # Errors
    /// When the program does not answer.
    pub fn trust_hooks(&mut self, program: &Path) -> io::Result<()> {
        let configuration = self.configuration();
        if !configuration.has_hooks || configuration.release < Release::new(0, 129, 0) {
            return Ok(());
        }
        let mut command = Command::new(program);
        command.arg("app-server").stderr(Stdio::null());
        let mut client = Client::start(self.furnish(&mut command))?;
        let info = json!({"name": "recorder", "title": "Recorder", "version": "1.0.0"});
        let params = json!({"clientInfo": info, "capabilities": {"experimentalApi": true}});
        client.request("initialize", params, START)?;
        client.send(&json!({"method": "initialized"}))?;
        let listed = client.request("hooks/list", json!({"cwds": [self.project()]}), START)?;
        let _ = client.close(START);
        let entries = listed["result"]["data"].as_array().into_iter().flatten();
        let hooks = entries.filter_map(|entry| entry["hooks"].as_array());
        let trusted = hooks.flatten().filter_map(|hook| {
            let text = |name: &str| hook[name].as_str().map(str::to_owned);
            Some((text("key")?, text("currentHash")?))
        });
        let trusted: Vec<(String, String)> = trusted.collect();
        if trusted.is_empty() {
            return Err(io::Error::other("Codex lists no hooks"));
        }
        self.reconfigure(|configuration| configuration.trusted_hooks = trusted)
    }
}
