//! Tracks JSON-RPC as `codex app-server` speaks it: the kind of a message, its writer, and the
//! request that a response belongs to.
//!
//! A response does not name its method, so its result can be validated only if its request is
//! known. The requester chooses the id, and an id is valid on its connection only. Codex counts its
//! ids from 0, so they clash with those of the client. A pending request is therefore known by
//! connection, requester and id.
//!
//! State is bounded: [`Limits::sequence_ids`] pending requests, as many answered ones, and as many
//! connections. The oldest are evicted first, and rules say nothing about what was evicted.

use std::collections::BTreeMap;
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};

use codex_wire_base::MessageSet;
use codex_wire_prefilter::View;

use super::call::Call;
use super::id::Id;
use crate::bounded_map::BoundedMap;
use crate::dialect::json_rpc::{Kind, known, results_of, user_agent, whose};
use crate::framing::message::Message;
use crate::line::end::End;
use crate::options::Limits;
use crate::rpc::evidence::{ANSWERS, REQUESTS};
use crate::rule::{Exception, Status};
use crate::rule_macros::{connections, rules};
use crate::severity::Severity;
use crate::violation::{Broken, MessageRef, Violation};
use crate::writer::Writer;

/// A request.
#[derive(Clone, Debug)]
struct PendingRequest {
    method: Option<&'static str>,
    message_ref: MessageRef,
}

/// Requests of one id that wait for answers: one, if the side that asks keeps the rules.
#[derive(Debug, Default)]
struct Waiting {
    asked: Vec<PendingRequest>,
    /// How many more there are, of which nothing else is known.
    forgotten: usize,
    /// Codex said that it needs no answer any more.
    resolved: bool,
}

/// By which Codex says that it needs no answer any more.
const RESOLVED: &str = "serverRequest/resolved";

/// How many requests of one id may wait before further ones are only counted.
const SAME_ID: usize = 16;

/// What is known of a connection.
#[derive(Debug, Default)]
struct Connection {
    /// Distinguishes it from earlier connections with its number.
    serial: u64,
    /// Whether Codex and the client wrote something.
    wrote: [bool; 2],
    /// Whether a message may be missing: its beginning, or a line in between.
    lossy: bool,
    /// Whether the client asked for the experimental API, once it said so or did not.
    experimental: Option<bool>,
    /// Whether Codex has taken that.
    initialized: bool,
}

/// An open request that an answer may belong to.
struct Candidate {
    asker: Writer,
    index: usize,
    asked: PendingRequest,
}

/// Requests and answers of one input.
pub(crate) struct Rpc {
    connections: BoundedMap<Option<u32>, Connection>,
    /// What waits, by who asked.
    waiting: [BoundedMap<(u64, Id), Waiting>; 2],
    /// What was answered, by who asked, and where.
    answered: [BoundedMap<(u64, Id), MessageRef>; 2],
    serial: u64,
    /// Whether a line was lost that may belong to any connection.
    lost: bool,
    /// Connections that a recording names instead of numbering them: hashes of the names.
    names: Vec<u64>,
    /// What was said of the last message, and who wrote it by the recording, if it is a
    /// notification of Codex about no request: another of that method changes nothing.
    last: Option<(Call, Option<Writer>)>,
}

/// A message as it came.
pub(crate) struct Incoming<'m, 'a> {
    pub(crate) message: &'m Message<'a>,
    /// Who wrote it, where a recording says so.
    pub(crate) from: Option<Writer>,
    pub(crate) connection: Option<u32>,
}

/// Knows how well a result fits a method.
pub(crate) trait Fit {
    /// How many violations the message has as an answer to a method, in a message set of answers.
    fn mismatch(&self, message: &Message<'_>, message_set: MessageSet, method: &str) -> usize;
}

impl Rpc {
    pub(crate) fn new(limits: &Limits) -> Self {
        let ids = limits.sequence_ids;
        Rpc {
            connections: BoundedMap::new(ids),
            waiting: [BoundedMap::new(ids), BoundedMap::new(ids)],
            answered: [BoundedMap::new(ids), BoundedMap::new(ids)],
            serial: 0,
            lost: false,
            names: Vec::new(),
            last: None,
        }
    }

