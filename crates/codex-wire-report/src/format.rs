//! The report formats and their names.

use std::fmt;
use std::str::FromStr;

/// A report format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// For people: findings with excerpts and carets, then one line of totals.
    #[default]
    Text,
    /// For programs: the document described in [`json`](crate::json).
    Json,
    /// For programs that read while it grows: a line for each finding and each input, described in
    /// [`jsonl`](crate::jsonl).
    JsonLines,
    /// For CI systems that show test results: JUnit XML, a test case for each input.
    #[cfg(feature = "junit")]
    Junit,
    /// For code scanning: SARIF 2.1.0.
    Sarif,
    /// For GitHub Actions: commands that become annotations.
    Github,
    /// For pages: a summary in Markdown, for example for `$GITHUB_STEP_SUMMARY`.
    Markdown,
    /// For people with a browser: one page with all findings, which fetches nothing and runs nothing.
    #[cfg(feature = "html")]
    Html,
}

impl Format {
    /// All formats.
    pub const ALL: &'static [Format] = &[
        Format::Text,
        Format::Json,
        Format::JsonLines,
        #[cfg(feature = "junit")]
        Format::Junit,
        Format::Sarif,
        Format::Github,
        Format::Markdown,
        #[cfg(feature = "html")]
        Format::Html,
    ];

    /// The name on command lines.
    pub fn as_str(self) -> &'static str {
        match self {
            Format::Text => "text",
            Format::Json => "json",
            Format::JsonLines => "jsonl",
            #[cfg(feature = "junit")]
            Format::Junit => "junit",
            Format::Sarif => "sarif",
            Format::Github => "github",
            Format::Markdown => "markdown",
            #[cfg(feature = "html")]
            Format::Html => "html",
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The text names no format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseFormatError(String);

impl fmt::Display for ParseFormatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known: Vec<_> = Format::ALL.iter().map(|format| format.as_str()).collect();
        write!(
            f,
            "`{}` is not a format; known: {}",
            self.0,
            known.join(", ")
        )
    }
}

impl std::error::Error for ParseFormatError {}

impl FromStr for Format {
    type Err = ParseFormatError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Format::ALL
            .iter()
            .copied()
            .find(|format| format.as_str() == text)
            .ok_or_else(|| ParseFormatError(text.to_owned()))
    }
}
