//! The messages of `codex app-server`: JSON-RPC without its version member, in both directions.
//!
//! Clients and Codex both send requests and notifications. A line is read as a
//! [`ClientMessage`] or a [`ServerMessage`], by who wrote it; what kind of message it is follows
//! from the members it has. Results have the type of the request they answer, which
//! [`Response::result`] brings together:
//!
//! ```
//! use codex_wire::app_server::methods::client_requests::ThreadArchive;
//! use codex_wire::app_server::{ClientMessage, ServerMessage, ServerNotificationParams};
//!
//! let line = r#"{"method":"item/agentMessage/delta","params":{"threadId":"t","turnId":"u","itemId":"i","delta":"Hel"}}"#;
//! let ServerMessage::Notification(message) = codex_wire::from_str(line)? else { panic!() };
//! if let ServerNotificationParams::ItemAgentMessageDelta(delta) = &message.params {
//!     assert_eq!(delta.delta, "Hel");
//! }
//!
//! let request: ClientMessage =
//!     codex_wire::from_str(r#"{"id":7,"method":"thread/archive","params":{"threadId":"t"}}"#)?;
//! let answer: ServerMessage = codex_wire::from_str(r#"{"id":7,"result":{}}"#)?;
//! assert_eq!(request.method(), Some("thread/archive"));
//! if let ServerMessage::Response(answer) = answer {
//!     let result = answer.result::<ThreadArchive>()?;
//!     assert!(result.extra.is_empty());
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The types of params, results and what they hold are in [`types`], by domain, and re-exported
//! here; those of the old conversation API are in [`v1`], those of the core events it relayed in
//! [`events`]. They are generated from the model in `tools/app-server-codegen`, which is folded
//! from the official schemas of all releases. A member is required in Rust if every release that
//! has the type writes it.
//!
//! Paths, thread ids and other plain strings are `String`, whatever the official schemas call
//! them in which release.

mod answer;
mod approvals;
mod envelope;
mod id;
mod media;
mod message;
pub mod method;
mod side;
pub mod types;
mod unsupported;

pub use self::answer::{ErrorObject, ErrorResponse, Response};
pub use self::approvals::CommandText;
pub use self::envelope::{
    ClientNotification, ClientRequest, ClientResponse, ServerNotification, ServerRequest,
    ServerResponse,
};
pub use self::id::RequestId;
pub use self::media::Media;
pub use self::message::{ClientMessage, JsonRpcMessage, ServerMessage};
pub use self::method::{Method, Request};
pub use self::side::{ClientSide, Id, Sent, ServerSide, Side};
pub use self::types::*;
pub use self::unsupported::{unsupported, unsupported_call, unsupported_text};
