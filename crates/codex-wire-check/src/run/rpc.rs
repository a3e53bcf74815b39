//! Runs the JSON-RPC step of a line: who wrote the message, which request it answers, and what is
//! wrong before validation.

use std::borrow::Cow;

use codex_wire_base::{Release, ReleaseSet, Surface};
use serde_json::Value;

use super::{Message, Run, Source, lifetime};
use crate::finding::Writer;
use crate::form::{Form, Spec};
use crate::judge::{Fault, envelope};
use crate::rpc::{self, Call, Heard, Kind};
use crate::rules;
use crate::scan::locate;
use crate::sequence::{Breach, Seat};
use crate::words::member;

impl Run<'_> {
    /// Takes a message of the app-server.
    pub(super) fn hear(&mut self, source: &Source<'_>, spec: &Spec, message: &Message<'_>) -> Call {
        let heard = Heard {
            message: message.view,
            from: source.from,
            connection: self.sequence.connection,
            seat: Seat {
                line: source.line,
                message: self.outcome.messages,
            },
        };
        let (possible, search) = (self.possible, &self.search);
        let fits = |surface: Surface, method: &str| {
            let dressed = dress(message.tree(), Some(method));
            let side = spec.side(surface);
            spec.faults(side, possible, &dressed, search).len()
        };
        let mut breaches = Vec::new();
        let call = self.rpc.hear(&heard, &fits, &mut breaches);
        self.writer = Some(call.writer);
        if call.writer == Writer::Codex
            && call.kind == Kind::Response
            && let Some(name) = rpc::user_agent(message.view)
        {
            self.introduced(source, spec, name);
        }
        if call.kind == Kind::Request && self.rpc.is_stable(call.connection) {
            self.experimental(spec, &call, message.tree(), &mut breaches);
        }
        for breach in breaches {
            self.breach(source, breach, true);
        }
        call
    }

    /// Codex says which release it is. That settles it, where nobody says otherwise.
    fn introduced(&mut self, source: &Source<'_>, spec: &Spec, user_agent: &str) {
        let known = |release: &Release| spec.form.timeline().floor(*release).is_some();
        let Some(release) = rpc::release_in(user_agent).filter(known) else {
            return;
        };
        if self.identity.is_some() {
            return self.says(source, spec, release);
        }
        let (Some(said), None) = (self.told.or(Some(release)), self.stated) else {
            return;
        };
        let bits = spec.only(release);
        if (bits & self.by_codex).is_empty() || said != release {
            let text = format!(
                "Codex says it is {release}, and the lines before come from {}",
                lifetime(spec, self.by_codex)
            );
            let pointer = "/result/userAgent";
            let range = locate(source.text, pointer, false).unwrap_or(0..source.text.len());
            self.push(&rules::MIXED_RELEASES, source, range, pointer, text, |_| {});
        }
        self.told = Some(release);
        (self.possible, self.by_codex) = (bits, bits);
    }

    /// The spans that could have written a message of a side.
    pub(super) fn place(&self, spec: &Spec, side: Option<usize>, message: &Value) -> ReleaseSet {
        let Some(side) = side else {
            return spec.all();
        };
        let bits = spec.place(side, message);
        match without_params(self.call.as_ref(), message) {
            Some(bare) => bits | spec.place(side, &bare),
            None => bits,
        }
    }

    /// Takes into account which spans could have written a message. Returns false where none
    /// could have written it and what Codex wrote before.
    ///
    /// What a client writes tells which releases the client was made for, not which one it talks
    /// to. It counts until Codex writes something. That Codex answers a method with a result is
    /// Codex's own word: the result is placed by the method it answers.
    pub(super) fn narrow(&mut self, written: bool, bits: ReleaseSet) -> bool {
        if written {
            let by_codex = self.by_codex & bits;
            if by_codex.is_empty() {
                return false;
            }
            (self.by_codex, self.possible) = (by_codex, by_codex);
            self.codex_wrote = true;
        } else if !self.codex_wrote && !(self.possible & bits).is_empty() {
            self.possible &= bits;
        }
        true
    }

    /// What is wrong with a message of a side, or with one that is of none.
    pub(super) fn faults(&self, spec: &Spec, side: Option<usize>, message: &Value) -> Vec<Fault> {
        let mut faults = match (side, &self.call) {
            (Some(side), _) => spec.faults(side, self.possible, message, &self.search),
            (None, Some(call)) => envelope(call.kind, message),
            (None, None) => Vec::new(),
        };
        let Some(call) = &self.call else {
            return faults;
        };
        // There is no method in the line; that of the request was looked at there.
        if call.kind == Kind::Response {
            faults.retain(|fault| fault.pointer != "/method");
        }
        // Codex takes an empty object for the params of a method that has none.
        if let (Some(side), Some(bare)) = (side, without_params(Some(call), message))
            && !faults.is_empty()
            && self.needs_no_params(spec, side, &bare)
        {
            faults = spec.faults(side, self.possible, &bare, &self.search);
        }
        let id = message.get("id");
        if id.is_some_and(|id| !id.is_i64() && !id.is_string())
            && self.checker.severity(&rules::RPC_ID_KIND, false).is_some()
        {
            faults.retain(|fault| fault.pointer != "/id");
        }
        for fault in &mut faults {
            let help = call
                .method
                .filter(|_| *fault.rule == rules::UNKNOWN_KIND && fault.pointer == "/method")
                .and_then(|method| rpc::known_elsewhere(method, call.kind));
            fault.help = help.or(fault.help.take());
        }
        faults
    }

    /// Whether a request may come without params, whatever else is wrong with it.
    fn needs_no_params(&self, spec: &Spec, side: usize, bare: &Value) -> bool {
        let plain = serde_json::json!({"id": 0, "method": bare["method"]});
        !(spec.place(side, &plain) & self.possible).is_empty()
    }

    /// What a client uses of the experimental API that did not ask for it.
    fn experimental(&self, spec: &Spec, call: &Call, message: &Value, out: &mut Vec<Breach>) {
        let Some(surface) = call.surface.filter(|_| call.writer == Writer::Client) else {
            return;
        };
        let releases = self.possible_releases();
        let side = spec.side(surface);
        let message = dress(message, None);
        for pointer in spec.experimental(side, self.possible, &releases, &message) {
            let what = match pointer.rsplit('/').next().unwrap_or_default() {
                "method" => "the method".to_owned(),
                name => member(&name.replace("~1", "/").replace("~0", "~")),
            };
            let text = format!("{what} is experimental, which `initialize` did not ask for");
            out.push(Breach::new(&rules::RPC_EXPERIMENTAL, pointer, text));
        }
    }

    /// Whether a line that is an array breaks the rule about that, rather than the one about
    /// lines that are no objects.
    pub(super) fn array(&mut self, source: &Source<'_>) -> bool {
        let is_checked = self.checker.severity(&rules::RPC_ARRAY, false).is_some();
        if self.form_or_first() != Form::AppServer || !is_checked {
            return false;
        }
        // What it may have asked for is not known.
        self.rpc.lost(self.sequence.connection);
        let text = "the line is an array, where one message belongs";
        self.at(&rules::RPC_ARRAY, source, 0..source.text.len(), text);
        true
    }
}

