//! Reads connections: which thread a message is about, and which request it answers.

use std::collections::{BTreeSet, HashMap, VecDeque};

use serde_json::Value;

use super::header;
use super::request::{approval, decision};
use super::thread::AppThread;
use crate::build::thread::{Finished, Here, Place, Taken, ThreadBuilder};
use crate::core::CoreReader;
use crate::members::Members;
use crate::model::{Body, Item, Thread, Warning};

/// How many requests wait for their answers at most.
const WAITING: usize = 4096;

/// Who wrote a message, and on which connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sender {
    /// The connection, from 0.
    pub(crate) connection: u32,
    /// Whether the client wrote it.
    pub(crate) is_client: bool,
}

/// Reads connections of an app-server.
#[derive(Clone, Debug, Default)]
pub(crate) struct AppServerReader {
    threads: Vec<State>,
    /// The threads that have changed since what can no longer change was taken out.
    changed: BTreeSet<usize>,
    by_id: HashMap<String, usize>,
    /// The thread that a message without one is about: releases before 0.64.0 do not name it.
    last: Option<usize>,
    /// The names that clients gave themselves.
    clients: HashMap<u32, String>,
    requests: Waiting<Request>,
    approvals: Waiting<(usize, Place)>,
    /// What happened before there was a thread.
    early: Vec<Item>,
}

/// A thread of the present API, or a conversation of the old one.
#[derive(Clone, Debug)]
enum State {
    Thread(Box<AppThread>),
    Conversation(Box<CoreReader>),
}

/// A request of a client that waits for its answer.
#[derive(Clone, Debug)]
struct Request {
    here: Here,
    method: String,
    params: Value,
}

/// What waits for an answer, by connection and id; the oldest are forgotten.
#[derive(Clone, Debug)]
struct Waiting<T> {
    by_id: HashMap<(u32, String), T>,
    order: VecDeque<(u32, String)>,
}

impl<T> Default for Waiting<T> {
    fn default() -> Self {
        Waiting {
            by_id: HashMap::new(),
            order: VecDeque::new(),
        }
    }
}

impl<T> Waiting<T> {
    fn add(&mut self, key: (u32, String), value: T) {
        if self.order.len() == WAITING
            && let Some(oldest) = self.order.pop_front()
        {
            self.by_id.remove(&oldest);
        }
        self.order.push_back(key.clone());
        self.by_id.insert(key, value);
    }

    fn take(&mut self, key: &(u32, String)) -> Option<T> {
        self.by_id.remove(key)
    }
}

/// Requests whose parameters say something of a thread or turn.
const OF_INTEREST: [&str; 9] = [
    "initialize",
    "newConversation",
    "resumeConversation",
    "thread/start",
    "thread/resume",
    "thread/fork",
    "thread/rollback",
    "thread/name/set",
    "turn/start",
];

impl State {
    fn thread(&self) -> &Thread {
        match self {
            State::Thread(thread) => &thread.builder.thread,
            State::Conversation(core) => core.thread(),
        }
    }

    fn builder(&mut self) -> &mut ThreadBuilder {
        match self {
            State::Thread(thread) => &mut thread.builder,
            State::Conversation(core) => core.builder(),
        }
    }
}

impl AppServerReader {
    /// Takes the next message.
    pub(crate) fn message(&mut self, here: Here, from: Sender, message: &Value) {
        let params = &message["params"];
        match (message.text("method"), message.get("id")) {
            (Some(method), Some(id)) => self.request(here, from, method, id, params),
            (Some(method), None) => self.notification(here, from, method, params),
            (None, Some(id)) => self.response(here, from, id, message),
            (None, None) => {}
        }
    }

    /// Takes out what can no longer change, by thread.
    pub(crate) fn take(&mut self) -> Vec<(usize, Taken)> {
        let changed = std::mem::take(&mut self.changed).into_iter();
        let taken = changed.map(|number| {
            let taken = match &mut self.threads[number] {
                State::Thread(thread) => thread.take(),
                State::Conversation(core) => core.take(),
            };
            (number, taken)
        });
        taken.collect()
    }

    /// What is known of a thread by its number.
    pub(crate) fn thread_at(&self, number: usize) -> Option<&Thread> {
        self.threads.get(number).map(State::thread)
    }

    /// What is read of the threads so far.
    pub(crate) fn builders(&mut self) -> impl Iterator<Item = &mut ThreadBuilder> {
        self.threads.iter_mut().map(State::builder)
    }

    /// Calls `each` for the threads that have changed since [`take`](Self::take).
    pub(crate) fn each_changed(&mut self, each: &mut dyn FnMut(usize, &mut ThreadBuilder)) {
        for number in &self.changed {
            each(*number, self.threads[*number].builder());
        }
    }

