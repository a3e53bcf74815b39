//! Connections over TCP and unix sockets, which carry WebSockets alike.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
#[cfg(unix)]
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
#[cfg(unix)]
use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use codex_wire_inputs::Stop;
use codex_wire_replay::arguments::Listen;

use crate::error::Error;
use crate::notice::{Notice, Notices};

/// How often a stop is looked for, and how long nobody is accepted after an error.
pub(crate) const PERIOD: Duration = Duration::from_millis(50);

/// The socket of a release, in the home of Codex, if no other is named.
#[cfg(unix)]
const CONTROL: &str = "app-server-control/app-server-control.sock";

/// A connection.
pub(crate) enum Socket {
    Tcp(TcpStream),
    #[cfg(unix)]
    Unix(UnixStream),
}

impl Socket {
    /// The same connection, for another thread.
    pub(crate) fn try_clone(&self) -> io::Result<Self> {
        match self {
            Socket::Tcp(stream) => stream.try_clone().map(Socket::Tcp),
            #[cfg(unix)]
            Socket::Unix(stream) => stream.try_clone().map(Socket::Unix),
        }
    }

    /// How long a read may wait, of every clone too; forever if that is not said.
    pub(crate) fn set_read_timeout(&self, time: Option<Duration>) -> io::Result<()> {
        match self {
            Socket::Tcp(stream) => stream.set_read_timeout(time),
            #[cfg(unix)]
            Socket::Unix(stream) => stream.set_read_timeout(time),
        }
    }

    /// Ends one direction, or both, of every clone too.
    pub(crate) fn shutdown(&self, how: Shutdown) {
        // A connection that is gone needs no end.
        let _ = match self {
            Socket::Tcp(stream) => stream.shutdown(how),
            #[cfg(unix)]
            Socket::Unix(stream) => stream.shutdown(how),
        };
    }
}

impl Read for Socket {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Socket::Tcp(stream) => stream.read(buffer),
            #[cfg(unix)]
            Socket::Unix(stream) => stream.read(buffer),
        }
    }
}

impl Write for Socket {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Socket::Tcp(stream) => stream.write(bytes),
            #[cfg(unix)]
            Socket::Unix(stream) => stream.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Where connections come from.
pub(crate) enum Listener {
    Tcp(TcpListener),
    #[cfg(unix)]
    Unix(UnixListener, PathBuf),
}

impl Listener {
    /// Listens at an address. `home` is the home of Codex, where its own socket is.
    #[cfg_attr(not(unix), expect(unused_variables))]
    pub(crate) fn bind(address: &Listen, home: Option<&Path>) -> Result<Self, Error> {
        match address {
            Listen::WebSocket(address) => {
                let listener = TcpListener::bind(address);
                Ok(Listener::Tcp(listener.map_err(cannot_listen(address))?))
            }
            #[cfg(unix)]
            Listen::Unix(path) => {
                let path = socket_path(path.as_deref(), home)?;
                Ok(Listener::Unix(bind(&path)?, path))
            }
            _ => Err(Error::NoSocketAddress),
        }
    }

    /// Its address, as clients name it.
    pub(crate) fn address(&self) -> Result<String, Error> {
        Ok(match self {
            Listener::Tcp(listener) => {
                let address = listener.local_addr().map_err(Error::system("listen"))?;
                format!("ws://{address}")
            }
            #[cfg(unix)]
            Listener::Unix(_, path) => format!("unix://{}", path.display()),
        })
    }

    /// The path of a unix socket.
    pub(crate) fn path(&self) -> Option<&Path> {
        match self {
            Listener::Tcp(_) => None,
            #[cfg(unix)]
            Listener::Unix(_, path) => Some(path),
        }
    }

    /// Whether who connects to an address meets this listener.
    #[cfg_attr(not(unix), expect(unused_variables))]
    pub(crate) fn is_at(&self, address: &Listen, home: Option<&Path>) -> bool {
        match (self, address) {
            (Listener::Tcp(listener), Listen::WebSocket(address)) => {
                listener.local_addr().is_ok_and(|own| own == *address)
            }
            #[cfg(unix)]
            (Listener::Unix(_, own), Listen::Unix(path)) => {
                let real = |path: &Path| std::fs::canonicalize(path).ok();
                let other = socket_path(path.as_deref(), home);
                other.is_ok_and(|other| real(&other).is_some_and(|path| real(own) == Some(path)))
            }
            _ => false,
        }
    }

