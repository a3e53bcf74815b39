//! The transitions of a stream of the app-server: which method a message selects.

use super::deltas;
use super::events;
use super::handshake;
use super::state::{App, MessageContext};

use super::evidence::{ENDS, NOTIFICATIONS};
use crate::dialect::json_rpc::Kind;
use crate::line::end::End;
use crate::rule::{Exception, Status};
use crate::rule_macros::{connections, rules};
use crate::sequence::machine::{Machine, Observed};
use crate::severity::Severity;
use crate::violation::{Broken, Violation};
use crate::writer::Writer;

impl App {
    /// A request or notification of Codex.
    fn of_codex(&mut self, at: &mut MessageContext<'_, '_>) {
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
            "thread/search/partial" => self.search_partial(at),
            method if deltas::is_delta(method) => self.item_delta(at),
            method if method.starts_with(events::RELAYED) => events::typed(at),
            method if method.starts_with("thread/") => {
                self.thread_of(at);
            }
            _ => {}
        }
    }
}

impl Machine for App {
    fn message(&mut self, seen: &Observed<'_>, out: &mut Vec<Violation>) {
        let Some(call) = seen.call else {
            return;
        };
        if self.continues(seen, call, out) {
            return;
        }
        self.last = None;
        let wire = self.meet(seen, call);
        let mut at = MessageContext {
            seen,
            params: seen.message.get("params"),
            call,
            method: call.method.unwrap_or_default(),
            wire,
            out,
        };
        self.handshake(&mut at);
        match (call.writer, call.kind) {
            (_, Kind::Neither) => self.unread(&at),
            (Writer::Client, Kind::Request | Kind::Notification) => self.of_client(&mut at),
            (Writer::Client, _) => self.answered(&mut at),
            (Writer::Codex, Kind::Request | Kind::Notification) => self.of_codex(&mut at),
            (Writer::Codex, _) => self.response(&mut at),
        }
    }

    fn expects_delta(&self) -> bool {
        self.last.as_ref().is_some_and(|last| last.is_further)
    }

    fn delta(&mut self, text: &str) -> bool {
        self.further_delta(text)
    }

    fn lost(&mut self, _from: Option<Writer>, connection: Option<u32>) {
        self.last = None;
        match connection {
            Some(_) => self.missed(connection),
            // Of several connections, it may have been any.
            None => self.lost += 1,
        }
    }

    fn connected(&mut self, connection: u32, _out: &mut Vec<Violation>) {
        self.last = None;
        self.connections.remove(&Some(connection));
    }

    fn closed(&mut self, connection: Option<u32>, _by: Option<Writer>, _out: &mut Vec<Violation>) {
        self.last = None;
        match connection {
            Some(_) => drop(self.connections.remove(&connection)),
            None => self.connections.clear(),
        }
    }

    fn end(&mut self, end: &End, out: &mut Vec<Violation>) {
        if end.cut {
            return;
        }
        for (_, connection) in self.connections.iter() {
            if let Some(again) = connection.again() {
                out.push(handshake::again(again).blame(Writer::Client));
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
            for message_ref in running {
                out.push(
                    TurnUnfinished
                        .at("")
                        .earlier(message_ref, "the turn started here")
                        .blame(Writer::Codex),
                );
            }
        }
    }
}

rules! {
    APP_TURN_UNFINISHED {
        summary: "a turn that was started completes before the recording ends",
        id: "sequence/app-server-turn-unfinished",
        about: NOTIFICATIONS,
        releases: ENDS,
        level: Severity::Note,
        status: Status::Advisory,
        exceptions: &[Exception::everywhere(
            Severity::Note,
            "turns that run when the client disconnects or kills Codex, and those that \
                hang",
        )],
        explanation: "The client closed the connection, or the copy is incomplete. Nothing is \
            reported if the transcript has a `closed` record for the connection.",
        evidence: connections!("37 turns have not completed."),
    } => {
        TurnUnfinished: "a turn that was started has not completed",
    }
}