    /// The threads so far.
    pub(crate) fn finish(mut self) -> Vec<Finished> {
        if !self.early.is_empty() {
            self.push(State::Thread(Box::default()));
        }
        let finish = |state| match state {
            State::Thread(thread) => thread.builder.finish(),
            State::Conversation(core) => core.finish(),
        };
        self.threads.into_iter().map(finish).collect()
    }

    fn request(&mut self, here: Here, from: Sender, method: &str, id: &Value, params: &Value) {
        let key = (from.connection, id.to_string());
        if from.is_client {
            if ["sendUserMessage", "sendUserTurn"].contains(&method) {
                self.said(here, params);
            }
            if OF_INTEREST.contains(&method) {
                let request = Request {
                    here,
                    method: method.to_owned(),
                    params: params.clone(),
                };
                self.requests.add(key, request);
            }
            return;
        }
        let Some(approval) = approval(method, params) else {
            return;
        };
        let Some(number) = self.thread_of(params) else {
            return;
        };
        let item = Item {
            started: here.at,
            ..Item::new(here.line, Body::Approval(approval))
        };
        let place = match self.state(number) {
            Some(State::Thread(thread)) => {
                let turn = thread.turn_for(here, params.text("turnId"));
                thread.builder.add(turn, item)
            }
            Some(State::Conversation(core)) => core.add_item(item),
            None => return,
        };
        self.approvals.add(key, (number, place));
    }

    /// The user speaks in a conversation of the old API.
    fn said(&mut self, here: Here, params: &Value) {
        let texts = params.list("items").iter();
        let texts = texts.filter_map(|item| item["data"].text("text"));
        let text: String = texts.collect();
        if let Some(id) = params.text("conversationId") {
            let number = self.conversation(id);
            if let Some(State::Conversation(core)) = self.state(number) {
                core.said(here, text);
            }
        }
    }

    fn response(&mut self, here: Here, from: Sender, id: &Value, message: &Value) {
        let key = (from.connection, id.to_string());
        if from.is_client {
            self.answered(here, &key, message);
            return;
        }
        let Some(request) = self.requests.take(&key) else {
            return;
        };
        let Some(result) = message.some("result") else {
            return;
        };
        match request.method.as_str() {
            "initialize" => {
                let name = request.params.some("clientInfo");
                if let Some(name) = name.and_then(|info| info.owned("name")) {
                    self.clients.insert(from.connection, name);
                }
            }
            "newConversation" | "resumeConversation" => {
                if let Some(id) = result.text("conversationId") {
                    let number = self.conversation(id);
                    if let Some(State::Conversation(core)) = self.state(number) {
                        core.thread_mut().cwd = request.params.owned("cwd");
                    }
                }
            }
            "thread/start" => self.opened(from, result, false),
            "thread/resume" | "thread/fork" => self.opened(from, result, true),
            "turn/start" => {
                if let Some(number) = self.thread_of(&request.params)
                    && let Some(State::Thread(thread)) = self.state(number)
                {
                    // They hold for this turn and those after it.
                    header::read_settings(&mut thread.builder.settings, &request.params);
                    let id = result["turn"].text("id");
                    thread.accepted(request.here, id, request.params.list("input"));
                }
            }
            "thread/rollback" => {
                let turns = request.params.count("numTurns").unwrap_or(0);
                if let Some(number) = self.thread_of(&request.params)
                    && let Some(State::Thread(thread)) = self.state(number)
                {
                    thread.builder.roll_back(turns);
                }
            }
            "thread/name/set" => {
                if let Some(number) = self.thread_of(&request.params)
                    && let Some(State::Thread(thread)) = self.state(number)
                {
                    thread.builder.thread.name = request.params.owned("name");
                }
            }
            _ => {}
        }
    }

    /// A thread was started, resumed or forked.
    fn opened(&mut self, from: Sender, result: &Value, goes_on: bool) {
        let Some(id) = result["thread"].text("id") else {
            return;
        };
        let number = self.thread(id);
        self.last = Some(number);
        let client = self.clients.get(&from.connection).cloned();
        if let Some(State::Thread(thread)) = self.state(number) {
            header::read(&mut thread.builder.thread, &result["thread"]);
            let known = &mut thread.builder.thread;
            known.client = known.client.take().or(client);
            if known.model_provider.is_none() {
                known.model_provider = result.owned("modelProvider");
            }
            header::read_settings(&mut thread.builder.settings, result);
            if goes_on {
                thread.goes_on();
            }
        }
    }

    /// A client has answered a request for approval.
    fn answered(&mut self, here: Here, key: &(u32, String), message: &Value) {
        let Some((number, place)) = self.approvals.take(key) else {
            return;
        };
        let by = self.clients.get(&key.0).map(String::as_str);
        let answer = decision(&message["result"], by);
        let item = match self.state(number) {
            Some(State::Thread(thread)) => thread.builder.item(place),
            Some(State::Conversation(core)) => core.item(place),
            None => None,
        };
        if let Some(item) = item
            && let Body::Approval(approval) = &mut item.body
        {
            approval.answer = Some(answer);
            item.lines.extend(here.line);
            item.completed = here.at;
        }
    }

