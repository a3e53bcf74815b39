//! Decides which Rust types there are and what they contain.
//!
//! `methods` plans the methods and the unions of methods, and begins. The other files plan
//! definitions, their kinds and their members.

mod builder;
mod cycles;
mod definitions;
mod forms;
mod members;
mod methods;
mod phrasing;
mod planned;
mod sizes;

use crate::Error;
use crate::rust::sources::Sources;

use self::builder::Builder;

pub(super) use self::members::integer;
pub(super) use self::planned::Method;
pub use self::planned::Plan;

impl Plan {
    /// Decides.
    ///
    /// # Errors
    /// When a table names something the model does not have.
    pub fn new(sources: &Sources<'_>) -> Result<Plan, Error> {
        Builder::new(sources).plan()
    }
}
