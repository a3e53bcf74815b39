//! Runs handlers of hooks as Codex runs them, on inputs that were recorded, and says what Codex would make of each
//! run.
//!
//! What a file of hooks configures, and what an output means, is said by `codex-wire-check`; the inputs are those of
//! `codex-wire-schema`.

mod run;
mod shell;
mod tested;
mod trial;

pub use run::HookEnd;
pub use tested::TestedHooks;
pub use trial::{HookInput, HookRun, HookTrial, HookTried, OwnInput};
