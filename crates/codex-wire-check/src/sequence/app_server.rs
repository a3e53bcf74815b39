//! Checks the order of `codex app-server`: the handshake of each connection, then threads, turns,
//! items and requests to the client.
//!
//! Delivery is checked per connection: every client has its own view of a thread, and one that
//! joins late has seen less. Threads are therefore known by connection and id, turns by their
//! thread, items by their turn. Releases up to 0.63.0 name no thread in their notifications. Their
//! notifications are followed only on a connection that has one thread, and whose lines are
//! complete from the first.
//!
//! What follows only from a request and its response is checked only where both were seen.

mod asked;
mod hands;
mod item;
mod piece;
mod response;
mod result;
mod text;
mod thread;
mod tracks;
mod turn;

use codex_wire_program::View;

use self::asked::{Asked, Verdict};
use self::hands::Connection;
use self::item::Item;
use self::piece::Piece;
use self::response::Sent;
use self::thread::Thread;
use self::turn::Turn;
use super::{Breach, End, Machine, Memory, Seat, Seen};
use crate::finding::Writer;
use crate::options::Limits;
use crate::rpc::{Call, Kind};
use crate::rules;
use crate::words::is_name;

/// The state of the stream.
pub(crate) struct App {
    connections: Memory<Option<u32>, Connection>,
    /// How many connections there were.
    met: u64,
    /// The last number that was given to a connection, a thread or a turn.
    serial: u64,
    /// How many lines were lost that may belong to any connection.
    lost: u64,
    /// By connection and id.
    threads: Memory<(u64, String), Thread>,
    /// By thread and id.
    turns: Memory<(u64, String), Turn>,
    /// By turn and id.
    items: Memory<(u64, String), Item>,
    /// What Codex asks, by connection and id.
    asked: Memory<(u64, i64), Asked>,
    /// What the client decided about an item, by turn and id.
    verdicts: Memory<(u64, String), Verdict>,
    /// What the client asks and rules need, by the number of its message.
    sent: Memory<u64, Sent>,
    /// Hooks and commands under way, by connection or thread.
    under_way: Memory<(u64, String), Seat>,
    /// Processes that have exited, by connection.
    exited: Memory<(u64, String), Seat>,
    /// The last message, if it was a piece of an open item and nothing was wrong with it.
    last: Option<Piece>,
}

/// A message on its way through the machine.
struct At<'a, 's> {
    seen: &'a Seen<'s>,
    /// What most rules look at.
    params: Option<View<'s>>,
    call: &'a Call,
    /// Its method, or that of the request it answers; empty where it is not known.
    method: &'a str,
    /// Its connection.
    wire: Wire,
    out: &'a mut Vec<Breach>,
}

/// A connection as rules about what came over it need it.
#[derive(Clone, Copy, Debug)]
struct Wire {
    /// Its key among the connections.
    key: Option<u32>,
    serial: u64,
    /// Whether its beginning is missing or a line of it could not be read.
    partial: bool,
    /// How many lines of it were lost so far.
    lost: u64,
}

impl<'s> At<'_, 's> {
    fn text(&self, pointer: &str) -> Option<&'s str> {
        self.value(pointer)?.as_str()
    }

    fn value(&self, pointer: &str) -> Option<View<'s>> {
        match pointer.strip_prefix("/params") {
            Some(pointer) => self.params?.pointer(pointer),
            None => self.seen.message.pointer(pointer),
        }
    }

    fn breach(&mut self, breach: Breach) {
        self.out.push(breach);
    }

    /// The number of the message.
    fn number(&self) -> u64 {
        self.seen.seat.message
    }
}

/// A word of the stream as it may be shown: a name, or that it is none.
fn shown(word: &str) -> &str {
    match is_name(word) {
        true => word,
        false => "…",
    }
}

impl App {
    pub(crate) fn new(limits: &Limits) -> Self {
        let ids = limits.sequence_ids;
        App {
            connections: Memory::new(ids),
            met: 0,
            serial: 0,
            lost: 0,
            threads: Memory::new(ids),
            turns: Memory::new(ids),
            items: Memory::new(ids),
            asked: Memory::new(ids),
            verdicts: Memory::new(ids),
            sent: Memory::new(ids),
            under_way: Memory::new(ids),
            exited: Memory::new(ids),
            last: None,
        }
    }

