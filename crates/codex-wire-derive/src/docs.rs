//! What doc comments say, without what only rustdoc understands: descriptions of schemas and comments of
//! other languages are made of them.

use syn::{Attribute, Expr, ExprLit, Lit, Meta};

use crate::release::Times;

/// The doc comment as one text, with the words of links instead of the links.
pub(crate) fn docs(attributes: &[Attribute]) -> String {
    let lines: Vec<String> = attributes
        .iter()
        .filter_map(|attribute| match &attribute.meta {
            Meta::NameValue(pair) if pair.path.is_ident("doc") => match &pair.value {
                Expr::Lit(ExprLit {
                    lit: Lit::Str(text),
                    ..
                }) => Some(text.value().trim().to_owned()),
                _ => None,
            },
            _ => None,
        })
        .collect();
    without_links(lines.join("\n").trim())
}

/// Documentation without its last paragraph, if that is the sentence about releases: rustdoc shows
/// it, and schemas have annotations that say the same.
pub(crate) fn without_releases(docs: &str, times: &Times) -> String {
    let (text, last) = docs.rsplit_once("\n\n").unwrap_or(("", docs));
    let last = last.split_whitespace().collect::<Vec<_>>().join(" ");
    match !last.is_empty() && last == times.sentence() {
        true => text.to_owned(),
        false => docs.to_owned(),
    }
}

/// Replaces links to items by their words: ``[`images`](Self::images)`` and ``[`images`]`` are
/// `` `images` ``. Links to pages stay.
fn without_links(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('[') {
        out.push_str(before);
        rest = match link(after) {
            Some((words, rest)) => {
                out.push_str(words);
                rest
            }
            None => {
                out.push('[');
                after
            }
        };
    }
    out + rest
}

/// The words of a link to an item, of which the bracket was read, and the text behind it.
fn link(text: &str) -> Option<(&str, &str)> {
    let (words, rest) = text.split_once(']')?;
    let target = rest.strip_prefix('(').and_then(|rest| rest.split_once(')'));
    match target {
        Some((target, rest)) if is_path(target) => Some((words, rest)),
        Some(_) => None,
        None => {
            let is_code = words.len() > 2 && words.starts_with('`') && words.ends_with('`');
            is_code.then_some((words, rest))
        }
    }
}

/// Whether the target of a link is an item.
fn is_path(target: &str) -> bool {
    let mut names = target.split("::");
    names.all(|name| {
        let mut letters = name.chars();
        letters
            .next()
            .is_some_and(|c| c.is_alphabetic() || c == '_')
            && letters.all(|c| c.is_alphanumeric() || c == '_')
    })
}

#[cfg(test)]
mod tests {
    use super::without_links;

    #[test]
    fn links_to_items_are_replaced_by_their_words() {
        for (docs, text) in [
            (
                "Each of [`images`](Self::images), in order.",
                "Each of `images`, in order.",
            ),
            ("[The images](crate::Images)", "The images"),
            ("See [`Images`] and [`Sound`].", "See `Images` and `Sound`."),
            (
                "Of [`Message`](Message)\nand [`Item`](super::Item).",
                "Of `Message`\nand `Item`.",
            ),
        ] {
            assert_eq!(without_links(docs), text);
        }
    }

    #[test]
    fn other_brackets_stay() {
        for docs in [
            "[A page](https://example.com/a) of `[1, 2]`",
            "`arguments[0]` is a path, [as ever",
            "A list `[]`, a range [since](0.44.0)",
        ] {
            assert_eq!(without_links(docs), docs);
        }
    }
}
