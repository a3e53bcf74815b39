//! What is known of connections, threads, turns, items and requests, and the message at hand.

use std::collections::BTreeSet;

use codex_wire_prefilter::View;

use super::text::{DeltaText, Parts};
use crate::bounded_map::BoundedMap;
use crate::options::Limits;
use crate::rpc::call::Call;
use crate::sequence::machine::Observed;
use crate::sequence::value::{Counts, ValueFingerprint};
use crate::violation::{MessageRef, Violation};

/// The state of the stream.
pub(crate) struct App {
    pub(super) connections: BoundedMap<Option<u32>, Connection>,
    /// How many connections there were.
    pub(super) met: u64,
    /// The last number that was given to a connection, a thread or a turn.
    pub(super) serial: u64,
    /// How many lines were lost that may belong to any connection.
    pub(super) lost: u64,
    /// By connection and id.
    pub(super) threads: BoundedMap<(u64, String), Thread>,
    /// By thread and id.
    pub(super) turns: BoundedMap<(u64, String), Turn>,
    /// By turn and id.
    pub(super) items: BoundedMap<(u64, String), Item>,
    /// What Codex asks, by connection and id.
    pub(super) pending: BoundedMap<(u64, i64), PendingRequest>,
    /// What the client decided about an item, by turn and id.
    pub(super) decisions: BoundedMap<(u64, String), Decision>,
    /// What the client asks and rules need, by the number of its message.
    pub(super) sent: BoundedMap<u64, Sent>,
    /// Hooks and commands under way, by connection or thread.
    pub(super) under_way: BoundedMap<(u64, String), MessageRef>,
    /// Processes that have exited, by connection.
    pub(super) exited: BoundedMap<(u64, String), MessageRef>,
    /// Searches that are answered, by connection and id as it is written.
    pub(super) searched: BoundedMap<(u64, String), MessageRef>,
    /// The last message, if it was a valid delta of an open item.
    pub(super) last: Option<LastDelta>,
}

/// A message that the machine checks, and where its violations go.
pub(super) struct MessageContext<'a, 's> {
    pub(super) seen: &'a Observed<'s>,
    /// Its member `params`.
    pub(super) params: Option<View<'s>>,
    pub(super) call: &'a Call,
    /// Its method, or that of the request it answers; empty where it is not known.
    pub(super) method: &'a str,
    /// Its connection.
    pub(super) wire: Wire,
    pub(super) out: &'a mut Vec<Violation>,
}

/// What rules need to know about the connection of a message.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wire {
    /// Its key among the connections.
    pub(super) key: Option<u32>,
    pub(super) serial: u64,
    /// Whether its beginning is missing or a line of it could not be read.
    pub(super) partial: bool,
    /// How many lines of it were lost so far.
    pub(super) lost: u64,
}

impl<'s> MessageContext<'_, 's> {
    pub(super) fn text(&self, pointer: &str) -> Option<&'s str> {
        self.value(pointer)?.as_str()
    }

    pub(super) fn value(&self, pointer: &str) -> Option<View<'s>> {
        match pointer.strip_prefix("/params") {
            Some(pointer) => self.params?.pointer(pointer),
            None => self.seen.message.pointer(pointer),
        }
    }

    /// A member of the params. It is found faster than by a JSON Pointer.
    #[inline(always)]
    pub(super) fn param(&self, name: &str) -> Option<View<'s>> {
        self.params?.get(name)
    }

    pub(super) fn violation(&mut self, violation: Violation) {
        self.out.push(violation);
    }

    /// The number of the message.
    pub(super) fn number(&self) -> u64 {
        self.seen.message_ref.message
    }
}

impl App {
    pub(crate) fn new(limits: &Limits) -> Self {
        let ids = limits.sequence_ids;
        App {
            connections: BoundedMap::new(ids),
            met: 0,
            serial: 0,
            lost: 0,
            threads: BoundedMap::new(ids),
            turns: BoundedMap::new(ids),
            items: BoundedMap::new(ids),
            pending: BoundedMap::new(ids),
            decisions: BoundedMap::new(ids),
            sent: BoundedMap::new(ids),
            under_way: BoundedMap::new(ids),
            exited: BoundedMap::new(ids),
            searched: BoundedMap::new(ids),
            last: None,
        }
    }

    pub(super) fn next_serial(&mut self) -> u64 {
        self.serial += 1;
        self.serial
    }

    /// A message that cannot be read as far as its place in the order.
    pub(super) fn unread(&mut self, at: &MessageContext<'_, '_>) {
        self.missed(at.wire.key);
    }

