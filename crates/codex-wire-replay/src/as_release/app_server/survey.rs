//! What each line of a recording is, before any of them is told.

use std::collections::{BTreeMap, BTreeSet};

use codex_wire_base::MessageSet;

use super::super::parse;
use super::super::stream::Told;
use super::super::unsupported::UnsupportedByRelease;
use super::speech::Speech;
use crate::compose::json::Node;
use crate::error::Unsupported;
use crate::recording::Writer;
use crate::track::methods::{is_flow, is_read};

/// What a line is.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) enum Role {
    Request {
        method: String,
        /// Whether the other side answered with a result.
        succeeds: bool,
    },
    Notification {
        method: String,
    },
    /// An answer to the request at this line.
    Answer {
        of: usize,
        method: String,
        is_error: bool,
    },
    /// Something else: it stays as it is.
    #[default]
    Other,
}

/// What all lines are, and which of them are left out.
pub(super) struct Survey {
    pub(super) roles: Vec<Role>,
    pub(super) left_out: BTreeSet<usize>,
}

/// Requests of Codex that decide nothing about a turn.
const ASIDE: &[&str] = &[
    "account/chatgptAuthTokens/refresh",
    "attestation/generate",
    "currentTime/read",
];

impl Survey {
    /// Looks through a recording.
    pub(super) fn of(
        lines: &[Told],
        old: &Speech,
        new: &Speech,
    ) -> Result<Self, UnsupportedByRelease> {
        let mut survey = Survey {
            roles: roles(lines),
            left_out: BTreeSet::new(),
        };
        survey.leave_out(lines, old, new)?;
        Ok(survey)
    }

    fn leave_out(
        &mut self,
        lines: &[Told],
        old: &Speech,
        new: &Speech,
    ) -> Result<(), UnsupportedByRelease> {
        let mut answers: BTreeMap<usize, usize> = BTreeMap::new();
        for (at, role) in self.roles.iter().enumerate() {
            if let Role::Answer { of, .. } = role {
                answers.insert(*of, at);
            }
        }
        let mut opted_in: BTreeSet<u32> = BTreeSet::new();
        let mut without: BTreeSet<String> = BTreeSet::new();
        let mut running = Running::default();
        for (at, (told, role)) in lines.iter().zip(&self.roles).enumerate() {
            running.notice(told, role);
            let Role::Request { method, succeeds } = role else {
                if let Some(id) = item_without_kind(told, role, old, new) {
                    without.insert(id);
                }
                continue;
            };
            let node = told.node.as_ref();
            let params = node.and_then(|node| parse::get(node, "params"));
            if method == "initialize" {
                let path = ["capabilities", "experimentalApi"];
                if params.and_then(|params| parse::at(params, &path)) == Some(&Node::Bool(true)) {
                    opted_in.insert(told.line.connection);
                }
            }
            let set = match told.line.writer {
                Writer::Client => MessageSet::AppServerClientRequests,
                Writer::Codex => MessageSet::AppServerServerRequests,
            };
            let closed = told.line.writer == Writer::Client
                && new.is_experimental(method)
                && !old.is_experimental(method)
                && !opted_in.contains(&told.line.connection);
            if !old.has(set, method) || new.has(set, method) && !closed {
                continue;
            }
            let reason = match told.line.writer {
                Writer::Client if *succeeds && carries(method, running.has(params)) => {
                    Some(no_request(method, new, closed))
                }
                Writer::Codex if !is_aside(method, params, &without) => {
                    let (release, method) = (new.release, method.clone());
                    Some(Unsupported::Question { release, method })
                }
                _ => None,
            };
            if let Some(reason) = reason {
                return Err(UnsupportedByRelease {
                    line: told.line.number,
                    reason,
                });
            }
            self.left_out.insert(at);
            self.left_out.extend(answers.get(&at));
        }
        Ok(())
    }
}

/// Whether what follows depends on the request of the client.
fn carries(method: &str, runs: bool) -> bool {
    match method {
        "turn/settings/update" => false,
        _ if method.starts_with("thread/queue/") || method.starts_with("thread/realtime/") => {
            matches!(method.rsplit('/').next(), Some("add" | "start"))
        }
        // It interrupts the turn that runs.
        "thread/delete" => runs,
        _ => is_flow(method) && !is_read(method) || is_fork(method),
    }
}

