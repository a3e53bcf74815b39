//! Holds back rows, up to 1 MiB, until a message shows that the input is a transcript.

use std::io::{self, Write};

/// How many bytes of rows wait at most. Rows are short unless somebody asks for long ones.
const MOST: usize = 1 << 20;

/// Where rows go: they wait at first.
pub(super) struct Held<'w> {
    out: &'w mut dyn Write,
    /// The rows that wait, until nothing does any more.
    waiting: Option<Vec<u8>>,
}

impl<'w> Held<'w> {
    pub(super) fn new(out: &'w mut dyn Write) -> Self {
        Held {
            out,
            waiting: Some(Vec::new()),
        }
    }

    /// Lets go what waits, and everything from now on.
    pub(super) fn let_go(&mut self) -> io::Result<()> {
        match self.waiting.take() {
            Some(waiting) => self.out.write_all(&waiting),
            None => Ok(()),
        }
    }

    /// Forgets what waits. Returns whether rows are gone that were all there was.
    pub(super) fn forget(&mut self) -> bool {
        self.waiting.take().is_some()
    }
}

impl Write for Held<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let Some(waiting) = &mut self.waiting else {
            return self.out.write(bytes);
        };
        waiting.extend_from_slice(bytes);
        if waiting.len() > MOST {
            self.let_go()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        match self.waiting {
            Some(_) => Ok(()),
            None => self.out.flush(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_wait_until_they_are_let_go_or_too_many() {
        let mut out = Vec::new();
        let mut held = Held::new(&mut out);
        held.write_all(b"a").unwrap();
        assert!(held.waiting.is_some());
        held.let_go().unwrap();
        held.write_all(b"b").unwrap();
        assert!(!held.forget());
        assert_eq!(out, b"ab");
        let mut out = Vec::new();
        let mut held = Held::new(&mut out);
        held.write_all(b"a").unwrap();
        assert!(held.forget());
        assert_eq!(out, b"");
        let mut held = Held::new(&mut out);
        held.write_all(&[b'x'; MOST + 1]).unwrap();
        assert!(held.waiting.is_none());
    }
}
