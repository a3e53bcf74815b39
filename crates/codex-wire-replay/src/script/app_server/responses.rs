//! Answers to the client, and errors.

use serde_json::Value;

use super::state::{AppServer, RESPONSES, Thread};
use crate::compose::json::{Node, object};
use crate::conversation::OnMiss;
use crate::miss::{self, Miss, RpcError};

impl AppServer {
    pub(super) fn thread_of(&self, params: &Value) -> Option<&Thread> {
        self.threads.get(params["threadId"].as_str()?)
    }

    /// A request that has nothing to do with the script.
    pub(super) fn other(&mut self, id: &Value, method: &str, params: Option<&Value>) {
        let made = match (&self.synthesis, self.on_miss) {
            (Some(synthesis), OnMiss::Synthesize) => synthesis.result(method, params),
            _ => None,
        };
        let Some(made) = made else {
            return self.refuse(id, miss::not_scripted(method));
        };
        self.ids.tick();
        self.push(format!("{{\"id\":{id},\"result\":{}}}", made.result));
        self.missed(None);
    }

    pub(super) fn respond_or_other(
        &mut self,
        id: &Value,
        method: &str,
        params: Option<&Value>,
        wanted: &Node,
    ) {
        match self.writer.result(RESPONSES, method, wanted) {
            Some(result) => self.answer(id, result),
            None => self.other(id, method, params),
        }
    }

    pub(super) fn respond(&mut self, id: &Value, method: &str, wanted: &Node) {
        match self.writer.result(RESPONSES, method, wanted) {
            Some(result) => self.answer(id, result),
            // The release has the request, and every result of it has a place for what is wanted.
            None => self.refuse(id, miss::not_scripted(method)),
        }
    }

    fn answer(&mut self, id: &Value, result: Node) {
        self.ids.tick();
        let response = object! { "id" => Node::from(id), "result" => result };
        self.push(response.to_string());
    }

    pub(super) fn refuse(&mut self, id: &Value, error: impl Into<RpcError>) {
        let RpcError { code, message } = error.into();
        let error = object! { "code" => code, "message" => &message };
        let response = object! { "error" => error, "id" => Node::from(id) };
        self.push(response.to_string());
        self.missed(Some(message));
    }

    fn missed(&mut self, error: Option<String>) {
        self.miss = Some(Miss {
            what: self.asked.clone(),
            is_of_script: true,
            is_answered: error.is_none(),
            error,
            nearest: None,
        });
    }
}