    /// Something may have been missed.
    pub(super) fn missed(&mut self, connection: Option<u32>) {
        match self.connections.get_mut(&connection) {
            Some(known) => known.lose(),
            None => self.lost += 1,
        }
    }
}

/// What is known of a connection.
#[derive(Debug, Default)]
pub(super) struct Connection {
    pub(super) serial: u64,
    /// The first `initialize`.
    pub(super) initialize: Option<MessageRef>,
    /// Whether Codex has answered it with a result.
    pub(super) is_open: bool,
    /// A further `initialize` that is not answered yet.
    pub(super) again: Option<MessageRef>,
    pub(super) initialized: Option<MessageRef>,
    /// Whether the handshake cannot be checked: it is broken, or was not seen.
    pub(super) is_past: bool,
    /// How many lines were lost.
    pub(super) lost: u64,
    /// Whether its beginning is missing.
    pub(super) truncated: bool,
    /// Whether that is not reported yet.
    pub(super) unreported: bool,
    /// What the client sent before any `initialize`, until Codex refuses it or does not.
    pub(super) early: Option<(MessageRef, &'static str)>,
    /// Whether the client's lines are there.
    pub(super) two_way: bool,
    pub(super) opted_out: BTreeSet<String>,
    /// Notifications that came: known methods, of which there are not many.
    pub(super) received: BTreeSet<&'static str>,
    pub(super) last_received: Option<&'static str>,
    /// What a further `initialize` opts out of.
    pub(super) wanted: BTreeSet<String>,
    /// Where `thread/start` or `thread/fork` was asked and is not answered.
    pub(super) awaiting_start: Vec<MessageRef>,
    /// Threads that answers to these have named and that are not started yet.
    pub(super) awaited: Vec<(String, MessageRef)>,
    /// Turns that answers to `turn/start` have named and that are not started yet, with their
    /// threads.
    pub(super) begun: Vec<(String, String, MessageRef)>,
    /// Whether there was a turn, or a review may begin one.
    pub(super) has_turns: bool,
    /// The last id of a request of Codex.
    pub(super) last_id: Option<i64>,
    /// Whether a request of Codex may have been missed.
    pub(super) unsure_of_id: bool,
    /// The one thread that messages without a thread belong to, and whether there are several.
    pub(super) only_thread: Option<String>,
    pub(super) is_mixed: bool,
}

/// What is known of a thread on a connection.
#[derive(Debug, Default)]
pub(super) struct Thread {
    /// Its number, by which its turns are found. It changes when the client joins the thread again.
    pub(super) serial: u64,
    /// `thread/started`.
    pub(super) started: Option<MessageRef>,
    /// Whether a message has named it.
    pub(super) is_known: bool,
    /// Whether the client may have come into the middle of a turn. Until the next turn starts, nothing
    /// is reported as missing.
    pub(super) joined: bool,
    /// Whether it was ever joined: turns from before may still be reported.
    pub(super) was_joined: bool,
    /// How many lines of the connection were lost when it was last named.
    pub(super) lost: u64,
    pub(super) status: Option<ThreadStatus>,
    /// The turn that runs.
    pub(super) running: Option<String>,
    /// The turn that ended last.
    pub(super) last: Option<String>,
    /// The last count of tokens, by name.
    pub(super) tokens: Counts,
    /// The ids of requests to the client that are not resolved.
    pub(super) pending: Vec<i64>,
    /// How many `turn/interrupt` wait for their answer.
    pub(super) interrupts: u32,
    /// The answer that says the turn is interrupted.
    pub(super) interrupted: Option<MessageRef>,
    /// The last `error` of any turn that is not tried again, and its digest.
    pub(super) last_error: Option<(MessageRef, u64)>,
    /// The notification that ended it for this client.
    pub(super) closed: Option<MessageRef>,
    /// Whether the client began it itself, by the answer to `thread/start` or `thread/fork`.
    pub(super) is_own: bool,
    /// Where `turn/start` was asked and is not answered.
    pub(super) awaiting_start: Vec<MessageRef>,
    /// Turns that answers to `turn/start` have named while none ran, until one starts.
    pub(super) begun: Vec<(String, MessageRef)>,
    /// Whether the client asked for a turn by other means since the last start.
    pub(super) called: bool,
    /// Whether a turn has started without a request.
    pub(super) moves: bool,
    /// Whether the client did something that interrupts a turn, since the last end of one.
    pub(super) stopped: bool,
    /// Whether it is of the old API.
    pub(super) is_old: bool,
    /// Items that approvals named and no message has reported.
    pub(super) unreported_items: Vec<UnreportedItem>,
}

/// An item that an approval named and no message has reported.
#[derive(Debug)]
pub(super) struct UnreportedItem {
    pub(super) turn: String,
    pub(super) item: String,
    /// Where Codex asked.
    pub(super) message_ref: MessageRef,
    /// Whether Codex asked for additional permissions.
    pub(super) is_extended: bool,
}

/// A status of a thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ThreadStatus {
    pub(super) kind: StatusKind,
    /// Whether it waits for an approval and for input.
    pub(super) waits: [bool; 2],
    pub(super) message_ref: MessageRef,
}

