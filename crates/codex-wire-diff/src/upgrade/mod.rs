//! Whether a client can take another release: what changed in what it uses, what the releases do differently, and what
//! the client did with both.
//!
//! This puts together what others have found, and says what of it breaks.

mod page;
mod render;
mod trial;

pub use page::{RestOfChanges, UnwrittenLine, Upgrade, UpgradeVerdict, UsedChanges};
pub use render::UPGRADE_SCHEMA;
pub use trial::{ClientFailure, ClientResult, ClientRun, ClientTrial, Shows};
