//! Sorts the messages of Codex: answers by request, the rest by turn. Without input and output.
//!
//! The first messages of a turn can come before the answer that names it. They are kept until every request that
//! may begin a turn is answered.

use std::collections::{HashMap, VecDeque};

use codex_wire::app_server::methods::client_requests::{ReviewStart, TurnStart};
use codex_wire::app_server::{
    ClientMessage, ClientSide, ErrorObject, ErrorResponse, Id, JsonRpcMessage, Method as _,
    ReviewStartResult, ServerMessage, ServerNotification, ServerRequest, TurnStartResponse,
};
use codex_wire::{Release, to_string};

use crate::address::{Address, address};
use crate::error::{Error, LineError};
use crate::options::Options;
use crate::session::{Answer, Received, Session, Ticket};

/// What whoever reads messages of no turn waits for.
pub(crate) const OUTSIDE: &str = "a message outside the turns";

/// A message that answers no request of the client.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Incoming {
    /// A notification.
    Notification(Box<ServerNotification>),
    /// A request of Codex, which waits for an answer.
    Request(Box<ServerRequest>),
    /// A request of Codex that was refused, since the client does not
    /// [answer such requests](crate::Options::answers_outside).
    Refused(Box<ServerRequest>),
    /// An answer to a request that this client did not send, or no longer waits for.
    Unasked(Box<ServerMessage>),
    /// A line that cannot be read. If Codex asks with it, it was refused.
    Unreadable(LineError),
}

/// A turn: its thread and its id, which is only unique within the thread.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct TurnKey {
    pub(crate) thread: String,
    pub(crate) turn: String,
}

/// A message, with what it takes of the limit.
#[derive(Debug)]
struct Stored {
    message: Incoming,
    method: Option<String>,
    bytes: usize,
}

/// How far a turn is, by what came of it, read or not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Stage {
    #[default]
    Running,
    /// The core said that it ended. What ends it for the app-server follows, but in 0.58.0.
    Ending,
    Over,
}

/// Messages that were not read yet.
#[derive(Debug, Default)]
struct Queue {
    stage: Stage,
    messages: VecDeque<Stored>,
    bytes: usize,
    /// How many were dropped because there were too many.
    lost: usize,
}

/// What is next in a queue.
#[derive(Debug)]
pub(crate) enum Next {
    Message(Incoming),
    /// So many messages were dropped here.
    Lost(usize),
}

/// All messages of a connection that were not read yet.
#[derive(Debug)]
pub(crate) struct Inbox {
    pub(crate) session: Session,
    limit: usize,
    /// Whether somebody answers requests that are of no turn that is read.
    answers_outside: bool,
    answers: HashMap<Id<ClientSide>, Answer>,
    /// Answers that cannot be read.
    unreadable: HashMap<Id<ClientSide>, LineError>,
    turns: HashMap<TurnKey, Queue>,
    /// Messages of turns that are not read yet, while an answer may name them.
    early: Vec<(TurnKey, Queue)>,
    outside: Queue,
}

impl Inbox {
    /// An empty one.
    pub(crate) fn new(options: &Options) -> Self {
        Inbox {
            session: Session::new().on_unsupported(options.on_unsupported),
            limit: options.limit,
            answers_outside: options.answers_outside,
            answers: HashMap::new(),
            unreadable: HashMap::new(),
            turns: HashMap::new(),
            early: Vec::new(),
            outside: Queue::default(),
        }
    }

    /// The release of Codex, once it is known.
    pub(crate) fn release(&self) -> Option<Release> {
        self.session.release()
    }

    /// Takes a line of Codex. What is returned is to be sent to it.
    #[must_use]
    pub(crate) fn take(&mut self, line: &[u8]) -> Vec<String> {
        let address = address(line);
        let message = match self.session.receive(line) {
            Ok(Received::Answer(answer)) => {
                self.answers.insert(answer.id.clone(), answer);
                return self.settle();
            }
            Ok(Received::Notification(notification)) => Incoming::Notification(notification),
            Ok(Received::Request(request)) => Incoming::Request(request),
            Ok(Received::Unasked(message)) => Incoming::Unasked(message),
            Err(error) => {
                let answer = address.id.as_ref().filter(|_| address.method.is_none());
                if let Some(id) = answer.and_then(|id| self.session.give_up(id)) {
                    self.unreadable.insert(id, error);
                    return self.settle();
                }
                Incoming::Unreadable(error)
            }
        };
        let refusal = match &message {
            Incoming::Unreadable(_) => refusal(&address),
            _ => None,
        };
        let key = match &message {
            Incoming::Unasked(_) => None,
            _ => self.key(&address),
        };
        let stored = Stored {
            message,
            method: address.method,
            bytes: line.len(),
        };
        match key {
            Some(key) if self.turns.contains_key(&key) => {
                let queue = self.turns.get_mut(&key);
                queue.expect("it is there").push(stored, self.limit);
            }
            Some(key) if self.may_begin_a_turn() => {
                let limit = self.limit;
                self.early(key).push(stored, limit);
            }
            _ => return self.put_outside(stored).or(refusal).into_iter().collect(),
        }
        refusal.into_iter().collect()
    }

