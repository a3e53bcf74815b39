//! Names that languages share.

/// A name in upper camel case: `exit_code`, `exitCode` and `exit-code` are `ExitCode`.
pub(crate) fn pascal(name: &str) -> String {
    let words = name.split(|c: char| !c.is_ascii_alphanumeric());
    let words = words.filter(|word| !word.is_empty()).map(|word| {
        let (first, rest) = word.split_at(1);
        first.to_ascii_uppercase() + rest
    });
    words.collect()
}

/// The first of these names that is free; if none is, the last with a number.
pub(crate) fn free<const N: usize>(names: [String; N], is_taken: impl Fn(&str) -> bool) -> String {
    let last = names.last().cloned().unwrap_or_default();
    let numbered = (2..).map(|number| format!("{last}{number}"));
    let mut all = names.into_iter().chain(numbered);
    all.find(|name| !is_taken(name)).unwrap_or(last)
}
