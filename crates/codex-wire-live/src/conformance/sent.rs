//! Compares the lines that a client sent in two runs.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::conformance::shown::Shown;

/// How much of a line is shown, in characters.
const LONGEST: usize = 160;

/// The first line in which two runs differ, in words; `None` if the client sent the same. Requests at the same time
/// may come in any order.
///
/// A stand-in that was killed may not have read what the client sent last: what is missing in such a run proves
/// nothing.
pub(crate) fn difference(usual: &Shown, shown: &Shown) -> Option<String> {
    let further = first_beyond(&shown.sent, &usual.sent).filter(|_| !usual.is_cut);
    let missing = first_beyond(&usual.sent, &shown.sent).filter(|_| !shown.is_cut);
    Some(match (further, missing) {
        (Some(further), Some(missing)) if kind(further) == kind(missing) => {
            let place = first_place(further, missing);
            format!(
                "the client sends {} and not {}{place}",
                masked(further),
                masked(missing)
            )
        }
        (Some(further), _) => format!("the client also sends {}", masked(further)),
        (None, Some(missing)) => format!("the client does not send {}", masked(missing)),
        (None, None) => return None,
    })
}

/// The first of some lines that is more often among them than among others.
fn first_beyond<'l>(lines: &'l [String], others: &[String]) -> Option<&'l str> {
    let mut left: BTreeMap<&str, usize> = BTreeMap::new();
    for line in others {
        *left.entry(line.as_str()).or_default() += 1;
    }
    let mut lines = lines.iter().map(String::as_str);
    lines.find(|line| match left.get_mut(line) {
        Some(count) if *count > 0 => {
            *count -= 1;
            false
        }
        _ => true,
    })
}

/// What a message is: its method, or nothing for an answer.
fn kind(line: &str) -> Option<String> {
    let message: Value = serde_json::from_str(line).ok()?;
    Some(message["method"].as_str().unwrap_or_default().to_owned())
}

/// The line as reports show it: without texts, which may be those of a user.
fn masked(line: &str) -> String {
    let Ok(mut message) = serde_json::from_str::<Value>(line) else {
        return "a line that is not JSON".to_owned();
    };
    mask(&mut message, "");
    let text = message.to_string();
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("`{}…`", &text[..end]),
        None => format!("`{text}`"),
    }
}

/// Replaces every text but the words of the protocol.
fn mask(value: &mut Value, key: &str) {
    match value {
        Value::String(text) if !matches!(key, "method" | "type" | "decision" | "action") => {
            "…".clone_into(text);
        }
        Value::Array(items) => items.iter_mut().for_each(|item| mask(item, key)),
        Value::Object(members) => members.iter_mut().for_each(|(key, item)| mask(item, key)),
        _ => {}
    }
}

/// Where two messages differ first, in words.
fn first_place(one: &str, other: &str) -> String {
    let value = |line: &str| serde_json::from_str::<Value>(line).unwrap_or_default();
    let mut place = String::new();
    match differs(&value(one), &value(other), &mut place) {
        true => format!(": {place} differs"),
        // Spaces, or the order of members.
        false => ": it is written in another way".to_owned(),
    }
}

/// Whether two values differ. Then `place` gets the pointer to the first difference.
fn differs(one: &Value, other: &Value, place: &mut String) -> bool {
    let length = place.len();
    let mut step = |key: &str, a: &Value, b: &Value| {
        place.push('/');
        place.push_str(key);
        let found = differs(a, b, place);
        if !found {
            place.truncate(length);
        }
        found
    };
    match (one, other) {
        (Value::Object(a), Value::Object(b)) => {
            let keys = a.keys().chain(b.keys().filter(|key| !a.contains_key(*key)));
            let mut keys = keys.collect::<Vec<_>>().into_iter();
            keys.any(|key| match (a.get(key), b.get(key)) {
                (Some(a), Some(b)) => step(key, a, b),
                _ => step(key, &Value::Bool(true), &Value::Bool(false)),
            })
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            let mut pairs = a.iter().zip(b).enumerate();
            pairs.any(|(at, (a, b))| step(&at.to_string(), a, b))
        }
        (a, b) => a != b,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(lines: &[&str], is_cut: bool) -> Shown {
        Shown {
            sent: lines.iter().map(|line| (*line).to_owned()).collect(),
            is_cut,
            ..Shown::default()
        }
    }

    const ONE: &str = r#"{"id":1,"method":"turn/start","params":{"text":"mine"}}"#;
    const OTHER: &str = r#"{"id":1,"method":"turn/start","params":{"text":"yours"}}"#;
    const BYE: &str = r#"{"method":"bye"}"#;

    fn told(usual: &[&str], now: &[&str]) -> Option<String> {
        difference(&shown(usual, false), &shown(now, false))
    }

    #[test]
    fn the_first_line_that_differs_is_shown_without_texts() {
        assert_eq!(told(&[ONE, BYE], &[BYE, ONE]), None);
        let other = told(&[ONE], &[OTHER]).unwrap_or_default();
        assert!(other.ends_with("}` and not `{\"id\":1,\"method\":\"turn/start\",\"params\":{\"text\":\"…\"}}`: /params/text differs"), "{other}");
        assert!(
            !other.contains("mine") && !other.contains("yours"),
            "{other}"
        );
        let further = "the client also sends `{\"method\":\"bye\"}`";
        assert_eq!(told(&[ONE], &[ONE, BYE]).as_deref(), Some(further));
        let missing = "the client does not send `{\"method\":\"bye\"}`";
        assert_eq!(told(&[ONE, BYE], &[ONE]).as_deref(), Some(missing));
        assert!(told(&[ONE], &[&ONE.replace("\":", "\": ")]).is_some());
    }

    #[test]
    fn what_a_killed_stand_in_has_not_read_proves_nothing() {
        let (all, less) = (&[ONE, BYE][..], &[ONE][..]);
        assert_eq!(difference(&shown(all, false), &shown(less, true)), None);
        assert_eq!(difference(&shown(less, true), &shown(all, false)), None);
        assert!(difference(&shown(less, false), &shown(all, true)).is_some());
        assert!(difference(&shown(all, true), &shown(less, false)).is_some());
    }
}
