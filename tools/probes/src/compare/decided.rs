//! Where our schemas say otherwise than a release, decided one by one: each with the reason why it stays so.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use codex_wire_base::Release;

use crate::log::Log;

/// Disagreements by the reason why they stay. The text has lines that begin with `# ` and a reason, each
/// with its disagreements behind it, in the form of the probes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Decided {
    sections: Vec<(String, Log)>,
}

/// Takes the place of a reason.
const UNDECIDED: &str = "Not decided yet.";

impl Decided {
    /// The file in the checkout.
    pub fn path(root: &Path) -> PathBuf {
        root.join("tools/probes/decided.txt")
    }

    /// Reads the text. `asked` are all releases that were asked, oldest first.
    ///
    /// # Errors
    /// In words, when a line is malformed.
    pub fn parse(text: &str, asked: &[Release]) -> Result<Self, String> {
        let mut sections = Vec::new();
        for section in text.split("\n# ").filter(|section| !section.is_empty()) {
            let (reason, lines) = section.split_once('\n').unwrap_or((section, ""));
            let reason = reason.trim_start_matches("# ");
            let log = Log::parse(lines, asked)
                .map_err(|(line, message)| format!("{reason}: line {line}: {message}"))?;
            sections.push((reason.to_owned(), log));
        }
        Ok(Decided { sections })
    }

    /// As text.
    pub fn text(&self, asked: &[Release]) -> String {
        let mut out = String::new();
        for (reason, log) in &self.sections {
            if !out.is_empty() {
                out.push('\n');
            }
            let _ = writeln!(out, "# {reason}\n\n{}", log.text(asked).trim_end());
        }
        out
    }

    /// The reasons, each with how many disagreements it explains.
    pub fn reasons(&self) -> impl Iterator<Item = (&str, usize)> {
        self.sections
            .iter()
            .map(|(reason, log)| (reason.as_str(), log.entries().count()))
    }

    /// What nobody has decided.
    pub fn undecided(&self) -> Option<&Log> {
        let mut sections = self.sections.iter();
        let found = sections.find(|(reason, _)| reason == UNDECIDED);
        found.map(|(_, log)| log)
    }

    /// Keeps the reasons of what is still found, and adds what is not decided.
    #[must_use]
    pub fn updated(&self, found: &Log) -> Self {
        let mut left = found.clone();
        let mut sections = Vec::new();
        for (reason, log) in self
            .sections
            .iter()
            .filter(|(reason, _)| reason != UNDECIDED)
        {
            let still = log.without(&log.without(found));
            left = left.without(&still);
            sections.push((reason.clone(), still));
        }
        sections.push((UNDECIDED.to_owned(), left));
        sections.retain(|(_, log)| log.entries().next().is_some());
        Decided { sections }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
# One is a legacy value.

A.b
  m {\"a\":?}
    1 => read @ 0.58.0..
    2 => read @ 0.59.0..

# The other is not.

C
  m ?
    null => refused: no @ 0.58.0..0.58.0
";

    fn asked() -> Vec<Release> {
        [58, 59].map(|minor| Release::new(0, minor, 0)).to_vec()
    }

    fn found(text: &str) -> Log {
        Log::parse(text, &asked()).unwrap()
    }

    #[test]
    fn it_is_read_and_written_back() {
        let decided = Decided::parse(TEXT, &asked()).unwrap();
        assert_eq!(decided.text(&asked()), TEXT);
        let reasons: Vec<_> = decided.reasons().collect();
        assert_eq!(
            reasons,
            [("One is a legacy value.", 2), ("The other is not.", 1)]
        );
        assert!(Decided::parse("# Why.\n\nA\n  m ?\n    x\n", &asked()).is_err());
    }

    #[test]
    fn what_is_gone_is_left_out_and_what_is_new_has_no_reason() {
        let decided = Decided::parse(TEXT, &asked()).unwrap();
        assert_eq!(decided.updated(&found(TEXT)), decided);
        let now = decided.updated(&found(
            "A.b\n  m {\"a\":?}\n    1 => read @ 0.58.0..\n    3 => read @ 0.58.0..\n",
        ));
        let expected = "\
# One is a legacy value.

A.b
  m {\"a\":?}
    1 => read @ 0.58.0..

# Not decided yet.

A.b
  m {\"a\":?}
    3 => read @ 0.58.0..
";
        assert_eq!(now.text(&asked()), expected);
        assert_eq!(now.undecided().unwrap().entries().count(), 1);
        // Another release is news too.
        let older = decided.updated(&found("A.b\n  m {\"a\":?}\n    2 => read @ 0.58.0..\n"));
        let undecided = older.undecided().unwrap().text(&asked());
        assert!(
            undecided.ends_with("2 => read @ 0.58.0..0.58.0\n"),
            "{undecided}"
        );
    }
}
