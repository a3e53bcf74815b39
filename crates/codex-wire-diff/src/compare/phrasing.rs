//! Phrases types, and finds names that are alike.

use std::collections::{BTreeSet, HashMap, HashSet};

use serde_json::Value;

use crate::limits::shown;
use crate::shapes::{Object, Shapes};

/// The longest list of values that is written out.
const VALUES: usize = 6;

/// What two sides allow, in words.
pub(super) fn pair(a: &Shapes<'_>, b: &Shapes<'_>) -> [Option<String>; 2] {
    [Some(of(a, a.null)), Some(of(b, b.null))]
}

/// Lists of objects, in words.
pub(super) fn objects(a: &[Object<'_>], b: &[Object<'_>]) -> [Option<String>; 2] {
    [a, b].map(|list| Some(kinds_of_object(list, None)))
}

/// What a node allows, in words.
pub(super) fn of(shapes: &Shapes<'_>, nullable: bool) -> String {
    named(shapes, nullable, None)
}

/// The same of a definition, by its name.
pub(super) fn named(shapes: &Shapes<'_>, nullable: bool, name: Option<&str>) -> String {
    if shapes.any {
        return "any value".to_owned();
    }
    let mut out: Vec<String> = Vec::new();
    for kind in shapes.kinds() {
        let word = kind.as_str();
        out.push(match word {
            "string" if shapes.text.is_none() => values(&shapes.values),
            "object" => kinds_of_object(&shapes.objects, name),
            _ => word.to_owned(),
        });
    }
    if nullable && !out.iter().any(|word| word == "null") {
        out.push("null".to_owned());
    }
    if out.is_empty() {
        return "nothing".to_owned();
    }
    out.join(" or ")
}

