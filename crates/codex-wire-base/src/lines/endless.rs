//! What goes on and on, as a device does.

use std::io;

/// What begins there does not end.
pub(super) fn endless(line: u64, longest: u64) -> io::Error {
    let message = format!("line {line} goes on for more than {longest} bytes");
    io::Error::new(io::ErrorKind::InvalidData, message)
}