    /// The messages of a turn that an answer may name.
    fn early(&mut self, key: TurnKey) -> &mut Queue {
        let known = self.early.iter().position(|(of, _)| *of == key);
        let at = known.unwrap_or_else(|| {
            self.early.push((key, Queue::default()));
            self.early.len() - 1
        });
        &mut self.early[at].1
    }

    /// Keeps a message of no turn that is read. A request that nobody is going to answer is refused, so that Codex
    /// does not wait.
    fn put_outside(&mut self, mut stored: Stored) -> Option<String> {
        let mut refusal = None;
        if let Incoming::Request(request) = &stored.message
            && !self.answers_outside
        {
            refusal = self.session.refuse(&request.id, unanswered(request)).ok();
            stored.message = Incoming::Refused(request.clone());
        }
        self.outside.push(stored, self.limit);
        refusal
    }

    /// The turn that a message belongs to.
    fn key(&self, address: &Address) -> Option<TurnKey> {
        match (&address.thread, &address.turn) {
            (Some(thread), Some(turn)) => Some(TurnKey {
                thread: thread.clone(),
                turn: turn.clone(),
            }),
            // Up to 0.63.0 the thread is missing.
            (None, Some(turn)) => self.only(address, |key| key.turn == *turn),
            // A question about the thread is for whoever runs a turn there.
            (Some(thread), None) if address.id.is_some() => {
                self.only(address, |key| key.thread == *thread)
            }
            (None, None) if is_of_a_turn(address) => self.only(address, |_| true),
            _ => None,
        }
    }

    /// The turn that is read and not over, if there is just one of these. The end is of the one of which the core said
    /// that it ended.
    fn only(&self, address: &Address, fits: impl Fn(&TurnKey) -> bool) -> Option<TurnKey> {
        let is_end = address.method.as_deref() == Some(TURN_COMPLETED);
        let stages = match is_end {
            true => [Stage::Ending, Stage::Running],
            false => [Stage::Running, Stage::Ending],
        };
        stages.into_iter().find_map(|stage| {
            let is_there = |(key, queue): &(&TurnKey, &Queue)| queue.stage == stage && fits(key);
            let mut found = self.turns.iter().filter(is_there);
            let (first, _) = found.next()?;
            Some(found.next().is_none().then(|| first.clone()))
        })?
    }

    /// Whether an answer that may name a new turn is still to come.
    fn may_begin_a_turn(&self) -> bool {
        let begins = |method: &str| [TurnStart::NAME, ReviewStart::NAME].contains(&method);
        self.session.unanswered().any(|(_, method)| begins(method))
            || self.answers.values().any(|answer| begins(&answer.method))
    }

    /// Once no answer can name a turn any more, nobody is going to read what came early. What is returned is to be
    /// sent to Codex.
    #[must_use]
    pub(crate) fn settle(&mut self) -> Vec<String> {
        if self.may_begin_a_turn() {
            return Vec::new();
        }
        let mut refusals = Vec::new();
        let mut lost = 0;
        for (_, queue) in std::mem::take(&mut self.early) {
            let messages = queue.messages.into_iter();
            refusals.extend(messages.filter_map(|stored| self.put_outside(stored)));
            lost += queue.lost;
        }
        self.outside.lost += lost;
        refusals
    }

    /// The answer to a request, if it came, or that it cannot be read. If it names a turn, that is to be followed before
    /// the inbox is [settled](Self::settle).
    pub(crate) fn answer(&mut self, id: &Id<ClientSide>) -> Option<Result<Answer, LineError>> {
        let unreadable = self.unreadable.remove(id).map(Err);
        unreadable.or_else(|| self.answers.remove(id).map(Ok))
    }

    /// Waits no longer for an answer. One that came and was not taken is of nobody.
    pub(crate) fn forget<M>(&mut self, ticket: &Ticket<M>) {
        self.session.forget(ticket);
        let message = match self.answer(ticket.id()) {
            Some(Ok(answer)) => Incoming::Unasked(Box::new(match answer.result {
                Ok(response) => JsonRpcMessage::Response(response),
                Err(error) => JsonRpcMessage::Error(ErrorResponse::new(answer.id, error)),
            })),
            Some(Err(error)) => Incoming::Unreadable(error),
            None => return,
        };
        let stored = Stored {
            message,
            method: None,
            bytes: 0,
        };
        self.outside.push(stored, self.limit);
    }

    /// Follows the turn that an answer names, unless that is one that somebody reads.
    pub(crate) fn follow_begun(
        &mut self,
        thread: String,
        started: TurnStartResponse,
    ) -> Result<TurnKey, Error> {
        let turn = started.turn.id;
        let key = TurnKey { thread, turn };
        if self.turns.contains_key(&key) {
            return Err(Error::PartOfTurn { turn: key.turn });
        }
        self.follow(&key);
        Ok(key)
    }

