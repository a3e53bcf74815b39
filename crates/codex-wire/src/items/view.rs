//! Reads an item, whatever its spelling.

use std::borrow::Cow;

use crate::app_server::{self, HookPromptFragment, TodoItem, UserInput};
use crate::exec::{self, ThreadItemDetails as Exec};
use crate::items::calls::{app_call, exec_call};
use crate::items::changes::{app_change, exec_change};
use crate::items::{Change, Status, Todo, ToolCall};

/// The kinds of item, both protocols together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ItemKind {
    /// What the user says; app-server only.
    UserMessage,
    /// What the agent says.
    AgentMessage,
    /// A summary of the model's reasoning, and on the app-server the reasoning itself.
    Reasoning,
    /// A plan the agent proposes; app-server only.
    Plan,
    /// A command.
    CommandExecution,
    /// A patch.
    FileChange,
    /// A call of a tool on an MCP server.
    McpToolCall,
    /// A call of a tool the client offers; app-server only.
    DynamicToolCall,
    /// A call of a tool for working with other agents.
    CollabToolCall,
    /// What happens to another agent; app-server only.
    SubAgentActivity,
    /// The output of a function call; app-server only.
    FunctionCallOutput,
    /// A web search, or a visit to a page.
    WebSearch,
    /// A look at an image; app-server only.
    ImageView,
    /// The making of an image; app-server only.
    ImageGeneration,
    /// A review begins; app-server only.
    EnteredReviewMode,
    /// A review ends; app-server only.
    ExitedReviewMode,
    /// A review, up to 0.63.0 of the app-server.
    CodeReview,
    /// The history is compacted; app-server only.
    ContextCompaction,
    /// Text of hooks; app-server only.
    HookPrompt,
    /// The agent waits; app-server only.
    Sleep,
    /// A to-do list; exec, and the app-server's schema up to 0.64.0.
    TodoList,
    /// A notice that does not end the turn; exec only.
    Error,
    /// A kind this crate does not know.
    Unknown,
}

/// What an item says, whatever its spelling. It borrows the item.
///
/// What a kind does not have is `None` or empty, and so is what its protocol does not report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ItemView<'a>(Source<'a>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source<'a> {
    Exec(&'a exec::ThreadItem),
    App(&'a app_server::ThreadItem),
}

impl<'a> From<&'a exec::ThreadItem> for ItemView<'a> {
    fn from(item: &'a exec::ThreadItem) -> Self {
        ItemView(Source::Exec(item))
    }
}

impl<'a> From<&'a app_server::ThreadItem> for ItemView<'a> {
    fn from(item: &'a app_server::ThreadItem) -> Self {
        ItemView(Source::App(item))
    }
}

