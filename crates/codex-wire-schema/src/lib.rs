//! JSON Schemas of Codex's wire protocols.

/// How strict a projection is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Profile {
    /// What a client should accept: members nobody declared are allowed.
    Open,
    /// What the release writes: nothing undeclared.
    #[default]
    Exact,
}
