//! A double of Codex in tests: a program named `codex` that does what the test says.
//!
//! [`FakeCodex`] says what the model does, [`stand_in`] plays a recording, and [`start`](FakeCodex::start) writes the program.
//! The client runs it instead of Codex; what the client did, the [`Double`] knows, while it runs and afterwards:
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
//! What plays is the program `codex-wire`, of the same version as this crate: the one that the variable `CODEX_WIRE_PROGRAM`
//! names, else the first one on the PATH. `cargo install codex-wire-cli` installs it.
//!
//! With the feature `stand-in`, none has to be installed on Unix: the test plays by itself, if it says so. One line, once in
//! each test program, outside of functions:
//!
//! ```ignore
//! codex_wire_testing::stand_in_program!();
//! ```
//!
//! A test target with `harness = false` calls `play_if_started` first in its `main`.

mod builder;
mod error;
mod faults;
mod installed;
#[cfg(all(unix, feature = "stand-in"))]
mod own;
mod place;
mod plan;
#[cfg(feature = "stand-in")]
mod playing;
#[cfg(all(unix, feature = "stand-in"))]
mod process;
mod program;
mod recorded;
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
#[cfg(feature = "stand-in")]
pub use playing::{play_if_started, play_in_test};
pub use recorded::{StandIn, stand_in};
pub use running::{Double, Run};
pub use step::{
    Asking, Beginning, Calling, Failing, Patching, Planning, Retrying, Running, Spawning,
};
