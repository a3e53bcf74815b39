//! Keeps what is drawn of a session in bounds: few marks are kept as they are, and of many the longest.

/// A bar on the track of a thread, or a tick if it has no length.
#[derive(Clone, Debug)]
pub(crate) struct Mark {
    /// The number of the thread.
    pub(crate) thread: usize,
    /// In milliseconds.
    pub(crate) from: i64,
    pub(crate) to: i64,
    /// What it is, as a class of the style sheet.
    pub(crate) kind: &'static str,
    /// In words, as HTML.
    pub(crate) title: String,
    /// Where it leads to, if it leads anywhere.
    pub(crate) id: Option<String>,
    /// The first and the last line that it is of; 0 if it is of none.
    pub(crate) lines: (u64, u64),
}

impl Mark {
    fn ms(&self) -> i64 {
        self.to.saturating_sub(self.from).max(0)
    }
}

/// The longest of the marks that came.
#[derive(Clone, Debug)]
pub(crate) struct Marks {
    most: usize,
    marks: Vec<Mark>,
    /// Those that are shorter, in milliseconds, are left out.
    shortest: i64,
    left_out: u64,
}

impl Marks {
    pub(crate) fn new(most: usize) -> Self {
        Marks {
            most,
            marks: Vec::new(),
            shortest: 0,
            left_out: 0,
        }
    }

    pub(crate) fn push(&mut self, mark: Mark) {
        if mark.ms() < self.shortest {
            self.left_out += 1;
            return;
        }
        self.marks.push(mark);
        if self.marks.len() > self.most {
            // The shorter half goes, and what is as short as the longest of it.
            let mut lengths: Vec<i64> = self.marks.iter().map(Mark::ms).collect();
            let middle = self.most / 2;
            let (_, longest, _) = lengths.select_nth_unstable(middle);
            self.shortest = longest.saturating_add(1);
            let before = self.marks.len();
            self.marks.retain(|mark| mark.ms() >= self.shortest);
            self.left_out += (before - self.marks.len()) as u64;
        }
    }

    pub(crate) fn all(&self) -> &[Mark] {
        &self.marks
    }

    /// How many were left out.
    pub(crate) fn left_out(&self) -> u64 {
        self.left_out
    }
}

/// A list that keeps its first members, and counts the others.
#[derive(Clone, Debug)]
pub(crate) struct First<T> {
    most: usize,
    pub(crate) kept: Vec<T>,
    pub(crate) more: u64,
}

impl<T> First<T> {
    pub(crate) fn new(most: usize) -> Self {
        First {
            most,
            kept: Vec::new(),
            more: 0,
        }
    }

    pub(crate) fn push(&mut self, value: T) {
        match self.kept.len() < self.most {
            true => self.kept.push(value),
            false => self.more += 1,
        }
    }
}

/// A mark for tests.
#[cfg(test)]
pub(crate) fn mark(from: i64, to: i64) -> Mark {
    Mark {
        thread: 0,
        from,
        to,
        kind: "turn",
        title: String::new(),
        id: None,
        lines: (0, 0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_marks_stay() {
        let mut marks = Marks::new(4);
        for ms in [1, 9, 2, 8, 3] {
            marks.push(mark(0, ms));
        }
        let kept: Vec<i64> = marks.all().iter().map(Mark::ms).collect();
        assert_eq!((kept, marks.left_out()), (vec![9, 8], 3));
        marks.push(mark(5, 8));
        marks.push(mark(5, 12));
        assert_eq!((marks.all().len(), marks.left_out()), (3, 4));
    }

    #[test]
    fn equal_marks_stay_in_bounds() {
        let mut marks = Marks::new(4);
        for _ in 0..100 {
            marks.push(mark(0, 0));
        }
        assert!(marks.all().len() <= 4);
        assert_eq!(marks.all().len() as u64 + marks.left_out(), 100);
    }
}