impl<'a> ItemView<'a> {
    /// The id.
    pub fn id(self) -> &'a str {
        match self.0 {
            Source::Exec(item) => &item.id,
            Source::App(item) => item.id().unwrap_or_default(),
        }
    }

    /// The kind as written on the wire, whether this crate knows it or not.
    pub fn tag(self) -> &'a str {
        match self.0 {
            Source::Exec(item) => item.details.tag(),
            Source::App(item) => item.details.tag(),
        }
    }

    /// The kind.
    pub fn kind(self) -> ItemKind {
        match self.0 {
            Source::Exec(item) => match item.kind() {
                exec::ItemKind::AgentMessage => ItemKind::AgentMessage,
                exec::ItemKind::Reasoning => ItemKind::Reasoning,
                exec::ItemKind::CommandExecution => ItemKind::CommandExecution,
                exec::ItemKind::FileChange => ItemKind::FileChange,
                exec::ItemKind::McpToolCall => ItemKind::McpToolCall,
                exec::ItemKind::CollabToolCall => ItemKind::CollabToolCall,
                exec::ItemKind::WebSearch => ItemKind::WebSearch,
                exec::ItemKind::TodoList => ItemKind::TodoList,
                exec::ItemKind::Error => ItemKind::Error,
                exec::ItemKind::Unknown => ItemKind::Unknown,
            },
            // By its tag: a release without a kind has no variant for it.
            Source::App(item) => match item.details.tag() {
                "userMessage" => ItemKind::UserMessage,
                "agentMessage" => ItemKind::AgentMessage,
                "reasoning" => ItemKind::Reasoning,
                "plan" => ItemKind::Plan,
                "commandExecution" => ItemKind::CommandExecution,
                "fileChange" => ItemKind::FileChange,
                "mcpToolCall" => ItemKind::McpToolCall,
                "dynamicToolCall" => ItemKind::DynamicToolCall,
                "collabAgentToolCall" => ItemKind::CollabToolCall,
                "subAgentActivity" => ItemKind::SubAgentActivity,
                "functionCallOutput" => ItemKind::FunctionCallOutput,
                "webSearch" => ItemKind::WebSearch,
                "imageView" => ItemKind::ImageView,
                "imageGeneration" => ItemKind::ImageGeneration,
                "enteredReviewMode" => ItemKind::EnteredReviewMode,
                "exitedReviewMode" => ItemKind::ExitedReviewMode,
                "codeReview" => ItemKind::CodeReview,
                "contextCompaction" => ItemKind::ContextCompaction,
                "hookPrompt" => ItemKind::HookPrompt,
                "sleep" => ItemKind::Sleep,
                "todoList" => ItemKind::TodoList,
                _ => ItemKind::Unknown,
            },
        }
    }

    /// How far the item is, for the kinds that say it.
    pub fn status(self) -> Option<Status<'a>> {
        let word = match self.0 {
            Source::Exec(item) => item.status()?,
            Source::App(item) => item.status()?,
        };
        Some(word.into())
    }

    /// The text: of a message, a plan, a review, a notice or hooks, of what the user says, and of
    /// reasoning. Several parts are put together with an empty line between them.
    pub fn text(self) -> Option<Cow<'a, str>> {
        let item = match self.0 {
            Source::Exec(item) => return item.text().map(Cow::Borrowed),
            Source::App(item) => item,
        };
        if let Some(text) = item.text() {
            return Some(Cow::Borrowed(text));
        }
        if let Some(inputs) = item.inputs() {
            return joined(inputs.iter().filter_map(UserInput::as_text));
        }
        if let Some(parts) = item.fragments() {
            return joined(parts.iter().filter_map(HookPromptFragment::text));
        }
        // The summary, or if there is none the reasoning itself.
        let summary = item.summary().filter(|parts| !parts.is_empty());
        summary.or_else(|| item.reasoning()).and_then(joined)
    }

    /// The command line of a command.
    pub fn command(self) -> Option<&'a str> {
        match self.0 {
            Source::Exec(item) => match &item.details {
                Exec::CommandExecution(item) => Some(&item.command),
                _ => None,
            },
            Source::App(item) => item.command(),
        }
    }

    /// The directory a command runs in.
    pub fn cwd(self) -> Option<&'a str> {
        match self.0 {
            Source::App(item) => item.cwd(),
            Source::Exec(_) => None,
        }
    }

    /// What a command wrote, as far as the item reports it. Exec writes an empty text while the
    /// command runs, the app-server nothing.
    pub fn output(self) -> Option<&'a str> {
        match self.0 {
            Source::Exec(item) => match &item.details {
                Exec::CommandExecution(item) => Some(&item.aggregated_output),
                _ => None,
            },
            Source::App(item) => item.output(),
        }
    }

    /// How a command ended.
    pub fn exit_code(self) -> Option<i32> {
        match self.0 {
            Source::Exec(item) => match &item.details {
                Exec::CommandExecution(item) => item.exit_code.into_value(),
                _ => None,
            },
            Source::App(item) => item.exit_code(),
        }
    }

    /// How long a command, a call or a wait took, in milliseconds.
    pub fn duration_ms(self) -> Option<i64> {
        match self.0 {
            Source::App(item) => item.duration_ms(),
            Source::Exec(_) => None,
        }
    }

    /// The files of a patch.
    pub fn changes(self) -> Vec<Change<'a>> {
        match self.0 {
            Source::Exec(item) => match &item.details {
                Exec::FileChange(item) => item.changes.iter().map(exec_change).collect(),
                _ => Vec::new(),
            },
            Source::App(item) => {
                let changes = item.changes().unwrap_or_default();
                changes.iter().map(app_change).collect()
            }
        }
    }

    /// The call of a tool, if the item is one.
    pub fn tool_call(self) -> Option<ToolCall<'a>> {
        match self.0 {
            Source::Exec(item) => exec_call(&item.details),
            Source::App(item) => app_call(item),
        }
    }

    /// What a web search is for.
    pub fn query(self) -> Option<&'a str> {
        match self.0 {
            Source::Exec(item) => match &item.details {
                Exec::WebSearch(item) => Some(&item.query),
                _ => None,
            },
            Source::App(item) => item.query(),
        }
    }

    /// The path of an image that was viewed or saved.
    pub fn image_path(self) -> Option<&'a str> {
        match self.0 {
            Source::App(item) => item.image_path(),
            Source::Exec(_) => None,
        }
    }

    /// The entries of a to-do list.
    pub fn todos(self) -> Vec<Todo<'a>> {
        let todo = |text, completed| Todo { text, completed };
        match self.0 {
            Source::Exec(item) => match &item.details {
                Exec::TodoList(item) => {
                    let entries = item.items.iter();
                    entries
                        .map(|entry| todo(&entry.text, entry.completed))
                        .collect()
                }
                _ => Vec::new(),
            },
            Source::App(item) => {
                let entries = item.todos().unwrap_or_default().iter();
                let todo = |entry: &'a TodoItem| {
                    let completed = entry.completed().unwrap_or_default();
                    todo(entry.text().unwrap_or_default(), completed)
                };
                entries.map(todo).collect()
            }
        }
    }
}

/// Parts with an empty line between them; nothing if there are none.
fn joined<'a, S>(parts: impl IntoIterator<Item = &'a S>) -> Option<Cow<'a, str>>
where
    S: AsRef<str> + ?Sized + 'a,
{
    let mut parts = parts.into_iter().map(AsRef::as_ref);
    let first = parts.next()?;
    let mut out = Cow::Borrowed(first);
    for part in parts {
        let out = out.to_mut();
        out.push_str("\n\n");
        out.push_str(part);
    }
    Some(out)
}
