//! What `codex exec` prints for people, without `--json`.
//!
//! Observed with 0.44.0, 0.48.0, 0.50.0, 0.63.0, 0.98.0, 0.125.0 and 0.169.0. Clients read the id of the session of it,
//! to resume it, and the tokens. Commands, patches, warnings, and what Codex knows of its configuration are left out.
//! `codex review` prints what `codex exec review` prints (observed with the last three of these).

use std::fmt::Write as _;
use std::path::Path;

use codex_wire_base::Release;
use codex_wire_replay::ExecPlay;

/// The first release that is known to print so.
const SINCE: Release = Release::new(0, 44, 0);

/// The first release that prints all but the last message on standard error.
const APART: Release = Release::new(0, 50, 0);

/// The first release that is no research preview.
const NO_PREVIEW: Release = Release::new(0, 130, 0);

/// The first release that is known to print of a review its result only, also on standard output; 0.98.0 prints
/// nothing there.
const REVIEWS_HAVE_A_RESULT: Release = Release::new(0, 125, 0);

/// The first release that is known to say twice why a turn failed; 0.98.0 says it once.
const FAILURES_TWICE: Release = Release::new(0, 125, 0);

/// A run that is printed for people.
pub(crate) struct Plain<'r> {
    pub(crate) release: Release,
    pub(crate) cwd: &'r Path,
    pub(crate) model: Option<&'r str>,
    pub(crate) prompt: &'r str,
    pub(crate) is_review: bool,
    pub(crate) run: &'r ExecPlay,
}

/// A text for each stream.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Printed {
    pub(crate) output: String,
    pub(crate) errors: String,
}

impl Plain<'_> {
    /// What is printed when the run begins.
    pub(crate) fn begin(&self) -> Printed {
        let mut text = String::new();
        let preview = match self.release >= NO_PREVIEW {
            true => "",
            false => " (research preview)",
        };
        // Nothing fails where a text is written to.
        let _ = writeln!(text, "OpenAI Codex v{}{preview}", self.release);
        let _ = writeln!(text, "--------\nworkdir: {}", self.cwd.display());
        if let Some(model) = self.model {
            let _ = writeln!(text, "model: {model}");
        }
        if let Some(thread) = self.run.thread() {
            let _ = writeln!(text, "session id: {thread}");
        }
        text += "--------\n";
        if !self.prompt.is_empty() {
            let _ = writeln!(text, "user\n{}", self.prompt);
        }
        self.printed(text, "")
    }

    /// The messages, which are printed as they come.
    pub(crate) fn messages(&self) -> Printed {
        let mut text = String::new();
        if !self.is_review || self.release < REVIEWS_HAVE_A_RESULT {
            for message in self.run.messages() {
                let _ = writeln!(text, "codex\n{message}");
            }
        }
        self.printed(text, "")
    }

    /// What is printed when it ends.
    pub(crate) fn end(&self) -> Printed {
        let mut text = String::new();
        let mut last = self
            .run
            .messages()
            .last()
            .map_or_else(String::new, |last| last + "\n");
        match self.is_review {
            true if self.release < REVIEWS_HAVE_A_RESULT => last.clear(),
            true if !last.is_empty() => _ = write!(text, "codex\n{last}"),
            _ => {}
        }
        if let Some(failure) = self.run.failure() {
            let times = 1 + usize::from(self.release >= FAILURES_TWICE);
            text += &format!("ERROR: {failure}\n").repeat(times);
        } else if let Some(tokens) = self.run.tokens()
            && !self.is_review
        {
            let _ = writeln!(text, "tokens used\n{}", grouped(tokens));
        }
        self.printed(text, &last)
    }

    fn printed(&self, text: String, last: &str) -> Printed {
        match self.release {
            release if release < SINCE => Printed {
                output: last.to_owned(),
                errors: String::new(),
            },
            release if release < APART => Printed {
                output: text,
                errors: String::new(),
            },
            _ => Printed {
                output: last.to_owned(),
                errors: text,
            },
        }
    }
}

/// A number with commas between thousands.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_grouped() {
        let grouped = [0, 999, 1000, 1_234_567].map(grouped);
        assert_eq!(grouped, ["0", "999", "1,000", "1,234,567"]);
    }
}
