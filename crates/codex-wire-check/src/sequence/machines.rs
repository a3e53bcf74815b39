//! Makes the state machine of a dialect.

use super::app_server::App;
use super::core::Core;
use super::exec::Exec;
use super::hooks::Hooks;
use super::machine::{Machine, NoRules};
use super::rollout::Rollout;
use crate::dialect::Dialect;
use crate::options::Limits;

/// The machine for streams of a dialect.
pub(crate) fn machine_of(dialect: Dialect, limits: &Limits) -> Box<dyn Machine> {
    match dialect {
        Dialect::Exec => Box::new(Exec::new(limits)),
        Dialect::ExecLegacy => Box::new(Core::legacy(limits)),
        Dialect::Core => Box::new(Core::new(limits)),
        Dialect::AppServer => Box::new(App::new(limits)),
        Dialect::Hooks => Box::new(Hooks::default()),
        Dialect::Notify => Box::new(NoRules),
        Dialect::Rollout | Dialect::RolloutEarly => Box::new(Rollout::new(limits)),
    }
}
