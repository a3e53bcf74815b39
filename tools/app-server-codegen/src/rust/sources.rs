//! What the types are made from.

use crate::accessors::Accessors;
use crate::docs::Docs;
use crate::domains::Domains;
use crate::features::Features;
use crate::model::Model;
use crate::results::Results;
use crate::written::Written;

/// Everything the types are made from.
pub struct Sources<'a> {
    /// The model, corrected.
    pub model: &'a Model,
    /// What Codex always writes of what may be left out.
    pub written: &'a Written,
    /// Which module a definition goes to.
    pub domains: &'a Domains,
    /// Which Cargo feature a method belongs to.
    pub features: &'a Features,
    /// The documentation.
    pub docs: &'a Docs,
    /// What answers requests.
    pub results: &'a Results,
    /// What code written by hand reads.
    pub accessors: &'a Accessors,
}
