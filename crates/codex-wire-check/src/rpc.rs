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

mod id;
mod methods;

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use codex_wire_base::Surface;
use codex_wire_program::View;

use self::id::Id;
pub(crate) use self::methods::{
    is_known, known_elsewhere, looks_like, release_in, user_agent, whose,
};
use self::methods::{known, method_in_words, results_of};
use crate::finding::Writer;
use crate::head::Head;
use crate::options::Limits;
use crate::rules;
use crate::sequence::{Breach, End, Memory, Seat};

/// A kind of message, by the members it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// `method` and `id`.
    Request,
    /// `method` alone.
    Notification,
    /// `result` without `method`.
    Response,
    /// `error` without `method`.
    Error,
    /// None of these.
    Neither,
}

impl Kind {
    /// The kind of a message.
    pub(crate) fn of(message: View<'_>) -> Self {
        let has = |key: &str| message.get(key).is_some();
        match (has("method"), has("id")) {
            (true, true) => Kind::Request,
            (true, false) => Kind::Notification,
            _ if has("result") => Kind::Response,
            _ if has("error") => Kind::Error,
            _ => Kind::Neither,
        }
    }
}

/// What is known of a message beyond what it says itself.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Call {
    /// The connection, where a recording tells several apart.
    pub(crate) connection: Option<u32>,
    /// Whose message it is: who wrote it, or who writes such messages.
    pub(crate) writer: Writer,
    /// What kind it is.
    pub(crate) kind: Kind,
    /// Its method, if any release has it; of an answer that of the request, if that was seen.
    pub(crate) method: Option<&'static str>,
    /// Where the request of an answer stands, if it is known.
    pub(crate) request: Option<Seat>,
    /// What it is to be judged by, if that is known.
    pub(crate) surface: Option<Surface>,
}

fn other(writer: Writer) -> Writer {
    match writer {
        Writer::Codex => Writer::Client,
        Writer::Client => Writer::Codex,
    }
}

/// A request.
#[derive(Clone, Debug)]
struct Asked {
    method: Option<&'static str>,
    seat: Seat,
}

/// Requests of one id that wait for answers: one, if the side that asks keeps the rules.
#[derive(Debug, Default)]
struct Waiting {
    asked: Vec<Asked>,
    /// Codex said that it needs no answer any more.
    resolved: bool,
}

/// By which Codex says that it needs no answer any more.
const RESOLVED: &str = "serverRequest/resolved";

/// How many requests of one id may wait before further ones are forgotten.
const SAME_ID: usize = 16;

/// What is known of a connection.
#[derive(Debug, Default)]
struct Connection {
    /// Tells it from others that had its number before.
    serial: u64,
    /// Whether Codex and the client wrote something.
    wrote: [bool; 2],
    /// Whether something may have been missed: its beginning, or a line in between.
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
    asked: Asked,
}

/// Requests and answers of one input.
pub(crate) struct Rpc {
    connections: Memory<Option<u32>, Connection>,
    /// What waits, by who asked.
    waiting: [Memory<(u64, Id), Waiting>; 2],
    /// What was answered, by who asked, and where.
    answered: [Memory<(u64, Id), Seat>; 2],
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
pub(crate) struct Heard<'a> {
    pub(crate) message: View<'a>,
    /// Who wrote it, where a recording says so.
    pub(crate) from: Option<Writer>,
    pub(crate) connection: Option<u32>,
    pub(crate) seat: Seat,
}

impl Rpc {
    pub(crate) fn new(limits: &Limits) -> Self {
        let ids = limits.sequence_ids;
        Rpc {
            connections: Memory::new(ids),
            waiting: [Memory::new(ids), Memory::new(ids)],
            answered: [Memory::new(ids), Memory::new(ids)],
            serial: 0,
            lost: false,
            names: Vec::new(),
            last: None,
        }
    }

    /// Takes a message. `fits` says how well an answer fits as one to a method of a surface:
    /// the fewer the better.
    pub(crate) fn hear(
        &mut self,
        heard: &Heard<'_>,
        fits: &dyn Fn(Surface, &str) -> usize,
        out: &mut Vec<Breach>,
    ) -> Call {
        if let Some((last, from)) = self.last
            && (from, last.connection) == (heard.from, heard.connection)
            && last.method == heard.message.get_str("method")
            && heard.message.get("id").is_none()
        {
            return last;
        }
        let call = self.take(heard, fits, out);
        let is_told = (call.writer, call.kind) == (Writer::Codex, Kind::Notification)
            && call.method.is_some_and(|method| method != RESOLVED);
        self.last = is_told.then_some((call, heard.from));
        call
    }

