//! A client of `codex app-server`, for every release from 0.58.0 on.
//!
//! ```no_run
//! use std::io::Write as _;
//!
//! use codex_wire::app_server::ThreadStartParams;
//! use codex_wire_client::{Client, Error, Options, TurnEvent};
//!
//! fn ask(prompt: &str) -> Result<(), Error> {
//!     // Starts Codex, and introduces this client to it.
//!     let codex = Client::start("codex", Options::new("my-client", "1.0"))?;
//!     let thread = codex.start_thread(ThreadStartParams::new())?;
//!     for event in codex.start_turn(&thread.id, prompt)? {
//!         match event? {
//!             TurnEvent::MessageDelta(delta) => {
//!                 print!("{}", delta.text);
//!                 let _ = std::io::stdout().flush();
//!             }
//!             TurnEvent::Approval(approval) => {
//!                 println!("[run {}]", approval.command().unwrap_or_default());
//!                 approval.accept()?;
//!             }
//!             _ => {}
//!         }
//!     }
//!     Ok(())
//! }
//! ```
//!
//! [`Client::start`] runs Codex, and does the handshake. An [`Error`] says what failed, and its `source` why.
//!
//! - A [`TurnHandle`] gives the events of one turn until its end. A turn that failed or was interrupted ends with an
//!   error: it cannot be taken for one that completed.
//! - An [`Approval`] that is dropped is declined; any other [`Question`] is refused. Codex never waits forever, and
//!   nothing runs that nobody allowed.
//! - What Codex writes to its standard error is read all the time, and its last lines are in the errors.
//! - Where releases differ, the events do not: [`TurnHandle`] ends where 0.58.0 sends no `turn/completed`, and an
//!   [`Approval`] has the command whichever member it stands in.
//! - What the release of Codex does not know is not sent to it: [`OnUnsupported`] is the choice, and
//!   [`Client::supports`] says which methods there are.
//!
//! [`Client`] is blocking, and runs Codex as a child or talks over any stream. With the feature `tokio`, the module `tokio`
//! has a client of the same words for asynchronous programs. With `websocket` and `tokio-websocket`, both connect to a
//! Codex that listens: `connect_to`. [`Session`] is the core of them without input and output: it makes and reads lines, for
//! whoever moves them otherwise.
//!
//! With the feature `exec`, the module `exec` runs `codex exec --json`; with `hooks`, the module `hooks` is the frame of
//! a hook program, which fails closed. Both are on by default.
//!
//! This crate must not know schemas, rules, transcripts or the stand-in.

#![forbid(unsafe_code)]

mod address;
mod amendment;
mod blocking;
mod client;
mod connection;
#[cfg(feature = "websocket")]
mod endpoint;
mod error;
mod event;
#[cfg(feature = "exec")]
pub mod exec;
#[cfg(feature = "hooks")]
pub mod hooks;
mod inbox;
mod options;
mod outcome;
mod pieces;
mod question;
mod session;
mod support;
#[cfg(feature = "tokio")]
pub mod tokio;
mod transport;
mod turn;
#[cfg(feature = "websocket")]
mod websocket;

pub use self::amendment::Amendment;
pub use self::client::Client;
pub use self::error::{Error, LineError};
pub use self::event::TurnEvent;
pub use self::inbox::Incoming;
pub use self::options::Options;
pub use self::outcome::{Completed, MessageDelta};
pub use self::question::{Approval, ApprovalKind, Decision, Question};
pub use self::session::{Answer, Received, Session, Ticket};
pub use self::support::OnUnsupported;
pub use self::turn::TurnHandle;
