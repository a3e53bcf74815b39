//! Calls the methods of a server that was greeted.

use std::io;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::answer::Answer;
use crate::server::Subject;

/// How long a method may take, one that looks for a network that is not there among them.
const PATIENCE: Duration = Duration::from_secs(60);

/// Methods that are never called, because they begin something that goes on.
pub const NEVER_CALLED: &[&str] = &[
    // They begin a login: a server that waits for a browser, or requests to a provider.
    "account/gatewayOAuth/login",
    "account/login/start",
    "loginChatGpt",
    "mcpServer/oauth/login",
    // Lets other machines in.
    "remoteControl/enable",
];

impl Subject<'_> {
    /// Calls methods, one after the other, as a client that has the experimental API or does not.
    ///
    /// # Errors
    /// When the program cannot be started, or a folder cannot be written.
    pub fn call(
        &self,
        calls: &[(String, Option<Value>)],
        experimental: bool,
    ) -> io::Result<Vec<Answer>> {
        let mut answers = Vec::with_capacity(calls.len());
        let mut client = self.greeted(experimental)?;
        for (id, (method, params)) in calls.iter().enumerate() {
            let mut line = json!({"id": id, "method": method});
            if let Some(params) = params {
                line["params"] = params.clone();
            }
            // A process that has ended shows below.
            let _ = client.send(&line);
            let until = Instant::now() + PATIENCE;
            let answer = loop {
                match client.next(until.saturating_duration_since(Instant::now())) {
                    Ok(message) if message["id"] == id && message.get("method").is_none() => {
                        break Answer::of(method, &message);
                    }
                    Ok(_) => {}
                    Err(error) if error.kind() == io::ErrorKind::TimedOut => break Answer::Silent,
                    Err(_) => break Answer::Ended,
                }
            };
            if answer == Answer::Ended {
                client = self.greeted(experimental)?;
            }
            answers.push(self.scrubbed(answer));
        }
        Ok(answers)
    }

    /// A client that was welcomed.
    fn greeted(&self, experimental: bool) -> io::Result<codex_wire_record::Client> {
        let mut client = self.serve()?;
        let mut params =
            json!({"clientInfo": {"name": "probe", "title": "Probe", "version": "1.0.0"}});
        if experimental {
            params["capabilities"] = json!({"experimentalApi": true});
        }
        client.request("initialize", params, PATIENCE)?;
        client.send(&json!({"method": "initialized"}))?;
        Ok(client)
    }

    /// An answer without the folder it was given in.
    fn scrubbed(&self, answer: Answer) -> Answer {
        match answer {
            Answer::Denied(message) => {
                let stage = self.stage.to_string_lossy();
                Answer::Denied(message.replace(&*stage, "/stage"))
            }
            answer => answer,
        }
    }
}