    fn take(
        &mut self,
        heard: &Heard<'_>,
        fits: &dyn Fn(Surface, &str) -> usize,
        out: &mut Vec<Breach>,
    ) -> Call {
        let kind = Kind::of(heard.message);
        let method = heard.message.get_str("method");
        let id = heard.message.get("id").and_then(Id::of);
        let mut call = Call {
            connection: heard.connection,
            writer: heard.from.unwrap_or(Writer::Codex),
            kind,
            method: method.and_then(known),
            request: None,
            surface: None,
        };
        if heard.message.get("id").is_some() && id.is_none() && kind != Kind::Notification {
            out.push(bad_id());
        }
        if self.connections.get(&heard.connection).is_none() {
            // A connection that does not begin with its beginning was begun before.
            let begins = match kind {
                Kind::Request => method == Some("initialize"),
                Kind::Response => user_agent(heard.message).is_some(),
                _ => false,
            };
            self.at(heard.connection).lossy = !begins;
        }
        match kind {
            Kind::Request | Kind::Notification => {
                let surface = whose(method.unwrap_or_default(), kind, heard.from);
                call.writer = match surface.is_written() {
                    true => Writer::Codex,
                    false => Writer::Client,
                };
                call.surface = Some(surface);
                self.begin(heard, &call, id.as_ref());
                self.note(heard, call.writer);
                if let (Kind::Request, Some(id)) = (kind, id) {
                    self.ask(heard, &call, id, out);
                }
                self.look_at(heard, &call);
            }
            Kind::Response | Kind::Error => self.answer(heard, id, &mut call, fits, out),
            Kind::Neither => self.note(heard, call.writer),
        }
        call
    }

