//! Compares what a client sends with what was recorded.

use std::fmt;
use std::mem::discriminant;

use codex_wire_base::pointer;
use serde_json::Value;

use crate::names::{NameKind, Names, is_absolute, kind_of, trimmed};

/// A member that differs from the recording.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Difference {
    /// The place as a JSON Pointer into the params, the result or the error.
    pub pointer: String,
    /// What was recorded; `None` if the recording does not have the member.
    pub recorded: Option<Value>,
    /// What the client sent; `None` if it left the member out.
    pub sent: Option<Value>,
    /// Whether it is a name that already stands for something else.
    pub is_name: bool,
}

impl Difference {
    /// Whether the client sent another type of value: the release would have refused it.
    pub(crate) fn is_of_type(&self) -> bool {
        match (&self.recorded, &self.sent) {
            (Some(recorded), Some(sent)) => {
                !recorded.is_null()
                    && !sent.is_null()
                    && discriminant(recorded) != discriminant(sent)
            }
            _ => false,
        }
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = match self.pointer.as_str() {
            "" => "the whole",
            pointer => pointer,
        };
        match (&self.recorded, &self.sent) {
            (Some(recorded), Some(sent)) => {
                write!(
                    f,
                    "`{place}` is {} and was recorded as {}",
                    short(sent),
                    short(recorded)
                )
            }
            (Some(recorded), None) => {
                write!(
                    f,
                    "`{place}` is missing and was recorded as {}",
                    short(recorded)
                )
            }
            (None, Some(sent)) => write!(f, "`{place}` is {} and was not recorded", short(sent)),
            (None, None) => write!(f, "`{place}` differs"),
        }
    }
}

/// The beginning of a value as text.
fn short(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(60) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text,
    }
}

/// What a comparison found.
#[derive(Clone, Debug, Default)]
pub(crate) struct Comparison {
    pub(crate) differences: Vec<Difference>,
    /// Names that are bound if this is the match.
    pub(crate) bindings: Vec<(NameKind, String, String)>,
    /// Texts of the user that differ, as recorded and as sent.
    pub(crate) texts: Vec<(String, String)>,
}

impl Comparison {
    /// Whether nothing differs but names that are not bound yet.
    pub(crate) fn is_exact(&self) -> bool {
        self.differences.is_empty()
    }

    /// Whether a name of the client stands for something else in the recording.
    pub(crate) fn has_wrong_name(&self) -> bool {
        self.differences.iter().any(|difference| difference.is_name)
    }

    /// Binds what was found.
    pub(crate) fn apply(&self, names: &mut Names) {
        for (kind, recorded, live) in &self.bindings {
            names.bind(*kind, recorded, live);
        }
        for (recorded, live) in &self.texts {
            names.bind_text(recorded, live);
        }
    }
}

/// Compares a recorded value with what the client sent. `is_made_later` says of a recorded name
/// whether Codex makes it in a part that was not played yet, so that no client can know it.
pub(crate) fn compare(
    recorded: Option<&Value>,
    sent: Option<&Value>,
    names: &Names,
    is_made_later: &dyn Fn(NameKind, &str) -> bool,
) -> Comparison {
    let mut compare = Compare {
        names,
        is_made_later,
        out: Comparison::default(),
        pointer: String::new(),
    };
    compare.values(recorded, sent, "params", "");
    compare.out
}

/// Members that tell how a client is built rather than what it wants: they never tell requests apart.
const OF_CLIENT: &[&str] = &["clientInfo", "_meta", "optOutNotificationMethods", "trace"];

struct Compare<'a> {
    names: &'a Names,
    is_made_later: &'a dyn Fn(NameKind, &str) -> bool,
    out: Comparison,
    pointer: String,
}

