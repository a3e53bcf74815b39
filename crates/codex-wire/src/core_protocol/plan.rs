//! The agent's plan.

use crate::json::Extra;
use crate::{Maybe, Wire};

/// The agent's plan, whole each time. Codex itself refuses unknown members here.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct UpdatePlanArgs {
    /// Why it changed.
    #[wire(nullable)]
    pub explanation: Maybe<String>,
    /// The steps in order.
    pub plan: Vec<PlanItemArg>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// A step of the plan.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct PlanItemArg {
    /// What is to be done.
    pub step: String,
    /// How far it is.
    pub status: StepStatus,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// How far a step is.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Wire)]
#[non_exhaustive]
pub enum StepStatus {
    /// Not begun.
    Pending,
    /// Being worked on.
    InProgress,
    /// Done.
    Completed,
    /// A value that this crate does not know.
    #[wire(unknown)]
    Unknown(String),
}
