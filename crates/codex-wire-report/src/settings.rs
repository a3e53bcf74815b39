//! What all formats need to know of a report.

use crate::styles::Styles;

/// Settings of a report.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Settings {
    /// The name of the program that reports.
    pub tool_name: String,
    /// Its version.
    pub tool_version: String,
    /// The colours of formats that have any.
    pub styles: Styles,
    /// How many columns the text format may use for excerpts; as many as they have if not given.
    pub width: Option<usize>,
    /// Whether the text format is empty if nothing was found.
    pub quiet: bool,
}

impl Settings {
    /// Settings of a program, without colours.
    pub fn new(tool_name: impl Into<String>, tool_version: impl Into<String>) -> Self {
        Settings {
            tool_name: tool_name.into(),
            tool_version: tool_version.into(),
            styles: Styles::plain(),
            width: None,
            quiet: false,
        }
    }

    /// The program with its version.
    pub(crate) fn tool(&self) -> String {
        format!("{} {}", self.tool_name, self.tool_version)
    }

    /// The same with colours.
    #[must_use]
    pub fn with_styles(mut self, styles: Styles) -> Self {
        self.styles = styles;
        self
    }
}