impl Compare<'_> {
    fn values(&mut self, recorded: Option<&Value>, sent: Option<&Value>, parent: &str, key: &str) {
        if OF_CLIENT.contains(&key) {
            return;
        }
        match (recorded, sent) {
            (Some(Value::Object(a)), Some(Value::Object(b))) => {
                let inside = if key.is_empty() { parent } else { key };
                for (name, value) in a {
                    self.member(name, |this| {
                        this.values(Some(value), b.get(name), inside, name);
                    });
                }
                for (name, value) in b.iter().filter(|(name, _)| !a.contains_key(*name)) {
                    self.member(name, |this| this.values(None, Some(value), inside, name));
                }
            }
            (Some(Value::Array(a)), Some(Value::Array(b))) => {
                for at in 0..a.len().max(b.len()) {
                    self.member(&at.to_string(), |this| {
                        this.values(a.get(at), b.get(at), parent, key);
                    });
                }
            }
            (Some(Value::String(a)), Some(Value::String(b))) => self.strings(a, b, parent, key),
            // Codex reads what is left out as `null`.
            (None | Some(Value::Null), None | Some(Value::Null)) => {}
            (None, Some(Value::Object(empty))) | (Some(Value::Object(empty)), None)
                if empty.is_empty() => {}
            (None, Some(Value::Array(empty))) | (Some(Value::Array(empty)), None)
                if empty.is_empty() => {}
            (Some(a), Some(b)) if a == b || kind_of(parent, key) == Some(NameKind::Time) => {}
            // An id of the client that Codex only repeats.
            (None, Some(_)) | (Some(_), None) if kind_of(parent, key) == Some(NameKind::Handle) => {
            }
            _ => self.differ(recorded, sent, false),
        }
    }

    fn strings(&mut self, recorded: &str, sent: &str, parent: &str, key: &str) {
        let live = self.names.string(kind_of(parent, key), recorded);
        if live.as_deref().unwrap_or(recorded) == sent && kind_of(parent, key).is_none() {
            return;
        }
        let differ = |this: &mut Self, is_name| {
            this.differ(Some(&recorded.into()), Some(&sent.into()), is_name);
        };
        match kind_of(parent, key) {
            Some(NameKind::Time) => {}
            Some(NameKind::Path) => {
                let (recorded, sent) = (trimmed(recorded), trimmed(sent));
                let live = self.names.string(Some(NameKind::Path), recorded);
                let is_new = || {
                    is_absolute(recorded)
                        && is_absolute(sent)
                        && !self.names.has_path(recorded)
                        && !self.out.bindings.iter().any(|(kind, path, _)| {
                            *kind == NameKind::Path && recorded.starts_with(path.as_str())
                        })
                };
                if live.as_deref().unwrap_or(recorded) == sent || is_new() {
                    self.bind(NameKind::Path, recorded, sent);
                } else if !self.follows(recorded, sent) {
                    differ(self, false);
                }
            }
            Some(kind) => {
                let bound = self.names.live(kind, recorded);
                let stands_for = self.names.recorded(kind, sent);
                match (bound, stands_for) {
                    (Some(live), _) if live == sent => {}
                    (None, None) if !(self.is_made_later)(kind, recorded) => {
                        self.bind(kind, recorded, sent);
                    }
                    _ => differ(self, true),
                }
            }
            None => {
                if matches!(key, "text" | "prompt") {
                    self.out.texts.push((recorded.to_owned(), sent.to_owned()));
                }
                differ(self, false);
            }
        }
    }

    /// Whether a path follows from a folder that this message binds.
    fn follows(&self, recorded: &str, sent: &str) -> bool {
        self.out.bindings.iter().any(|(kind, from, to)| {
            *kind == NameKind::Path
                && recorded
                    .strip_prefix(from.as_str())
                    .is_some_and(|rest| sent.strip_prefix(to.as_str()) == Some(rest))
        })
    }

    fn bind(&mut self, kind: NameKind, recorded: &str, sent: &str) {
        self.out
            .bindings
            .push((kind, recorded.to_owned(), sent.to_owned()));
    }

    fn differ(&mut self, recorded: Option<&Value>, sent: Option<&Value>, is_name: bool) {
        self.out.differences.push(Difference {
            pointer: self.pointer.clone(),
            recorded: recorded.cloned(),
            sent: sent.cloned(),
            is_name,
        });
    }

    fn member(&mut self, name: &str, inside: impl FnOnce(&mut Self)) {
        let length = self.pointer.len();
        pointer::push(&mut self.pointer, name);
        inside(self);
        self.pointer.truncate(length);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn compared(recorded: &Value, sent: &Value, names: &Names) -> Comparison {
        compare(Some(recorded), Some(sent), names, &|_, _| false)
    }

    #[test]
    fn names_are_bound_at_first_sight() {
        let mut names = Names::default();
        let recorded = json!({"threadId": "t", "cwd": "/a", "model": null});
        let sent = json!({"threadId": "u", "cwd": "/b"});
        let found = compared(&recorded, &sent, &names);
        assert!(found.is_exact(), "{found:?}");
        found.apply(&mut names);
        assert_eq!(names.live(NameKind::Thread, "t"), Some("u"));
        let inside = json!({"path": "/a/x"});
        assert!(compared(&inside, &json!({"path": "/b/x"}), &names).is_exact());
        assert!(!compared(&inside, &json!({"path": "/b/y"}), &names).is_exact());
        let wrong = compared(&json!({"threadId": "v"}), &json!({"threadId": "u"}), &names);
        assert!(wrong.has_wrong_name());
    }

    #[test]
    fn a_folder_may_end_with_a_separator() {
        let mut names = Names::default();
        let start = |cwd: &str| json!({"cwd": cwd});
        compared(&start("/a"), &start("/b/"), &names).apply(&mut names);
        assert_eq!(names.string(None, "/a/x"), Some("/b/x".to_owned()));
        for again in ["/b", "/b/"] {
            let found = compared(&start("/a"), &start(again), &names);
            assert!(found.is_exact(), "{again}: {found:?}");
        }
    }

    #[test]
    fn a_name_that_codex_makes_later_is_unknown() {
        let recorded = json!({"threadId": "t"});
        let found = compare(
            Some(&recorded),
            Some(&json!({"threadId": "u"})),
            &Names::default(),
            &|_, _| true,
        );
        assert!(found.has_wrong_name());
    }

    #[test]
    fn differences_name_their_place() {
        let recorded = json!({"input": [{"type": "text", "text": "a"}]});
        let sent = json!({"input": [{"type": "text", "text": "b"}], "model": "m"});
        let found = compared(&recorded, &sent, &Names::default());
        let texts: Vec<_> = found.differences.iter().map(ToString::to_string).collect();
        assert_eq!(
            texts,
            [
                "`/input/0/text` is \"b\" and was recorded as \"a\"",
                "`/model` is \"m\" and was not recorded"
            ]
        );
        assert_eq!(found.texts, [("a".to_owned(), "b".to_owned())]);
    }
}
