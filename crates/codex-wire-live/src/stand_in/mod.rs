//! Plays Codex to a client: recordings, or a script, on streams or to those who connect.
//!
//! What Codex would write, `codex-wire-replay` says; here the bytes are moved, with the time between them. A
//! [`Repertoire`] is played as it is, or [installed](install()) as a program named `codex`, which an
//! [`Installation`] is when it runs.

mod arguments;
mod checking;
mod client_log;
mod environment;
mod exec;
mod install;
mod listen;
mod miss_log;
mod output;
mod owner;
mod plain;
mod play;
mod program;
mod recordings;
mod release;
mod repertoire;
mod script;
mod scripted;
mod session;
mod settings;
mod socket;
mod speed;
mod stage;
mod termination;
mod tether;
mod threads;
mod type_files;
mod watch;
mod writer;

pub(crate) use checking::RULES;
pub use environment::{Environment, Streams};
pub use install::{Installed, install};
pub use play::{Host, Played};
pub use program::{FAILED, Installation, NAME, Task};
pub use recordings::read_recordings;
pub(crate) use release::release_of;
pub use release::{Doubt, Inferred, doubts};
pub use repertoire::Repertoire;
pub use script::{ScriptFile, newest};
pub use settings::{FILE, ON_MISS, RecordingFile, ReportFile, Settings};
pub use speed::Speed;
pub use tether::Tether;