/// A message as what it is judged by describes it; see [`dress`].
pub(super) fn dressed<'m>(call: Option<&Call>, message: &'m Value) -> Cow<'m, Value> {
    match call {
        Some(call) => {
            let method = call.method.filter(|_| call.kind == Kind::Response);
            match call.writer {
                Writer::Client => dress(message, method),
                Writer::Codex => answering(message, method),
            }
        }
        None => Cow::Borrowed(message),
    }
}

/// A request of the client whose params are an empty object, without them.
fn without_params(call: Option<&Call>, message: &Value) -> Option<Value> {
    let is_request = |call: &Call| call.kind == Kind::Request && call.writer == Writer::Client;
    let is_empty = message.get("params")?.as_object()?.is_empty();
    (is_empty && call.is_some_and(is_request)).then(|| {
        let mut bare = message.clone();
        if let Value::Object(members) = &mut bare {
            members.remove("params");
        }
        bare
    })
}

/// A message as its surface describes it: without the version of JSON-RPC, which clients may send,
/// and a result with the method it answers beside it.
fn dress<'m>(message: &'m Value, method: Option<&str>) -> Cow<'m, Value> {
    let mut dressed = answering(message, method);
    if message.get("jsonrpc").is_some()
        && let Value::Object(members) = dressed.to_mut()
    {
        members.remove("jsonrpc");
    }
    dressed
}

/// A result with the method it answers beside it.
fn answering<'m>(message: &'m Value, method: Option<&str>) -> Cow<'m, Value> {
    let Some(method) = method else {
        return Cow::Borrowed(message);
    };
    let mut dressed = message.clone();
    if let Value::Object(members) = &mut dressed {
        members.insert("method".to_owned(), method.into());
    }
    Cow::Owned(dressed)
}
