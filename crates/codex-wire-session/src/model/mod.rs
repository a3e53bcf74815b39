//! The model: what a session is, whichever surface and release it was read from.
//!
//! What a source cannot know is absent. JSON leaves absent members out; an empty list means that there is
//! nothing.

mod absent;
mod item;
mod session;
mod thread;
mod time;
mod tokens;
mod turn;

pub use item::{
    Approval, Body, ChangeKind, Command, Compaction, Decision, ErrorReport, FileChange, HookRun,
    Image, Item, Lines, McpCall, Message, Other, Patch, Plan, Reasoning, Review, Role, Status,
    SubAgent, TodoList, TodoStep, ToolCall, Warning, WebSearch,
};
pub(crate) use session::End;
pub use session::{FORMAT, Session, Unread};
pub use thread::{Continues, Git, Lineage, Thread};
pub use time::Time;
pub use tokens::Tokens;
pub use turn::{Response, Settings, Turn, TurnError, TurnStatus};
