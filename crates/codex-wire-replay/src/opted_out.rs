//! Leaves out the notifications that a client does not want.

use std::collections::{BTreeSet, HashMap};
use std::fmt;

use codex_wire_base::json::{Cursor, Kind};
use codex_wire_base::{Protocol, Release};
use serde_json::Value;

use crate::conversation::{Conversation, Emission, Reaction};
use crate::message::{self, Message};

/// The first release that takes `optOutNotificationMethods`.
const SINCE: Release = Release::new(0, 99, 0);

/// A conversation without the notifications that the client opted out of in `initialize`. As the release does it:
/// the methods are compared as they are, those that no release has are not errors, and answers and requests come in
/// any case.
pub struct OptedOut {
    inner: Box<dyn Conversation>,
    /// Whether the release takes it.
    applies: bool,
    /// Whether the client was initialized: what it says later does not count.
    is_initialized: bool,
    unwanted: BTreeSet<String>,
    /// The time before lines that were not wanted, by their queue.
    waited: HashMap<usize, u64>,
}

impl OptedOut {
    /// What the client of this conversation gets of a release; of the latest one if it is not known.
    pub fn new(inner: Box<dyn Conversation>, release: Option<Release>) -> Self {
        let is_since = release.is_none_or(|release| release >= SINCE);
        OptedOut {
            applies: is_since && inner.protocol() == Protocol::AppServer,
            inner,
            is_initialized: false,
            unwanted: BTreeSet::new(),
            waited: HashMap::new(),
        }
    }

    /// Takes the methods of a request to initialize, if it was answered with a result.
    fn learn(&mut self, line: &str, emissions: &[Emission]) {
        let message = message::of_client(Protocol::AppServer, line);
        let Some(Message::Request { id, method, params }) = message else {
            return;
        };
        if method != "initialize" || !emissions.iter().any(|one| is_result(&one.line, &id)) {
            return;
        }
        self.is_initialized = true;
        let params = params.unwrap_or_default();
        let methods = &params["capabilities"]["optOutNotificationMethods"];
        let methods = methods.as_array().into_iter().flatten();
        let methods = methods.filter_map(Value::as_str);
        self.unwanted.extend(methods.map(str::to_owned));
    }

    /// The lines that are wanted. The time before one that is not is that of the next in its queue.
    fn wanted(&mut self, emissions: Vec<Emission>) -> Vec<Emission> {
        if self.unwanted.is_empty() {
            return emissions;
        }
        let mut wanted = Vec::with_capacity(emissions.len());
        for mut emission in emissions {
            let waited = self.waited.entry(emission.queue).or_default();
            if notification(&emission.line).is_some_and(|method| self.unwanted.contains(&method)) {
                *waited += emission.after_ms;
                continue;
            }
            emission.after_ms += std::mem::take(waited);
            wanted.push(emission);
        }
        wanted
    }
}

impl Conversation for OptedOut {
    fn protocol(&self) -> Protocol {
        self.inner.protocol()
    }

    fn start(&mut self) -> Vec<Emission> {
        self.inner.start()
    }

    fn line(&mut self, line: &str) -> Reaction {
        let mut reaction = self.inner.line(line);
        if self.applies {
            if !self.is_initialized {
                self.learn(line, &reaction.emissions);
            }
            self.waited.clear();
            reaction.emissions = self.wanted(reaction.emissions);
        }
        reaction
    }

    fn more(&mut self) -> Vec<Emission> {
        loop {
            let more = self.inner.more();
            let is_over = more.is_empty();
            let wanted = self.wanted(more);
            if is_over || !wanted.is_empty() {
                return wanted;
            }
        }
    }
}

impl fmt::Debug for OptedOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = f.debug_struct("OptedOut");
        out.field("unwanted", &self.unwanted)
            .finish_non_exhaustive()
    }
}

/// What a line of Codex has of these: a method, an id, a result.
#[derive(Default)]
struct Head {
    method: Option<String>,
    id: Option<String>,
    has_result: bool,
}

fn head(line: &str) -> Head {
    let mut head = Head::default();
    let mut cursor = Cursor::new(line);
    if cursor.kind().is_ok_and(|kind| kind == Kind::Object) {
        // A line that is not JSON, such as one of a fault, is none of these.
        let _ = cursor.object(|cursor, name| {
            cursor.kind()?;
            let start = cursor.offset();
            cursor.skip()?;
            let value = &line[start..cursor.offset()];
            match name {
                "method" => head.method = serde_json::from_str(value).ok(),
                "id" => head.id = Some(value.to_owned()),
                "result" => head.has_result = true,
                _ => {}
            }
            Ok(())
        });
    }
    head
}

/// The method of a notification.
fn notification(line: &str) -> Option<String> {
    let head = head(line);
    head.method.filter(|_| head.id.is_none())
}

/// Whether a line is the result of the request with this id.
fn is_result(line: &str, id: &str) -> bool {
    let head = head(line);
    // A fault can make a text of it.
    let is_same = |own: &str| own.trim_matches('"') == id.trim_matches('"');
    head.has_result && head.id.is_some_and(|own| is_same(&own))
}
