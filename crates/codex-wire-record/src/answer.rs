//! Scripted answers of the model.

use serde_json::Value;

/// The answer of the model to one request.
#[derive(Clone, Debug)]
pub struct Answer {
    pub(crate) items: Vec<Item>,
    pub(crate) end: End,
}

impl Answer {
    /// An answer with these items.
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

    /// An answer that requests one command.
    pub fn command(command: &str) -> Self {
        Answer::new([Item::Command(command.to_owned())])
    }

    /// An answer that requests a change of a file, as a patch in the format of Codex.
    pub fn patch(patch: &str) -> Self {
        Answer::new([Item::Patch(patch.to_owned())])
    }

    /// The same answer with another end.
    pub fn ending(mut self, end: End) -> Self {
        self.end = end;
        self
    }
}

/// A part of an answer. It uses the tools that the request offers, so one script works with all
/// releases.
#[derive(Clone, Debug)]
pub enum Item {
    /// A message of the model.
    Message(String),
    /// A summary of what the model thinks.
    Reasoning(String),
    /// A command for a shell.
    Command(String),
    /// A patch to apply.
    Patch(String),
    /// A web search, which runs on the side of the model.
    Search(String),
    /// A call of a tool by its name, whether it is offered or not.
    Call(&'static str, Value),
    /// A call of a tool of the server that [`Home::add_server`](crate::Home::add_server) adds.
    ServerTool(&'static str, Value),
}

/// How an answer ends.
#[derive(Clone, Debug, Default)]
pub enum End {
    /// Completely.
    #[default]
    Completed,
    /// With an error of the model: a code and a message.
    Failed(&'static str, &'static str),
    /// The connection breaks.
    Dropped,
    /// Nothing more comes until the client closes the connection.
    Stalled,
    /// Only this HTTP status comes, with a code and a message.
    Refused(u16, &'static str, &'static str),
}
