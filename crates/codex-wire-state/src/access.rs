//! Opens a database in the way that writes nothing, whatever lies beside it.
//!
//! A database of Codex has a log (`…-wal`) with what was committed last, and an index of the log (`…-shm`), through
//! which programs agree who reads what. Codex often ends without closing them, so both may be left behind. SQLite
//! makes an index where there is none, also for somebody who only reads, and needs one to read the log.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OpenFlags};
use tempfile::TempDir;

use crate::error::Error;

/// What every database begins with.
const MAGIC: &[u8] = b"SQLite format 3\0";

/// How a database was opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Access {
    /// Log and index are there: it is read beside those who write to it, with what they have committed.
    Shared,
    /// There is a log without an index, so nobody has it open: file and log were copied to a temporary folder.
    Copied,
    /// There is no log: all is in the file, which is read as one that nobody changes.
    Unchanging,
}

/// An open database.
pub(crate) struct Opened {
    pub(crate) connection: Connection,
    pub(crate) access: Access,
    /// Holds the copy, if there is one. It is removed when this is dropped, behind the connection.
    pub(crate) copy: Option<TempDir>,
}

pub(crate) fn open(path: &Path) -> Result<Opened, Error> {
    let unreadable = |source| Error::Read {
        path: path.to_owned(),
        source,
    };
    // The log lies beside the file itself, not beside a link to it.
    let file = fs::canonicalize(path).map_err(unreadable)?;
    if !begins_as_database(&file).map_err(unreadable)? {
        return Err(Error::NotADatabase {
            path: path.to_owned(),
        });
    }
    let (log, index) = (beside(&file, "-wal"), beside(&file, "-shm"));
    let has_log = fs::metadata(&log).is_ok_and(|about| about.is_file() && about.len() > 0);
    let (access, uri, copy) = if has_log && index.is_file() {
        (Access::Shared, uri(&file, "mode=ro&readonly_shm=1"), None)
    } else if has_log {
        let (copy, file) = copied(&file, &log).map_err(unreadable)?;
        (Access::Copied, uri(&file, "mode=rw"), Some(copy))
    } else {
        (Access::Unchanging, uri(&file, "mode=ro&immutable=1"), None)
    };
    let flags = match copy {
        Some(_) => OpenFlags::SQLITE_OPEN_READ_WRITE,
        None => OpenFlags::SQLITE_OPEN_READ_ONLY,
    };
    let flags = flags | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(uri, flags).map_err(|source| Error::Damaged {
        path: path.to_owned(),
        place: "opening it".to_owned(),
        source: Box::new(source),
    })?;
    Ok(Opened {
        connection,
        access,
        copy,
    })
}

fn begins_as_database(file: &Path) -> io::Result<bool> {
    // Opening a named pipe may block forever.
    if !fs::metadata(file)?.is_file() {
        return Ok(false);
    }
    let mut head = Vec::new();
    File::open(file)?
        .take(MAGIC.len() as u64)
        .read_to_end(&mut head)?;
    Ok(head == MAGIC)
}

/// The path of a file that belongs to a database.
fn beside(file: &Path, ending: &str) -> PathBuf {
    let mut name = OsString::from(file);
    name.push(ending);
    name.into()
}

fn copied(file: &Path, log: &Path) -> io::Result<(TempDir, PathBuf)> {
    let folder = tempfile::tempdir()?;
    let copy = folder.path().join("copy.sqlite");
    // The log first: what a writer takes out of it meanwhile is in the file.
    fs::copy(log, beside(&copy, "-wal"))?;
    fs::copy(file, &copy)?;
    Ok((folder, copy))
}

/// The URI of a file, with parameters. A path has no escapes, a URI does.
fn uri(file: &Path, parameters: &str) -> String {
    let mut uri = "file:".to_owned();
    #[cfg(unix)]
    let bytes = std::os::unix::ffi::OsStrExt::as_bytes(file.as_os_str());
    // `C:\a` is `/C:/a` there. `canonicalize` puts a prefix in front, which SQLite does not know.
    #[cfg(not(unix))]
    let text = file.to_string_lossy().replace('\\', "/");
    #[cfg(not(unix))]
    let bytes = {
        uri.push_str("///");
        text.trim_start_matches("//?/").as_bytes()
    };
    for byte in bytes {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' | b':' => {
                uri.push(char::from(*byte));
            }
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri.push('?');
    uri.push_str(parameters);
    uri
}
