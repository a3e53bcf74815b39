//! One view of a session over all releases: turns, messages, commands, tokens.
//!
//! The lines of a session file say most things twice, and every few releases in another way.
//! [`Session`] says each of them once, whichever release wrote the line. It decides line by line,
//! as one file may hold lines of several releases.
//!
//! ```
//! use codex_wire::rollout::session::{MessageKind, Session, TurnStatus};
//!
//! let file = concat!(
//!     r#"{"timestamp":"2026-11-22T15:02:01.000Z","type":"session_meta","payload":{"id":"01a2","#,
//!     r#""timestamp":"2026-11-22T15:02:01.000Z","cwd":"/w","originator":"codex_exec","#,
//!     r#""cli_version":"0.98.0","source":"exec"}}"#, "\n",
//!     r#"{"timestamp":"2026-11-22T15:02:01.100Z","type":"response_item","payload":{"#,
//!     r#""type":"message","role":"user","content":[{"type":"input_text","text":"Hello"}]}}"#, "\n",
//!     r#"{"timestamp":"2026-11-22T15:02:01.101Z","type":"event_msg","payload":{"#,
//!     r#""type":"user_message","message":"Hello","images":[],"local_images":[],"text_elements":[]}}"#, "\n",
//!     r#"{"timestamp":"2026-11-22T15:02:02.000Z","type":"event_msg","payload":{"type":"token_count","#,
//!     r#""info":{"total_token_usage":{"input_tokens":1200,"cached_input_tokens":1000,"#,
//!     r#""output_tokens":34,"reasoning_output_tokens":12,"total_tokens":1234},"#,
//!     r#""last_token_usage":{"input_tokens":1200,"cached_input_tokens":1000,"output_tokens":34,"#,
//!     r#""reasoning_output_tokens":12,"total_tokens":1234},"model_context_window":258400},"#,
//!     r#""rate_limits":null}}"#, "\n",
//! );
//! let session = Session::read(file.as_bytes());
//! assert_eq!(session.id.as_deref(), Some("01a2"));
//! let turn = &session.turns[0];
//! // The file has the text twice, as an item and as an event.
//! let texts: Vec<_> = turn.messages().map(|message| (&message.kind, &*message.text)).collect();
//! assert_eq!(texts, [(&MessageKind::Prompt, "Hello")]);
//! // 0.98.0 marks no ends of turns.
//! assert_eq!(turn.status, TurnStatus::Unmarked);
//! assert_eq!(session.tokens().total, 1234);
//! ```
//!
//! # Tokens
//! [`Session::tokens`] is what the responses recorded in this file used: what Codex copied into it
//! from another thread does not count, so the sum over all files of a folder counts everything
//! once. Adding up `token_count` events does not work: up to 0.130.0 each is written twice, a
//! compaction writes an estimate in the form of a count, the total starts again at zero when a
//! thread is resumed up to 0.77.0, a review of 0.63.0 to 0.77.0 repeats the counts of the reviewer's
//! file in its parent, and forks copy counts. [`Session::reported`] has the total Codex wrote.
//!
//! The tokens of a session are the sum of those of its own turns. With those of copied turns and of
//! the [base](Session::base), they are the total that Codex wrote, but for the restarts up to 0.77.0
//! and the reviews named above: tests hold this over all recorded files, resumed, forked and
//! migrated by later releases too. A migration rewrites a file in place, so it counts as before.
//!
//! Files before 0.34.0 have no token counts.
//!
//! # Several files
//! A fork or segment of a paginated thread goes on where another file ends: see
//! [`Session::read_with`]. Legacy forks copy the history: its turns are marked as
//! [copied](Turn::is_copied). From 0.100.0 the ids of turns tell which are; before, times do, and
//! [`Session::mark_copied_from`] does better with the parent at hand.
//!
//! This module opens no files. `examples/usage.rs` of this crate walks a folder.

mod builder;
mod calls;
mod copies;
mod events;
mod items;
mod lineage;
mod once;
mod read;
mod settings;
mod state;
mod tokens;
mod turn;
mod view;

pub use builder::SessionBuilder;
pub use lineage::{Lineage, is_base};
pub use tokens::Tokens;
pub use turn::{
    Command, Compaction, Entry, McpCall, Message, MessageKind, Patch, Plan, Reasoning, Response,
    ReviewStarted, Settings, ToolCall, Turn, TurnStatus, WebSearch,
};
pub use view::{Session, Unread};
