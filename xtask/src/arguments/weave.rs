//! Weaves the texts of many releases into one: lines that releases share stand there once.
//!
//! `codex_wire_replay::arguments::data` reads what is written here.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use codex_wire::Release;

/// One text for each release that has it.
pub(super) type ByRelease = BTreeMap<Release, String>;

/// A part of the texts that is kept whole: a line and what is indented below it.
struct Piece<'t> {
    text: &'t str,
    releases: Vec<Release>,
}

/// The woven text. Each part stands below a line `@` with the releases that have it, as ranges in
/// the list of all recorded releases: `0.20.0-0.42.0`, `0.44.0`, or `0.58.0-` up to the newest.
pub(super) fn weave(texts: &ByRelease, recorded: &[Release]) -> String {
    let mut woven: Vec<Piece<'_>> = Vec::new();
    for (release, text) in texts {
        add(&mut woven, *release, &pieces(text));
    }
    let mut out = String::new();
    let mut before: Option<&[Release]> = None;
    for piece in &woven {
        if before != Some(&piece.releases) {
            let _ = writeln!(out, "@{}", ranges(&piece.releases, recorded));
            before = Some(&piece.releases);
        }
        out.push_str(piece.text);
    }
    out
}

/// Adds a text: pieces that are there already, in the same order, get one more release.
fn add<'t>(woven: &mut Vec<Piece<'t>>, release: Release, new: &[&'t str]) {
    // The lengths of the longest common subsequences of what is left of both.
    let (rows, columns) = (woven.len(), new.len());
    let mut longest = vec![vec![0_u32; columns + 1]; rows + 1];
    for row in (0..rows).rev() {
        for column in (0..columns).rev() {
            longest[row][column] = match woven[row].text == new[column] {
                true => longest[row + 1][column + 1] + 1,
                false => longest[row + 1][column].max(longest[row][column + 1]),
            };
        }
    }
    let mut merged = Vec::with_capacity(rows + columns);
    let (mut row, mut column) = (0, 0);
    for mut piece in woven.drain(..) {
        while column < columns
            && piece.text != new[column]
            && longest[row][column + 1] > longest[row + 1][column]
        {
            merged.push(fresh(new[column], release));
            column += 1;
        }
        if column < columns && piece.text == new[column] {
            piece.releases.push(release);
            column += 1;
        }
        merged.push(piece);
        row += 1;
    }
    merged.extend(new[column..].iter().map(|text| fresh(text, release)));
    *woven = merged;
}

fn fresh(text: &str, release: Release) -> Piece<'_> {
    Piece {
        text,
        releases: vec![release],
    }
}

/// Cuts a text where a line is not a continuation: an entry of a help text stays with its
/// explanation, and in a log what Codex said stays with its arguments.
fn pieces(text: &str) -> Vec<&str> {
    let is_log = text.starts_with("$ ");
    let mut out = Vec::new();
    let mut start = 0;
    let mut end = 0;
    for line in text.split_inclusive('\n') {
        let indent = line.len() - line.trim_start_matches(' ').len();
        let starts = match is_log {
            true => line.starts_with("$ "),
            false => indent <= 7 && line != "\n",
        };
        if starts && end > start {
            out.push(&text[start..end]);
            start = end;
        }
        end += line.len();
    }
    if end > start {
        out.push(&text[start..end]);
    }
    out
}

/// Releases as ranges in the list of recorded ones.
fn ranges(releases: &[Release], recorded: &[Release]) -> String {
    let place = |release| recorded.binary_search(release).ok();
    let mut out = String::new();
    let mut left = releases;
    while let Some(first) = left.first() {
        let mut count = 1;
        while count < left.len() && place(&left[count]) == place(&left[count - 1]).map(|at| at + 1)
        {
            count += 1;
        }
        let last = &left[count - 1];
        let _ = match () {
            () if Some(last) == recorded.last() => write!(out, " {first}-"),
            () if count == 1 => write!(out, " {first}"),
            () => write!(out, " {first}-{last}"),
        };
        left = &left[count..];
    }
    out
}

#[cfg(test)]
mod tests {
    use codex_wire_replay::arguments::data::text_of;

    use super::*;

    #[test]
    fn texts_are_woven_and_taken_apart_again() {
        let texts = [
            "Usage: codex\n\n  -a\n          A\n\n  -b\n          B\n",
            "Usage: codex\n\n  -b\n          B\n\n  -a\n          A\n",
            "",
            "Usage: codex\n\n  -a\n          A\n\n  -c\n          B\n",
        ];
        let releases: Vec<_> = (1..5).map(|minor| Release::new(0, minor, 0)).collect();
        let texts: ByRelease = releases
            .iter()
            .copied()
            .zip(texts.map(str::to_owned))
            .collect();
        let woven = weave(&texts, &releases);
        for (release, text) in &texts {
            assert_eq!(text_of(&woven, *release), *text, "{woven}");
        }
        assert!(
            woven.starts_with("@ 0.1.0-0.2.0 0.4.0-\nUsage: codex\n\n"),
            "{woven}"
        );
        assert_eq!(woven.matches("Usage").count(), 1, "{woven}");
    }

    #[test]
    fn ranges_are_those_of_the_recorded_releases() {
        let all: Vec<_> = (1..7).map(|minor| Release::new(0, minor, 0)).collect();
        let ranges = |minors: &[u32]| {
            let releases: Vec<_> = minors
                .iter()
                .map(|minor| Release::new(0, *minor, 0))
                .collect();
            super::ranges(&releases, &all)
        };
        assert_eq!(ranges(&[1, 2, 3]), " 0.1.0-0.3.0");
        assert_eq!(ranges(&[1, 3, 5, 6]), " 0.1.0 0.3.0 0.5.0-");
        assert_eq!(ranges(&[6]), " 0.6.0-");
    }
}
