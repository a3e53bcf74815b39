//! A number instead of an id, where many are kept.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

/// The number of an id: the same for the same id in one run of a program.
pub(crate) fn hash(id: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    id.hash(&mut hasher);
    hasher.finish()
}