    /// What an answer will turn out to be by its first members, and the method of its request.
    /// It is a guess, and nothing is taken down.
    pub(crate) fn guess(
        &self,
        head: &Head<'_>,
        from: Option<Writer>,
        connection: Option<u32>,
    ) -> Option<(Surface, Option<&'static str>)> {
        let connection = self.connections.get(&connection)?;
        let key = (connection.serial, Id::of(head.id?)?);
        let client_speaks = connection.wrote[Writer::Client as usize];
        let found = self.find(&key, from, client_speaks, Kind::Response, &|_, _| 0)?;
        let method = found.asked.method?;
        Some((results_of(other(found.asker)), Some(method)))
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
    pub(crate) fn end(&self, end: &End, out: &mut Vec<Breach>) {
        if end.cut || self.lost {
            return;
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
                let is_one_way = !connection.wrote[other(asker) as usize];
                if waiting.resolved || is_one_way || connection.lossy {
                    continue;
                }
                out.extend(waiting.asked.iter().map(|asked| {
                    let method = method_in_words(asked.method);
                    let text = format!("{method} with {} is never answered", id.words());
                    Breach::new(&rules::RPC_NEVER_ANSWERED, "", text)
                        .earlier(asked.seat)
                        .blame(other(asker))
                }));
            }
        }
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

    fn note(&mut self, heard: &Heard<'_>, writer: Writer) {
        self.at(heard.connection).wrote[writer as usize] = true;
    }

    /// The first line of the client tells whether the recording has the beginning. In a plain
    /// log another process may begin.
    fn begin(&mut self, heard: &Heard<'_>, call: &Call, id: Option<&Id>) {
        let is_first = call.kind == Kind::Request && call.method == Some("initialize");
        if call.writer != Writer::Client {
            return;
        }
        if is_first && heard.from.is_none() && heard.connection.is_none() {
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
        let connection = self.at(heard.connection);
        if !connection.wrote[Writer::Client as usize] && !is_first {
            connection.lossy = true;
        }
    }

    /// What a message tells of its connection.
    fn look_at(&mut self, heard: &Heard<'_>, call: &Call) {
        match (call.writer, call.kind, call.method) {
            (Writer::Client, Kind::Request, Some("initialize")) => {
                let asked = heard
                    .message
                    .pointer("/params/capabilities/experimentalApi");
                let connection = self.at(heard.connection);
                // A second `initialize` is refused and changes nothing.
                let asked = asked.and_then(View::as_bool) == Some(true);
                connection.experimental.get_or_insert(asked);
            }
            (Writer::Codex, Kind::Notification, Some(RESOLVED)) => {
                let id = heard.message.pointer("/params/requestId").and_then(Id::of);
                let serial = self.at(heard.connection).serial;
                let waiting = &mut self.waiting[Writer::Codex as usize];
                if let Some(waiting) = id.and_then(|id| waiting.get_mut(&(serial, id))) {
                    waiting.resolved = true;
                }
            }
            _ => {}
        }
    }

    /// A request waits for its answer from now on.
    fn ask(&mut self, heard: &Heard<'_>, call: &Call, id: Id, out: &mut Vec<Breach>) {
        let asker = call.writer as usize;
        let lost = self.lost;
        let connection = self.at(heard.connection);
        // Of one side alone, or with lines missing, the answer may not have been seen.
        let is_known = connection.wrote[other(call.writer) as usize] && !connection.lossy && !lost;
        let key = (connection.serial, id);
        self.answered[asker].remove(&key);
        let asked = Asked {
            method: call.method,
            seat: heard.seat,
        };
        let Some(waiting) = self.waiting[asker].get_mut(&key) else {
            let waiting = Waiting {
                asked: vec![asked],
                resolved: false,
            };
            self.waiting[asker].insert(key, waiting);
            return;
        };
        if let (Some(before), false, true) = (waiting.asked.last(), waiting.resolved, is_known) {
            let method = method_in_words(before.method);
            let text = format!("{method} with {} still waits for its answer", key.1.words());
            out.push(Breach::new(&rules::RPC_ID_IN_USE, "/id", text).earlier(before.seat));
        }
        if waiting.resolved {
            waiting.asked.clear();
            waiting.resolved = false;
        }
        if !is_known {
            waiting.asked.clear();
        }
        if waiting.asked.len() < SAME_ID {
            waiting.asked.push(asked);
        }
    }

    /// An answer: to which request?
    fn answer(
        &mut self,
        heard: &Heard<'_>,
        id: Option<Id>,
        call: &mut Call,
        fits: &dyn Fn(Surface, &str) -> usize,
        out: &mut Vec<Breach>,
    ) {
        let connection = self.at(heard.connection);
        let serial = connection.serial;
        let client_speaks = connection.wrote[Writer::Client as usize];
        let key = id.map(|id| (serial, id));
        let found = key
            .as_ref()
            .and_then(|key| self.find(key, heard.from, client_speaks, call.kind, fits));
        if call.kind == Kind::Error {
            call.surface = Some(Surface::AppServerErrors);
        }
        match (key, found) {
            (Some(key), Some(found)) => {
                call.writer = other(found.asker);
                call.method = found.asked.method;
                call.request = Some(found.asked.seat);
                if call.kind == Kind::Response && call.method.is_some() {
                    call.surface = Some(results_of(call.writer));
                }
                if call.method == Some("initialize") {
                    self.initialized(heard.connection, call.kind);
                }
                let asker = found.asker as usize;
                if let Some(waiting) = self.waiting[asker].get_mut(&key) {
                    if heard.from == Some(found.asker) {
                        // An answer under the wrong name, or one that nobody asked for.
                        waiting.resolved = true;
                    } else {
                        waiting.asked.remove(found.index);
                        if waiting.asked.is_empty() {
                            self.waiting[asker].remove(&key);
                        }
                        self.answered[asker].insert(key, heard.seat);
                    }
                }
            }
            (Some(key), None) => {
                call.writer = heard.from.unwrap_or_else(|| self.answerer(&key));
                out.extend(self.unasked(heard, &key, call));
            }
            (None, _) => {}
        }
        // Whoever the answer is one of, the recording knows who wrote the line.
        self.note(heard, heard.from.unwrap_or(call.writer));
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
    /// result it is most like.
    fn find(
        &self,
        key: &(u64, Id),
        from: Option<Writer>,
        client_speaks: bool,
        kind: Kind,
        fits: &dyn Fn(Surface, &str) -> usize,
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
        let mut found: Vec<Candidate> = match from {
            // One side answers the other; its own request only if there is no other to blame.
            Some(writer) => {
                let theirs: Vec<_> = of(other(writer)).collect();
                match theirs.is_empty() && !was_answered(other(writer)) {
                    true => of(writer).collect(),
                    false => theirs,
                }
            }
            // A client that has said nothing else is not there: the log has Codex's lines alone.
            None if !client_speaks => of(Writer::Client).collect(),
            None => of(Writer::Client).chain(of(Writer::Codex)).collect(),
        };
        if found.len() < 2 || kind == Kind::Error {
            return found.into_iter().next();
        }
        let worst = |candidate: &Candidate| match candidate.asked.method {
            Some(method) => fits(results_of(other(candidate.asker)), method),
            None => usize::MAX,
        };
        let scores: Vec<usize> = found.iter().map(worst).collect();
        let best = (0..found.len()).min_by_key(|index| scores[*index])?;
        Some(found.swap_remove(best))
    }

    /// Who answers without having been asked, where nobody says who wrote it.
    fn answerer(&self, key: &(u64, Id)) -> Writer {
        let by_client = self.answered[Writer::Codex as usize].get(key).is_some();
        let by_codex = self.answered[Writer::Client as usize].get(key).is_some();
        match by_client && !by_codex {
            true => Writer::Client,
            false => Writer::Codex,
        }
    }

    /// What is wrong with an answer that nothing waits for, if that can be known.
    fn unasked(&mut self, heard: &Heard<'_>, key: &(u64, Id), call: &Call) -> Option<Breach> {
        let asker = other(call.writer) as usize;
        if let Some(first) = self.answered[asker].get(key) {
            let text = format!("the request with {} was answered before", key.1.words());
            return Some(Breach::new(&rules::RPC_ANSWERED_TWICE, "/id", text).earlier(*first));
        }
        let lost = self.lost;
        let connection = self.at(heard.connection);
        let is_known = connection.wrote[asker] && !connection.lossy && !lost;
        let forgot = self.waiting[asker].forgot() || self.answered[asker].forgot();
        (is_known && !forgot).then(|| {
            let text = format!("no request with {} was sent", key.1.words());
            Breach::new(&rules::RPC_ANSWER_UNASKED, "/id", text)
        })
    }
}

fn bad_id() -> Breach {
    Breach::new(
        &rules::RPC_ID_KIND,
        "/id",
        "the id is neither a 64-bit integer nor a text",
    )
}

#[cfg(test)]
mod tests;
