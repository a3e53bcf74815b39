//! Cuts text so that it fits the width of a terminal.

use codex_wire_check::Excerpt;
use unicode_width::UnicodeWidthChar;
#[cfg(feature = "timeline")]
use unicode_width::UnicodeWidthStr as _;

/// A text in at most so many columns. A mark shows that something is missing.
#[cfg(feature = "timeline")]
pub(crate) fn cut(text: &str, columns: usize) -> String {
    match text.width() <= columns {
        true => text.to_owned(),
        false => format!("{}…", prefix(text, columns.saturating_sub(1))),
    }
}

/// The excerpt in at most so many columns. The beginning of the offending part stays.
pub(crate) fn fit(excerpt: &Excerpt, columns: usize) -> Excerpt {
    let width = |text: &str| -> usize { text.chars().map(width_of).sum() };
    let text = &excerpt.text;
    let (Some(before), Some(inside), Some(behind)) = (
        text.get(..excerpt.start),
        text.get(excerpt.start..excerpt.end),
        text.get(excerpt.end..),
    ) else {
        return excerpt.clone();
    };
    if width(text) <= columns {
        return excerpt.clone();
    }
    // Of a long part the beginning is enough. Each mark of a cut takes a column.
    let room = columns.saturating_sub(2);
    let shown = prefix(inside, width(inside).min(room.div_ceil(2)));
    let room = room - width(shown).min(room);
    let is_whole = shown.len() == inside.len();
    let behind_room = match is_whole {
        true => room.saturating_sub(width(before).min(room / 2)),
        false => 0,
    };
    let rest = if is_whole {
        prefix(behind, behind_room)
    } else {
        ""
    };
    let lead = suffix(before, room - width(rest).min(room));
    let mut out = String::new();
    if lead.len() < before.len() {
        out.push('…');
    }
    out += lead;
    let start = out.len();
    out += shown;
    let end = out.len();
    out += rest;
    if !is_whole || rest.len() < behind.len() {
        out.push('…');
    }
    let mut fitted = excerpt.clone();
    (fitted.text, fitted.start, fitted.end) = (out, start, end);
    fitted
}

fn width_of(c: char) -> usize {
    c.width().unwrap_or(1)
}

/// As much of the beginning as fits.
fn prefix(text: &str, columns: usize) -> &str {
    let mut used = 0;
    let end = text.char_indices().find(|(_, c)| {
        used += width_of(*c);
        used > columns
    });
    &text[..end.map_or(text.len(), |(at, _)| at)]
}

/// As much of the end as fits.
fn suffix(text: &str, columns: usize) -> &str {
    let mut used = 0;
    let start = text.char_indices().rev().find(|(_, c)| {
        used += width_of(*c);
        used > columns
    });
    &text[start.map_or(0, |(at, c)| at + c.len_utf8())..]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fitted(text: &str, part: &str, columns: usize) -> (String, String) {
        let start = text.find(part).unwrap();
        let excerpt = Excerpt {
            text: text.to_owned(),
            start,
            end: start + part.len(),
        };
        let fitted = fit(&excerpt, columns);
        let width: usize = fitted.text.chars().map(width_of).sum();
        assert!(
            width <= columns.max(4),
            "{width} of {columns}: {}",
            fitted.text
        );
        let part = fitted.text[fitted.start..fitted.end].to_owned();
        (fitted.text, part)
    }

    #[test]
    fn the_offending_part_stays() {
        let text = "0123456789abcdefghijXYZklmnopqrstuvwxyz";
        assert_eq!(fitted(text, "XYZ", 80), (text.to_owned(), "XYZ".to_owned()));
        let at = |columns| {
            let (text, part) = fitted(text, "XYZ", columns);
            assert_eq!(part, "XYZ");
            text
        };
        assert_eq!(at(20), "…defghijXYZklmnopqr…");
        assert_eq!(at(9), "…ijXYZkl…");
        // A part that is too long shows its beginning.
        let (text, part) = fitted(text, "abcdefghijXYZklmnopqrstuvwxyz", 12);
        assert_eq!((&*text, &*part), ("…56789abcde…", "abcde"));
        // Wide characters take two columns.
        let (text, part) = fitted("文文文文文文XX文文文文文文", "XX", 12);
        assert_eq!((&*text, &*part), ("…文文XX文文…", "XX"));
        // Nothing panics however narrow it is.
        for columns in 0..10 {
            fitted("文文文XX文文文", "XX", columns);
            fitted("XX", "XX", columns);
        }
    }
}
