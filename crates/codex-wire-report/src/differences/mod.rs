//! Writes for people what differs: between two releases, in what they say and do, and between two sessions. What differs is
//! found by `codex-wire-diff` and `codex-wire-session`, which also write it for machines.

mod behaviour;
mod comparison;
mod compatibility;
mod sessions;
mod upgrade;

pub use behaviour::write_behaviour;
pub use comparison::write_comparison;
pub use compatibility::{Compatibility, KindLines};
pub use sessions::write_session_comparison;
pub use upgrade::write_upgrade;