fn is_fork(method: &str) -> bool {
    matches!(method, "thread/fork" | "forkConversation")
}

fn no_request(method: &str, new: &Speech, closed: bool) -> Unsupported {
    let is_older = method.ends_with("Conversation") || method.starts_with("sendUser");
    let (release, method) = (new.release, method.to_owned());
    match (closed, is_older) {
        (true, _) => Unsupported::Experimental { release, method },
        (false, true) => Unsupported::OlderMethod { release, method },
        (false, false) => Unsupported::Method { release, method },
    }
}

/// The threads of which a turn runs.
#[derive(Debug, Default)]
struct Running(BTreeSet<String>);

impl Running {
    fn notice(&mut self, told: &Told, role: &Role) {
        let (Role::Notification { method } | Role::Request { method, .. }) = role else {
            return;
        };
        let node = told.node.as_ref();
        let thread = node.and_then(|node| parse::text(node, &["params", "threadId"]));
        match (method.as_str(), thread) {
            ("turn/start" | "turn/started", Some(thread)) => drop(self.0.insert(thread.to_owned())),
            ("turn/completed", Some(thread)) => drop(self.0.remove(thread)),
            _ => {}
        }
    }

    fn has(&self, params: Option<&Node>) -> bool {
        let thread = params.and_then(|params| parse::text(params, &["threadId"]));
        thread.is_some_and(|thread| self.0.contains(thread))
    }
}

/// Whether a request of Codex can be left out with its answer.
fn is_aside(method: &str, params: Option<&Node>, without: &BTreeSet<String>) -> bool {
    let names = ["itemId", "callId"];
    let mut ids = names
        .iter()
        .filter_map(|name| parse::text(params?, &[name]));
    // A client tool is part of the request that starts the thread, which the release does not read.
    ASIDE.contains(&method) || method == "item/tool/call" || ids.any(|id| without.contains(id))
}

/// The id of an item whose kind the release does not have.
fn item_without_kind(told: &Told, role: &Role, old: &Speech, new: &Speech) -> Option<String> {
    let Role::Notification { method } = role else {
        return None;
    };
    if !matches!(method.as_str(), "item/started" | "item/completed") {
        return None;
    }
    let item = parse::at(told.node.as_ref()?, &["params", "item"])?;
    let kind = parse::text(item, &["type"])?;
    let lacks = old.has_item(kind) && !new.has_item(kind);
    lacks.then(|| parse::text(item, &["id"]).map(str::to_owned))?
}

/// What each line is. Answers follow requests of the other side, on the same connection.
fn roles(lines: &[Told]) -> Vec<Role> {
    let mut asked: BTreeMap<(u32, bool, String), usize> = BTreeMap::new();
    let mut roles: Vec<Role> = Vec::new();
    for (at, told) in lines.iter().enumerate() {
        let role = role(told, &mut asked, &roles, at);
        if let Role::Answer { of, is_error, .. } = &role
            && let Role::Request { succeeds, .. } = &mut roles[*of]
        {
            *succeeds = !is_error;
        }
        roles.push(role);
    }
    roles
}

fn role(
    told: &Told,
    asked: &mut BTreeMap<(u32, bool, String), usize>,
    roles: &[Role],
    at: usize,
) -> Role {
    let Some(node) = &told.node else {
        return Role::Other;
    };
    let id = parse::get(node, "id").map(ToString::to_string);
    let method = parse::text(node, &["method"]).map(str::to_owned);
    let by_codex = told.is_written();
    match (id, method) {
        (Some(id), Some(method)) => {
            asked.insert((told.line.connection, by_codex, id), at);
            Role::Request {
                method,
                succeeds: false,
            }
        }
        (None, Some(method)) => Role::Notification { method },
        (Some(id), None) => {
            let of = asked.remove(&(told.line.connection, !by_codex, id));
            match of.map(|of| (of, &roles[of])) {
                Some((of, Role::Request { method, .. })) => Role::Answer {
                    of,
                    method: method.clone(),
                    is_error: parse::get(node, "error").is_some(),
                },
                _ => Role::Other,
            }
        }
        (None, None) => Role::Other,
    }
}
