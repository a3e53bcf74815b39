//! Writes lines so that a stand-in that is killed leaves whole lines only.
//!
//! The system writes up to 4096 bytes to a pipe at once or not at all, so lines are written in groups of
//! at most that size, and longer ones alone. On Linux, groups are larger, and whatever is larger is written
//! only when the pipe has room for all of it. The largest pipe that Linux gives a program holds 1 MiB: of
//! a line beyond that, a kill may leave a part.

use std::io::{self, Write};

/// How many bytes the system writes to a pipe at once.
const ATOMIC: usize = 4096;

/// How many bytes of lines are written at once, where the pipe has room for them.
const GROUP: usize = if cfg!(target_os = "linux") {
    64 << 10
} else {
    ATOMIC
};

/// The largest pipe that Linux gives a program without privileges.
#[cfg(target_os = "linux")]
const LARGEST: usize = 1 << 20;

/// Where a session writes.
pub(crate) trait Output {
    /// Writes a line, with its newline, now or with those that follow.
    fn line(&mut self, line: &[u8]) -> io::Result<()>;

    /// Writes bytes at once, after what is waiting.
    fn now(&mut self, bytes: &[u8]) -> io::Result<()>;

    /// Writes what is waiting.
    fn flush(&mut self) -> io::Result<()>;
}

/// Standard output, written in whole lines.
pub(crate) struct Lines<W> {
    out: W,
    group: Vec<u8>,
}

impl<W> Lines<W> {
    /// Writes to `out`, which must not be buffered.
    pub(crate) fn new(out: W) -> Self {
        Lines {
            out,
            group: Vec::with_capacity(GROUP),
        }
    }
}

impl<W: Write + AsPipe> Output for Lines<W> {
    fn line(&mut self, line: &[u8]) -> io::Result<()> {
        if self.group.len() + line.len() > GROUP {
            self.flush()?;
        }
        if line.len() > GROUP {
            self.out.make_room(line.len());
            return self.out.write_all(line);
        }
        self.group.extend_from_slice(line);
        Ok(())
    }

    fn now(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.flush()?;
        self.out.write_all(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        let mut rest = self.group.as_slice();
        while !rest.is_empty() {
            let all = rest.len() <= ATOMIC || self.out.make_room(rest.len());
            let end = match all {
                true => rest.len(),
                // As many lines as are written at once in any case, or else one.
                false => match memchr::memrchr(b'\n', &rest[..ATOMIC]) {
                    Some(at) => at + 1,
                    None => memchr::memchr(b'\n', rest).map_or(rest.len(), |at| at + 1),
                },
            };
            self.out.write_all(&rest[..end])?;
            rest = &rest[end..];
        }
        self.group.clear();
        Ok(())
    }
}

/// Something that may be a pipe.
pub(crate) trait AsPipe {
    /// Waits until so many bytes can be written at once. Returns whether they can.
    fn make_room(&self, bytes: usize) -> bool;
}

#[cfg(target_os = "linux")]
impl AsPipe for std::fs::File {
    fn make_room(&self, bytes: usize) -> bool {
        use rustix::event::{PollFd, PollFlags, Timespec, poll};
        use rustix::io::ioctl_fionread;
        use rustix::pipe::{fcntl_getpipe_size, fcntl_setpipe_size};

        // What is not a pipe has no size, and is written at once.
        let Ok(mut size) = fcntl_getpipe_size(self) else {
            return true;
        };
        // A pipe holds pages, of which each may be half empty.
        let needed = bytes + 3 * ATOMIC;
        if size < LARGEST.max(needed) {
            let larger = fcntl_setpipe_size(self, needed.max(LARGEST));
            let larger = larger.or_else(|_| fcntl_setpipe_size(self, LARGEST));
            size = larger.unwrap_or(size);
        }
        if size < needed {
            return false;
        }
        let is_full = |waiting: u64| {
            usize::try_from(waiting).map_or(true, |waiting| 2 * waiting + needed > size)
        };
        while ioctl_fionread(self).is_ok_and(is_full) {
            // A reader that is gone is reported by the write.
            let mut closed = [PollFd::new(self, PollFlags::empty())];
            let moment = Timespec {
                tv_sec: 0,
                tv_nsec: 200_000,
            };
            if poll(&mut closed, Some(&moment)).is_ok_and(|count| count > 0) {
                break;
            }
        }
        true
    }
}

#[cfg(not(target_os = "linux"))]
impl AsPipe for std::fs::File {
    fn make_room(&self, _: usize) -> bool {
        false
    }
}
