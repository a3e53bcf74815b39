//! Why something cannot be done.

use std::io;
use std::net::IpAddr;
use std::path::{Path, PathBuf};

use codex_wire_scrub::Survivor;

/// Why programs cannot be connected, played or watched. What a checker finds in what they write is not an
/// error, nor what goes wrong on one of several connections: a [`Notice`](crate::Notice) says that.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file cannot be written because there is no folder to hold it.
    #[error("cannot write {}: there is no folder {}", path.display(), folder.display())]
    NoFolder {
        /// Its path.
        path: PathBuf,
        /// The folder.
        folder: PathBuf,
    },
    /// A file or folder cannot be written.
    #[error("cannot write {}", path.display())]
    Write {
        /// Its path.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A file or folder cannot be read.
    #[error("cannot read {}", path.display())]
    Read {
        /// Its path.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A program cannot be started.
    #[error("cannot start {program}")]
    Start {
        /// Its path.
        program: String,
        /// Why.
        source: io::Error,
    },
    /// The system refuses something.
    #[error("cannot {what}")]
    System {
        /// What.
        what: &'static str,
        /// Why.
        source: io::Error,
    },
    /// Nobody can listen at an address.
    #[error("cannot listen on {address}")]
    Listen {
        /// The address.
        address: String,
        /// Why.
        source: io::Error,
    },
    /// Nobody can be reached at an address.
    #[error("cannot connect to {address}")]
    Connect {
        /// The address.
        address: String,
        /// Why.
        source: io::Error,
    },
    /// An address is not one of a socket.
    #[error("expected `ws://IP:PORT`, `unix://PATH` or `unix://`")]
    NoSocketAddress,
    /// An address is of another machine.
    #[error("{0} is not on loopback")]
    NotLoopback(IpAddr),
    /// Nobody says where the own socket of Codex is.
    #[error("unix:// without a path needs CODEX_HOME")]
    NoHome,
    /// Another program listens at a path. The words are those of Codex.
    #[error("app-server control socket is already in use at {}", .0.display())]
    SocketInUse(PathBuf),
    /// A file is in the place of a socket. The words are those of Codex.
    #[error("app-server control socket path exists and is not a socket: {}", .0.display())]
    NotASocket(PathBuf),
    /// Who stands between clients and an app-server would be its own client.
    #[error("it cannot listen at the address that it connects to")]
    OwnClient,
    /// The arguments of Codex name no command that speaks a protocol.
    #[error("the arguments of Codex name no command: exec, app-server or proto")]
    NoCommand,
    /// A path has to be text, and is not.
    #[error("the path {} is not text", .0.display())]
    NotText(PathBuf),
    /// A folder for a recording has something in it.
    #[error("{} is not empty: a recording has a folder of its own", .0.display())]
    NotEmpty(PathBuf),
    /// Codex does not say which hooks it trusts.
    #[error("cannot make Codex trust the hooks")]
    Hooks(#[source] io::Error),
    /// The client of our own got no answer.
    #[error("the talk with Codex failed")]
    Talk(#[source] io::Error),
    /// Something private survived in what is kept.
    #[error("{} was not scrubbed: {survivor}", path.display())]
    NotScrubbed {
        /// Its path.
        path: PathBuf,
        /// What survived.
        survivor: Survivor,
    },
    /// A checker cannot be made.
    #[error(transparent)]
    Check(#[from] codex_wire_check::Error),
}

impl Error {
    /// An error of writing at a path.
    pub(crate) fn write(path: &Path) -> impl FnOnce(io::Error) -> Self + use<> {
        let path = path.to_owned();
        move |source| Error::Write { path, source }
    }

    /// An error of reading at a path.
    pub(crate) fn read(path: &Path) -> impl FnOnce(io::Error) -> Self + use<> {
        let path = path.to_owned();
        move |source| Error::Read { path, source }
    }

    /// An error of the system.
    pub(crate) fn system(what: &'static str) -> impl FnOnce(io::Error) -> Self {
        move |source| Error::System { what, source }
    }
}
