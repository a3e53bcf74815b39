//! Reads an item, whatever its spelling.

use std::borrow::Cow;

use crate::Maybe;
use crate::app_server::{self, ThreadItemDetails as App, UserInput};
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
            Source::App(item) => &item.id,
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
            Source::App(item) => match item.details {
                App::UserMessage(_) => ItemKind::UserMessage,
                App::AgentMessage(_) => ItemKind::AgentMessage,
                App::Reasoning(_) => ItemKind::Reasoning,
                App::Plan(_) => ItemKind::Plan,
                App::CommandExecution(_) => ItemKind::CommandExecution,
                App::FileChange(_) => ItemKind::FileChange,
                App::McpToolCall(_) => ItemKind::McpToolCall,
                App::DynamicToolCall(_) => ItemKind::DynamicToolCall,
                App::CollabAgentToolCall(_) => ItemKind::CollabToolCall,
                App::SubAgentActivity(_) => ItemKind::SubAgentActivity,
                App::FunctionCallOutput(_) => ItemKind::FunctionCallOutput,
                App::WebSearch(_) => ItemKind::WebSearch,
                App::ImageView(_) => ItemKind::ImageView,
                App::ImageGeneration(_) => ItemKind::ImageGeneration,
                App::EnteredReviewMode(_) => ItemKind::EnteredReviewMode,
                App::ExitedReviewMode(_) => ItemKind::ExitedReviewMode,
                App::CodeReview(_) => ItemKind::CodeReview,
                App::ContextCompaction(_) => ItemKind::ContextCompaction,
                App::HookPrompt(_) => ItemKind::HookPrompt,
                App::Sleep(_) => ItemKind::Sleep,
                App::TodoList(_) => ItemKind::TodoList,
                App::Unknown(_) => ItemKind::Unknown,
            },
        }
    }

    /// How far the item is, for the kinds that say it.
    pub fn status(self) -> Option<Status<'a>> {
        let word = match self.0 {
            Source::Exec(item) => item.status()?,
            Source::App(item) => match &item.details {
                App::CommandExecution(item) => item.status.as_str(),
                App::FileChange(item) => item.status.as_str(),
                App::McpToolCall(item) => item.status.as_str(),
                App::DynamicToolCall(item) => item.status.as_str(),
                App::CollabAgentToolCall(item) => item.status.as_str(),
                App::ImageGeneration(item) => &item.status,
                _ => return None,
            },
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
        match &item.details {
            App::UserMessage(item) => joined(item.content.iter().filter_map(|input| match input {
                UserInput::Text(input) => Some(input.text.as_str()),
                _ => None,
            })),
            App::AgentMessage(item) => Some(Cow::Borrowed(&item.text)),
            App::Plan(item) => Some(Cow::Borrowed(&item.text)),
            App::Reasoning(item) => match (&item.text, &item.summary, &item.content) {
                (Maybe::Value(text), _, _) => Some(Cow::Borrowed(text)),
                (_, Maybe::Value(parts), _) if !parts.is_empty() => joined(parts),
                (_, _, Maybe::Value(parts)) => joined(parts),
                _ => None,
            },
            App::EnteredReviewMode(item) => Some(Cow::Borrowed(&item.review)),
            App::ExitedReviewMode(item) => Some(Cow::Borrowed(&item.review)),
            App::CodeReview(item) => Some(Cow::Borrowed(&item.review)),
            App::HookPrompt(item) => joined(item.fragments.iter().map(|part| part.text.as_str())),
            _ => None,
        }
    }

    /// The command line of a command.
    pub fn command(self) -> Option<&'a str> {
        match self.0 {
            Source::Exec(item) => match &item.details {
                Exec::CommandExecution(item) => Some(&item.command),
                _ => None,
            },
            Source::App(item) => match &item.details {
                App::CommandExecution(item) => Some(&item.command),
                _ => None,
            },
        }
    }

    /// The directory a command runs in.
    pub fn cwd(self) -> Option<&'a str> {
        match self.0 {
            Source::App(item) => match &item.details {
                App::CommandExecution(item) => item.cwd.value().map(String::as_str),
                _ => None,
            },
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
            Source::App(item) => match &item.details {
                App::CommandExecution(item) => {
                    either(&item.aggregated_output, &item.aggregated_output_snake)
                        .map(String::as_str)
                }
                _ => None,
            },
        }
    }

    /// How a command ended.
    pub fn exit_code(self) -> Option<i32> {
        match self.0 {
            Source::Exec(item) => match &item.details {
                Exec::CommandExecution(item) => item.exit_code.into_value(),
                _ => None,
            },
            Source::App(item) => match &item.details {
                App::CommandExecution(item) => {
                    either(&item.exit_code, &item.exit_code_snake).copied()
                }
                _ => None,
            },
        }
    }

    /// How long a command, a call or a wait took, in milliseconds.
    pub fn duration_ms(self) -> Option<i64> {
        match self.0 {
            Source::App(item) => match &item.details {
                App::CommandExecution(item) => {
                    either(&item.duration_ms, &item.duration_ms_snake).copied()
                }
                App::McpToolCall(item) => item.duration_ms.into_value(),
                App::DynamicToolCall(item) => item.duration_ms.into_value(),
                App::Sleep(item) => i64::try_from(item.duration_ms).ok(),
                _ => None,
            },
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
            Source::App(item) => match &item.details {
                App::FileChange(item) => item.changes.iter().map(app_change).collect(),
                _ => Vec::new(),
            },
        }
    }

    /// The call of a tool, if the item is one.
    pub fn tool_call(self) -> Option<ToolCall<'a>> {
        match self.0 {
            Source::Exec(item) => exec_call(&item.details),
            Source::App(item) => app_call(&item.details),
        }
    }

    /// What a web search is for.
    pub fn query(self) -> Option<&'a str> {
        match self.0 {
            Source::Exec(item) => match &item.details {
                Exec::WebSearch(item) => Some(&item.query),
                _ => None,
            },
            Source::App(item) => match &item.details {
                App::WebSearch(item) => Some(&item.query),
                _ => None,
            },
        }
    }

    /// The path of an image that was viewed or saved.
    pub fn image_path(self) -> Option<&'a str> {
        match self.0 {
            Source::App(item) => match &item.details {
                App::ImageView(item) => Some(&item.path),
                App::ImageGeneration(item) => item.saved_path.value().map(String::as_str),
                _ => None,
            },
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
            Source::App(item) => match &item.details {
                App::TodoList(item) => {
                    let entries = item.items.iter();
                    entries
                        .map(|entry| todo(&entry.text, entry.completed))
                        .collect()
                }
                _ => Vec::new(),
            },
        }
    }
}

/// The member under the name it has, or under the one it had in 0.58.0.
fn either<'a, T>(now: &'a Maybe<T>, once: &'a Maybe<T>) -> Option<&'a T> {
    now.value().or(once.value())
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
