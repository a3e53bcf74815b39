//! Reads a list of inputs: paths, and frames with contents.

use std::io::{self, BufRead, Read};
use std::path::PathBuf;

use anyhow::{Context as _, bail};
use codex_wire_base::lines::without_mark;
use serde::Deserialize;

use crate::feed::Feed;

/// The longest line of a list.
const LINE: u64 = 1 << 20;

/// The header of a frame.
#[derive(Debug, Deserialize)]
pub(crate) struct Header {
    /// The name of the transcript.
    pub(crate) path: String,
    /// How many bytes it has.
    pub(crate) bytes: u64,
}

/// An entry of a list.
pub(crate) enum Entry {
    Path(PathBuf),
    /// The contents follow.
    Frame(Header),
}

/// A list of inputs.
pub(crate) struct Entries {
    feed: Feed,
    line: u64,
}

impl Entries {
    pub(crate) fn new(feed: Feed) -> Self {
        Entries { feed, line: 0 }
    }

    /// Whether whoever writes the list may wait for an answer.
    pub(crate) fn is_waiting(&mut self) -> bool {
        self.feed.is_waiting()
    }

    /// The next entry.
    pub(crate) fn next(&mut self) -> anyhow::Result<Option<Entry>> {
        loop {
            let mut line = Vec::new();
            self.feed.by_ref().take(LINE).read_until(b'\n', &mut line)?;
            if line.is_empty() {
                return Ok(None);
            }
            self.line += 1;
            if line.len() as u64 == LINE && !line.ends_with(b"\n") {
                bail!(
                    "the list of inputs, entry {}: it has more than {LINE} bytes",
                    self.line
                );
            }
            let line = line.strip_suffix(b"\n").unwrap_or(&line);
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            let line = match self.line {
                1 => without_mark(line),
                _ => line,
            };
            match line {
                b"" => {}
                [b'{', ..] => {
                    let header = serde_json::from_slice(line);
                    let header = header.with_context(|| {
                        format!(
                            "the list of inputs, entry {}: no header of a frame",
                            self.line
                        )
                    })?;
                    return Ok(Some(Entry::Frame(header)));
                }
                path => return Ok(Some(Entry::Path(path_of(path)))),
            }
        }
    }

    /// The contents of the frame whose header was read. Afterwards [`end_frame`](Self::end_frame) is called.
    pub(crate) fn contents<'f>(&'f mut self, left: &'f mut u64) -> impl Read + 'f {
        Contents {
            feed: &mut self.feed,
            left,
        }
    }

    /// Goes on after the contents of a frame, of which so many bytes were not read.
    pub(crate) fn end_frame(&mut self, header: &Header, left: u64) -> anyhow::Result<()> {
        let rest = self.feed.by_ref().take(left);
        let skipped = io::copy(&mut { rest }, &mut io::sink())?;
        let mut end = Vec::new();
        self.feed.by_ref().take(1).read_to_end(&mut end)?;
        if skipped < left || end != b"\n" {
            bail!(
                "the list of inputs, entry {}: the frame of {} has {} bytes, and no line ends behind them",
                self.line,
                header.path,
                header.bytes
            );
        }
        Ok(())
    }
}

/// The contents of a frame. That it ends too early is an error.
struct Contents<'f> {
    feed: &'f mut Feed,
    left: &'f mut u64,
}

impl Read for Contents<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if *self.left == 0 || buffer.is_empty() {
            return Ok(0);
        }
        let read = self.feed.by_ref().take(*self.left).read(buffer)?;
        if read == 0 {
            return Err(io::Error::new(
                io::ErrorKind::UnexpectedEof,
                format!("the frame ends {} bytes too early", self.left),
            ));
        }
        *self.left -= read as u64;
        Ok(read)
    }
}

#[cfg(unix)]
fn path_of(bytes: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt as _;

    std::ffi::OsStr::from_bytes(bytes).into()
}

#[cfg(not(unix))]
fn path_of(bytes: &[u8]) -> PathBuf {
    String::from_utf8_lossy(bytes).into_owned().into()
}