    /// Follows the review that an answer names, if it names one.
    pub(crate) fn follow_review(
        &mut self,
        thread: String,
        started: ReviewStartResult,
    ) -> Result<TurnKey, Error> {
        let key = match started {
            ReviewStartResult::ReviewStartResponse(started) => TurnKey {
                thread: started.review_thread_id,
                turn: started.turn.id,
            },
            ReviewStartResult::TurnStartResponse(started) => TurnKey {
                thread,
                turn: started.turn.id,
            },
            _ => {
                return Err(Error::NoTurn {
                    method: ReviewStart::NAME,
                });
            }
        };
        self.follow(&key);
        Ok(key)
    }

    /// From now on the messages of a turn are kept for whoever reads it.
    fn follow(&mut self, key: &TurnKey) {
        let early = self.early.extract_if(.., |(of, _)| of == key).next();
        let early = early.map(|(_, queue)| queue).unwrap_or_default();
        self.turns.entry(key.clone()).or_insert(early);
    }

    /// From now on a turn is not read. What is returned are requests of Codex that nobody is going to answer.
    pub(crate) fn leave(&mut self, key: &TurnKey) -> Vec<ServerRequest> {
        let Some(queue) = self.turns.remove(key) else {
            return Vec::new();
        };
        let requests = queue
            .messages
            .into_iter()
            .filter_map(|stored| match stored.message {
                Incoming::Request(request) => Some(*request),
                _ => None,
            });
        requests.collect()
    }

    /// The next message of a turn.
    pub(crate) fn of_turn(&mut self, key: &TurnKey) -> Option<Next> {
        self.turns.get_mut(key)?.pop()
    }

    /// The next message that is of no turn that is read.
    pub(crate) fn outside(&mut self) -> Option<Result<Incoming, Error>> {
        Some(match self.outside.pop()? {
            Next::Message(message) => Ok(message),
            Next::Lost(lost) => Err(Error::Overrun {
                limit: self.limit,
                lost,
            }),
        })
    }

    /// How many bytes of messages are kept for a turn.
    pub(crate) fn limit(&self) -> usize {
        self.limit
    }
}

impl Queue {
    /// Keeps a message. What has to be answered, and the end of a turn, is never dropped.
    fn push(&mut self, stored: Stored, limit: usize) {
        match stored.method.as_deref() {
            Some(TURN_COMPLETED) => self.stage = Stage::Over,
            Some(method) if self.stage == Stage::Running && ends_a_turn(method) => {
                self.stage = Stage::Ending;
            }
            _ => {}
        }
        let has_to_be_read = matches!(stored.message, Incoming::Request(_))
            || stored.method.as_deref().is_some_and(ends_a_turn);
        let is_full = self.bytes + stored.bytes > limit && !self.messages.is_empty();
        if (is_full || self.lost > 0) && !has_to_be_read {
            self.lost += 1;
            return;
        }
        self.bytes += stored.bytes;
        self.messages.push_back(stored);
    }

    fn pop(&mut self) -> Option<Next> {
        // What was dropped came after what is kept, except for the end.
        let is_end = |stored: &Stored| stored.method.as_deref().is_some_and(ends_a_turn);
        if self.lost > 0 && self.messages.front().is_none_or(is_end) {
            return Some(Next::Lost(std::mem::take(&mut self.lost)));
        }
        let stored = self.messages.pop_front()?;
        self.bytes -= stored.bytes;
        Some(Next::Message(stored.message))
    }
}

/// JSON-RPC's code for a method that is not there.
const METHOD_NOT_FOUND: i64 = -32601;

/// JSON-RPC's code for params of another type.
const INVALID_PARAMS: i64 = -32602;

/// The refusal of a line that cannot be read, if it is a request: it gets no other answer, and Codex would wait.
fn refusal(address: &Address) -> Option<String> {
    let (id, method) = (address.id.clone()?, address.method.as_deref()?);
    let error = ErrorObject::new(INVALID_PARAMS, format!("this client cannot read {method}"));
    Some(to_string(&ClientMessage::from(ErrorResponse::new(
        id, error,
    ))))
}

/// Why a request is refused that the program does not answer.
pub(crate) fn unanswered(request: &ServerRequest) -> ErrorObject {
    let method = request.params.tag();
    ErrorObject::new(
        METHOD_NOT_FOUND,
        format!("this client does not answer {method}"),
    )
}

/// What ends a turn from 0.59.0 on. Up to 0.63.0 it has the id of the turn, and not that of its thread.
const TURN_COMPLETED: &str = "turn/completed";

/// Whether a notification ends a turn.
fn ends_a_turn(method: &str) -> bool {
    matches!(
        method,
        TURN_COMPLETED
            | "codex/event/task_complete"
            | "codex/event/turn_aborted"
            | "codex/event/error"
    )
}

/// Whether a notification without an address belongs to a turn, as those of 0.58.0 and 0.63.0.
fn is_of_a_turn(address: &Address) -> bool {
    let method = address.method.as_deref().unwrap_or_default();
    method.starts_with("item/") || method.starts_with("turn/") || method == "error"
}
