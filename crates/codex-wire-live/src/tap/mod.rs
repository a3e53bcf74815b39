//! Stands between a client and Codex, passes everything on, and records and checks it.
//!
//! Two threads pass bytes on, one for each direction. Before that, they take them down: the lines in them are recorded,
//! and put into a bounded queue. So whatever was passed on is recorded, however the tap ends, and a request always
//! comes before its response. Whoever takes the findings takes lines from the queue, and checks them. If checking
//! falls far behind and the queue is full, passing on waits, as for a slow reader. Nothing is lost, neither traffic nor
//! findings.

mod command;
mod connections;
mod conversation;
mod inspection;
mod intake;
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
