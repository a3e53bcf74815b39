//! Finds rules by names that people write, and suggests names for one that does not exist.
//!
//! ```
//! use codex_wire_check::rule_names;
//!
//! assert!(rule_names::select("framing/*")?.len() > 5);
//! let error = rule_names::select("crlf").unwrap_err();
//! assert_eq!(error.to_string(), "no such rule; did you mean `framing/crlf`?");
//! # Ok::<(), rule_names::NoSuchRule>(())
//! ```

use strsim::levenshtein;

use crate::rules::{self, Rule};

/// No rule has the name. It displays with names that are like it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no such rule; {0}")]
pub struct NoSuchRule(String);

/// The rules that a text selects: one by its name, a group such as `framing/*`, or all for `*`.
///
/// # Errors
/// When there are none.
pub fn select(text: &str) -> Result<Vec<&'static Rule>, NoSuchRule> {
    let found: Vec<_> = match text.strip_suffix('*') {
        Some(group) if group.is_empty() || group.ends_with('/') => with_prefix(group).collect(),
        _ => rules::find(text).into_iter().collect(),
    };
    if found.is_empty() {
        return Err(NoSuchRule(suggestion(text)));
    }
    Ok(found)
}

/// The names of the groups, in order.
pub fn groups() -> Vec<&'static str> {
    let mut groups: Vec<_> = rules::RULES.iter().map(|rule| rule.group()).collect();
    groups.dedup();
    groups
}

/// Names similar to one that does not exist, or where to find all names.
pub fn suggestion(text: &str) -> String {
    let group = text.trim_end_matches(['/', '*']);
    if with_prefix(&format!("{group}/")).next().is_some() {
        return format!("did you mean `{group}/*`?");
    }
    let mut similar: Vec<(usize, &str)> = rules::RULES
        .iter()
        .map(|rule| (distance(text, rule.id), rule.id))
        .filter(|(distance, _)| *distance <= 3)
        .collect();
    similar.sort();
    if similar.is_empty() {
        return "`codex-wire rules` lists them".to_owned();
    }
    let names: Vec<String> = similar
        .iter()
        .take(3)
        .map(|(_, id)| format!("`{id}`"))
        .collect();
    format!("did you mean {}?", names.join(" or "))
}

/// The rules whose names begin with `prefix`.
fn with_prefix(prefix: &str) -> impl Iterator<Item = &'static Rule> {
    let rules = rules::RULES.iter().copied();
    rules.filter(move |rule| rule.id.starts_with(prefix))
}

/// How different a text is from the name of a rule. The group may be missing or wrong, and one word
/// of the name is enough.
fn distance(text: &str, id: &str) -> usize {
    let without_group = |name: &str| name.rsplit('/').next().unwrap_or_default().to_owned();
    let (short, own) = (without_group(text), without_group(id));
    let whole = levenshtein(text, id);
    // Of a short name, three letters are nearly all.
    let part = match levenshtein(&short, &own) {
        part if part * 3 <= own.len() => part + 1,
        _ => usize::MAX,
    };
    let has_word = short.len() > 2 && own.split('-').any(|word| word == short);
    whole.min(part).min(if has_word { 2 } else { usize::MAX })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(text: &str) -> Vec<&'static str> {
        let selected = select(text).unwrap_or_default();
        selected.into_iter().map(|rule| rule.id).collect()
    }

    #[test]
    fn names_and_groups() {
        assert_eq!(ids("framing/crlf"), ["framing/crlf"]);
        assert!(ids("framing/*").iter().all(|id| id.starts_with("framing/")));
        assert!(ids("framing/*").len() > 5);
        assert_eq!(ids("*").len(), rules::RULES.len());
        for bad in [
            "",
            "crlf",
            "framing",
            "framing/",
            "fr*",
            "framing/c*",
            "FRAMING/*",
        ] {
            assert_eq!(ids(bad), [""; 0], "{bad}");
        }
    }

    #[test]
    fn similar_names_are_suggested() {
        let suggested = |text| select(text).unwrap_err().to_string();
        assert!(suggested("framing/crfl").contains("`framing/crlf`"));
        assert!(suggested("crlf").contains("`framing/crlf`"));
        assert!(suggested("schema/crlf").contains("`framing/crlf`"));
        assert!(suggested("utf8").contains("`framing/invalid-utf8`"));
        for group in ["framing", "framing/", "framing*"] {
            assert!(suggested(group).contains("`framing/*`"), "{group}");
        }
        assert!(suggested("nosuch/rule").contains("codex-wire rules"));
        assert!(suggested("nothing-like-it").contains("codex-wire rules"));
        assert!(suggested("").contains("codex-wire rules"));
    }
}
