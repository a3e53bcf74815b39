//! A recorded message of each kind, of each release in which that kind was recorded.
//!
//! `cargo xtask generate --only examples` chooses them from the fixtures, and a test holds them equal: of each
//! kind and release the fullest of the short lines that conform.
//!
//! The file is text compressed with deflate. A line `= MESSAGE-SET KIND` begins a kind; then each example has two
//! lines, its release with its place, and the message.

use std::io::Read as _;
use std::sync::LazyLock;

use codex_wire_base::{MessageSet, Release};
use flate2::read::DeflateDecoder;

/// A message that a release of Codex, or a client of it, wrote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Example {
    /// Its message set.
    pub message_set: MessageSet,
    /// Its kind: the tag or the method, of a response the method of its request. What the message holds of one of
    /// several kinds comes after a slash: `item.completed/agent_message`, `PreToolUse/Bash`.
    pub kind: &'static str,
    /// The release that was recorded.
    pub release: Release,
    /// The recording, as a path below the fixtures of this project.
    pub transcript: &'static str,
    /// The line of the recording that holds the message.
    pub line: u64,
    /// The message, byte for byte.
    pub text: &'static str,
}

impl Example {
    /// Whether it is of that kind, or of a kind that the message holds: `PreToolUse/Bash` is of `PreToolUse`.
    fn is_of(&self, kind: &str) -> bool {
        let rest = self.kind.strip_prefix(kind);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }
}

/// All examples, by message set, kind and release.
pub fn all() -> &'static [Example] {
    static ALL: LazyLock<Vec<Example>> = LazyLock::new(|| {
        let bytes = include_bytes!("examples.deflate");
        let mut text = String::new();
        let read = DeflateDecoder::new(bytes.as_slice()).read_to_string(&mut text);
        assert!(read.is_ok(), "the examples in the program are broken");
        parse(text.leak())
    });
    &ALL
}

/// The examples of a kind, by message set and release: `PreToolUse` also finds those of `PreToolUse/Bash`.
pub fn of_kind(kind: &str) -> impl Iterator<Item = &'static Example> {
    all().iter().filter(move |example| example.is_of(kind))
}

/// The example of a kind for a release: of that release, or else of the nearest earlier one that has any. Of
/// several kinds, the first by name.
pub fn find(message_set: MessageSet, kind: &str, release: Release) -> Option<&'static Example> {
    let own = of_kind(kind).filter(|example| example.message_set == message_set);
    own.filter(|example| example.release <= release)
        .min_by_key(|example| std::cmp::Reverse(example.release))
}

/// Reads the file. Its test sees a line that is not as it should be, because then an example is missing.
fn parse(text: &'static str) -> Vec<Example> {
    let mut out = Vec::new();
    let mut kind: Option<(MessageSet, &'static str)> = None;
    let mut lines = text.split('\n');
    while let Some(line) = lines.next() {
        if let Some(head) = line.strip_prefix("= ") {
            kind = head
                .split_once(' ')
                .and_then(|(message_set, kind)| Some((message_set.parse().ok()?, kind)));
        } else if let (Some(head), Some(text)) = (place(line), lines.next()) {
            let (release, transcript, line) = head;
            out.extend(kind.map(|(message_set, kind)| Example {
                message_set,
                kind,
                release,
                transcript,
                line,
                text,
            }));
        }
    }
    out
}

/// The release of an example, and where it was recorded.
fn place(line: &'static str) -> Option<(Release, &'static str, u64)> {
    let (release, place) = line.split_once(' ')?;
    let (transcript, line) = place.rsplit_once(':')?;
    Some((release.parse().ok()?, transcript, line.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_has_an_example_of_the_release_or_of_one_before() {
        let newest = Release::new(0, 999, 0);
        let found = find(MessageSet::HooksInput, "PreToolUse", newest).unwrap();
        assert_eq!(found.release, Release::new(0, 169, 0));
        assert!(found.text.contains("\"hook_event_name\":\"PreToolUse\""));
        assert_eq!(found.kind, "PreToolUse/Bash");
        let between = find(
            MessageSet::HooksInput,
            "PreToolUse",
            Release::new(0, 140, 0),
        );
        assert_eq!(between.unwrap().release, Release::new(0, 139, 0));
        let before = find(
            MessageSet::HooksInput,
            "PreToolUse",
            Release::new(0, 100, 0),
        );
        assert_eq!(before, None);
        assert_eq!(find(MessageSet::HooksInput, "PreTool", newest), None);
    }

    #[test]
    fn they_are_in_order() {
        let key = |example: &Example| (example.message_set, example.kind, example.release);
        assert!(all().is_sorted_by(|a, b| key(a) < key(b)));
    }
}
