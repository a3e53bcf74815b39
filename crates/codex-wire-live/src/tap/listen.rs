//! Stands between clients and an app-server on a socket.
//!
//! Each client gets a connection of its own to Codex. Two threads pass its bytes on as they are: the
//! request that begins a WebSocket, its answer, and every frame. Before that, the messages in them are
//! recorded, and put into the queue of whoever takes the findings.

use std::collections::HashMap;
use std::fmt;
use std::io::{self, Read, Write};
use std::net::Shutdown;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use codex_wire_base::Protocol;
use codex_wire_check::{Finding, Writer};
use codex_wire_inputs::Stop;
use codex_wire_replay::arguments::Listen;

use crate::error::Error;
use crate::notice::{Notice, Notices};
use crate::sockets::{self, Listener, PERIOD, Socket};
use crate::tap::connections::Connections;
use crate::tap::inspection::{End, Inspected, Inspection};
use crate::tap::intake::{Event, Intake, Take};
use crate::tap::pump::Pump;
use crate::tap::recording::Recording;
use crate::tap::settings::{QUEUE, Tap};

/// How long to wait at the end until both sides of each connection have seen it.
const GRACE: Duration = Duration::from_secs(1);

/// Where to listen, and where Codex is.
#[derive(Clone, Debug)]
pub struct Route {
    listen: Listen,
    connect: Listen,
    home: Option<PathBuf>,
}

impl Route {
    /// Clients connect to `listen`, and Codex listens at `connect`. `home` is the home of Codex, where its own
    /// socket is.
    pub fn new(listen: Listen, connect: Listen, home: Option<PathBuf>) -> Self {
        Route {
            listen,
            connect,
            home,
        }
    }
}

/// Reads an address that one listens at or connects to. Nothing but this machine is meant.
///
/// # Errors
/// If it is not an address of a socket, or not on loopback.
pub fn address(text: &str) -> Result<Listen, Error> {
    match text.parse() {
        Ok(Listen::WebSocket(address)) if !address.ip().is_loopback() => {
            Err(Error::NotLoopback(address.ip()))
        }
        Ok(address @ (Listen::WebSocket(_) | Listen::Unix(_))) => Ok(address),
        _ => Err(Error::NoSocketAddress),
    }
}

/// A tap that listens. The findings in the traffic of all connections are an iterator, which ends after a
/// stop.
///
/// The traffic waits when much is to be inspected: take the findings, or [`finish`](Listening::finish).
pub struct Listening<'c> {
    address: String,
    inspection: Inspection<'c>,
}

impl<'c> Tap<'c> {
    /// Passes on what clients and Codex write, until a stop is requested.
    ///
    /// # Errors
    /// If the address cannot be listened on, or the recording not be written.
    pub fn listen(mut self, route: &Route, stop: &Stop) -> Result<Listening<'c>, Error> {
        let home = route.home.as_deref();
        let listener = Listener::bind(&route.listen, home)?;
        let address = listener.address()?;
        // Otherwise it would be its own client, without end.
        if listener.is_at(&route.connect, home) {
            listener.path().map(std::fs::remove_file);
            return Err(Error::OwnClient);
        }
        let stream = self.stream();
        let mut recorder = self.recorder;
        if let Some(recorder) = &mut recorder {
            recorder.begin()?;
        }
        let protocol = self.protocol.unwrap_or(Protocol::AppServer);
        let connections = Connections::new(
            Recording::new(recorder, self.notices.clone()),
            (protocol, self.release),
            self.longest,
            self.begun,
        );
        let (intake, entries) = Intake::new(connections, QUEUE);
        let switch = Arc::new(Switchboard {
            listener,
            route: route.clone(),
            intake: Arc::clone(&intake),
            open: Mutex::default(),
            notices: self.notices,
        });
        {
            let (switch, stop) = (Arc::clone(&switch), stop.clone());
            // It ends once it is woken after a stop.
            thread::spawn(move || switch.accept(&stop));
        }
        let stop = stop.clone();
        thread::spawn(move || {
            while !stop.is_requested() {
                thread::sleep(PERIOD);
            }
            switch.close();
        });
        Ok(Listening {
            address,
            inspection: Inspection::new(stream, entries, intake, End::GoesOn),
        })
    }
}

impl Listening<'_> {
    /// Where clients connect: the address with the port that was chosen.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Waits for the stop.
    pub fn finish(self) -> Inspected {
        self.inspection.finish()
    }
}

impl Iterator for Listening<'_> {
    type Item = Vec<Finding>;

    /// Waits for the next findings.
    fn next(&mut self) -> Option<Vec<Finding>> {
        self.inspection.next()
    }
}

impl fmt::Debug for Listening<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = f.debug_struct("Listening");
        out.field("address", &self.address).finish_non_exhaustive()
    }
}

