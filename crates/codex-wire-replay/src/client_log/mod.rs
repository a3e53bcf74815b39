//! What a client does with a stand-in, as the lines of a log that tests read: [`ClientEvent`].
//!
//! [`ClientTalk`] hears both sides of one connection and says what the client did: which prompts it gave, what it
//! decided, what it answered. It does not matter what is played, a recording or a script.

mod event;
mod pending;
mod talk;
#[cfg(test)]
mod tests;

pub use event::{
    Answer, ApprovalKind, Approved, ClientAction, ClientEvent, Ended, Interrupted, Prompt, Sent,
    Started, Unexpected,
};
pub use talk::ClientTalk;
