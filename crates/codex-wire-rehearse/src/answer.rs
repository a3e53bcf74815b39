//! Scripted answers of the model.

use serde_json::Value;

/// What the model answers to one request.
#[derive(Clone, Debug)]
pub struct Answer {
    pub(crate) items: Vec<Item>,
    pub(crate) end: End,
}

impl Answer {
    /// An answer of some items.
    pub fn new(items: impl IntoIterator<Item = Item>) -> Self {
        Answer {
            items: items.into_iter().collect(),
            end: End::Completed,
        }
    }

    /// An answer that is one message.
    pub fn message(text: &str) -> Self {
        Answer::new([Item::Message(text.to_owned())])
    }

    /// An answer that wants one command to be run.
    pub fn command(command: &str) -> Self {
        Answer::new([Item::Command(command.to_owned())])
    }

    /// An answer that wants a file to be changed, by a patch in Codex's own format.
    pub fn patch(patch: &str) -> Self {
        Answer::new([Item::Patch(patch.to_owned())])
    }

    /// The answer, ending another way.
    pub fn ending(mut self, end: End) -> Self {
        self.end = end;
        self
    }
}

/// A part of an answer. It is spelled with the tools the request offers, so one script fits all
/// releases.
#[derive(Clone, Debug)]
pub enum Item {
    /// The model says something.
    Message(String),
    /// The model tells what it thinks, in short.
    Reasoning(String),
    /// The model wants a shell to run something.
    Command(String),
    /// The model wants a patch to be applied.
    Patch(String),
    /// The model searches the web, which is done where it is.
    Search(String),
    /// The model calls a tool by its name, whether it is offered or not.
    Call(&'static str, Value),
    /// The model calls a tool of the server that [`Home::add_server`](crate::Home::add_server) adds.
    ServerTool(&'static str, Value),
}

/// How an answer ends.
#[derive(Clone, Debug, Default)]
pub enum End {
    /// As it should.
    #[default]
    Completed,
    /// The model says that it failed, with a code and a message.
    Failed(&'static str, &'static str),
    /// The connection ends in the middle.
    Dropped,
    /// Nothing more comes until the client hangs up.
    Stalled,
    /// There is no answer but this status of HTTP, with a code and a message.
    Refused(u16, &'static str, &'static str),
}
