//! Checks what a hook reads or prints, which need not be one line.

use std::borrow::Cow;

use codex_wire_base::lines::Line;

use crate::checker::Checker;
use crate::finding::{Characters, Finding};
use crate::framing::record::Printed;
use crate::outcome::Outcome;
use crate::pipeline::Pipeline;

/// A document of a hook: what it reads, or what it prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum HookDocument<'a> {
    /// What Codex gives to a hook.
    Input {
        /// The event the hook is for, if the input has to be of that event.
        event: Option<&'a str>,
    },
    /// What a hook prints to standard output.
    Output {
        /// The event, such as `PreToolUse`: the output does not name it.
        event: &'a str,
        /// The exit status of the hook.
        exit: i32,
        /// What the hook writes to standard error, if that is known.
        stderr: Option<&'a str>,
    },
}

impl Checker {
    /// Checks one document of a hook. It may have any number of lines, and a hook may print text that
    /// is not JSON. `path` is its name in the outcome; nothing is opened.
    ///
    /// [`Checker::check`] checks inputs and recorded runs of hooks with one JSON object per line.
    ///
    /// ```
    /// use codex_wire_check::{Checker, HookDocument, Options};
    ///
    /// let checker = Checker::new(Options::new())?;
    /// let document = HookDocument::Output { event: "PreToolUse", exit: 0, stderr: None };
    /// let outcome = checker.check_hook("-", document, b"{\n  \"decision\": \"block\"\n}");
    /// assert_eq!(outcome.findings[0].rule.id, "hooks/no-reason");
    /// assert_eq!(outcome.findings[0].place.line, 2);
    /// # Ok::<(), codex_wire_check::Error>(())
    /// ```
    pub fn check_hook(&self, path: &str, document: HookDocument<'_>, bytes: &[u8]) -> Outcome {
        let text = match str::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => {
                let at = error.valid_up_to();
                return Outcome::unreadable(path, format!("not UTF-8, at byte {at}"));
            }
        };
        let mut pipeline = Pipeline::new(self, path);
        let line = Line {
            bytes,
            number: 1,
            offset: 0,
            ended: true,
            length: bytes.len() as u64,
            column: None,
        };
        let text_in_line = one_line(text);
        match document {
            HookDocument::Input { event } => pipeline.hook_input(&line, &text_in_line, event),
            HookDocument::Output {
                event,
                exit,
                stderr,
            } => {
                let printed = Printed {
                    stdout: &text_in_line,
                    stderr,
                    exit: exit.into(),
                };
                pipeline.hook_document(&line, event, &printed);
            }
        }
        let mut outcome = pipeline.finish();
        for finding in &mut outcome.findings {
            place_in(text, finding);
        }
        outcome
    }
}

/// A text as one line, if it is JSON: there line ends are white space. Otherwise they matter.
fn one_line(text: &str) -> Cow<'_, str> {
    let is_json = serde_json::from_str::<serde_json::Value>(text).is_ok();
    match is_json && text.contains(['\n', '\r']) {
        true => Cow::Owned(text.replace(['\n', '\r'], " ")),
        false => Cow::Borrowed(text),
    }
}

/// Gives a finding the line and column of its offset, which were counted as if all were one line.
fn place_in(text: &str, finding: &mut Finding) {
    let place = &mut finding.place;
    let at = usize::try_from(place.offset).unwrap_or(usize::MAX);
    let Some(before) = text.get(..at) else {
        return;
    };
    let begin = before.rfind('\n').map_or(0, |newline| newline + 1);
    place.line = before.bytes().filter(|byte| *byte == b'\n').count() as u64 + 1;
    place.column = (at - begin) as u64 + 1;
    let length = place.characters.map_or(0, |characters| characters.length);
    place.characters = Some(Characters {
        column: before[begin..].chars().count() as u64 + 1,
        length,
    });
}
