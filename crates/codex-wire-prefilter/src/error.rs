//! Reasons why a schema cannot be compiled.

/// Why a schema cannot be compiled. An unknown keyword is not an error but a gap
/// ([`Prefilter::gaps`](crate::Prefilter::gaps)).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A reference leads nowhere.
    #[error("the reference `{0}` leads to no definition of the schema")]
    BrokenReference(String),
    /// The schema has more parts than the tables can hold.
    #[error("the schema has more than {limit} {what}")]
    TooLarge {
        /// What there is too much of.
        what: &'static str,
        /// How much there may be.
        limit: usize,
    },
}
