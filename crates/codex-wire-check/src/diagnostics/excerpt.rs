//! Cuts the excerpt of an offending line that a report shows, with payload text masked.

use std::ops::Range;

use codex_wire_base::json::tokens::{Token, TokenKind, token};

use crate::finding::Excerpt;
use crate::phrasing::steers;

/// How far from the beginning of a line what comes before a place is read again for each window.
const NEAR: usize = 1024;

/// How much of the line is shown on either side of the offending part, in characters.
const AROUND: usize = 48;
/// How much of the offending part is shown.
const INSIDE: usize = 60;
/// Longer tokens are gone through from near the offending part: four bytes for each character that
/// may be shown, and one character more.
const SHORT: usize = 4 * (INSIDE + 1);
/// Longer lines are not shown: finding out which of their text is payload takes a pass over
/// all of it.
const LONGEST: usize = 1 << 20;

/// What of a line may be seen.
pub(crate) struct Shown<'a> {
    /// Words of the protocol itself, in order: they are shown even where payload text is masked.
    pub(crate) vocabulary: &'a [&'a str],
    /// Every value.
    pub(crate) values: bool,
    /// The offending part.
    pub(crate) offender: bool,
}

/// Where the tokens of a line begin; nothing of a line that is not shown.
pub(crate) fn tokens(line: &str) -> Vec<u32> {
    let mut starts = Vec::new();
    if line.len() > LONGEST {
        return starts;
    }
    let mut at = 0;
    while let Some(token) = token(line.as_bytes(), at) {
        starts.push(at as u32);
        at = token.end;
    }
    starts
}

/// The window on `line` around `range`. `tokens` says where its tokens begin, of which only those
/// near by are examined; near the beginning of the line they are not needed.
pub(crate) fn excerpt<'p>(
    line: &str,
    tokens: impl FnOnce() -> &'p [u32],
    range: Range<usize>,
    shown: &Shown<'_>,
) -> Option<Excerpt> {
    if line.len() > LONGEST {
        return None;
    }
    let mut view = View::default();
    let mut at = 0;
    if range.start > NEAR {
        let tokens = tokens();
        let here = tokens.partition_point(|start| *start as usize <= range.start);
        // Each token shows a character at least.
        at = tokens
            .get(here.saturating_sub(AROUND + 3))
            .map_or(line.len(), |at| *at as usize);
    }
    while let Some(token) = token(line.as_bytes(), at)
        && !view.is_wide_enough()
    {
        at = token.end;
        let here = token.start..token.end;
        let text = &line[here.clone()];
        let part = Part::of(token, text);
        let visible = shown.values
            || (shown.offender && here == range)
            || match part {
                Part::Structure => true,
                Part::Value => {
                    let word = text.trim_matches('"');
                    shown.vocabulary.binary_search(&word).is_ok()
                }
                Part::Foreign => false,
            };
        view.add(part, &here, text, visible, &range);
    }
    Some(view.window())
}

/// The line as it will be shown, with the marks around the offending part.
#[derive(Default)]
struct View {
    text: String,
    start: Option<usize>,
    end: Option<usize>,
}

impl View {
    fn add(
        &mut self,
        part: Part,
        here: &Range<usize>,
        text: &str,
        visible: bool,
        range: &Range<usize>,
    ) {
        let is_within = |at: usize| here.start < at && at < here.end;
        let is_simple = |byte: u8| matches!(byte, b' '..=b'~');
        if visible
            && text.len() <= SHORT
            && !is_within(range.start)
            && !is_within(range.end)
            && text.bytes().all(is_simple)
        {
            self.mark(here.start, range);
            self.text.push_str(text);
            return;
        }
        if visible {
            // Of what comes before the offending part only the end is shown.
            let near = range.start.min(here.end).saturating_sub(here.start + SHORT);
            let near = (near..=text.len()).find(|at| text.is_char_boundary(*at));
            let near = near.unwrap_or(0);
            for (at, c) in text[near..].char_indices() {
                if self.is_wide_enough() {
                    return;
                }
                self.mark(here.start + near + at, range);
                if steers(c) {
                    self.text.extend(c.escape_default());
                } else {
                    self.text.push(c);
                }
            }
            return;
        }
        self.mark(here.start, range);
        if here.contains(&range.start) {
            self.start = self.start.or(Some(self.text.len()));
        }
        self.text.push_str(match part {
            Part::Value => "\"…\"",
            _ => "…",
        });
        if here.start < range.end && range.end <= here.end {
            self.end = Some(self.text.len());
        }
    }

    /// Notes where the offending part begins and ends as its bytes go by.
    fn mark(&mut self, at: usize, range: &Range<usize>) {
        if at == range.start {
            self.start = self.start.or(Some(self.text.len()));
        }
        if at == range.end {
            self.end = self.end.or(Some(self.text.len()));
        }
    }

    /// Whether more is there of the offending part, or behind it, than will be shown.
    fn is_wide_enough(&self) -> bool {
        // A character has up to four bytes.
        match (self.start, self.end) {
            (Some(_), Some(end)) => self.text.len() - end > 4 * (AROUND + 1),
            (Some(start), None) => self.text.len() - start > 4 * (INSIDE + 1),
            (None, _) => false,
        }
    }

