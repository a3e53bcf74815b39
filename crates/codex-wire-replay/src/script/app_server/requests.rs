//! Requests of the client.

use serde_json::Value;

use super::super::answers::Used;
use super::super::model::Tokens;
use super::running::Running;
use super::state::{AppServer, ReadState, Thread};
use super::templates::read_state;
use crate::compose::json::{Node, object, texts};
use crate::miss;
use crate::synthesis::Synthesis;

impl AppServer {
    pub(super) fn request(&mut self, id: &Value, method: &str, params: Option<&Value>) {
        method.clone_into(&mut self.asked);
        let given = params.unwrap_or(&Value::Null);
        if method == "initialize" {
            return self.initialize(id, given);
        }
        if self.client.is_none() {
            return self.refuse(id, miss::NOT_INITIALIZED);
        }
        // A thread of an earlier process can be resumed: see there.
        let is_earlier = |thread: &str| {
            method == "thread/resume"
                && miss::is_thread_id(thread)
                && !self.deleted.contains(thread)
        };
        let is_known = |thread: &str| self.threads.contains_key(thread) || is_earlier(thread);
        let release = Some(self.writer.release());
        let refusal = miss::refusal_of(method, params, release, self.is_experimental, &is_known);
        if let Some(refusal) = refusal {
            return self.refuse(id, refusal);
        }
        // What is wrong with a review is said in the words of Codex, there.
        let reads =
            |synthesis: &Synthesis| method == "review/start" || synthesis.reads(method, params);
        if !self.synthesis.as_ref().is_none_or(reads) {
            let refusal = miss::wrong_parameters(method, self.writer.release());
            return self.refuse(id, refusal);
        }
        match method {
            "thread/start" => self.thread_start(id, given),
            "thread/fork" => self.thread_fork(id, given),
            "thread/resume" => self.thread_resume(id, given),
            "thread/delete" => self.thread_delete(id, given),
            "thread/read" => self.thread_read(id, params),
            "thread/list" => self.thread_list(id, params),
            "thread/turns/list" => self.turns_list(id, params),
            "turn/start" => self.turn_start(id, given),
            "turn/interrupt" => self.turn_interrupt(id, given),
            "turn/steer" => self.turn_steer(id, params),
            "review/start" => self.review_start(id, params),
            "thread/compact/start" => self.compact_start(id, params),
            _ => self.other(id, method, params),
        }
    }