    fn notification(&mut self, here: Here, from: Sender, method: &str, params: &Value) {
        if from.is_client {
            return;
        }
        match method {
            "warning" | "configWarning" | "deprecationNotice" | "guardianWarning" => {
                let message = params.owned("message").or_else(|| params.owned("summary"));
                let message = message.unwrap_or_default();
                let item = Item {
                    completed: here.at,
                    ..Item::new(here.line, Body::Warning(Warning { message }))
                };
                self.warn(params, item);
            }
            "account/rateLimits/updated" => {
                if let Some(number) = self.last
                    && let Some(State::Thread(thread)) = self.state(number)
                {
                    thread.builder.thread.rate_limits = params.some("rateLimits").cloned();
                }
            }
            _ if method.starts_with("codex/event/") => self.event(here, params),
            "thread/started" => {
                if let Some(id) = params["thread"].text("id") {
                    let number = self.thread(id);
                    self.last.get_or_insert(number);
                    self.tell(here, number, method, params);
                }
            }
            _ => {
                let is_of_thread = method.starts_with("turn/")
                    || method.starts_with("item/")
                    || method.starts_with("thread/")
                    || ["error", "hook/completed"].contains(&method);
                if is_of_thread && let Some(number) = self.thread_of(params) {
                    self.tell(here, number, method, params);
                }
            }
        }
    }

    /// A thread by its number, to change it.
    fn state(&mut self, number: usize) -> Option<&mut State> {
        let state = self.threads.get_mut(number)?;
        self.changed.insert(number);
        Some(state)
    }

    fn tell(&mut self, here: Here, number: usize, method: &str, params: &Value) {
        if let Some(State::Thread(thread)) = self.state(number) {
            thread.notification(here, method, params);
        }
    }

    fn warn(&mut self, params: &Value, item: Item) {
        let named = params.text("threadId");
        let named = named.and_then(|id| self.by_id.get(id)).copied();
        match named.or(self.last) {
            Some(number) => self.add(number, item),
            None if self.early.len() < WAITING => self.early.push(item),
            None => {
                // No thread will come: they get one without a name.
                self.early.push(item);
                let number = self.push(State::Thread(Box::default()));
                self.last = Some(number);
            }
        }
    }

    fn add(&mut self, number: usize, item: Item) {
        match self.state(number) {
            Some(State::Thread(thread)) => {
                let turn = thread.turn_for(Here::default(), None);
                thread.builder.add(turn, item);
            }
            Some(State::Conversation(core)) => {
                core.add_item(item);
            }
            None => {}
        }
    }

    /// An event of core, which old releases relay.
    fn event(&mut self, here: Here, params: &Value) {
        let event = &params["msg"];
        let Some(id) = params.text("conversationId") else {
            return;
        };
        let number = match self.by_id.get(id) {
            Some(number) => *number,
            None => self.conversation(id),
        };
        match self.state(number) {
            Some(State::Thread(thread)) => thread.relayed_event(here, event),
            Some(State::Conversation(core)) => core.event(here, params.text("id"), event),
            None => {}
        }
    }

    /// The thread that parameters are about.
    fn thread_of(&mut self, params: &Value) -> Option<usize> {
        let id = params
            .text("threadId")
            .or_else(|| params.text("conversationId"));
        match id {
            Some(id) => Some(match self.by_id.get(id) {
                Some(number) => *number,
                None => self.thread(id),
            }),
            None => self.last,
        }
    }

    /// The number of the thread with this id, which may be new.
    fn thread(&mut self, id: &str) -> usize {
        let mut thread = AppThread::default();
        thread.builder.thread.id = Some(id.to_owned());
        let thread = State::Thread(Box::new(thread));
        let Some(number) = self.by_id.get(id).copied() else {
            return self.push_named(id, thread);
        };
        // An event of core may come before the thread is announced.
        if let Some(state) = self.state(number)
            && let State::Conversation(core) = state
            && core.is_empty()
        {
            *state = thread;
        }
        number
    }

    /// The number of the conversation of the old API with this id, which may be new.
    fn conversation(&mut self, id: &str) -> usize {
        if let Some(number) = self.by_id.get(id) {
            return *number;
        }
        let mut core = CoreReader::relayed();
        core.thread_mut().id = Some(id.to_owned());
        self.push_named(id, State::Conversation(Box::new(core)))
    }

    fn push_named(&mut self, id: &str, state: State) -> usize {
        let number = self.push(state);
        self.by_id.insert(id.to_owned(), number);
        number
    }

    /// Adds a thread, with what happened before it. Returns its number.
    fn push(&mut self, state: State) -> usize {
        self.threads.push(state);
        let number = self.threads.len() - 1;
        for item in std::mem::take(&mut self.early) {
            self.add(number, item);
        }
        number
    }
}
