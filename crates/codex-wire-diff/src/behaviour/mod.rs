//! What releases do in the same scene, though no schema says so: which messages come, in which order, with which
//! statuses, and how a process ends.
//!
//! [`RecordedBehaviour`] has the runs. Releases that do the same are taken together, and whatever varies between
//! their runs is not a difference: see `compare.rs`.

mod change;
mod compare;
mod ranges;
mod recorded;
mod render;
mod runs;

pub use change::{BehaviourChange, BehaviourKind, BehaviourStep, Near};
pub use ranges::{Behaviour, BehaviourDiff, ProtocolBehaviour};
pub use recorded::{BehaviourError, RecordedBehaviour};
pub use render::BEHAVIOUR_SCHEMA;
pub(crate) use render::list;