    fn initialize(&mut self, id: &Value, params: &Value) {
        if self.client.is_some() {
            return self.refuse(id, miss::ALREADY_INITIALIZED);
        }
        let info = |name: &str| params["clientInfo"][name].as_str().map(str::to_owned);
        let (Some(name), Some(version)) = (info("name"), info("version")) else {
            return self.refuse(id, "Invalid request: missing field `clientInfo`");
        };
        let agent = self.observed.user_agent(&name, &version);
        self.client = Some((name, version));
        let experimental = &params["capabilities"]["experimentalApi"];
        self.is_experimental = experimental.as_bool().unwrap_or(false);
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

    /// The copy has as many turns as the thread had.
    fn thread_fork(&mut self, id: &Value, params: &Value) {
        let Some(from) = self.thread_of(params).cloned() else {
            return;
        };
        let name = self.ids.uuid();
        let read = from.read.as_ref().map(|_| ReadState {
            unread: None,
            revision: format!("initial:{name}"),
        });
        let copy = Thread {
            id: name,
            created: self.ids.seconds(),
            running: None,
            items: Vec::new(),
            read,
            ..from
        };
        self.threads.insert(copy.id.clone(), copy.clone());
        let result = self.result_with_turns(&copy, params);
        self.respond(id, "thread/fork", &result);
        let thread = match self.observed.starts_forks_with_turns() {
            true => self.thread_with_turns(&copy),
            false => self.thread_node(&copy),
        };
        self.note("thread/started", object! { "thread" => thread });
    }

    /// What `thread/resume` and `thread/fork` return: with the turns, unless the client wants none.
    fn result_with_turns(&self, thread: &Thread, params: &Value) -> Node {
        let mut result = self.thread_result(thread);
        let is_without = self.observed.leaves_out_turns() && params["excludeTurns"] == true;
        if !is_without {
            result.set("thread", self.thread_with_turns(thread));
        }
        result
    }

    /// The thread, with its turns if the client wants them.
    fn thread_read(&mut self, id: &Value, params: Option<&Value>) {
        let given = params.unwrap_or(&Value::Null);
        let Some(thread) = self.thread_of(given) else {
            return;
        };
        let wants_turns = given["includeTurns"] == true;
        let refusal = self.no_turns(thread).filter(|_| wants_turns);
        if let Some(refusal) = refusal {
            return self.refuse(id, refusal);
        }
        let read = object! {
            "thread" => match wants_turns {
                true => self.thread_with_turns(thread),
                false => self.thread_node(thread),
            },
            "readState" => thread.read.as_ref().map(read_state),
        };
        self.respond_or_other(id, "thread/read", params, &read);
    }

    /// The threads of this connection in which something was said.
    fn thread_list(&mut self, id: &Value, params: Option<&Value>) {
        let threads = self.threads.values().filter(|thread| thread.turns > 0);
        let states = threads.clone().filter_map(|thread| {
            let state = read_state(thread.read.as_ref()?);
            Some((thread.id.clone(), state))
        });
        let list = object! {
            "readStates" => Node::Object(states.collect()),
            "data" => Node::List(threads.map(|thread| self.thread_node(thread)).collect()),
        };
        self.respond_or_other(id, "thread/list", params, &list);
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
        let result = self.result_with_turns(&self.threads[&name], params);
        self.respond(id, "thread/resume", &result);
    }

    /// As in 0.151.0 and 0.169.0: a turn that runs is interrupted.
    fn thread_delete(&mut self, id: &Value, params: &Value) {
        let name = params["threadId"].as_str().unwrap_or_default().to_owned();
        self.interrupted(&name);
        self.status(&name, object! { "type" => "notLoaded" });
        self.threads.remove(&name);
        self.respond(id, "thread/delete", &object! {});
        self.note("thread/deleted", object! { "threadId" => &name });
        self.deleted.insert(name);
    }

    fn turn_start(&mut self, id: &Value, params: &Value) {
        let name = params["threadId"].as_str().unwrap_or_default().to_owned();
        let Some(thread) = self.threads.get(&name) else {
            return self.refuse(id, format!("thread not found: {name}").as_str());
        };
        if let Some(running) = &thread.running {
            // What is said during a turn is a part of it.
            let turn = self.turn_node(running, "inProgress", false, Node::Null);
            return self.respond(id, "turn/start", &object! { "turn" => turn });
        }
        if let (Some(cwd), Some(thread)) = (params["cwd"].as_str(), self.threads.get_mut(&name)) {
            // It holds for later turns, too.
            thread.cwd = self.settings.folder(cwd);
        }
        let turn = self.begin_of_script(&name);
        self.respond(id, "turn/start", &object! { "turn" => turn });
        self.started(&name, &params["input"]);
        // Every step was tried when the server was made.
        let _ = self.go_on(&name);
    }

    fn turn_interrupt(&mut self, id: &Value, params: &Value) {
        let name = params["threadId"].as_str().unwrap_or_default().to_owned();
        let thread = self.threads.get(&name);
        let Some(running) = thread.and_then(|thread| thread.running.as_ref()) else {
            return self.refuse(id, "no active turn to interrupt");
        };
        let expected = params["turnId"].as_str().unwrap_or_default();
        // A review has a second id.
        let is_other = !running.is_review() && ![running.turn.as_str(), ""].contains(&expected);
        if is_other && self.observed.interrupts_only_the_named_turn() {
            let turn = &running.turn;
            let message = format!("expected active turn id {expected} but found {turn}");
            return self.refuse(id, message.as_str());
        }
        self.interrupting(&name);
        self.respond(id, "turn/interrupt", &object! {});
        self.interrupted(&name);
    }

    fn turn_steer(&mut self, id: &Value, params: Option<&Value>) {
        match self.not_steered(params.unwrap_or(&Value::Null)) {
            Some(message) => self.refuse(id, message.as_str()),
            None => self.other(id, "turn/steer", params),
        }
    }

    /// Why Codex does not take what the client says during a turn: the same words from 0.125.0 to 0.169.0.
    fn not_steered(&self, params: &Value) -> Option<String> {
        let expected = params["expectedTurnId"].as_str().unwrap_or_default();
        let thread = self.thread_of(params);
        Some(match thread.and_then(|thread| thread.running.as_ref()) {
            _ if expected.is_empty() => "expectedTurnId must not be empty".to_owned(),
            None => "no active turn to steer".to_owned(),
            Some(Running { turn, .. }) if turn != expected => {
                format!("expected active turn id `{expected}` but found `{turn}`")
            }
            Some(_) if params["input"] == Value::Array(Vec::new()) => {
                "input must not be empty".to_owned()
            }
            Some(_) => return None,
        })
    }

    pub(super) fn new_thread(&mut self, params: &Value) -> Thread {
        let id = self.ids.uuid();
        let thread = self.make_thread(id.clone(), params);
        self.threads.insert(id, thread.clone());
        thread
    }

    fn make_thread(&mut self, id: String, params: &Value) -> Thread {
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
            cwd: self.settings.folder(text("cwd").unwrap_or_default()),
            model: text("model").unwrap_or(&self.script.model).to_owned(),
            is_ephemeral: params["ephemeral"] == true,
            approval,
            sandbox,
            created: self.ids.seconds(),
            turns: 0,
            played: 0,
            tokens: Tokens::default(),
            used: Used::default(),
            running: None,
            past: Vec::new(),
            items: Vec::new(),
            read: None,
        }
    }
}
