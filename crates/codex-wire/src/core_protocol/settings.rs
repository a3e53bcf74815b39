//! Settings of the model's reasoning: effort and summaries.

use crate::Wire;

/// How hard a model is to think.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Wire)]
#[non_exhaustive]
pub enum ReasoningEffort {
    /// As little as it can.
    ///
    /// Since 0.23.0.
    #[wire(since = "0.23.0")]
    Minimal,
    /// A little.
    Low,
    /// As usual.
    #[default]
    Medium,
    /// A lot.
    High,
    /// Not at all.
    ///
    /// Until 0.22.0.
    #[wire(until = "0.22.0")]
    None,
    /// A value this crate does not know.
    #[wire(unknown)]
    Unknown(String),
}

/// How a model's thoughts are summed up.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Wire)]
#[non_exhaustive]
pub enum ReasoningSummary {
    /// As the model does by itself.
    #[default]
    Auto,
    /// Briefly.
    Concise,
    /// In detail.
    Detailed,
    /// Not at all.
    None,
    /// A value this crate does not know.
    #[wire(unknown)]
    Unknown(String),
}