    /// Takes connections until a stop is requested and somebody [wakes](Self::wake) it. `each` gets the
    /// number of a connection, from 0, too.
    pub(crate) fn accept_all(
        &self,
        stop: &Stop,
        notices: &Notices,
        mut each: impl FnMut(Socket, u32),
    ) {
        let mut connection = 0;
        while !stop.is_requested() {
            match self.accept() {
                Ok(_) if stop.is_requested() => return,
                Ok(socket) => {
                    each(socket, connection);
                    connection += 1;
                }
                Err(error) => {
                    // Whoever connects next may have more luck, but not at once.
                    notices.tell(&Notice::NoConnection(error));
                    thread::sleep(PERIOD);
                }
            }
        }
    }

    /// Makes [`accept_all`](Self::accept_all) look for a stop. Nothing happens if no connection is possible.
    pub(crate) fn wake(&self) {
        let _ = match self {
            Listener::Tcp(listener) => listener.local_addr().and_then(TcpStream::connect).map(drop),
            #[cfg(unix)]
            Listener::Unix(_, path) => UnixStream::connect(path).map(drop),
        };
    }

    /// Waits for the next connection.
    fn accept(&self) -> io::Result<Socket> {
        match self {
            Listener::Tcp(listener) => {
                let (stream, _) = listener.accept()?;
                stream.set_nodelay(true)?;
                Ok(Socket::Tcp(stream))
            }
            #[cfg(unix)]
            Listener::Unix(listener, _) => {
                listener.accept().map(|(stream, _)| Socket::Unix(stream))
            }
        }
    }
}

/// Connects to an address. `home` is the home of Codex, where its own socket is.
#[cfg_attr(not(unix), expect(unused_variables))]
pub(crate) fn connect(address: &Listen, home: Option<&Path>) -> Result<Socket, Error> {
    match address {
        Listen::WebSocket(address) => {
            let connected = TcpStream::connect(address).and_then(|stream| {
                stream.set_nodelay(true)?;
                Ok(Socket::Tcp(stream))
            });
            connected.map_err(cannot_connect(address))
        }
        #[cfg(unix)]
        Listen::Unix(path) => {
            let path = socket_path(path.as_deref(), home)?;
            let connected = UnixStream::connect(&path).map(Socket::Unix);
            connected.map_err(cannot_connect(path.display()))
        }
        _ => Err(Error::NoSocketAddress),
    }
}

/// The path of the unix socket.
#[cfg(unix)]
fn socket_path(path: Option<&str>, home: Option<&Path>) -> Result<PathBuf, Error> {
    match (path, home) {
        (Some(path), _) => Ok(path.into()),
        (None, Some(home)) => Ok(home.join(CONTROL)),
        (None, None) => Err(Error::NoHome),
    }
}

/// Listens at a path. A socket that nobody listens at is replaced.
#[cfg(unix)]
fn bind(path: &Path) -> Result<UnixListener, Error> {
    if path.exists() {
        if UnixStream::connect(path).is_ok() {
            return Err(Error::SocketInUse(path.to_owned()));
        }
        use std::os::unix::fs::FileTypeExt;
        let kind = std::fs::symlink_metadata(path).map(|metadata| metadata.file_type());
        if !kind.is_ok_and(|kind| kind.is_socket()) {
            return Err(Error::NotASocket(path.to_owned()));
        }
        std::fs::remove_file(path).map_err(Error::write(path))?;
    }
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(Error::write(folder))?;
    }
    UnixListener::bind(path).map_err(cannot_listen(path.display()))
}

fn cannot_listen(address: impl ToString) -> impl FnOnce(io::Error) -> Error {
    move |source| Error::Listen {
        address: address.to_string(),
        source,
    }
}

fn cannot_connect(address: impl ToString) -> impl FnOnce(io::Error) -> Error {
    move |source| Error::Connect {
        address: address.to_string(),
        source,
    }
}
