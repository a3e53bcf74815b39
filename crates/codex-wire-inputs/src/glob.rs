//! Patterns such as `*.log`, from whoever writes them.

use std::path::Path;

use globset::{GlobBuilder, GlobSet};

use crate::error::Error;

/// How deep groups in braces may nest. What compiles patterns cannot nest much deeper, and would end the
/// program.
const DEEPEST: usize = 32;

/// A pattern: `*` stands for anything, `?` for one character, `[a-z]` for one of these, `{a,b}` for either.
#[derive(Clone, Debug)]
pub struct Glob(GlobSet);

impl Glob {
    /// Reads a pattern of names with slashes and dots, in which `*` stands for these too.
    ///
    /// # Errors
    /// If it is not a pattern.
    pub fn of_names(text: &str) -> Result<Self, Error> {
        Glob::parse(text, false)
    }

    /// Reads a pattern of paths, in which only `**` stands for slashes.
    ///
    /// # Errors
    /// If it is not a pattern.
    pub fn of_paths(text: &str) -> Result<Self, Error> {
        Glob::parse(text, true)
    }

    fn parse(text: &str, literal_separator: bool) -> Result<Self, Error> {
        if text.is_empty() {
            return Err(Error::Pattern("the pattern is empty".to_owned()));
        }
        if depth(text) > DEEPEST {
            return Err(Error::Pattern(format!(
                "its groups in braces are nested more than {DEEPEST} deep"
            )));
        }
        let glob = GlobBuilder::new(text)
            .literal_separator(literal_separator)
            .backslash_escape(true)
            .build()
            .map_err(|error| Error::Pattern(error.kind().to_string()))?;
        let mut set = GlobSet::builder();
        set.add(glob);
        // What was read can only be too large for that.
        let set = set.build();
        let set = set.map_err(|_| Error::Pattern("it stands for too much".to_owned()))?;
        Ok(Glob(set))
    }

    /// Whether the whole text matches.
    pub fn is_match(&self, text: impl AsRef<Path>) -> bool {
        self.0.is_match(text)
    }
}

/// How deep groups in braces nest, or more: braces in brackets count too.
fn depth(text: &str) -> usize {
    let (mut depth, mut deepest) = (0usize, 0);
    let mut is_escaped = false;
    for byte in text.bytes() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'{' => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_that_cannot_be_compiled_are_errors() {
        for deep in [DEEPEST, DEEPEST + 1, 250, 1_000_000] {
            let text = format!("{}b{}", "{a,".repeat(deep), "}".repeat(deep));
            let glob = Glob::of_paths(&text);
            assert_eq!(glob.is_ok(), deep == DEEPEST, "{deep}");
            assert!(glob.is_err() || glob.unwrap().is_match("b"));
            assert!(Glob::of_names(&"{a,".repeat(deep)).is_err(), "{deep}");
        }
        // Each of these takes what all before it take, twice.
        for text in ["{?,??}".repeat(1 << 16), "[^a]".repeat(1 << 20)] {
            let error = Glob::of_names(&text).unwrap_err();
            assert!(error.to_string().contains("too much"), "{error}");
        }
        assert!(Glob::of_names("[{]{a,\\{b}").unwrap().is_match("{{b"));
    }
}
