//! A badge, as readmes have them: a label, and a text.

use serde::Serialize;

/// What is on a badge, in pixels.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Badge {
    label: &'static str,
    label_width: usize,
    text: String,
    text_width: usize,
    width: usize,
    colour: &'static str,
}

const LABEL: &str = "Codex";

/// White text has a contrast of at least 4.5 on each of them.
const COLOURS: [(&str, &str); 4] = [
    ("good", "#1a6b3c"),
    ("warning", "#7d4b00"),
    ("bad", "#b3261e"),
    ("none", "#5c5d63"),
];

/// A badge with a text and a tone.
pub(super) fn of(text: &str, tone: &str) -> Badge {
    let colour = COLOURS.iter().find(|(name, _)| *name == tone);
    let (label_width, text_width) = (width(LABEL), width(text));
    Badge {
        label: LABEL,
        label_width,
        text: text.to_owned(),
        text_width,
        width: label_width + text_width,
        colour: colour.map_or(COLOURS[3].1, |(_, colour)| colour),
    }
}

/// The room that a text takes with its margins. The picture makes the text as wide as that in any font.
fn width(text: &str) -> usize {
    let tenths: usize = text
        .chars()
        .map(|c| match c {
            '.' | ',' | ' ' | '/' | '·' => 38,
            _ => 70,
        })
        .sum();
    tenths / 10 + 12
}
