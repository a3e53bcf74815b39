//! Names of Go.

use std::collections::BTreeSet;

use crate::names::{free, pascal};

/// A name that other packages see: `exit_code` is `ExitCode`.
pub(super) fn exported(name: &str) -> String {
    let out = pascal(name);
    match out.starts_with(|c: char| c.is_ascii_alphabetic()) {
        true => out,
        false => format!("X{out}"),
    }
}

/// The first of these names that is free, which then is taken.
pub(super) fn take<const N: usize>(taken: &mut BTreeSet<String>, names: [String; N]) -> String {
    let free = free(names, |name| taken.contains(name));
    taken.insert(free.clone());
    free
}
