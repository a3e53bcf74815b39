//! Which bars have something noted at their lines.

/// What is noted at lines: where it stands on the page, and how bars show it.
#[derive(Debug, Default)]
pub(crate) struct Noted<'n> {
    /// By line.
    notes: Vec<(u64, Note<'n>)>,
}

/// What is noted at a line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Note<'n> {
    /// A class of the style sheet.
    pub(crate) class: &'static str,
    /// What the title of the bar goes on with, as HTML.
    pub(crate) words: &'static str,
    /// Where it stands.
    pub(crate) id: &'n str,
    /// How urgent it is: the most urgent one of a bar is shown.
    pub(crate) rank: u8,
}

impl<'n> Noted<'n> {
    /// Notes in any order.
    pub(crate) fn of_lines(mut notes: Vec<(u64, Note<'n>)>) -> Self {
        notes.sort_by_key(|(line, _)| *line);
        Noted { notes }
    }

    /// The most urgent note of some lines, the first of several.
    pub(super) fn of(&self, (from, to): (u64, u64)) -> Option<Note<'n>> {
        let first = self.notes.partition_point(|(line, _)| *line < from);
        let last = self.notes.partition_point(|(line, _)| *line <= to);
        let own = self.notes.get(first..last)?.iter().map(|(_, note)| *note);
        own.rev().max_by_key(|note| note.rank)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_urgent_is_shown() {
        let note = |id, rank| Note {
            class: "bad",
            words: "",
            id,
            rank,
        };
        let noted = Noted::of_lines(vec![
            (9, note("late", 2)),
            (2, note("mild", 0)),
            (4, note("first", 1)),
            (4, note("second", 1)),
        ]);
        let of = |from, to| noted.of((from, to)).map(|note| note.id);
        assert_eq!(of(1, 8), Some("first"));
        assert_eq!(of(1, 9), Some("late"));
        assert_eq!(of(2, 3), Some("mild"));
        assert_eq!(of(5, 8), None);
        assert_eq!(of(0, 0), None);
    }
}