    fn next_serial(&mut self) -> u64 {
        self.serial += 1;
        self.serial
    }

    /// A request or notification of Codex.
    fn of_codex(&mut self, at: &mut At<'_, '_>) {
        self.opted_out(at);
        if at.call.kind == Kind::Request {
            return self.ask(at);
        }
        match at.method {
            "turn/started" => self.turn_started(at),
            "turn/completed" => self.turn_completed(at),
            "error" => self.error(at),
            "item/started" => self.item_started(at),
            "item/completed" => self.item_completed(at),
            "thread/started" => self.thread_started(at),
            "thread/status/changed" => self.status(at),
            "thread/tokenUsage/updated" => self.tokens(at),
            "thread/closed" | "thread/deleted" => self.closes(at),
            "serverRequest/resolved" => self.resolved(at),
            "turn/diff/updated" | "turn/plan/updated" => self.of_turn(at),
            "hook/started" | "item/autoApprovalReview/started" => self.track(at),
            "hook/completed" | "item/autoApprovalReview/completed" => self.tracked(at),
            "command/exec/outputDelta" | "process/outputDelta" | "process/exited" => {
                self.output(at);
            }
            method if piece::is_piece(method) => self.piece(at),
            method if method.starts_with("thread/") => {
                self.thread_of(at);
            }
            _ => {}
        }
    }

    /// A message that cannot be read as far as its place in the order.
    fn unread(&mut self, at: &At<'_, '_>) {
        self.missed(at.wire.key);
    }

    /// Something may have been missed.
    fn missed(&mut self, connection: Option<u32>) {
        match self.connections.get_mut(&connection) {
            Some(known) => known.lose(),
            None => self.lost += 1,
        }
    }
}

impl Machine for App {
    fn message(&mut self, seen: &Seen<'_>, out: &mut Vec<Breach>) {
        let Some(call) = seen.call else {
            return;
        };
        if self.goes_on(seen, call, out) {
            return;
        }
        self.last = None;
        let wire = self.meet(seen, call);
        let mut at = At {
            seen,
            params: seen.message.get("params"),
            call,
            method: call.method.unwrap_or_default(),
            wire,
            out,
        };
        self.shake_hands(&mut at);
        match (call.writer, call.kind) {
            (_, Kind::Neither) => self.unread(&at),
            (Writer::Client, Kind::Request | Kind::Notification) => self.of_client(&mut at),
            (Writer::Client, _) => self.answered(&mut at),
            (Writer::Codex, Kind::Request | Kind::Notification) => self.of_codex(&mut at),
            (Writer::Codex, _) => self.response(&mut at),
        }
    }

    fn is_told_in_pieces(&self) -> bool {
        self.last.as_ref().is_some_and(|last| last.is_further)
    }

    fn piece(&mut self, text: &str) -> bool {
        self.tell_more(text)
    }

    fn lost(&mut self, _from: Option<Writer>, connection: Option<u32>) {
        self.last = None;
        match connection {
            Some(_) => self.missed(connection),
            // Of several connections, it may have been any.
            None => self.lost += 1,
        }
    }

    fn connected(&mut self, connection: u32, _out: &mut Vec<Breach>) {
        self.last = None;
        self.connections.remove(&Some(connection));
    }

    fn closed(&mut self, connection: Option<u32>, _by: Option<Writer>, _out: &mut Vec<Breach>) {
        self.last = None;
        match connection {
            Some(_) => drop(self.connections.remove(&connection)),
            None => self.connections.clear(),
        }
    }

    fn end(&mut self, end: &End, out: &mut Vec<Breach>) {
        if end.cut {
            return;
        }
        for (_, connection) in self.connections.iter() {
            if let Some(again) = connection.again() {
                out.push(hands::again(again).blame(Writer::Client));
            }
            if connection.lost() + self.lost > 0 {
                continue;
            }
            let threads = self.threads.iter();
            let running = threads
                .filter(|((serial, _), _)| *serial == connection.serial())
                .filter_map(|(_, thread)| {
                    let id = thread.running.clone()?;
                    self.turns.get(&(thread.serial, id))?.started
                });
            for seat in running {
                let text = "a turn that was started has not completed";
                out.push(
                    Breach::new(&rules::APP_TURN_UNFINISHED, "", text)
                        .earlier(seat)
                        .blame(Writer::Codex),
                );
            }
        }
    }
}