/// Connects clients to Codex.
struct Switchboard {
    listener: Listener,
    route: Route,
    intake: Arc<Intake>,
    /// The connections that are open. Once it is closed, there are none, and no more come.
    open: Mutex<Open>,
    notices: Notices,
}

#[derive(Default)]
struct Open {
    connections: HashMap<u32, [Socket; 2]>,
    is_closed: bool,
}

impl Switchboard {
    /// Takes clients, and connects each to Codex.
    fn accept(self: &Arc<Self>, stop: &Stop) {
        self.listener
            .accept_all(stop, &self.notices, |client, connection| {
                let (to, home) = (&self.route.connect, self.route.home.as_deref());
                let passed = sockets::connect(to, home).and_then(|codex| {
                    let passed = self.pass(client, codex, connection);
                    passed.map_err(Error::system("pass a connection on"))
                });
                // The client sees that its connection is closed.
                if let Err(error) = passed {
                    self.notices.tell(&Notice::Failed(error));
                }
            });
    }

    /// Passes on what both sides of a connection write.
    fn pass(self: &Arc<Self>, client: Socket, codex: Socket, connection: u32) -> io::Result<()> {
        let both = [client.try_clone()?, codex.try_clone()?];
        let (client_in, codex_in) = (
            Half::input(client.try_clone()?),
            Half::input(codex.try_clone()?),
        );
        let to_codex = Pump::new(client_in, Half::output(codex), Writer::Client);
        let to_client = Pump::new(codex_in, Half::output(client), Writer::Codex);
        let to_codex = to_codex.of_connection(connection);
        let to_client = to_client.of_connection(connection);
        // From here on nothing fails, so that it is taken out again.
        let is_closed = self.with(|open| {
            if !open.is_closed {
                open.connections.insert(connection, both);
            }
            open.is_closed
        });
        if is_closed {
            return Ok(());
        }
        let (other, this) = (Arc::clone(&self.intake), Arc::clone(self));
        let first = thread::spawn(move || to_codex.run(&*other));
        thread::spawn(move || {
            to_client.run(&*this.intake);
            let _ = first.join();
            this.with(|open| open.connections.remove(&connection));
        });
        Ok(())
    }

    /// Takes no more clients, closes all connections, and waits until both sides have seen it.
    fn close(&self) {
        self.listener.wake();
        if let Some(path) = self.listener.path() {
            // Somebody may have removed it.
            let _ = std::fs::remove_file(path);
        }
        // What closes from now on is closed by us.
        self.intake.take(Event::Stopped);
        self.with(|open| {
            open.is_closed = true;
            for socket in open.connections.values().flatten() {
                socket.shutdown(Shutdown::Both);
            }
        });
        let begun = Instant::now();
        while !self.with(|open| open.connections.is_empty()) && begun.elapsed() < GRACE {
            thread::sleep(PERIOD);
        }
        self.intake.close();
    }

    fn with<T>(&self, change: impl FnOnce(&mut Open) -> T) -> T {
        change(&mut self.open.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// One direction of a socket, which is ended when this is dropped, as a pipe is.
struct Half(Socket, Shutdown);

impl Half {
    fn input(socket: Socket) -> Self {
        Half(socket, Shutdown::Read)
    }

    fn output(socket: Socket) -> Self {
        Half(socket, Shutdown::Write)
    }
}

impl Read for Half {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer)
    }
}

impl Write for Half {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl Drop for Half {
    fn drop(&mut self) {
        self.0.shutdown(self.1);
    }
}

#[cfg(test)]
mod tests {
    use std::net::{TcpListener, TcpStream};

    use super::*;

    #[test]
    fn nobody_is_connected_after_the_end() {
        let ours = Listen::WebSocket("127.0.0.1:0".parse().unwrap());
        let records = Connections::new(
            Recording::new(None, Notices::ignored()),
            (Protocol::AppServer, None),
            QUEUE,
            Instant::now(),
        );
        let (intake, _entries) = Intake::new(records, QUEUE);
        let switch = Arc::new(Switchboard {
            listener: Listener::bind(&ours, None).unwrap(),
            route: Route::new(ours.clone(), ours, None),
            intake,
            open: Mutex::default(),
            notices: Notices::ignored(),
        });
        let codex = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = codex.local_addr().unwrap();
        let pair = || {
            let near = TcpStream::connect(address).unwrap();
            (Socket::Tcp(near), codex.accept().unwrap().0)
        };
        switch.close();
        let ((client, mut of_client), (server, _of_server)) = (pair(), pair());
        switch.pass(client, server, 0).unwrap();
        // It is closed, and not passed on.
        let patience = Some(Duration::from_secs(10));
        of_client.set_read_timeout(patience).unwrap();
        assert_eq!(of_client.read(&mut [0]).unwrap(), 0);
    }
}
