//! Reads items of `exec` and of the app-server in the same way.
//!
//! `codex exec --json` and `codex app-server` report the same work in two spellings:
//! `command_execution` with `aggregated_output` here, `commandExecution` with `aggregatedOutput`
//! there, and more differs than letters. An [`ItemView`] reads both and gives the same answers. It
//! borrows the item and only reads; to write an item, use its own type.
//!
//! ```
//! use codex_wire::items::{Item, ItemKind, Status};
//!
//! for text in [
//!     r#"{"id":"item_1","type":"command_execution","command":"ls","aggregated_output":"a\n","exit_code":0,"status":"completed"}"#,
//!     r#"{"id":"call_1","type":"commandExecution","command":"ls","aggregatedOutput":"a\n","exitCode":0,"status":"completed","cwd":"/","commandActions":[]}"#,
//! ] {
//!     let item: Item = codex_wire::from_str(text)?;
//!     let item = item.view();
//!     assert_eq!(item.kind(), ItemKind::CommandExecution);
//!     assert_eq!(item.command(), Some("ls"));
//!     assert_eq!(item.output(), Some("a\n"));
//!     assert_eq!(item.exit_code(), Some(0));
//!     assert_eq!(item.status(), Some(Status::Completed));
//! }
//! # Ok::<(), codex_wire::Error>(())
//! ```

mod calls;
mod changes;
mod item;
mod parts;
mod view;

pub use item::Item;
pub use parts::{Change, ChangeKind, Status, Todo, ToolCall};
pub use view::{ItemKind, ItemView};
