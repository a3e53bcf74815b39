//! The wire protocols of OpenAI's Codex agent as Rust types that read every release losslessly.
//!
//! One set of types covers all releases of a protocol. Each member, variant and value knows the
//! releases that have it; a member is required in Rust only if every release writes it. Whatever
//! no known release writes is kept as it came and written back: unknown messages, items, members
//! and values are values here, never errors.
//!
//! ```
//! use codex_wire::exec::{Event, ThreadItemDetails};
//!
//! let line = r#"{"type":"item.completed","item":{"id":"item_1","type":"agent_message","text":"Done."}}"#;
//! let event: Event = codex_wire::from_str(line)?;
//! let item = event.item().expect("this event carries an item");
//! if let ThreadItemDetails::AgentMessage(message) = &item.details {
//!     assert_eq!(message.text, "Done.");
//! }
//! assert_eq!(serde_json::to_string(&event)?, line);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Which releases have a member, a kind or a value, its type says; which have a method of the app-server,
//! `app_server::Method::AVAILABILITY`. What a release does not know of a value that is to be sent to it,
//! `app_server::unsupported` and the module [`unsupported`] say.
//!
//! ```
//! use codex_wire::exec::{CommandExecutionStatus, ThreadItem, Usage};
//! use codex_wire::{Described, Release};
//!
//! let tokens = Usage::availability("cache_write_input_tokens").expect("a member");
//! assert_eq!(tokens.range.since, Some(Release::new(0, 145, 0)));
//! let declined = CommandExecutionStatus::availability("declined").expect("a value");
//! assert!(!declined.contains(Release::new(0, 58, 0)));
//! let todo_list = ThreadItem::availability("todo_list").expect("a kind");
//! assert_eq!(todo_list.to_string(), "every release");
//! ```
//!
//! The types implement serde's `Serialize` and `Deserialize`, so they fit into your own. Reading
//! through [`from_str`] or a [`Reader`] is faster, and its errors name line, column and path.
//! They cannot be read inside serde's `flatten`, `untagged` and internally tagged types: those
//! buffer the value and drop its text, which has to come back unchanged.
//!
//! # Features
//! - `exec` (default): `codex exec --json`
//! - `core` (default): the submissions and events of `codex proto`, and of `codex exec --json`
//!   up to 0.42.0
//! - `app-server`: the requests, notifications and responses of `codex app-server`, both directions
//! - `app-server-core`: the part of it that a client of threads and turns needs, which compiles in a third of the time;
//!   `app-server-extras`, `app-server-plugins`, `app-server-realtime`, `app-server-remote-control` and `app-server-v1` add the
//!   others. Methods of features that are off are read as unknown ones, and written back as they came
//! - `hooks`: what hooks read and print, and what the `notify` program gets
//! - `rollout`: session files, `rollout-….jsonl`
//! - `schema`: JSON Schema documents through schemars, annotated with releases
//! - `proptest`: strategies for values as a given release writes them
//!
//! This crate must not know files, processes, schema validators, transcripts or findings.

#![forbid(unsafe_code)]

// The derive names this crate as its users do.
extern crate self as codex_wire;

#[cfg(feature = "app-server-core")]
pub mod app_server;
#[cfg(feature = "core")]
pub mod core;
#[cfg(feature = "exec")]
pub mod exec;
#[cfg(feature = "hooks")]
pub mod hooks;
#[cfg(all(feature = "app-server-core", feature = "exec"))]
pub mod items;
pub mod mcp;
#[cfg(feature = "hooks")]
pub mod notify;
#[cfg(feature = "rollout")]
pub mod rollout;

#[cfg(feature = "proptest")]
pub use codex_wire_base::generate;
#[cfg(feature = "schema")]
pub use codex_wire_base::schema;
pub use codex_wire_base::{
    Availability, Described, Error, ErrorKind, Map, Maybe, Message, MessageSet, NoParams, Null,
    Protocol, Reader, Release, ReleaseBounds, ReleaseList, Unknown, UnknownCall, UnknownExternal,
    Wire, error, from_slice, from_str, json, lines, release, release_list, to_string, transcript,
    unsupported,
};
#[doc(hidden)]
pub use codex_wire_base::{private, shape};