    /// Takes a message. If an answer may be one to several requests, `fit` decides.
    pub(crate) fn observe(
        &mut self,
        incoming: &Incoming<'_, '_>,
        fit: &dyn Fit,
        out: &mut Vec<Violation>,
    ) -> Call {
        let view = incoming.message.view;
        if let Some((last, from)) = self.last
            && (from, last.connection) == (incoming.from, incoming.connection)
            && last.method == view.get_str("method")
            && view.get("id").is_none()
        {
            return last;
        }
        let call = self.take(incoming, fit, out);
        let is_told = (call.writer, call.kind) == (Writer::Codex, Kind::Notification)
            && call.method.is_some_and(|method| method != RESOLVED);
        self.last = is_told.then_some((call, incoming.from));
        call
    }

    fn take(
        &mut self,
        incoming: &Incoming<'_, '_>,
        fit: &dyn Fit,
        out: &mut Vec<Violation>,
    ) -> Call {
        let view = incoming.message.view;
        let (method, written_id) = (view.get("method"), view.get("id"));
        let kind = Kind::with(view, method, written_id);
        let method = method.and_then(View::as_str);
        let id = written_id.and_then(Id::of);
        let mut call = Call {
            connection: incoming.connection,
            writer: incoming.from.unwrap_or(Writer::Codex),
            kind,
            method: method.and_then(known),
            request: None,
            message_set: None,
        };
        if written_id.is_some() && id.is_none() && kind != Kind::Notification {
            out.push(IdKind.at("/id"));
        }
        if self.connections.get(&incoming.connection).is_none() {
            // A connection that does not begin with its beginning was begun before.
            let begins = match kind {
                Kind::Request => method == Some("initialize"),
                Kind::Response => user_agent(view).is_some(),
                _ => false,
            };
            self.at(incoming.connection).lossy = !begins;
        }
        match kind {
            Kind::Request | Kind::Notification => {
                let message_set = whose(method.unwrap_or_default(), kind, incoming.from);
                call.writer = match message_set.is_written() {
                    true => Writer::Codex,
                    false => Writer::Client,
                };
                call.message_set = Some(message_set);
                self.begin(incoming, &call, id.as_ref());
                self.note(incoming, call.writer);
                if let (Kind::Request, Some(id)) = (kind, id) {
                    self.ask(incoming, &call, id, out);
                }
                self.examine(incoming, &call);
            }
            Kind::Response | Kind::Error => self.answer(incoming, id, &mut call, fit, out),
            Kind::Neither => {
                // By itself it does not show who wrote it.
                if let Some(writer) = incoming.from {
                    self.note(incoming, writer);
                }
            }
        }
        call
    }

    /// What an answer will turn out to be by its id, and the method of its request.
    /// It is a guess, and nothing is taken down.
    pub(crate) fn guess(
        &self,
        id: View<'_>,
        from: Option<Writer>,
        connection: Option<u32>,
    ) -> Option<(MessageSet, Option<&'static str>)> {
        let connection = self.connections.get(&connection)?;
        let key = (connection.serial, Id::of(id)?);
        let client_speaks = connection.wrote[Writer::Client as usize];
        let found = self.find(&key, from, client_speaks, None)?;
        let method = found.asked.method?;
        Some((results_of(found.asker.other()), Some(method)))
    }

    /// Whether the client of a connection is known to do without the experimental API.
    pub(crate) fn is_stable(&self, connection: Option<u32>) -> bool {
        let known = self.connections.get(&connection);
        known.is_some_and(|known| known.experimental == Some(false))
    }

    /// A line of that connection, or of any, could not be read.
    pub(crate) fn lost(&mut self, connection: Option<u32>) {
        self.last = None;
        match connection {
            Some(_) => self.at(connection).lossy = true,
            None => self.lost = true,
        }
    }

    /// A connection begins, perhaps with a number that another had.
    pub(crate) fn connected(&mut self, connection: u32) {
        self.last = None;
        self.connections.remove(&Some(connection));
    }

    /// A recording begins.
    pub(crate) fn restart(&mut self) {
        self.last = None;
        self.connections.clear();
        self.names.clear();
        self.lost = false;
    }

    /// The number for a connection that has a name. Names beyond a great many are one.
    pub(crate) fn number_of(&mut self, name: &str) -> u32 {
        const MANY: usize = 1024;
        let mut hasher = DefaultHasher::new();
        name.hash(&mut hasher);
        let name = hasher.finish();
        let known = self.names.iter().position(|known| *known == name);
        let number = known.unwrap_or_else(|| {
            if self.names.len() < MANY {
                self.names.push(name);
            }
            self.names.len() - 1
        });
        u32::try_from(number).unwrap_or(u32::MAX)
    }

