//! Checks the order of `codex app-server`: the handshake of each connection, then threads, turns,
//! items and requests to the client.
//!
//! Delivery is checked per connection: every client has its own view of a thread, and one that
//! joins late has seen less. Threads are therefore known by connection and id, turns by their
//! thread, items by their turn. Releases up to 0.63.0 name no thread in their notifications. Their
//! notifications are followed only on a connection that has one thread, and whose lines are
//! complete from the first.
//!
//! What follows only from a request and its response is checked only where both were seen.

pub(crate) mod content;
pub(crate) mod deltas;
pub(crate) mod events;
mod evidence;
pub(crate) mod handshake;
pub(crate) mod item;
mod machine;
pub(crate) mod outside;
pub(crate) mod requests;
pub(crate) mod response;
pub(crate) mod result;
pub(crate) mod search;
pub(crate) mod state;
pub(crate) mod text;
pub(crate) mod thread;
pub(crate) mod tracks;
pub(crate) mod turn;
pub(crate) mod turn_errors;

pub(super) use self::state::App;

crate::rule_macros::rule_files!(
    content,
    deltas,
    events,
    handshake,
    item,
    machine,
    outside,
    requests,
    response,
    result,
    search,
    thread,
    tracks,
    turn,
    turn_errors
);
