//! Lines of the app-server as their message sets describe them: an answer has the method of its
//! request beside it.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use codex_wire::MessageSet;
use codex_wire::generate::Recipe;
use codex_wire::transcript::{Record, Side};
use codex_wire_check::{Checker, Outcome, Writer};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support::mutants::Change;
use crate::support::property::AsLine;
use crate::support::{message_sets, transcripts};

/// A message of a message set.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Said {
    pub(crate) message_set: MessageSet,
    pub(crate) message: Value,
}

impl AsLine for Said {
    fn line(&self) -> String {
        self.message.to_string()
    }
}

/// The side that writes the lines of a message set; of errors, the one that is tried.
pub(super) fn writer(message_set: MessageSet) -> Writer {
    match message_set.is_written() {
        true => Writer::Codex,
        false => Writer::Client,
    }
}

impl Said {
    /// Messages as a release writes them.
    pub(super) fn generated(message_set: MessageSet, recipe: Recipe) -> BoxedStrategy<Said> {
        test_support::trees(message_set, recipe)
            .prop_map(move |message| Said {
                message_set,
                message,
            })
            .boxed()
    }

    /// What the types write of it when they have read it.
    pub(super) fn through_types(&self) -> Result<Said, String> {
        let message = message_sets::through_types(self.message_set, &self.message)?;
        Ok(Said {
            message,
            ..self.clone()
        })
    }

    /// Whether it is an answer, whose method is in another line.
    pub(crate) fn is_answer(&self) -> bool {
        matches!(
            self.message_set,
            MessageSet::AppServerClientResponses | MessageSet::AppServerServerResponses
        )
    }

    /// Whether it is still the kind of message its message set is about, by the members it has, and
    /// of an answer known what it answers.
    pub(super) fn is_of_its_kind(&self) -> bool {
        let has = |name: &str| self.message.get(name).is_some();
        let paired = || self.message["id"].is_i64() || self.message["id"].is_string();
        match self.message_set {
            MessageSet::AppServerClientRequests | MessageSet::AppServerServerRequests => {
                has("method") && has("id")
            }
            MessageSet::AppServerClientNotifications | MessageSet::AppServerServerNotifications => {
                has("method") && !has("id")
            }
            MessageSet::AppServerErrors => has("error") && !has("result") && !has("method"),
            _ => has("result") && paired(),
        }
    }

    /// Changes one place of the line. Returns false where it has no such place.
    pub(crate) fn change(&mut self, change: Change, seed: usize) -> bool {
        if !self.is_answer() {
            return change.apply(&mut self.message, seed);
        }
        let members = self.message.as_object_mut().unwrap();
        let method = members.remove("method").unwrap();
        let changed = change.apply(&mut self.message, seed);
        self.message["method"] = method;
        changed
    }

    /// Checks it as the one line of its side; before an answer comes what it answers.
    pub(super) fn check(&self, checker: &Checker) -> Outcome {
        let record = |writer: Writer, line: &Value| {
            let from = match writer {
                Writer::Codex => "codex",
                Writer::Client => "client",
            };
            format!(
                "{}\n",
                json!({"kind": "line", "from": from, "line": line.to_string()})
            )
        };
        let own = writer(self.message_set);
        let mut line = self.message.clone();
        let mut input = String::new();
        if self.is_answer() {
            let method = line.as_object_mut().unwrap().remove("method").unwrap();
            let other = match own {
                Writer::Codex => Writer::Client,
                Writer::Client => Writer::Codex,
            };
            let id = &line["id"];
            let id = if id.is_i64() || id.is_string() {
                id.clone()
            } else {
                json!(1)
            };
            input += &record(other, &json!({"id": id, "method": method, "params": {}}));
        }
        input += &record(own, &line);
        checker.check("-", input.as_bytes())
    }
}

/// Recorded messages by message set, without the long ones: length is nothing to a schema.
pub(super) fn recorded() -> &'static BTreeMap<MessageSet, Vec<Said>> {
    static RECORDED: LazyLock<BTreeMap<MessageSet, Vec<Said>>> = LazyLock::new(|| {
        let mut out: BTreeMap<MessageSet, Vec<Said>> = BTreeMap::new();
        for path in transcripts("app-server") {
            let text = std::fs::read_to_string(path).unwrap();
            let mut pairing = Pairing::default();
            for record in text.split_terminator('\n') {
                if let Some(said) = pairing.observe(record)
                    && record.len() < 4000
                {
                    out.entry(said.message_set).or_default().push(said);
                }
            }
        }
        for said in out.values() {
            assert!(said.len() > 30, "{}: {}", said[0].message_set, said.len());
        }
        out
    });
    &RECORDED
}

/// Which method an id stands for, by connection and by who asked.
#[derive(Default)]
pub(crate) struct Pairing(BTreeMap<(Option<u32>, bool, String), Value>);

impl Pairing {
    /// The message of a record, where it is one and it is known what it answers.
    pub(crate) fn observe(&mut self, record: &str) -> Option<Said> {
        let Record::Line(line) = codex_wire::from_str(record).unwrap() else {
            return None;
        };
        let of_codex = line.from == Side::Codex;
        let mut message: Value = serde_json::from_str(line.line.value()?).ok()?;
        let connection = line.connection.value().copied();
        let key = |asker: bool, id: &Value| (connection, asker, id.to_string());
        let members = message.as_object_mut()?;
        let has = |name: &str| members.contains_key(name);
        let message_set = match (has("method"), has("id"), of_codex) {
            (true, true, _) => {
                self.0
                    .insert(key(of_codex, &members["id"]), members["method"].clone());
                match of_codex {
                    true => MessageSet::AppServerServerRequests,
                    false => MessageSet::AppServerClientRequests,
                }
            }
            (true, false, true) => MessageSet::AppServerServerNotifications,
            (true, false, false) => MessageSet::AppServerClientNotifications,
            _ if has("error") && of_codex => MessageSet::AppServerErrors,
            _ if has("result") => {
                let method = self.0.get(&key(!of_codex, members.get("id")?))?.clone();
                members.insert("method".to_owned(), method);
                match of_codex {
                    true => MessageSet::AppServerServerResponses,
                    false => MessageSet::AppServerClientResponses,
                }
            }
            _ => return None,
        };
        Some(Said {
            message_set,
            message,
        })
    }
}
