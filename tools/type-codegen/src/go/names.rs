//! Names of Go.

use std::collections::BTreeSet;

/// A name in upper camel case: `exit_code`, `exitCode` and `exit-code` are `ExitCode`.
pub(super) fn exported(name: &str) -> String {
    let mut out = String::new();
    let mut is_start = true;
    for letter in name.chars() {
        if !letter.is_ascii_alphanumeric() {
            is_start = true;
        } else if is_start {
            out.extend(letter.to_uppercase());
            is_start = false;
        } else {
            out.push(letter);
        }
    }
    match out.chars().next() {
        Some(first) if first.is_ascii_alphabetic() => out,
        _ => format!("X{out}"),
    }
}

/// The first of these names that is free, which then is taken; if none is, the last with a number.
pub(super) fn take(taken: &mut BTreeSet<String>, names: &[String]) -> String {
    let numbered = (2..).map(|number| format!("{}{number}", names.last().map_or("X", |name| name)));
    let mut all = names.iter().cloned().chain(numbered);
    let free = all.find(|name| !taken.contains(name)).unwrap_or_default();
    taken.insert(free.clone());
    free
}
