//! The client for programs that are asynchronous, with Tokio: the same words as the blocking one.
//!
//! ```no_run
//! use codex_wire::app_server::ThreadStartParams;
//! use codex_wire_client::tokio::Client;
//! use codex_wire_client::{Error, Options, TurnEvent};
//!
//! async fn ask(prompt: &str) -> Result<(), Error> {
//!     let codex = Client::start("codex", Options::new("my-client", "1.0")).await?;
//!     let thread = codex.start_thread(ThreadStartParams::new()).await?;
//!     let mut turn = codex.start_turn(&thread.id, prompt).await?;
//!     while let Some(event) = turn.next_event().await? {
//!         match event {
//!             TurnEvent::MessageDelta(delta) => print!("{}", delta.text),
//!             TurnEvent::Approval(approval) => approval.accept()?,
//!             _ => {}
//!         }
//!     }
//!     codex.close().await;
//!     Ok(())
//! }
//! ```
//!
//! - What waits is a future; what only sends a line, such as the answer to an approval, is not.
//! - Every future can be dropped, as `select!` and timeouts do, and nothing is lost: a message that nobody took is there for the next
//!   who waits. A request whose future is dropped was sent all the same; its answer is then
//!   [`Incoming::Unasked`](crate::Incoming::Unasked), and a turn that it began is followed by nobody.
//! - A [`TurnHandle`] is also a `Stream` of its events.
//! - Lines are read while somebody waits for something. Otherwise 256 are kept, and then Codex waits.
//! - When the last [`Client`] and [`TurnHandle`] are gone, the input of Codex is closed, and it is killed if it does not end within two
//!   seconds. If the runtime ends before, it is killed at once; [`Client::close`] waits for its end.
//!
//! The runtime has to have its drivers for input, output and time, as with `enable_all`; those of `#[tokio::main]` are on.

mod client;
mod connection;
#[cfg(feature = "exec")]
mod exec;
mod transport;
mod turn;
#[cfg(feature = "tokio-websocket")]
mod websocket;

pub use self::client::Client;
#[cfg(feature = "exec")]
pub use self::exec::Run;
pub use self::turn::TurnHandle;
