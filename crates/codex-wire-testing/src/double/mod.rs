//! A double of Codex in tests: a program named `codex` that does what the test says.
//!
//! [`FakeCodex`] says what the model does, and [`start`](FakeCodex::start) writes the program. The client runs it in
//! the place of Codex; what the client did, the [`Double`] knows, while it runs and afterwards:
//!
//! ```no_run
//! use codex_wire_testing::double::{Approved, Decision, FakeCodex};
//!
//! # fn run_client(_: &std::path::Path) {}
//! let codex = FakeCodex::release("0.169.0")
//!     .say("Looking.")
//!     .run("rm -rf build")
//!     .approval(Decision::Decline)
//!     .say("Left it.")
//!     .start()?;
//!
//! run_client(codex.path()); // Yours: it starts `codex.path()` as it would start Codex.
//!
//! assert_eq!(codex.approvals()?, [Approved::command("rm -rf build", Decision::Decline)]);
//! # Ok::<(), codex_wire_testing::double::Error>(())
//! ```
//!
//! When the double is dropped, its folder goes, and every process that runs from it ends within half a second,
//! whatever it is doing. Two doubles have nothing in common, so tests may run in parallel.
//!
//! # Faults
//!
//! [`test_faults`] runs a client with each [fault](https://github.com/codex-wire/codex-wire/blob/main/docs/faults/README.md)
//! of a stand-in, and says what it got wrong. No expectations have to be written. With [`main_with_faults`], each fault is
//! a test of its own.
//!
//! # The program
//!
//! It is `codex-wire`, of the same version as this crate: the one that the variable `CODEX_WIRE_PROGRAM` names, else the
//! first one on the PATH. `cargo install codex-wire-cli` installs it.

mod builder;
mod error;
mod faults;
mod plan;
mod program;
mod running;
mod step;

pub use codex_wire_replay::OnMiss;
pub use codex_wire_replay::client_log::{
    Answer, ApprovalKind, Approved, ClientAction, ClientEvent, Sent,
};
pub use codex_wire_replay::script::model::{Decision, PlanStatus, Tokens};

pub use builder::FakeCodex;
pub use error::Error;
pub use faults::{FaultFailure, FaultTests, main_with_faults, test_faults};
pub use plan::Speed;
pub use running::{Double, Run};
pub use step::{
    Asking, Beginning, Calling, Failing, Patching, Planning, Retrying, Running, Spawning,
};
