//! Texts in pieces.

/// The text in pieces, as a model writes it: each word with the white space before it.
pub(super) fn words(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let word = rest.find(|letter: char| !letter.is_whitespace());
        let end = word.and_then(|word| Some(word + rest[word..].find(char::is_whitespace)?));
        let (piece, left) = rest.split_at(end.unwrap_or(rest.len()));
        rest = left;
        Some(piece)
    })
}