/// The statuses that rules distinguish.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StatusKind {
    Active,
    Idle,
    SystemError,
    NotLoaded,
    Other,
}

/// What is known of a turn.
#[derive(Debug, Default)]
pub(super) struct Turn {
    /// What its items are known by.
    pub(super) serial: u64,
    pub(super) started: Option<MessageRef>,
    pub(super) ended: Option<MessageRef>,
    /// Whether it is a review: up to now its items and its end have another id than its start.
    pub(super) review: bool,
    /// The error that is not tried again, as a digest.
    pub(super) error: Option<(MessageRef, u64)>,
    /// How often an error was tried again.
    pub(super) retries: u32,
    /// The items that are open.
    pub(super) open: Vec<String>,
    /// Whether an item outside the turn was reported: an item of the kinds that some releases send
    /// outside turns, and any other.
    pub(super) reported: [bool; 2],
    /// Whether an answer has named it.
    pub(super) is_named: bool,
}

/// What is known of an item.
#[derive(Debug, Default)]
pub(super) struct Item {
    pub(super) kind: Box<str>,
    pub(super) message_ref: MessageRef,
    /// Where it was completed, and whether it was declined.
    pub(super) done: Option<(MessageRef, bool)>,
    /// What must not change.
    pub(super) fixed: Vec<(&'static str, ValueFingerprint)>,
    /// How often its turn was tried again when it was started.
    pub(super) retries: u32,
    /// Whether the agent has begun another message since.
    pub(super) is_superseded: bool,
    /// Whether it was reported that its turn completed before it.
    pub(super) left_open: bool,
    pub(super) text: Option<DeltaText>,
    pub(super) summary: Parts,
    pub(super) content: Parts,
}

/// A request of Codex to the client.
#[derive(Debug)]
pub(super) struct PendingRequest {
    pub(super) message_ref: MessageRef,
    /// What the status of the thread says while it waits.
    pub(super) waits: Option<Waits>,
    pub(super) method: String,
    pub(super) thread: Option<String>,
    pub(super) turn: Option<String>,
    pub(super) item: Option<String>,
    /// The conversation it is about, in the old API.
    pub(super) conversation: Option<String>,
    pub(super) answered: Option<MessageRef>,
    pub(super) resolved: Option<MessageRef>,
}

/// What a thread waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Waits {
    Approval,
    Input,
}

impl Waits {
    /// What a request waits for; `None` if the status does not say.
    pub(super) fn of(method: &str) -> Option<Waits> {
        Some(match method {
            "item/commandExecution/requestApproval"
            | "item/fileChange/requestApproval"
            | "item/permissions/requestApproval"
            | "mcpServer/elicitation/request" => Waits::Approval,
            "item/tool/requestUserInput" => Waits::Input,
            _ => return None,
        })
    }

    /// The flag in the status.
    pub(super) fn flag(self) -> &'static str {
        match self {
            Waits::Approval => "waitingOnApproval",
            Waits::Input => "waitingOnUserInput",
        }
    }
}

/// What the client decided about an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Decision {
    Accepted,
    Declined,
    /// Both, or something else.
    Unsure,
}

/// A request of the client that rules go back to when it is answered.
#[derive(Debug)]
pub(super) struct Sent {
    pub(super) message_ref: MessageRef,
    /// The thread it names.
    pub(super) thread: Option<String>,
    /// The process it names.
    pub(super) process: Option<String>,
    /// Whether a turn of the thread ran.
    pub(super) busy: bool,
}

/// The last message, a delta, and what it belongs to.
#[derive(Debug)]
pub(super) struct LastDelta {
    pub(super) connection: Option<u32>,
    pub(super) method: String,
    pub(super) owners: [Option<String>; 3],
    pub(super) key: (u64, String),
    /// The part of the item it is of, where there are several.
    pub(super) part: Option<u64>,
    /// Whether the message before was one of the same item.
    pub(super) is_further: bool,
}
