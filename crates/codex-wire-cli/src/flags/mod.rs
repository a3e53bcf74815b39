//! Flags that several commands share, and the values that flags take.

pub(crate) mod checker;
pub(crate) mod folder;
pub(crate) mod hook;
pub(crate) mod limits;
pub(crate) mod output;
pub(crate) mod rule_levels;
pub(crate) mod telemetry;
pub(crate) mod values;
