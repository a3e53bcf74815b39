//! Scripted answers of the model.

use std::time::Duration;

use serde_json::{Value, json};

/// The answer of the model to one request.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    pub(crate) items: Vec<Item>,
    pub(crate) end: End,
    /// Whether the last item does not complete before the end.
    pub(crate) is_cut: bool,
    pub(crate) tokens: Tokens,
    /// How long the model waits before the end.
    pub(crate) pause: Duration,
}

impl Answer {
    /// An answer with these items.
    pub fn new(items: impl IntoIterator<Item = Item>) -> Self {
        Answer {
            items: items.into_iter().collect(),
            end: End::Completed,
            is_cut: false,
            tokens: Tokens::default(),
            pause: Duration::ZERO,
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

    /// The same answer with another end. If the connection breaks or stalls, it does so within the last
    /// item.
    pub fn ending(mut self, end: End) -> Self {
        self.is_cut = matches!(end, End::Dropped | End::Stalled);
        self.end = end;
        self
    }

    /// The same answer with another end, which comes after all items are complete.
    pub fn then(mut self, end: End) -> Self {
        self.is_cut = false;
        self.end = end;
        self
    }

    /// The same answer at another price.
    pub fn costing(mut self, tokens: Tokens) -> Self {
        self.tokens = tokens;
        self
    }

    /// The same answer, but the model waits that long between the last item and the end.
    pub fn pausing(mut self, pause: Duration) -> Self {
        self.pause = pause;
        self
    }
}

/// A part of an answer. It uses the tools that the request offers, so one script works with all
/// releases.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Item {
    /// A message of the model.
    Message(String),
    /// The parts of a summary of what the model thinks.
    Reasoning(Vec<String>),
    /// A command for a shell.
    Command(String),
    /// A patch to apply.
    Patch(String),
    /// A web search, which runs on the side of the model.
    Search(String),
    /// A call of a tool by its name, whether it is offered or not.
    Call(String, Value),
    /// A call of a tool of an MCP server.
    ServerTool {
        /// The name of the server.
        server: String,
        /// The name of the tool.
        tool: String,
        /// The arguments.
        arguments: Value,
    },
    /// Starts another agent with this prompt.
    Spawn(String),
    /// The same, with a copy of the conversation so far.
    Fork(String),
    /// Waits for the agents that were started.
    WaitForAgents,
}

impl Item {
    /// A call of a tool of the server that [`Home::add_server`](crate::Home::add_server) adds.
    pub fn tiny(tool: &str, arguments: Value) -> Self {
        Item::ServerTool {
            server: "tiny".to_owned(),
            tool: tool.to_owned(),
            arguments,
        }
    }
}

/// How an answer ends.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum End {
    /// Completely.
    #[default]
    Completed,
    /// With an error of the model: a code and a message.
    Failed(String, String),
    /// The connection breaks.
    Dropped,
    /// Nothing more comes until the client closes the connection.
    Stalled,
    /// Only this HTTP status comes, with this body.
    Refused(u16, String),
}

impl End {
    /// An error of the model: a code and a message.
    pub fn failed(code: &str, message: &str) -> Self {
        End::Failed(code.to_owned(), message.to_owned())
    }

    /// An HTTP status and an error as the model's server writes it: a code and a message.
    pub fn refused(status: u16, code: &str, message: &str) -> Self {
        let error = json!({"message": message, "type": code, "code": code, "param": null});
        End::Refused(status, json!({"error": error}).to_string())
    }
}

/// What an answer costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tokens {
    /// What the model read.
    pub input: u32,
    /// How many of these were cached.
    pub cached: u32,
    /// What it wrote.
    pub output: u32,
    /// How many of these it thought with.
    pub reasoning: u32,
}

impl Tokens {
    /// An answer that costs nothing.
    pub const NONE: Tokens = Tokens {
        input: 0,
        cached: 0,
        output: 0,
        reasoning: 0,
    };

    /// The same and so many steps more of each kind.
    pub(crate) fn and_more(self, steps: u32) -> Self {
        Tokens {
            input: self.input + 17 * steps,
            cached: self.cached + 5 * steps,
            output: self.output + 3 * steps,
            reasoning: self.reasoning + steps,
        }
    }
}

impl Default for Tokens {
    fn default() -> Self {
        Tokens {
            input: 137,
            cached: 21,
            output: 12,
            reasoning: 3,
        }
    }
}
