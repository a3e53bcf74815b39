//! Defers rows, up to 1 MiB, until a message shows that the input is a transcript.

use std::io::{self, Write};

use crate::escape::write_html;

/// The largest number of bytes that are deferred.
const LIMIT: usize = 1 << 20;

/// The output of rows, which defers them at first.
pub(super) struct Deferred<'w> {
    out: &'w mut dyn Write,
    /// The deferred rows; `None` once rows are passed on at once.
    waiting: Option<Vec<u8>>,
    /// Whether rows are written as HTML.
    pub(super) is_html: bool,
}

impl<'w> Deferred<'w> {
    pub(super) fn new(out: &'w mut dyn Write) -> Self {
        Deferred {
            out,
            waiting: Some(Vec::new()),
            is_html: false,
        }
    }

    pub(super) fn into_inner(self) -> &'w mut dyn Write {
        self.out
    }

    /// Writes the deferred rows. From now on rows are passed on at once.
    pub(super) fn pass_on(&mut self) -> io::Result<()> {
        match self.waiting.take() {
            Some(waiting) if self.is_html => write_html(self.out, &waiting),
            Some(waiting) => self.out.write_all(&waiting),
            None => Ok(()),
        }
    }

    /// Discards the deferred rows. Returns whether no row was written before.
    pub(super) fn discard(&mut self) -> bool {
        self.waiting.take().is_some()
    }
}

impl Write for Deferred<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let Some(waiting) = &mut self.waiting else {
            if self.is_html {
                write_html(self.out, bytes)?;
                return Ok(bytes.len());
            }
            return self.out.write(bytes);
        };
        waiting.extend_from_slice(bytes);
        if waiting.len() > LIMIT {
            self.pass_on()?;
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
    fn rows_are_deferred_up_to_a_limit() {
        let mut out = Vec::new();
        let mut deferred = Deferred::new(&mut out);
        deferred.write_all(b"a").unwrap();
        assert!(deferred.waiting.is_some());
        deferred.pass_on().unwrap();
        deferred.write_all(b"b").unwrap();
        assert!(!deferred.discard());
        assert_eq!(out, b"ab");
        let mut out = Vec::new();
        let mut deferred = Deferred::new(&mut out);
        deferred.write_all(b"a").unwrap();
        assert!(deferred.discard());
        assert_eq!(out, b"");
        let mut deferred = Deferred::new(&mut out);
        deferred.write_all(&[b'x'; LIMIT + 1]).unwrap();
        assert!(deferred.waiting.is_none());
    }
}
