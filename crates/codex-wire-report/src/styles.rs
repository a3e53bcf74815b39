//! The colours of the text format.

use anstyle::{AnsiColor, Style};
use codex_wire_check::Severity;

/// The colours of the text format, by their purpose.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct Styles {
    /// Findings at error level, inputs that do not conform, and errors.
    pub error: Style,
    /// Findings at warning level, and inputs that were not exercised.
    pub warning: Style,
    /// Findings at note level.
    pub note: Style,
    /// What conforms.
    pub good: Style,
    /// Places.
    pub place: Style,
    /// The frame around an excerpt.
    pub frame: Style,
    /// Who says or does something.
    pub speaker: Style,
    /// What is of less interest: outputs, and reasoning.
    pub dim: Style,
    /// Releases beside the name of what they have.
    pub range: Style,
    /// What was added: lines of a file, parts of messages.
    pub added: Style,
    /// What was changed.
    pub changed: Style,
    /// What was removed.
    pub removed: Style,
}

impl Styles {
    /// No colours at all.
    pub fn plain() -> Self {
        Styles::default()
    }

    /// The usual colours of a terminal. Yellow, green and cyan are not the bright ones, which cannot be read on white.
    pub fn coloured() -> Self {
        let bold = Style::new().bold();
        Styles {
            error: AnsiColor::BrightRed.on_default().bold(),
            warning: AnsiColor::Yellow.on_default().bold(),
            note: AnsiColor::Cyan.on_default().bold(),
            good: AnsiColor::Green.on_default().bold(),
            place: bold,
            frame: AnsiColor::BrightBlue.on_default().bold(),
            speaker: AnsiColor::Cyan.on_default().bold(),
            dim: Style::new().dimmed(),
            range: AnsiColor::Cyan.on_default(),
            added: AnsiColor::Green.on_default(),
            changed: AnsiColor::Yellow.on_default(),
            removed: AnsiColor::Red.on_default(),
        }
    }

    /// The style of a severity.
    pub fn severity(&self, severity: Severity) -> Style {
        match severity {
            Severity::Error => self.error,
            Severity::Warning => self.warning,
            Severity::Note => self.note,
        }
    }
}
