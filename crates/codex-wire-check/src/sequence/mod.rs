//! Checks sequences: each dialect has a state machine that sees every message and reports
//! violations of order and pairing.
//!
//! A machine is plain state. It opens nothing, formats nothing and chooses no level: a [`Violation`](crate::violation::Violation)
//! names its rule, and its level follows from the releases that can have written the stream.
//!
//! The state is bounded. A machine keeps something for each open thread, turn or item, and
//! remembers finished ids in a `BoundedMap`. Both evict the oldest beyond
//! [`Limits::sequence_ids`](crate::Limits::sequence_ids), and rules report nothing about evicted ids.
//!
//! - An invalid message still counts if its tag and its id can be read. Otherwise one mistake would
//!   be reported a second time, as a missing start.
//! - A rule about a missing message reports at a message that cannot come without it, such as a
//!   response, a status or the end of a turn. The end of the input alone proves nothing, because
//!   any recording may be cut: a finding there is at most a warning, unless the exit status of
//!   Codex proves that a message is missing.
//! - After a line that could not be read, `Machine::lost` is called. What that line may have
//!   started or completed is then not reported as missing. If a stream starts in the middle, one
//!   finding says so, and nothing from before is reported as missing.
//! - Rules about the cause of a message (for example, who interrupted a turn) apply only to
//!   connections with one client, and accept any plausible cause.

pub(crate) mod app_server;
pub(crate) mod core;
pub(crate) mod exec;
pub(crate) mod hooks;
pub(crate) mod machine;
mod machines;
pub(crate) mod rollout;
pub(crate) mod state;
mod value;

crate::rule_macros::rule_files!(app_server, core, exec, hooks, rollout);
