//! What differs between two sessions, for people.

use std::io::{self, Write};
use std::ops::Range;

use codex_wire_session::{Comparison, Difference, MemberDifference, SessionLocation};
use serde_json::Value;
use similar::algorithms::{Capture, Compact, Replace, myers};
use similar::{ChangeTag, DiffOp, group_diff_ops};

use crate::escape::escaped;
use crate::styles::Styles;

/// Writes what differs between two sessions: where, and each member with both values.
///
/// # Errors
/// When writing fails.
pub fn write_session_comparison(
    out: &mut dyn Write,
    comparison: &Comparison,
    styles: &Styles,
) -> io::Result<()> {
    for difference in &comparison.differences {
        let place = styles.place;
        writeln!(out, "{place}{}{place:#}", escaped(&title(difference)))?;
        for member in &difference.members {
            changed(out, member)?;
        }
    }
    let (before, after) = (escaped(&comparison.before), escaped(&comparison.after));
    match comparison.differences.len() {
        0 => writeln!(out, "{before} and {after}: no difference"),
        1 => writeln!(out, "{before} and {after}: 1 difference"),
        count => writeln!(out, "{before} and {after}: {count} differences"),
    }
}

/// `turn 2, item 3, command "make" (lines 14 and 15)`
fn title(difference: &Difference) -> String {
    let (before, after) = (difference.before, difference.after);
    let mark = match (&before, &after) {
        (Some(_), None) => "- ",
        (None, Some(_)) => "+ ",
        _ => "",
    };
    let mut parts = Vec::new();
    let numbers = |of: fn(&SessionLocation) -> Option<usize>, name: &str| {
        let numbers = [before.as_ref().and_then(of), after.as_ref().and_then(of)];
        match numbers {
            [Some(this), Some(that)] if this != that => Some(format!("{name}s {this} and {that}")),
            [Some(one), _] | [None, Some(one)] => Some(format!("{name} {one}")),
            [None, None] => None,
        }
    };
    parts.extend(numbers(|place| Some(place.thread), "thread"));
    parts.extend(numbers(|place| place.turn, "turn"));
    parts.extend(numbers(|place| place.item, "item"));
    let mut title = format!("{mark}{}", parts.join(", "));
    if !matches!(&*difference.kind, "turn" | "thread") {
        title += &format!(": {}", difference.kind);
    }
    if !difference.about.is_empty() {
        title += &format!(" {:?}", difference.about);
    }
    let line = |place: &SessionLocation| place.lines.map(|lines| lines.from as usize);
    match numbers(line, "line") {
        Some(lines) => format!("{title} ({lines})"),
        None => title,
    }
}

/// Writes a member that differs: in a row, or as a diff if it is a text of several lines.
fn changed(out: &mut dyn Write, member: &MemberDifference) -> io::Result<()> {
    let name = escaped(&member.member);
    if let (Some(Value::String(before)), Some(Value::String(after))) =
        (&member.before, &member.after)
        && (before.trim_end().contains('\n') || after.trim_end().contains('\n'))
    {
        let (line, before, after) = compared(before, after);
        match line {
            1 => writeln!(out, "  {name}:")?,
            _ => writeln!(out, "  {name}, from line {line}:")?,
        }
        let lines = unified(before, after);
        for line in lines.iter().take(LINES) {
            writeln!(out, "    {}", cut(&escaped(line)))?;
        }
        if lines.len() > LINES {
            writeln!(out, "    … {} further lines", lines.len() - LINES)?;
        }
        return Ok(());
    }
    let shown = |value: &Option<Value>| match value {
        Some(value) => cut(&escaped(&value.to_string())),
        None => "absent".to_owned(),
    };
    let (before, after) = (shown(&member.before), shown(&member.after));
    writeln!(out, "  {name}: {before} → {after}")
}

