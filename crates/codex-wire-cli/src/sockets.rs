//! Connections over TCP and unix sockets, which carry WebSockets alike.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
#[cfg(unix)]
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
#[cfg(unix)]
use std::path::PathBuf;

use anyhow::{Context, bail};
use codex_wire_replay::arguments::Listen;

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
    pub(crate) fn bind(address: &Listen, home: Option<&Path>) -> anyhow::Result<Self> {
        match address {
            Listen::WebSocket(address) => {
                let listener = TcpListener::bind(address);
                let listener = listener.with_context(|| format!("cannot listen on {address}"))?;
                Ok(Listener::Tcp(listener))
            }
            #[cfg(unix)]
            Listen::Unix(path) => {
                let path = socket_path(path.as_deref(), home)?;
                Ok(Listener::Unix(bind(&path)?, path))
            }
            _ => bail!("a socket is `ws://IP:PORT` or `unix://PATH`"),
        }
    }

    /// Its address, as clients name it.
    pub(crate) fn address(&self) -> anyhow::Result<String> {
        Ok(match self {
            Listener::Tcp(listener) => {
                let address = listener.local_addr().context("cannot listen")?;
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

    /// Waits for the next connection.
    pub(crate) fn accept(&self) -> io::Result<Socket> {
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
pub(crate) fn connect(address: &Listen, home: Option<&Path>) -> anyhow::Result<Socket> {
    match address {
        Listen::WebSocket(address) => {
            let stream = TcpStream::connect(address);
            let stream = stream.with_context(|| format!("cannot connect to {address}"))?;
            stream.set_nodelay(true)?;
            Ok(Socket::Tcp(stream))
        }
        #[cfg(unix)]
        Listen::Unix(path) => {
            let path = socket_path(path.as_deref(), home)?;
            let stream = UnixStream::connect(&path);
            let stream = stream.with_context(|| format!("cannot connect to {}", path.display()))?;
            Ok(Socket::Unix(stream))
        }
        _ => bail!("a socket is `ws://IP:PORT` or `unix://PATH`"),
    }
}

/// The path of the unix socket.
#[cfg(unix)]
fn socket_path(path: Option<&str>, home: Option<&Path>) -> anyhow::Result<PathBuf> {
    match (path, home) {
        (Some(path), _) => Ok(path.into()),
        (None, Some(home)) => Ok(home.join(CONTROL)),
        (None, None) => bail!("unix:// without a path needs CODEX_HOME"),
    }
}

/// Listens at a path. A socket that nobody listens at is replaced.
#[cfg(unix)]
fn bind(path: &Path) -> anyhow::Result<UnixListener> {
    let shown = path.display();
    if path.exists() {
        if UnixStream::connect(path).is_ok() {
            bail!("app-server control socket is already in use at {shown}");
        }
        use std::os::unix::fs::FileTypeExt;
        let kind = std::fs::symlink_metadata(path).map(|metadata| metadata.file_type());
        if !kind.is_ok_and(|kind| kind.is_socket()) {
            bail!("app-server control socket path exists and is not a socket: {shown}");
        }
        std::fs::remove_file(path).with_context(|| format!("cannot replace {shown}"))?;
    }
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)
            .with_context(|| format!("cannot create {}", folder.display()))?;
    }
    UnixListener::bind(path).with_context(|| format!("cannot listen at {shown}"))
}
