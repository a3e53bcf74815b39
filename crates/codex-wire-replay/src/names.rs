//! Which members hold names, and which name of the client stands for which of the recording.
//!
//! A name is an id, a path or a time: a value that differs between two runs of the same scenario. The
//! documents of the protocol declare all of them as plain strings and numbers, so the members are
//! listed here by name. A test compares the list with the documents of all releases: each member
//! that ends like an id or a path is either a name or listed as none.

pub(crate) mod table;

use std::collections::HashMap;

pub use table::{NOT_NAMES, NameKind, kind_of, listed};

/// Names of a recording with what stands for each in the running session.
#[derive(Clone, Debug, Default)]
pub struct Names {
    live: HashMap<(NameKind, String), String>,
    recorded: HashMap<(NameKind, String), String>,
    /// Names that are long enough to be found inside other strings, and differ; longest first.
    inside: Vec<(String, String)>,
    /// Paths that differ; longest first.
    paths: Vec<(String, String)>,
    /// Texts of the user that differ.
    texts: HashMap<String, String>,
    /// Parts of the user agent that differ.
    agent: Vec<(String, String)>,
    /// What is added to times, in seconds.
    shift: i64,
    /// Whether any name differs.
    differs: bool,
}

impl Names {
    /// Names whose times are moved by so many seconds.
    pub fn shifted(seconds: i64) -> Self {
        Names {
            shift: seconds,
            ..Names::default()
        }
    }

    /// What stands for a name of the recording.
    pub fn live(&self, kind: NameKind, recorded: &str) -> Option<&str> {
        self.live
            .get(&(kind, recorded.to_owned()))
            .map(String::as_str)
    }

    /// What a name of the client stands for.
    pub fn recorded(&self, kind: NameKind, live: &str) -> Option<&str> {
        self.recorded
            .get(&(kind, live.to_owned()))
            .map(String::as_str)
    }

    /// Lets `live` stand for `recorded`, if neither is bound.
    pub fn bind(&mut self, kind: NameKind, recorded: &str, live: &str) {
        let from = (kind, recorded.to_owned());
        let to = (kind, live.to_owned());
        if self.live.contains_key(&from) || self.recorded.contains_key(&to) {
            return;
        }
        if recorded != live {
            self.differs = true;
            let pair = (recorded.to_owned(), live.to_owned());
            match kind {
                NameKind::Path => insert(&mut self.paths, pair),
                _ if is_distinctive(recorded) => insert(&mut self.inside, pair),
                _ => {}
            }
        }
        self.recorded.insert(to, recorded.to_owned());
        self.live.insert(from, live.to_owned());
    }

    /// Lets a text of the user stand for the recorded one where Codex repeats it.
    pub fn bind_text(&mut self, recorded: &str, live: &str) {
        if recorded != live && !recorded.is_empty() {
            self.texts.insert(recorded.to_owned(), live.to_owned());
        }
    }

    /// Lets a part of the user agent stand for the recorded one.
    pub fn bind_agent(&mut self, recorded: String, live: String) {
        if recorded != live {
            self.agent.push((recorded, live));
        }
    }

    /// Whether nothing differs, so that lines are played as they are.
    pub fn is_plain(&self) -> bool {
        !self.differs && self.shift == 0 && self.texts.is_empty() && self.agent.is_empty()
    }

    /// The live form of a string in a member of that kind; `None` if it stays.
    pub fn string(&self, kind: Option<NameKind>, text: &str) -> Option<String> {
        if let Some(kind) = kind
            && let Some(live) = self.live(kind, text)
        {
            return (live != text).then(|| live.to_owned());
        }
        let mut out: Option<String> = None;
        for (recorded, live) in &self.paths {
            if let Some(changed) = replaced(out.as_deref().unwrap_or(text), recorded, live) {
                out = Some(changed);
                // Shorter ones are beginnings of this one, or stand elsewhere.
                break;
            }
        }
        for (recorded, live) in &self.inside {
            if let Some(changed) = replaced(out.as_deref().unwrap_or(text), recorded, live) {
                out = Some(changed);
            }
        }
        out
    }

    /// The live form of a text that the user wrote.
    pub fn text(&self, text: &str) -> Option<String> {
        self.texts.get(text).cloned()
    }

    /// The live form of the user agent.
    pub fn user_agent(&self, text: &str) -> Option<String> {
        let mut out = None;
        for (recorded, live) in &self.agent {
            let now: &str = out.as_deref().unwrap_or(text);
            if now.contains(recorded.as_str()) {
                out = Some(now.replacen(recorded.as_str(), live, 1));
            }
        }
        out
    }

    /// The live form of a time in that member; `None` if it stays.
    pub fn time(&self, key: &str, number: &str) -> Option<String> {
        let value = number.parse::<i64>().ok().filter(|_| self.shift != 0)?;
        let is_ms = key.ends_with("Ms") || key.ends_with("_ms");
        let (least, unit) = if is_ms {
            (1_000_000_000_000, 1000)
        } else {
            (1_000_000_000, 1)
        };
        // What is smaller is a duration.
        let value = (value >= least).then_some(value)?;
        let moved = value.checked_add(self.shift.checked_mul(unit)?)?;
        Some(moved.to_string())
    }