/// The part of two texts that is compared, and the number of its first line: all of short texts, of long ones so many
/// lines from the one before the first that differs.
fn compared<'t>(before: &'t str, after: &'t str) -> (usize, &'t str, &'t str) {
    let is_short = |text: &str| text.lines().nth(COMPARED).is_none();
    if is_short(before) && is_short(after) {
        return (1, before, after);
    }
    let lines = before
        .split_inclusive('\n')
        .zip(after.split_inclusive('\n'));
    let same: Vec<usize> = lines
        .take_while(|(this, that)| this == that)
        .map(|(line, _)| line.len())
        .collect();
    let left_out = same.len().saturating_sub(1);
    let start: usize = same[..left_out].iter().sum();
    let part = |text: &'t str| {
        let text = &text[start..];
        let length = text.split_inclusive('\n').take(COMPARED).map(str::len);
        &text[..length.sum()]
    };
    (left_out + 1, part(before), part(after))
}

/// The lines of a unified diff of two texts, with a line of context. That of `similar` works for any kind of text and with
/// any algorithm, and compiling it takes longer than the rest of this crate.
fn unified(before: &str, after: &str) -> Vec<String> {
    let [before, after] =
        [before, after].map(|text| text.split_inclusive('\n').collect::<Vec<&str>>());
    let mut hook = Compact::new(Replace::new(Capture::new()), &before, &after);
    let Ok(()) = myers::diff(&mut hook, &before, 0..before.len(), &after, 0..after.len());
    let ops = hook.into_inner().into_inner().into_ops();
    let mut out = Vec::new();
    for group in group_diff_ops(ops, 1) {
        let range = |of: fn(&DiffOp) -> Range<usize>| {
            let start = group.first().map_or(0, |op| of(op).start);
            match group.last().map_or(0, |op| of(op).end) - start {
                0 => format!("{start},0"),
                1 => format!("{}", start + 1),
                length => format!("{},{length}", start + 1),
            }
        };
        let (these, those) = (range(DiffOp::old_range), range(DiffOp::new_range));
        out.push(format!("@@ -{these} +{those} @@"));
        for change in group.iter().flat_map(|op| op.iter_changes(&before, &after)) {
            let mark = match change.tag() {
                ChangeTag::Equal => ' ',
                ChangeTag::Delete => '-',
                ChangeTag::Insert => '+',
            };
            match change.value().strip_suffix('\n') {
                Some(line) => out.push(format!("{mark}{line}")),
                None => out.extend([
                    format!("{mark}{}", change.value()),
                    "\\ No newline at end of file".to_owned(),
                ]),
            }
        }
    }
    out
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(VALUE) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

/// How many lines of the difference of two texts are shown.
const LINES: usize = 12;

/// How many lines of two texts are compared, from the first that differs on: the time this takes grows with the square
/// of their number, and only the beginning is shown.
const COMPARED: usize = 2000;

/// The longest value that is shown in a row, in characters.
const VALUE: usize = 200;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_unified_diff_is_that_of_patches() {
        let before = "one\ntwo\nthree\nfour\nfive\nsix\n";
        let after = "zero\none\ntwo\nthree\nfour\n5\nsix";
        let expected = [
            "@@ -1 +1,2 @@",
            "+zero",
            " one",
            "@@ -4,3 +5,3 @@",
            " four",
            "-five",
            "-six",
            "+5",
            "+six",
            "\\ No newline at end of file",
        ];
        assert_eq!(unified(before, after), expected);
        assert_eq!(unified("", "one\n"), ["@@ -0,0 +1 @@", "+one"]);
        assert_eq!(unified("one\n", "one\n"), [""; 0]);
    }

    #[test]
    fn of_long_texts_a_part_is_compared() {
        assert_eq!(compared("a\nb\n", "a\nc\n"), (1, "a\nb\n", "a\nc\n"));
        let text = |different: usize| -> String {
            let line = |number: usize| match number == different {
                true => "other\n".to_owned(),
                false => format!("{number}\n"),
            };
            (1..=10_000).map(line).collect()
        };
        let (before, after) = (text(0), text(5000));
        let (line, before, after) = compared(&before, &after);
        assert_eq!(line, 4999);
        assert!(before.starts_with("4999\n5000\n") && after.starts_with("4999\nother\n"));
        assert_eq!(
            (before.lines().count(), after.lines().count()),
            (COMPARED, COMPARED)
        );
    }
}
