//! Says how much of an exhaustive test runs.
//!
//! A test that tries every release, every recording or every mutant would take minutes. It tries a
//! sample, the same one in every run. The variable `CODEX_WIRE_TESTS` asks for more: `wide` for what one
//! machine tries in a night, `all` for everything there is. `docs/tests.md` lists these tests.
//!
//! This crate must not know any other crate of the workspace.

#![forbid(unsafe_code)]

use std::env;

/// How much of an exhaustive test runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Extent {
    /// A sample, in every run.
    Sample,
    /// Every release, every recording, every kind of mutant, each night.
    Wide,
    /// Every combination of them.
    All,
}

/// How much runs.
///
/// # Panics
/// If `CODEX_WIRE_TESTS` is neither `wide` nor `all`: a run that tries less than its owner
/// thinks is worse than none.
pub fn extent() -> Extent {
    match env::var_os("CODEX_WIRE_TESTS") {
        None => Extent::Sample,
        Some(value) if value == "wide" => Extent::Wide,
        Some(value) if value == "all" => Extent::All,
        Some(value) => {
            panic!("CODEX_WIRE_TESTS is {value:?}; it can be \"wide\" or \"all\"")
        }
    }
}

/// Whether more than a sample runs.
pub fn is_wide() -> bool {
    extent() >= Extent::Wide
}

/// Whether everything runs.
pub fn is_all() -> bool {
    extent() == Extent::All
}

/// A sample of `count`, evenly spread, the first and the last among them. All of them in a wide
/// run.
pub fn spread<T>(all: impl IntoIterator<Item = T>, count: usize) -> Vec<T> {
    let all: Vec<T> = all.into_iter().collect();
    if is_wide() || all.len() <= count {
        return all;
    }
    let mut chosen = places(all.len(), count).into_iter().peekable();
    all.into_iter()
        .enumerate()
        .filter_map(|(index, value)| chosen.next_if_eq(&index).map(|_| value))
        .collect()
}

/// How many of something are tried: few in a sample, many in a wide run.
pub fn few_or(few: usize, many: usize) -> usize {
    if is_wide() { many } else { few }
}

/// `count` numbers below `length`, in order: the first, the last, and those between, evenly spread.
fn places(length: usize, count: usize) -> Vec<usize> {
    let last = length - 1;
    match count {
        0 => Vec::new(),
        1 => vec![last],
        _ => (0..count).map(|index| index * last / (count - 1)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_has_the_first_and_the_last() {
        assert_eq!(places(10, 4), [0, 3, 6, 9]);
        assert_eq!(places(10, 10), (0..10).collect::<Vec<_>>());
        assert_eq!(places(5, 1), [4]);
        assert!(places(5, 0).is_empty());
    }

    #[test]
    fn of_few_all_are_tried() {
        assert_eq!(spread([1, 2, 3], 3), [1, 2, 3]);
        assert_eq!(spread([1, 2, 3], 7), [1, 2, 3]);
    }

    #[test]
    fn of_many_some_are_tried_unless_the_run_is_wide() {
        let tried = spread([1, 2, 3, 4, 5], 3);
        if is_wide() {
            assert_eq!(tried, [1, 2, 3, 4, 5]);
        } else {
            assert_eq!(tried, [1, 3, 5]);
        }
    }
}