    /// The input ends: what was never answered.
    pub(crate) fn end(&self, end: &End) -> Vec<Violation> {
        let mut out = Vec::new();
        if end.cut || self.lost {
            return out;
        }
        let connections: BTreeMap<u64, &Connection> = self
            .connections
            .iter()
            .map(|(_, connection)| (connection.serial, connection))
            .collect();
        for asker in [Writer::Codex, Writer::Client] {
            for ((serial, id), waiting) in self.waiting[asker as usize].iter() {
                let Some(connection) = connections.get(serial) else {
                    continue;
                };
                let is_one_way = !connection.wrote[asker.other() as usize];
                if waiting.resolved || is_one_way || connection.lossy {
                    continue;
                }
                out.extend(waiting.asked.iter().map(|asked| {
                    let request = RequestName::of(asked.method, id);
                    NeverAnswered { request }
                        .between()
                        .earlier(asked.message_ref, "the request")
                        .blame(asker.other())
                }));
            }
        }
        out
    }

    fn at(&mut self, connection: Option<u32>) -> &mut Connection {
        if self.connections.get(&connection).is_none() {
            self.serial += 1;
            let fresh = Connection {
                serial: self.serial,
                ..Connection::default()
            };
            self.connections.insert(connection, fresh);
        }
        self.connections
            .get_mut(&connection)
            .expect("it was put there if it was not")
    }

    fn note(&mut self, incoming: &Incoming<'_, '_>, writer: Writer) {
        self.at(incoming.connection).wrote[writer as usize] = true;
    }

    /// The first line of the client shows whether the recording has the beginning. In a plain
    /// log another process may begin.
    fn begin(&mut self, incoming: &Incoming<'_, '_>, call: &Call, id: Option<&Id>) {
        let is_first = call.kind == Kind::Request && call.method == Some("initialize");
        if call.writer != Writer::Client {
            return;
        }
        if is_first && incoming.from.is_none() && incoming.connection.is_none() {
            let serial = self.at(None).serial;
            let used = id.is_some_and(|id| {
                let key = (serial, id.clone());
                let asked = Writer::Client as usize;
                self.waiting[asked].get(&key).is_some() || self.answered[asked].get(&key).is_some()
            });
            if used {
                self.connections.remove(&None);
            }
        }
        let connection = self.at(incoming.connection);
        if !connection.wrote[Writer::Client as usize] && !is_first {
            connection.lossy = true;
        }
    }

    /// Takes what a message shows about its connection.
    fn examine(&mut self, incoming: &Incoming<'_, '_>, call: &Call) {
        let view = incoming.message.view;
        match (call.writer, call.kind, call.method) {
            (Writer::Client, Kind::Request, Some("initialize")) => {
                let asked = view.pointer("/params/capabilities/experimentalApi");
                let connection = self.at(incoming.connection);
                // A second `initialize` is refused and changes nothing.
                let asked = asked.and_then(View::as_bool) == Some(true);
                connection.experimental.get_or_insert(asked);
            }
            (Writer::Codex, Kind::Notification, Some(RESOLVED)) => {
                let id = view.pointer("/params/requestId").and_then(Id::of);
                let serial = self.at(incoming.connection).serial;
                let waiting = &mut self.waiting[Writer::Codex as usize];
                if let Some(waiting) = id.and_then(|id| waiting.get_mut(&(serial, id))) {
                    waiting.resolved = true;
                }
            }
            _ => {}
        }
    }

    /// A request waits for its answer from now on.
    fn ask(&mut self, incoming: &Incoming<'_, '_>, call: &Call, id: Id, out: &mut Vec<Violation>) {
        let asker = call.writer as usize;
        let lost = self.lost;
        let connection = self.at(incoming.connection);
        // Of one side alone, or with lines missing, the answer may not have been seen.
        let is_known = connection.wrote[call.writer.other() as usize] && !connection.lossy && !lost;
        let key = (connection.serial, id);
        self.answered[asker].remove(&key);
        let asked = PendingRequest {
            method: call.method,
            message_ref: incoming.message.message_ref(),
        };
        let Some(waiting) = self.waiting[asker].get_mut(&key) else {
            let waiting = Waiting {
                asked: vec![asked],
                ..Waiting::default()
            };
            self.waiting[asker].insert(key, waiting);
            return;
        };
        if let (Some(before), false, true) = (waiting.asked.last(), waiting.resolved, is_known) {
            let request = RequestName::of(before.method, &key.1);
            let in_use = IdInUse { request }.at("/id");
            out.push(in_use.earlier(before.message_ref, "the request that waits"));
        }
        if waiting.resolved || !is_known {
            *waiting = Waiting::default();
        }
        match waiting.asked.len() < SAME_ID {
            true => waiting.asked.push(asked),
            false => waiting.forgotten += 1,
        }
    }

