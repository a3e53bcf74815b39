//! What releases answered, as text that people review.
//!
//! ```text
//! ThreadStartParams.model
//!   thread/start {"model":?}
//!     absent => read @ 0.58.0..
//!     5 => refused: invalid type: integer `5`, expected a string @ 0.58.0..
//! ```
//!
//! A block says what it is about. Below stands what was sent, with a question mark for what the lines below
//! put in its place. Behind `=>` stands the answer, and behind `@` the releases that gave it: a range holds
//! only releases that were asked.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use app_server_codegen::Availability;
use codex_wire_base::Release;

/// What releases answered, by what was asked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Log {
    /// By what it is about, what was sent and what was put in.
    asked: BTreeMap<(String, String, Key), Answers>,
}

/// Answers, each with the releases that gave it.
pub type Answers = BTreeMap<String, BTreeSet<Release>>;

/// What was put in.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    rank: u8,
    text: String,
}

/// What was asked once, with all answers.
#[derive(Clone, Copy, Debug)]
pub struct Entry<'a> {
    /// What it is about.
    pub about: &'a str,
    /// What was sent.
    pub sent: &'a str,
    /// What was put in.
    pub put: &'a str,
    /// The answers, each with the releases that gave it.
    pub answers: &'a Answers,
}

impl Log {
    /// Adds an answer. It takes the place of what the release answered before.
    pub fn add(&mut self, about: &str, sent: &str, put: &str, answer: &str, release: Release) {
        let answers = self.asked.entry(key(about, sent, put)).or_default();
        forget(answers, release);
        let releases = answers.entry(answer.to_owned()).or_default();
        releases.insert(release);
    }

    /// Forgets all that a release answered.
    pub fn forget(&mut self, release: Release) {
        self.asked.retain(|_, answers| {
            forget(answers, release);
            !answers.is_empty()
        });
    }

    /// Everything, in the order of the text.
    pub fn entries(&self) -> impl Iterator<Item = Entry<'_>> {
        let asked = self.asked.iter();
        asked.map(|((about, sent, put), answers)| Entry {
            about,
            sent,
            put: &put.text,
            answers,
        })
    }

    /// The answers to one question.
    pub fn find(&self, about: &str, sent: &str, put: &str) -> Option<&Answers> {
        self.asked.get(&key(about, sent, put))
    }

    /// What another log does not have.
    #[must_use]
    pub fn without(&self, other: &Log) -> Log {
        let mut out = Log::default();
        for entry in self.entries() {
            let theirs = other.find(entry.about, entry.sent, entry.put);
            for (answer, releases) in entry.answers {
                let known = theirs.and_then(|answers| answers.get(answer));
                for release in releases {
                    if !known.is_some_and(|known| known.contains(release)) {
                        out.add(entry.about, entry.sent, entry.put, answer, *release);
                    }
                }
            }
        }
        out
    }

    /// Adds all of another log.
    pub fn extend(&mut self, other: Log) {
        for (asked, answers) in other.asked {
            let own = self.asked.entry(asked).or_default();
            for (answer, releases) in answers {
                own.entry(answer).or_default().extend(releases);
            }
        }
    }

    /// The blocks by a name that is made of what they are about, such as a file's.
    pub fn split(self, name: impl Fn(&str) -> String) -> BTreeMap<String, Log> {
        let mut out: BTreeMap<String, Log> = BTreeMap::new();
        for (asked, answers) in self.asked {
            let log = out.entry(name(&asked.0)).or_default();
            log.asked.insert(asked, answers);
        }
        out
    }

    /// As text. `asked` are all releases that were asked anything, oldest first.
    pub fn text(&self, asked: &[Release]) -> String {
        let mut out = String::new();
        let mut above = (None, None);
        for ((about, sent, put), answers) in &self.asked {
            if above.0 != Some(about) {
                let between = if out.is_empty() { "" } else { "\n" };
                let _ = writeln!(out, "{between}{about}");
            }
            if above != (Some(about), Some(sent)) {
                let _ = writeln!(out, "  {sent}");
            }
            above = (Some(about), Some(sent));
            // The oldest answer comes first.
            let mut answers: Vec<_> = answers.iter().collect();
            answers.sort_by_key(|(_, releases)| releases.first().copied());
            for (answer, releases) in answers {
                let releases: Availability = releases.iter().copied().collect();
                let releases = releases.text(asked);
                let _ = writeln!(out, "    {} => {answer} @ {releases}", put.text);
            }
        }
        out
    }

    /// Reads what [`Log::text`] writes.
    ///
    /// # Errors
    /// For the number of a line, and in words what is wrong with it.
    pub fn parse(text: &str, asked: &[Release]) -> Result<Self, (usize, String)> {
        let mut log = Log::default();
        let (mut about, mut sent) = (String::new(), String::new());
        for (index, line) in text.lines().enumerate() {
            let fault = |message: &str| (index + 1, message.to_owned());
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            if let Some(line) = line.strip_prefix("    ") {
                let (put, rest) = line.split_once(" => ").ok_or(fault("no answer"))?;
                let (answer, releases) = rest.rsplit_once(" @ ").ok_or(fault("no releases"))?;
                let releases =
                    Availability::parse(releases, asked).map_err(|message| (index + 1, message))?;
                let answers = log.asked.entry(key(&about, &sent, put)).or_default();
                let known = answers.entry(answer.to_owned()).or_default();
                known.extend(releases.iter().map(|(release, _)| release));
            } else if let Some(line) = line.strip_prefix("  ") {
                line.clone_into(&mut sent);
            } else {
                line.clone_into(&mut about);
            }
        }
        Ok(log)
    }
}

