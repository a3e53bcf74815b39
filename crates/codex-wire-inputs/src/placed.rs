//! A reader that tells at which line it is.

use std::io::{self, BufRead, Read};

use crate::stop::Watch;

/// Tells a [`Watch`] which line is worked on.
pub(crate) struct Placed<'p, R> {
    input: R,
    watch: &'p dyn Watch,
    /// How many lines were taken whole.
    ended: u64,
    /// Whether a part of the next one was taken.
    is_begun: bool,
}

impl<'p, R: BufRead> Placed<'p, R> {
    pub(crate) fn new(input: R, watch: &'p dyn Watch) -> Self {
        Placed {
            input,
            watch,
            ended: 0,
            is_begun: false,
        }
    }
}

impl<R: BufRead> Read for Placed<'_, R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.fill_buf()?.read(into)?;
        self.consume(read);
        Ok(read)
    }
}

impl<R: BufRead> BufRead for Placed<'_, R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        let available = self.input.fill_buf()?;
        // What is there begins the next line, or goes on with it. A last line without an end is worked on when the
        // end is seen for the first time.
        let is_there = !available.is_empty() || std::mem::take(&mut self.is_begun);
        self.watch.line(is_there.then_some(self.ended + 1));
        Ok(available)
    }

    fn consume(&mut self, bytes: usize) {
        // What is taken is there already: nothing is read.
        if bytes > 0
            && let Ok(available) = self.input.fill_buf()
            && let Some(taken) = available.get(..bytes)
        {
            let ended = memchr::memchr_iter(b'\n', taken).count() as u64;
            self.ended += ended;
            // A line that was taken whole is worked on until the next one is read.
            self.is_begun = !taken.ends_with(b"\n");
            self.watch.line(Some(self.ended + u64::from(self.is_begun)));
        }
        self.input.consume(bytes);
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::io::BufReader;

    use super::*;
    use crate::stop::Stop;

    thread_local! {
        static AT: Cell<Option<u64>> = const { Cell::new(None) };
    }

    struct Seen(Stop);

    impl Watch for Seen {
        fn stop(&self) -> &Stop {
            &self.0
        }

        fn line(&self, number: Option<u64>) {
            AT.set(number);
        }
    }

    /// Whether lines stand whole in what was read, or have to be gathered.
    #[test]
    fn the_line_at_hand_is_told() {
        let seen = Seen(Stop::new());
        for capacity in [1, 2, 4, 100] {
            let input = BufReader::with_capacity(capacity, &b"ab\n\ncd\ne"[..]);
            let mut input = Placed::new(input, &seen);
            let mut line = Vec::new();
            for number in 1..=4 {
                line.clear();
                assert!(input.read_until(b'\n', &mut line).unwrap() > 0);
                assert_eq!(AT.get(), Some(number), "{capacity}");
            }
            assert_eq!(input.read_until(b'\n', &mut line).unwrap(), 0);
            assert_eq!(AT.get(), None, "{capacity}");
        }
    }

    /// Those who take a line when they are done with it are at it until then.
    #[test]
    fn a_line_that_is_looked_at_is_at_hand() {
        let seen = Seen(Stop::new());
        let mut input = Placed::new(&b"ab\ncd\n"[..], &seen);
        for (taken, number) in [(0, 1), (3, 2)] {
            input.consume(taken);
            assert!(!input.fill_buf().unwrap().is_empty());
            assert_eq!(AT.get(), Some(number));
        }
        let mut rest = String::new();
        input.read_to_string(&mut rest).unwrap();
        assert_eq!(rest, "ab\ncd\n"[3..]);
        assert_eq!(AT.get(), None);
    }
}