    /// Whether a path, or the folder it is in, has a live form.
    pub fn has_path(&self, recorded: &str) -> bool {
        let bound = self.live.keys().filter(|(kind, _)| *kind == NameKind::Path);
        bound.into_iter().any(|(_, path)| {
            recorded
                .strip_prefix(path.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '\\']))
        })
    }
}

/// Whether a text is an absolute path, on any system.
pub fn is_absolute(text: &str) -> bool {
    let bytes = text.as_bytes();
    let drive = bytes.len() > 2
        && bytes[0].is_ascii_alphabetic()
        && bytes[1] == b':'
        && matches!(bytes[2], b'\\' | b'/');
    (bytes.len() > 1 && bytes[0] == b'/') || drive || text.starts_with("\\\\")
}

/// A path without the separators at its end, as Codex names a folder.
pub(crate) fn trimmed(path: &str) -> &str {
    let trimmed = path.trim_end_matches(['/', '\\']);
    match is_absolute(trimmed) {
        true => trimmed,
        false => path,
    }
}

/// Whether a name is found nowhere by chance.
fn is_distinctive(name: &str) -> bool {
    name.len() >= 16 && name.bytes().any(|byte| byte.is_ascii_digit())
}

fn insert(pairs: &mut Vec<(String, String)>, pair: (String, String)) {
    pairs.push(pair);
    pairs.sort_by_key(|(recorded, _)| std::cmp::Reverse(recorded.len()));
}

/// `text` with each whole occurrence of `from` replaced; `None` if there is none.
fn replaced(text: &str, from: &str, to: &str) -> Option<String> {
    let continues = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    let mut out = String::new();
    let mut copied = 0;
    for (at, _) in text.match_indices(from) {
        let end = at + from.len();
        let before = text[..at].chars().next_back();
        let mut behind = text[end..].chars();
        let joined = match behind.next() {
            Some('.') => behind.next().is_some_and(continues),
            Some(c) => continues(c),
            None => false,
        };
        // An id may follow a hyphen, as in the name of a rollout; a path begins with its own slash.
        let is_path = is_absolute(from);
        let glued =
            before.is_some_and(|c| c.is_alphanumeric() || is_path && matches!(c, '.' | '-'));
        if glued || joined && is_path || behind_is_word(text, end) && !is_path {
            continue;
        }
        out.push_str(&text[copied..at]);
        out.push_str(to);
        copied = end;
    }
    if copied == 0 {
        return None;
    }
    out.push_str(&text[copied..]);
    Some(out)
}

fn behind_is_word(text: &str, end: usize) -> bool {
    text[end..]
        .chars()
        .next()
        .is_some_and(char::is_alphanumeric)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_inside_other_strings_are_replaced_whole() {
        let mut names = Names::default();
        names.bind(NameKind::Path, "/srv/app", "/tmp/x");
        names.bind(
            NameKind::Thread,
            "01a1f982-c675-76c2-b7aa-7cf2029d6857",
            "other-thread-0001",
        );
        let changed = |text: &str| names.string(None, text);
        assert_eq!(
            changed("cat /srv/app/a.txt"),
            Some("cat /tmp/x/a.txt".into())
        );
        assert_eq!(changed("/srv/app"), Some("/tmp/x".into()));
        assert_eq!(changed("/srv/app."), Some("/tmp/x.".into()));
        assert_eq!(changed("/srv/app-two"), None);
        assert_eq!(changed("/srv/app.txt"), None);
        assert_eq!(changed("x/srv/app"), None);
        assert_eq!(
            changed("rollout-15-01a1f982-c675-76c2-b7aa-7cf2029d6857.jsonl"),
            Some("rollout-15-other-thread-0001.jsonl".into())
        );
    }

    #[test]
    fn short_names_are_replaced_in_their_members_only() {
        let mut names = Names::default();
        names.bind(NameKind::Turn, "0", "7");
        assert_eq!(names.string(Some(NameKind::Turn), "0"), Some("7".into()));
        assert_eq!(names.string(Some(NameKind::Item), "0"), None);
        assert_eq!(names.string(None, "0"), None);
    }

    #[test]
    fn a_name_stands_for_one_other() {
        let mut names = Names::default();
        names.bind(NameKind::Thread, "a", "x");
        names.bind(NameKind::Thread, "a", "y");
        names.bind(NameKind::Thread, "b", "x");
        assert_eq!(names.live(NameKind::Thread, "a"), Some("x"));
        assert_eq!(names.live(NameKind::Thread, "b"), None);
        assert_eq!(names.recorded(NameKind::Thread, "x"), Some("a"));
    }

    #[test]
    fn times_move_and_durations_stay() {
        let names = Names::shifted(10);
        assert_eq!(
            names.time("startedAt", "1795187459"),
            Some("1795187469".into())
        );
        assert_eq!(
            names.time("emittedAtMs", "1795187459697"),
            Some("1795187469697".into())
        );
        assert_eq!(names.time("durationMs", "442"), None);
        assert_eq!(Names::default().time("startedAt", "1795187459"), None);
        let names = Names::shifted(i64::MAX / 1000);
        assert_eq!(names.time("emittedAtMs", "1795187459697"), None);
    }
}
