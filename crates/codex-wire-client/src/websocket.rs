//! A WebSocket to an app-server that listens, over TCP or a unix socket: a thread reads, and a thread writes.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream, ToSocketAddrs as _};
#[cfg(unix)]
use std::os::unix::net::UnixStream;
use std::sync::mpsc::{Receiver, SyncSender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use tungstenite::client::client_with_config;
use tungstenite::protocol::Role;
use tungstenite::{HandshakeError, Message, WebSocket};

use crate::endpoint::{Came, Endpoint, config, is_end, refused, system};
use crate::error::Error;
use crate::options::Options;
use crate::transport::{FromCodex, PATIENCE, POLL, Transport};

/// Connects to an app-server.
pub(crate) fn open(
    address: &str,
    options: &Options,
) -> Result<(Transport, Receiver<FromCodex>), Error> {
    let (reader, writer) = connect(address, options).map_err(|error| refused(address, error))?;
    Ok(Transport::between(
        move |lines| read(reader, lines),
        move |lines, failed| write(writer, lines, failed),
    ))
}

/// One of the two who use a socket.
struct Half {
    socket: Arc<Socket>,
    /// What was written since it was flushed. The one who reads answers pings: its frames must not stand within others.
    written: Vec<u8>,
    turn: Arc<Mutex<()>>,
}

enum Socket {
    Tcp(TcpStream),
    #[cfg(unix)]
    Unix(UnixStream),
}

fn connect(address: &str, options: &Options) -> io::Result<(WebSocket<Half>, WebSocket<Half>)> {
    let endpoint = Endpoint::parse(address)?;
    let socket = Arc::new(Socket::connect(&endpoint, options.timeout)?);
    let turn = Arc::new(Mutex::new(()));
    let half = || Half {
        socket: socket.clone(),
        written: Vec::new(),
        turn: turn.clone(),
    };
    // Whoever listens may speak another protocol, and wait.
    socket.set_read_timeout(options.timeout)?;
    let config = config(options.limit);
    let (reader, _) =
        client_with_config(endpoint.url(), half(), Some(config)).map_err(|error| match error {
            HandshakeError::Failure(error) => system(error),
            HandshakeError::Interrupted(_) => io::ErrorKind::TimedOut.into(),
        })?;
    socket.set_read_timeout(None)?;
    let writer = WebSocket::from_raw_socket(half(), Role::Client, Some(config));
    Ok((reader, writer))
}

fn read(mut socket: WebSocket<Half>, lines: &SyncSender<FromCodex>) {
    loop {
        let (next, is_last) = match Came::of(socket.read()) {
            Came::Line(line) => (FromCodex::Line(line), false),
            Came::Nothing => continue,
            Came::End => (FromCodex::End, true),
            Came::Unreadable(error) => (FromCodex::Unreadable(error), true),
        };
        if lines.send(next).is_err() || is_last {
            return;
        }
    }
}

fn write(mut socket: WebSocket<Half>, lines: &Receiver<String>, failed: &SyncSender<FromCodex>) {
    for line in lines {
        match socket.send(Message::text(line)) {
            Ok(()) => {}
            Err(error) if is_end(&error) => break,
            Err(error) => {
                let _ = failed.send(FromCodex::Unwritable(system(error)));
                break;
            }
        }
    }
    // Codex may be gone. Otherwise it answers, and the thread that reads lets go of the socket.
    let _ = socket.close(None).and_then(|()| socket.flush());
    let (socket, begun) = (&socket.get_ref().socket, Instant::now());
    while Arc::strong_count(socket) > 1 && begun.elapsed() < PATIENCE {
        thread::sleep(POLL);
    }
    socket.shutdown();
}

impl Socket {
    fn connect(endpoint: &Endpoint, timeout: Option<Duration>) -> io::Result<Self> {
        match endpoint {
            #[cfg(unix)]
            Endpoint::Unix(path) => Ok(Socket::Unix(UnixStream::connect(path)?)),
            Endpoint::Tcp { host, .. } => {
                let mut last = io::Error::from(io::ErrorKind::AddrNotAvailable);
                for address in host.to_socket_addrs()? {
                    let connected = match timeout {
                        Some(timeout) => TcpStream::connect_timeout(&address, timeout),
                        None => TcpStream::connect(address),
                    };
                    match connected {
                        Ok(stream) => {
                            // Lines are short, and each is awaited.
                            stream.set_nodelay(true)?;
                            return Ok(Socket::Tcp(stream));
                        }
                        Err(error) => last = error,
                    }
                }
                Err(last)
            }
        }
    }

    fn set_read_timeout(&self, timeout: Option<Duration>) -> io::Result<()> {
        // None at all is not what zero means there.
        let timeout = timeout.map(|timeout| timeout.max(Duration::from_millis(1)));
        match self {
            Socket::Tcp(stream) => stream.set_read_timeout(timeout),
            #[cfg(unix)]
            Socket::Unix(stream) => stream.set_read_timeout(timeout),
        }
    }

    fn shutdown(&self) {
        // It may be closed already.
        let _ = match self {
            Socket::Tcp(stream) => stream.shutdown(Shutdown::Both),
            #[cfg(unix)]
            Socket::Unix(stream) => stream.shutdown(Shutdown::Both),
        };
    }
}

impl Read for Half {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match &*self.socket {
            Socket::Tcp(stream) => (&mut &*stream).read(buffer),
            #[cfg(unix)]
            Socket::Unix(stream) => (&mut &*stream).read(buffer),
        }
    }
}

impl Write for Half {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.written.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes = std::mem::take(&mut self.written);
        match &*self.socket {
            Socket::Tcp(stream) => (&mut &*stream).write_all(&bytes),
            #[cfg(unix)]
            Socket::Unix(stream) => (&mut &*stream).write_all(&bytes),
        }
    }
}