fn kinds_of_object(list: &[Object<'_>], name: Option<&str>) -> String {
    match list {
        [only] => match only.name.or(name) {
            Some(name) => format!("object `{}`", shown(name)),
            None => "object".to_owned(),
        },
        several => format!("{} kinds of object", several.len()),
    }
}

fn values(values: &BTreeSet<&str>) -> String {
    let shown: Vec<String> = values
        .iter()
        .take(VALUES)
        .map(|value| format!("`{}`", shown(value)))
        .collect();
    match values.len() {
        1 => shown.join(""),
        count if count > VALUES => {
            format!("one of {} and {} more", shown.join(", "), count - VALUES)
        }
        _ => format!("one of {}", shown.join(", ")),
    }
}

/// Of which members at least one is there, in words.
pub(super) fn choices(sets: &[BTreeSet<&str>]) -> String {
    let one = |set: &BTreeSet<&str>| {
        let names: Vec<String> = set.iter().map(|name| format!("`{name}`")).collect();
        names.join(" with ")
    };
    match sets {
        [] => "none".to_owned(),
        sets => {
            let each: Vec<String> = sets.iter().take(VALUES).map(one).collect();
            let more = sets.len().saturating_sub(VALUES);
            let rest = if more > 0 {
                format!(" and {more} more")
            } else {
                String::new()
            };
            format!("at least {}{rest}", each.join(" or "))
        }
    }
}

pub(super) fn constraints(list: &[(&str, &Value)]) -> String {
    if list.is_empty() {
        return "none".to_owned();
    }
    let each: Vec<String> = list
        .iter()
        .map(|(key, value)| format!("{key} {}", shown(&value.to_string())))
        .collect();
    each.join(", ")
}

/// Takes the pairs out of two lists that are one name in two spellings.
pub(super) fn renamed<'d>(
    removed: &mut Vec<&'d str>,
    added: &mut Vec<&'d str>,
) -> Vec<(&'d str, &'d str)> {
    let keys = |list: &[&'d str]| -> HashMap<String, Vec<&'d str>> {
        let mut out: HashMap<String, Vec<&'d str>> = HashMap::new();
        for name in list {
            out.entry(letters(name)).or_default().push(name);
        }
        out
    };
    let (old, new) = (keys(removed), keys(added));
    let mut out: Vec<(&str, &str)> = old
        .iter()
        .filter_map(
            |(key, old)| match (&old[..], new.get(key).map(Vec::as_slice)) {
                ([old], Some([new])) => Some((*old, *new)),
                _ => None,
            },
        )
        .collect();
    out.sort_unstable();
    let gone: HashSet<&str> = out.iter().map(|(old, _)| *old).collect();
    let came: HashSet<&str> = out.iter().map(|(_, new)| *new).collect();
    removed.retain(|name| !gone.contains(name));
    added.retain(|name| !came.contains(name));
    out
}

/// How many pairs of names are examined for one name in two forms. Of longer lists none is.
const PAIRS: usize = 250_000;

/// Takes the pairs out of two lists that are alike, where neither is like another one too: what
/// is one thing under two names is so on the way back as well.
pub(super) fn pairs<A, B>(
    removed: &mut Vec<A>,
    added: &mut Vec<B>,
    similar: impl Fn(&A, &B) -> bool,
) -> Vec<(A, B)> {
    if removed.len().saturating_mul(added.len()) > PAIRS {
        return Vec::new();
    }
    let twins: Vec<Vec<usize>> = removed
        .iter()
        .map(|old| {
            let is_twin = |at: &usize| similar(old, &added[*at]);
            (0..added.len()).filter(is_twin).collect()
        })
        .collect();
    let mut wanted = vec![0; added.len()];
    twins.iter().flatten().for_each(|at| wanted[*at] += 1);
    let only = |at: usize| match twins[at][..] {
        [new] if wanted[new] == 1 => Some(new),
        _ => None,
    };
    let found: Vec<Option<usize>> = (0..removed.len()).map(only).collect();
    let mut left: Vec<Option<B>> = added.drain(..).map(Some).collect();
    let mut out = Vec::new();
    let mut kept = Vec::new();
    for (old, new) in removed.drain(..).zip(found) {
        match new.and_then(|new| left[new].take()) {
            Some(new) => out.push((old, new)),
            None => kept.push(old),
        }
    }
    *removed = kept;
    added.extend(left.into_iter().flatten());
    out
}

/// The letters of a name, whatever joins its words.
fn letters(name: &str) -> String {
    name.chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}

/// Whether one name could have been given in place of another: the same letters, or most words
/// in common.
pub(super) fn similar(old: &str, new: &str) -> bool {
    if letters(old) == letters(new) {
        return true;
    }
    let (old, new) = (parts(old), parts(new));
    let common = old.intersection(&new).count();
    let longest = old.len().max(new.len());
    2 * common >= longest && common > 0
}

/// The words a name is made of.
fn parts(name: &str) -> BTreeSet<String> {
    let mut out = BTreeSet::new();
    let mut word = String::new();
    let mut lower = false;
    for c in name.chars() {
        if !c.is_alphanumeric() || lower && c.is_uppercase() {
            out.insert(std::mem::take(&mut word));
        }
        lower = c.is_lowercase();
        if c.is_alphanumeric() {
            word.extend(c.to_lowercase());
        }
    }
    out.insert(word);
    out.remove("");
    // Says what kind of thing it is, and is in every second name.
    if out.len() > 1 {
        out.remove("id");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_are_similar() {
        for (old, new) in [
            ("assistant_message", "agent_message"),
            ("onFailure", "on-failure"),
            ("thread/compact", "thread/compact/start"),
            ("session_id", "sessionId"),
        ] {
            assert!(similar(old, new), "{old} {new}");
        }
        for (old, new) in [
            ("session_id", "thread_id"),
            ("cmd", "path"),
            ("usage", "threadId"),
        ] {
            assert!(!similar(old, new), "{old} {new}");
        }
    }

    #[test]
    fn a_twin_of_two_is_the_twin_of_none() {
        let (mut removed, mut added) = (vec!["b", "a-", "a"], vec!["A", "B"]);
        assert_eq!(renamed(&mut removed, &mut added), [("b", "B")]);
        assert_eq!((removed, added), (vec!["a-", "a"], vec!["A"]));
    }

    #[test]
    fn only_clear_twins_are_renamed() {
        let mut removed = vec!["onFailure", "never"];
        let mut added = vec!["on-failure", "on_failure"];
        assert_eq!(renamed(&mut removed, &mut added), []);
        added.pop();
        assert_eq!(
            renamed(&mut removed, &mut added),
            [("onFailure", "on-failure")]
        );
        assert_eq!((removed, added), (vec!["never"], vec![]));
    }
}