    /// An answer: to which request?
    fn answer(
        &mut self,
        incoming: &Incoming<'_, '_>,
        id: Option<Id>,
        call: &mut Call,
        fit: &dyn Fit,
        out: &mut Vec<Violation>,
    ) {
        let connection = self.at(incoming.connection);
        let serial = connection.serial;
        let client_speaks = connection.wrote[Writer::Client as usize];
        let key = id.map(|id| (serial, id));
        let by_fit = (call.kind == Kind::Response).then_some((fit, incoming.message));
        let found = key
            .as_ref()
            .and_then(|key| self.find(key, incoming.from, client_speaks, by_fit));
        if call.kind == Kind::Error {
            call.message_set = Some(MessageSet::AppServerErrors);
        }
        match (key, found) {
            (Some(key), Some(found)) => {
                call.writer = found.asker.other();
                call.method = found.asked.method;
                call.request = Some(found.asked.message_ref);
                if call.kind == Kind::Response && call.method.is_some() {
                    call.message_set = Some(results_of(call.writer));
                }
                if call.method == Some("initialize") {
                    self.initialized(incoming.connection, call.kind);
                }
                let asker = found.asker as usize;
                if let Some(waiting) = self.waiting[asker].get_mut(&key) {
                    if incoming.from == Some(found.asker) {
                        // A response with the wrong id, or without a request.
                        waiting.resolved = true;
                    } else {
                        waiting.asked.remove(found.index);
                        if waiting.asked.is_empty() && waiting.forgotten == 0 {
                            self.waiting[asker].remove(&key);
                        }
                        self.answered[asker].insert(key, incoming.message.message_ref());
                    }
                }
            }
            (Some(key), None) => {
                call.writer = incoming.from.unwrap_or_else(|| self.answerer(&key));
                out.extend(self.unasked(incoming, &key, call));
            }
            (None, _) => {}
        }
        // Whoever the answer is one of, the recording knows who wrote the line.
        self.note(incoming, incoming.from.unwrap_or(call.writer));
    }

    /// The answer to `initialize`: if Codex refuses, nothing was agreed upon.
    fn initialized(&mut self, connection: Option<u32>, kind: Kind) {
        let connection = self.at(connection);
        if kind == Kind::Response {
            connection.initialized = true;
        } else if !connection.initialized {
            connection.experimental = None;
        }
    }

    /// The open request that an answer belongs to. Where several can be meant, the one whose
    /// result it is most like, if that is asked; else the first.
    fn find(
        &self,
        key: &(u64, Id),
        from: Option<Writer>,
        client_speaks: bool,
        by_fit: Option<(&dyn Fit, &Message<'_>)>,
    ) -> Option<Candidate> {
        let of = |asker: Writer| {
            let waiting = self.waiting[asker as usize].get(key);
            let asked = waiting.into_iter().flat_map(|waiting| &waiting.asked);
            asked.enumerate().map(move |(index, asked)| Candidate {
                asker,
                index,
                asked: asked.clone(),
            })
        };
        let was_answered = |asker: Writer| self.answered[asker as usize].get(key).is_some();
        let found: Vec<Candidate> = match from {
            // One side answers the other; its own request only if there is no other to blame.
            Some(writer) => {
                let theirs: Vec<_> = of(writer.other()).collect();
                match theirs.is_empty() && !was_answered(writer.other()) {
                    true => of(writer).collect(),
                    false => theirs,
                }
            }
            // A client that has said nothing else is not there: the log has Codex's lines alone.
            None if !client_speaks => of(Writer::Client).collect(),
            None => of(Writer::Client).chain(of(Writer::Codex)).collect(),
        };
        let Some((fit, message)) = by_fit.filter(|_| found.len() > 1) else {
            return found.into_iter().next();
        };
        let mismatch = |candidate: &Candidate| match candidate.asked.method {
            Some(method) => fit.mismatch(message, results_of(candidate.asker.other()), method),
            None => usize::MAX,
        };
        found.into_iter().min_by_key(mismatch)
    }

    /// The writer of a response without a request, if the recording does not name it.
    fn answerer(&self, key: &(u64, Id)) -> Writer {
        let by_client = self.answered[Writer::Codex as usize].get(key).is_some();
        let by_codex = self.answered[Writer::Client as usize].get(key).is_some();
        match by_client && !by_codex {
            true => Writer::Client,
            false => Writer::Codex,
        }
    }

    /// What is wrong with an answer that nothing waits for, if that can be known.
    fn unasked(
        &mut self,
        incoming: &Incoming<'_, '_>,
        key: &(u64, Id),
        call: &Call,
    ) -> Option<Violation> {
        let asker = call.writer.other() as usize;
        if let Some(waiting) = self.waiting[asker].get_mut(key)
            && waiting.forgotten > 0
        {
            waiting.forgotten -= 1;
            return None;
        }
        if let Some(first) = self.answered[asker].get(key) {
            let id = key.1.words();
            let twice = AnsweredTwice { id }.at("/id");
            return Some(twice.earlier(*first, "the first answer"));
        }
        let lost = self.lost;
        let connection = self.at(incoming.connection);
        let is_known = connection.wrote[asker] && !connection.lossy && !lost;
        let forgot = self.waiting[asker].forgot() || self.answered[asker].forgot();
        (is_known && !forgot).then(|| {
            let id = key.1.words();
            AnswerUnasked { id }.at("/id")
        })
    }
}

/// A request as findings name it.
#[derive(Debug)]
pub(crate) struct RequestName {
    method: Option<&'static str>,
    id: String,
}

impl RequestName {
    fn of(method: Option<&'static str>, id: &Id) -> Self {
        let id = id.words();
        RequestName { method, id }
    }
}

impl fmt::Display for RequestName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.method {
            Some(method) => write!(f, "`{method}` with {}", self.id),
            None => write!(f, "the request with {}", self.id),
        }
    }
}