    fn window(self) -> Excerpt {
        let start = self.start.unwrap_or(self.text.len());
        let end = self.end.unwrap_or(self.text.len()).max(start);
        let from = back(&self.text, start, AROUND);
        let shown_end = forward(&self.text, start, INSIDE).min(end);
        let to = if shown_end < end {
            shown_end
        } else {
            forward(&self.text, end, AROUND)
        };
        let mut text = String::new();
        if from > 0 {
            text.push('…');
        }
        let shift = text.len();
        text.push_str(&self.text[from..to]);
        if to < self.text.len() {
            text.push('…');
        }
        Excerpt {
            start: start - from + shift,
            end: shown_end - from + shift,
            text,
        }
    }
}

/// The byte `count` characters before `at`.
fn back(text: &str, at: usize, count: usize) -> usize {
    text[..at]
        .char_indices()
        .rev()
        .take(count)
        .last()
        .map_or(at, |(index, _)| index)
}

/// The byte `count` characters behind `at`.
fn forward(text: &str, at: usize, count: usize) -> usize {
    text[at..]
        .char_indices()
        .nth(count)
        .map_or(text.len(), |(index, _)| at + index)
}

/// What a token is to a reader.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    /// Punctuation, names of members, numbers and literals.
    Structure,
    /// A string value.
    Value,
    /// Text that is not JSON.
    Foreign,
}

impl Part {
    fn of(token: Token, text: &str) -> Self {
        let is_number = |byte: u8| byte.is_ascii_digit() || b"+-.eE".contains(&byte);
        match token.kind {
            TokenKind::String | TokenKind::Cut => Part::Value,
            TokenKind::Bare
                if !matches!(text, "true" | "false" | "null") && !text.bytes().all(is_number) =>
            {
                Part::Foreign
            }
            _ => Part::Structure,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(line: &str, part: &str, values: bool) -> String {
        let start = line.find(part).unwrap();
        let vocabulary = ["completed", "item.completed"];
        let how = Shown {
            vocabulary: &vocabulary,
            values,
            offender: false,
        };
        let tokens = tokens(line);
        let shown = excerpt(line, || &tokens, start..start + part.len(), &how).unwrap();
        let marks: String = shown
            .text
            .char_indices()
            .map(|(at, _)| {
                if (shown.start..shown.end).contains(&at) {
                    '^'
                } else {
                    ' '
                }
            })
            .collect();
        format!("{}\n{}", shown.text, marks.trim_end())
    }

    #[test]
    fn masks_payload_and_keeps_the_protocol() {
        let line = r#"{"type":"item.completed","text":"secret","n":-1.5}"#;
        assert_eq!(
            show(line, "\"secret\"", false),
            "{\"type\":\"item.completed\",\"text\":\"…\",\"n\":-1.5}\n                                ^^^"
        );
        assert_eq!(
            show(line, "-1.5", false),
            "{\"type\":\"item.completed\",\"text\":\"…\",\"n\":-1.5}\n                                        ^^^^"
        );
        assert_eq!(
            show(line, "\"secret\"", true),
            "{\"type\":\"item.completed\",\"text\":\"secret\",\"n\":-1.5}\n                                ^^^^^^^^"
        );
    }

    #[test]
    fn text_that_is_not_json_is_payload() {
        assert_eq!(show("key sk-123 {", "sk-123", false), "… … {\n  ^");
    }

    #[test]
    fn long_lines_are_windowed() {
        let line = format!("[{}\"here\"{}]", "1,".repeat(500), ",2".repeat(500));
        let shown = show(&line, "\"here\"", true);
        assert!(shown.starts_with('…'), "{shown}");
        let width = shown.lines().next().unwrap().chars().count();
        assert_eq!(width, AROUND + 6 + AROUND + 2);
        assert!(shown.contains("^^^^^^"));
    }

    #[test]
    fn long_tokens_are_cut() {
        let long = "é".repeat(10_000);
        let key = format!(r#"{{"{long}":"here","{long}":[{}]}}"#, "1,".repeat(9_000));
        let around = "é".repeat(AROUND - 3);
        let shown = show(&key, "\"here\"", true);
        let (text, marks) = shown.split_once('\n').unwrap();
        assert!(
            text.starts_with(&format!("…é{around}\":\"here\",\"é")),
            "{text}"
        );
        assert_eq!(text.chars().count(), 2 * (AROUND + 1) + 6);
        assert_eq!(marks.trim_start(), "^^^^^^");
        // Of a long offender the beginning is shown.
        let shown = show(&key, &format!("[{}]", "1,".repeat(9_000)), true);
        let (text, marks) = shown.split_once('\n').unwrap();
        assert!(text.ends_with("1,1…") || text.ends_with(",1,…"), "{text}");
        assert_eq!(marks.trim_start().len(), INSIDE);
        assert_eq!(text.chars().count(), AROUND + INSIDE + 2);
    }

    #[test]
    fn control_characters_are_escaped() {
        assert_eq!(show("\"a\tb\"", "\"a\tb\"", true), "\"a\\tb\"\n^^^^^^");
        let turned = show("\"a\u{202e}b\u{2028}\"", "\"a", true);
        assert!(turned.contains("\\u{202e}b\\u{2028}"), "{turned}");
    }
}
