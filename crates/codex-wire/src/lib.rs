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
//! Items of `codex exec` and of the app-server are read by one view, [`items::ItemView`]:
//!
//! ```
//! use codex_wire::Reader;
//! use codex_wire::exec::Event;
//! use codex_wire::items::{ItemKind, ItemView};
//!
//! let transcript = r#"{"type":"item.completed","item":{"id":"item_1","type":"command_execution","command":"ls","aggregated_output":"a.rs\n","exit_code":0,"status":"completed"}}
//! {"type":"item.completed","item":{"id":"item_2","type":"agent_message","text":"There is one file."}}
//! "#;
//! let mut shown = Vec::new();
//! for message in Reader::<_, Event>::new(transcript.as_bytes()) {
//!     let event = message?.value?;
//!     let Some(item) = event.item().map(ItemView::from) else {
//!         continue;
//!     };
//!     match item.kind() {
//!         ItemKind::CommandExecution => shown.extend(item.command().map(|text| format!("$ {text}"))),
//!         ItemKind::AgentMessage => shown.extend(item.text().map(String::from)),
//!         _ => {}
//!     }
//! }
//! assert_eq!(shown, ["$ ls", "There is one file."]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A hook reads an object on standard input and denies what Codex is about to do by printing another:
//!
//! ```
//! use codex_wire::hooks::{HookInput, PreToolUseCommandOutputWire, PreToolUseDecisionWire};
//!
//! let input = r#"{"session_id":"s","turn_id":"t","transcript_path":null,"cwd":"/","hook_event_name":"PreToolUse","model":"m","permission_mode":"default","tool_name":"Bash","tool_input":{"command":"rm -rf /"},"tool_use_id":"c"}"#;
//! let HookInput::PreToolUse(input) = codex_wire::from_str(input)? else {
//!     panic!("another event");
//! };
//! assert_eq!(input.tool_input.command().as_deref(), Some("rm -rf /"));
//! let denied = PreToolUseCommandOutputWire::new()
//!     .with_decision(PreToolUseDecisionWire::Block)
//!     .with_reason("not here");
//! assert_eq!(codex_wire::to_string(&denied), r#"{"decision":"block","reason":"not here"}"#);
//! # Ok::<(), codex_wire::Error>(())
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
//! # Which module
//! - [`exec`]: you run `codex exec --json` and read what it prints.
//! - [`app_server`]: you talk to `codex app-server`. The crate [`codex-wire-client`] does the talking: it
//!   starts Codex, pairs requests with answers, hands on approvals, and ends a turn as completed only
//!   if it did. Its `Session` is the same without processes and threads.
//! - [`core_protocol`]: you talk to `codex proto`, or read `codex exec --json`, of releases up to 0.42.0.
//! - [`items`]: commands, patches and messages of both, read in the same way.
//! - [`hooks`]: you write a program that Codex asks. `codex_wire_client::hooks` makes it fail closed.
//! - [`rollout`]: lines of session files; the crate [`codex-wire-session`] makes conversations of them.
//!
//! [`codex-wire-client`]: https://docs.rs/codex-wire-client
//! [`codex-wire-session`]: https://docs.rs/codex-wire-session
//!
//! # Building values
//! `new` takes what every release needs, `with_…` gives a value to a member that may be absent, and
//! what needs nothing has a `Default`. Texts, and lists of them, can be given as they are:
//!
//! ```
//! use codex_wire::app_server::methods::client_requests::TurnStart;
//! use codex_wire::app_server::{ClientMessage, ClientRequest, Method, TurnStartParams, UserInput};
//! use codex_wire::Maybe;
//!
//! let mut params = TurnStartParams::new("t1", [UserInput::text("Which files are here?")])
//!     .with_model("gpt-5")
//!     .with_effort("low");
//! // `null`, or an `Option` at hand, is given through the member itself.
//! params.service_tier = Maybe::Null;
//! params.cwd = None.into();
//!
//! let request = ClientMessage::from(ClientRequest::new(7, TurnStart::call(params)));
//! assert_eq!(
//!     codex_wire::to_string(&request),
//!     concat!(
//!         r#"{"id":7,"method":"turn/start","params":{"threadId":"t1","input":[{"type":"text","#,
//!         r#""text":"Which files are here?"}],"effort":"low","model":"gpt-5","serviceTier":null}}"#,
//!     ),
//! );
//! ```
//!
//! # Reading members
//! A member is a plain field where every release writes it. Otherwise it is a [`Maybe`], which tells
//! absent from `null`, and has the methods of `Option`: `thread.cwd.as_deref().unwrap_or("?")`.
//! That the newest release always writes a member does not change its type: old releases are read too.
//!
//! # What this crate does not know
//! Kinds of later releases and of forks can be read as types of one's own, which derive
//! [`macro@Wire`]:
//!
//! ```
//! use codex_wire::json::Extra;
//! use codex_wire::{Maybe, Wire, exec::{Event, ThreadItemDetails}};
//!
//! #[derive(Clone, Debug, PartialEq, Eq, Wire)]
//! struct PoemItem {
//!     lines: u32,
//!     #[wire(optional, nullable)]
//!     title: Maybe<String>,
//!     #[wire(extra)]
//!     extra: Extra,
//! }
//!
//! let line = r#"{"type":"item.completed","item":{"id":"item_1","type":"poem","lines":14}}"#;
//! let event: Event = codex_wire::from_str(line)?;
//! let Some(ThreadItemDetails::Unknown(unknown)) = event.item().map(|item| &item.details) else {
//!     panic!("an item of an unknown kind");
//! };
//! assert_eq!(unknown.tag, "poem");
//! assert_eq!(unknown.parse::<PoemItem>()?.lines, 14);
//! # Ok::<(), codex_wire::Error>(())
//! ```
//!
//! # Features
//! - `exec` (default): `codex exec --json`
//! - `core` (default): the submissions and events of `codex proto`, and of `codex exec --json`
//!   up to 0.42.0, in the module `core_protocol`
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
pub mod core_protocol;
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
    Availability, Described, Error, ErrorKind, Exactly, Map, Maybe, Message, MessageSet, NoParams,
    Null, Protocol, Reader, Release, ReleaseBounds, ReleaseList, Unknown, UnknownCall,
    UnknownExternal, Wire, error, from_slice, from_str, json, lines, release, release_list,
    to_string, transcript, unsupported,
};
#[doc(hidden)]
pub use codex_wire_base::{private, shape};
