//! Web searches by the model's own tool.

use crate::json::Extra;
use crate::{Maybe, Wire};

/// A web search, or a visit to a page, begins. A visit has no end.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct WebSearchBeginEvent {
    /// The call.
    pub call_id: String,
    /// Always `Searching Web...`; the query itself is not known yet.
    ///
    /// Until 0.25.0.
    #[wire(until = "0.25.0")]
    pub query: Maybe<String>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// A web search ends.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct WebSearchEndEvent {
    /// The call.
    pub call_id: String,
    /// What was searched for.
    pub query: String,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}