rules! {
    RPC_ANSWER_UNASKED {
        summary: "a response or an error answers a request that was sent",
        id: "rpc/answer-unasked",
        about: ANSWERS,
        explanation: "The other side sent no request with this `id`. The sender counted wrongly, or \
            something changed the type of the id. `7` and `\"7\"` are different ids. Request 7 \
            of the client and request 7 of Codex are also different. Codex ignores such a \
            response. Nothing is reported if the start of the connection is missing or an \
            earlier line could not be read.",
        evidence: connections!("Codex never does it. Test clients did it in every release."),
    } => {
        AnswerUnasked { id: String }: "no request with {id} was sent",
    }
    RPC_ANSWERED_AGAIN {
        summary: "a request is answered once",
        id: "rpc/answered-again",
        about: ANSWERS,
        explanation: "Codex uses the first response and ignores the second. A client cannot change \
            its decision on an approval this way. An id may be used again after its request was \
            answered.",
        evidence: connections!("Codex never does it. Test clients did it in every release."),
    } => {
        AnsweredTwice { id: String }: "the request with {id} was answered before",
    }
    RPC_ID_IN_USE {
        summary: "a request does not reuse the id of a request of the same side that has no \
            response yet",
        id: "rpc/id-in-use",
        about: REQUESTS,
        explanation: "Codex answers both, and neither side can know which response belongs to which \
            request. The ids of the two sides are independent: Codex counts its own from 0.",
        evidence: connections!("Codex never does it. Test clients did it in every release."),
    } => {
        IdInUse { request: RequestName }: "{request} still waits for its response",
    }
    RPC_ID_KIND {
        summary: "an id is a 64-bit integer or a string",
        id: "rpc/id-kind",
        about: REQUESTS,
        explanation: "Codex does not answer a request with any other id, for example `null`, `1.5`, \
            `true` or 2^63. Negative integers and the empty string are valid.",
        evidence: connections!("Codex's ids are integers from 0. Of the other kinds that test \
            clients sent, none was answered."),
    } => {
        IdKind: "the id is neither a 64-bit integer nor a string",
    }
    RPC_NEVER_ANSWERED {
        summary: "a request is answered before the recording ends",
        id: "rpc/never-answered",
        about: REQUESTS,
        level: Severity::Note,
        status: Status::Advisory,
        exceptions: &[Exception::everywhere(
            Severity::Note,
            "requests with an invalid id (see `rpc/id-kind`), and requests without a \
                response when the client disconnects",
        )],
        explanation: "Codex answers requests, if only with an error, until the client disconnects. A \
            request of Codex that `serverRequest/resolved` names needs no response any more. \
            Nothing is reported if the recording is cut or has only one side.",
        evidence: connections!("20 of their requests have no response at the end. Codex stopped \
            reading at a byte that is not UTF-8, or the client disconnected: most of these are \
            `turn/interrupt`."),
    } => {
        NeverAnswered { request: RequestName }: "{request} is never answered",
    }
}

#[cfg(test)]
mod tests;