fn key(about: &str, sent: &str, put: &str) -> (String, String, Key) {
    (about.to_owned(), sent.to_owned(), Key::new(put))
}

/// Takes a release out of answers, and those that no other gave.
fn forget(answers: &mut Answers, release: Release) {
    answers.retain(|_, releases| {
        releases.remove(&release);
        !releases.is_empty()
    });
}

impl Key {
    fn new(text: &str) -> Self {
        let rank = match text.as_bytes().first() {
            _ if text == "absent" => 0,
            _ if text == "null" => 1,
            _ if text == "true" || text == "false" => 2,
            Some(b'-' | b'0'..=b'9') => 3,
            Some(b'"') => 4,
            Some(b'[') => 5,
            Some(b'{') => 6,
            _ => 7,
        };
        Key {
            rank,
            text: text.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked() -> Vec<Release> {
        [58, 59, 60, 61]
            .map(|minor| Release::new(0, minor, 0))
            .to_vec()
    }

    const TEXT: &str = "\
Thread.id
  thread/start {\"id\":?}
    absent => refused: missing field `id` @ 0.58.0..0.59.0
    absent => read @ 0.60.0..
    null => read @ 0.58.0..0.58.0, 0.60.0..0.60.0

Turn
  turn/start ?
    {\"a b\":\" @ => \"} => ended @ 0.61.0..
";

    #[test]
    fn a_log_is_read_and_written_back() {
        let text = TEXT.replace(" => \"}", "\"}");
        let log = Log::parse(&text, &asked()).unwrap();
        assert_eq!(log.text(&asked()), text);
        assert_eq!(log.entries().count(), 3);
    }

    #[test]
    fn an_answer_takes_the_place_of_an_older_one() {
        let mut log = Log::parse(TEXT, &asked()).unwrap();
        let release = Release::new(0, 59, 0);
        log.add(
            "Thread.id",
            "thread/start {\"id\":?}",
            "absent",
            "read",
            release,
        );
        let first = log.entries().next().unwrap();
        let read: Availability = first.answers["read"].iter().copied().collect();
        assert_eq!(read.text(&asked()), "0.59.0..");
        log.forget(Release::new(0, 61, 0));
        assert_eq!(log.entries().count(), 2);
    }

    #[test]
    fn lines_that_are_none_are_refused() {
        for (text, line) in [
            ("a\n  b\n    c\n", 3),
            ("a\n  b\n    c => d\n", 3),
            ("a\n  b\n    c => d @ 0.1\n", 3),
            ("a\n  b\n    c => d @ x..\n", 3),
        ] {
            assert_eq!(Log::parse(text, &asked()).unwrap_err().0, line, "{text}");
        }
    }
}
