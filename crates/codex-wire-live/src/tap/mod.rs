//! Stands between a client and Codex, passes everything on, and records and checks it.
//!
//! Two threads pass bytes on, one for each direction. Before that, they put a copy into a bounded
//! queue. Whoever takes the findings takes copies from the queue, splits them into lines, and records and
//! checks those. The copy comes first so that a request is always queued before its response; it
//! costs a copy in memory. If checking falls far behind and the queue is full, passing on waits, as
//! for a slow reader. Nothing is lost, neither traffic nor findings.

mod command;
mod connections;
mod conversation;
mod inspection;
mod lines;
mod listen;
mod messages;
mod pump;
mod queue;
mod recording;
mod release;
mod settings;
mod signals;

pub use command::{Running, Tapped};
pub use inspection::Inspected;
pub use listen::{Listening, Route, address};
pub use settings::Tap;
