//! Implements `codex-wire tap --listen`: stands between clients and an app-server on a socket.
//!
//! Each client gets a connection of its own to Codex. Two threads pass its bytes on as they are: the
//! request that begins a WebSocket, its answer, and every frame. A copy of the bytes goes into the
//! queue before they are passed on. One thread takes copies from there, reads the messages in them,
//! and records and checks those.

mod inspector;
mod messages;

use std::collections::HashMap;
use std::io::{self, Read, Write};
use std::net::Shutdown;
use std::path::Path;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anstream::ColorChoice;
use anyhow::{Context, bail};
use codex_wire_check::Writer;
use codex_wire_replay::arguments::Listen;

use super::pump::Pump;
use super::queue::{Event, Queue};
use super::wiretap::{QUEUE, Wiretap};
use crate::sockets::{self, Listener, Socket};
use crate::{interrupt, output};

/// How often an interruption is looked for.
const PERIOD: Duration = Duration::from_millis(50);

/// How long to wait at the end until both sides of each connection have seen it.
const GRACE: Duration = Duration::from_secs(1);

/// Where to listen, and where Codex is.
pub(super) struct Route<'a> {
    pub(super) listen: &'a Listen,
    pub(super) connect: &'a Listen,
    /// The home of Codex, where its own socket is.
    pub(super) home: Option<&'a Path>,
}

/// Reads an address that `tap` listens at or connects to. Nothing but this machine is meant.
pub(super) fn address(text: &str) -> Result<Listen, String> {
    match text.parse() {
        Ok(Listen::WebSocket(address)) if !address.ip().is_loopback() => {
            Err(format!("{} is not on loopback", address.ip()))
        }
        Ok(address @ (Listen::WebSocket(_) | Listen::Unix(_))) => Ok(address),
        _ => Err("expected `ws://IP:PORT`, `unix://PATH` or `unix://`".to_owned()),
    }
}

/// Passes on what clients and Codex write, until the program is interrupted. Returns the exit code,
/// where `verdict` says that it is that of a check.
pub(super) fn run(tap: Wiretap, route: &Route<'_>, verdict: bool) -> anyhow::Result<ExitCode> {
    let Wiretap {
        checker,
        inspection,
        mut recorder,
        mut out,
    } = tap;
    let color = inspection.color;
    interrupt::watch().context("cannot watch for signals")?;
    let listener = Listener::bind(route.listen, route.home)?;
    let address = listener.address()?;
    let path = listener.path().map(Path::to_owned);
    // Otherwise it would be its own client, without end.
    if listener.is_at(route.connect, route.home) {
        path.map(std::fs::remove_file);
        bail!("`--listen` and `--connect` cannot be one address");
    }
    if let Some(recorder) = &mut recorder {
        recorder.begin()?;
    }
    let queue = Arc::new(Queue::new(QUEUE));
    let inspector = {
        let consumer = Queue::consumer(&queue);
        thread::spawn(move || inspector::run(&inspection, &checker, &consumer, recorder, &mut *out))
    };
    output::remark(color, &format!("listening on: {address}"));
    let connections = Arc::new(Connections::default());
    {
        let (queue, connections) = (Arc::clone(&queue), Arc::clone(&connections));
        let (connect, home) = (route.connect.clone(), route.home.map(Path::to_owned));
        // This thread is never joined: it waits for clients until the program ends.
        thread::spawn(move || {
            let connect = || sockets::connect(&connect, home.as_deref());
            accept(&listener, connect, &queue, &connections, color);
        });
    }
    while !interrupt::requested() {
        thread::sleep(PERIOD);
    }
    if let Some(path) = path {
        // Somebody may have removed it.
        let _ = std::fs::remove_file(path);
    }
    // What closes from now on is closed by us.
    queue.push(Event::Stopped);
    connections.close();
    queue.close();
    let Ok(inspected) = inspector.join() else {
        bail!("the checker failed; the rest of the traffic was not checked");
    };
    Ok(inspected.exit_code(verdict).unwrap_or(ExitCode::SUCCESS))
}

/// Takes clients, and connects each to Codex.
fn accept(
    listener: &Listener,
    connect: impl Fn() -> anyhow::Result<Socket>,
    queue: &Arc<Queue>,
    connections: &Arc<Connections>,
    color: ColorChoice,
) {
    let mut connection = 0;
    loop {
        let client = match listener.accept() {
            Ok(client) => client,
            Err(error) => {
                // Whoever connects next may have more luck, but not at once.
                output::complain(color, &format!("cannot take a connection: {error}"));
                thread::sleep(PERIOD);
                continue;
            }
        };
        let passed =
            connect().and_then(|codex| Ok(pass(client, codex, connection, queue, connections)?));
        // The client sees that its connection is closed.
        if let Err(error) = passed {
            output::complain(color, &format!("{error:#}"));
        }
        connection += 1;
    }
}

/// Passes on what both sides of a connection write.
fn pass(
    client: Socket,
    codex: Socket,
    connection: u32,
    queue: &Arc<Queue>,
    connections: &Arc<Connections>,
) -> io::Result<()> {
    connections.add(connection, [client.try_clone()?, codex.try_clone()?]);
    let (client_in, codex_in) = (
        Half::input(client.try_clone()?),
        Half::input(codex.try_clone()?),
    );
    let to_codex = Pump::new(client_in, Half::output(codex), Writer::Client);
    let to_client = Pump::new(codex_in, Half::output(client), Writer::Codex);
    let other = Arc::clone(queue);
    let queue = Arc::clone(queue);
    let connections = Arc::clone(connections);
    let to_codex = to_codex.of_connection(connection);
    let to_client = to_client.of_connection(connection);
    let first = thread::spawn(move || to_codex.run(&other));
    thread::spawn(move || {
        to_client.run(&queue);
        let _ = first.join();
        connections.remove(connection);
    });
    Ok(())
}

/// The connections that are open.
#[derive(Default)]
struct Connections(Mutex<HashMap<u32, [Socket; 2]>>);

impl Connections {
    fn add(&self, connection: u32, sockets: [Socket; 2]) {
        self.with(|open| open.insert(connection, sockets));
    }

    fn remove(&self, connection: u32) {
        self.with(|open| open.remove(&connection));
    }

    /// Closes all, and waits until both sides have seen it.
    fn close(&self) {
        self.with(|open| {
            for socket in open.values().flatten() {
                socket.shutdown(Shutdown::Both);
            }
        });
        let begun = Instant::now();
        while !self.with(|open| open.is_empty()) && begun.elapsed() < GRACE {
            thread::sleep(PERIOD);
        }
    }

    fn with<T>(&self, change: impl FnOnce(&mut HashMap<u32, [Socket; 2]>) -> T) -> T {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
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
