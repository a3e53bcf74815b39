//! Plays `codex app-server --listen`: each WebSocket connection is a client of its own.
//!
//! What the real one does was observed with binaries of 0.101.0 to 0.169.0: a text frame holds one
//! message, frames of bytes are ignored, and `GET /readyz` and `GET /healthz` are answered since
//! 0.114.0. A request with an `Origin` is refused since 0.116.0. On a unix socket the same WebSocket is
//! spoken, without those three.

use std::io::{self, Write};
use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use anstream::ColorChoice;
use anyhow::{Context, bail};
use codex_wire_base::Release;
use codex_wire_live::sockets::{Listener, Socket};
use codex_wire_replay::Conversation;
use codex_wire_replay::arguments::Listen;

use super::faults::Disturbance;
use super::session::{End, Session};
use super::settings::Speed;
use super::socket::{SocketOptions, accept};
use super::watch::Observer;
use crate::{interrupt, output};

/// How often an interruption is looked for.
const PERIOD: Duration = Duration::from_millis(50);

/// How many messages of a client may wait.
const QUEUE: usize = 64;

/// The first release that says over HTTP whether it is ready.
const READY: Release = Release::new(0, 114, 0);

/// The first release that refuses a request with an `Origin`.
const ORIGIN: Release = Release::new(0, 116, 0);

/// What is played to each client.
pub(crate) struct Stage {
    /// Makes what one client meets.
    pub(crate) conversation: Box<Conversations>,
    pub(crate) release: Option<Release>,
    pub(crate) speed: Speed,
    pub(crate) observer: Observer,
    pub(crate) color: ColorChoice,
}

/// Makes conversations, and the faults of their lines.
pub(crate) type Conversations =
    dyn Fn() -> anyhow::Result<(Box<dyn Conversation>, Disturbance)> + Send + Sync;

/// Plays to whoever connects, until the program is interrupted. Returns the exit status.
pub(crate) fn listen(address: &Listen, home: Option<&Path>, stage: Stage) -> anyhow::Result<u8> {
    interrupt::watch().context("cannot handle signals")?;
    match address {
        Listen::WebSocket(address) if !address.ip().is_loopback() => {
            bail!("the stand-in listens on loopback only, not on {address}")
        }
        #[cfg(unix)]
        Listen::Unix(_) => {}
        Listen::WebSocket(_) => {}
        _ => bail!("the stand-in does not listen there"),
    }
    let listener = Listener::bind(address, home)?;
    if let Listener::Tcp(tcp) = &listener {
        let address = tcp.local_addr().context("cannot listen")?;
        let is = |since: Release| stage.release.is_none_or(|release| release >= since);
        let options = SocketOptions {
            is_server: is(READY),
            refuses_origin: is(ORIGIN),
        };
        announce(address, options).context("cannot write to standard error")?;
        return serve(stage, options, listener);
    }
    let options = SocketOptions {
        is_server: false,
        refuses_origin: false,
    };
    let path = listener.path().map(Path::to_owned);
    let status = serve(stage, options, listener);
    if let Some(path) = path {
        // It may be gone with the folder of the client.
        let _ = std::fs::remove_file(path);
    }
    status
}

/// Says on standard error where the stand-in listens, as Codex does.
fn announce(address: SocketAddr, options: SocketOptions) -> io::Result<()> {
    let mut out = io::stderr().lock();
    writeln!(out, "codex app-server (WebSockets)")?;
    writeln!(out, "  listening on: ws://{address}")?;
    if options.is_server {
        writeln!(out, "  readyz: http://{address}/readyz")?;
        writeln!(out, "  healthz: http://{address}/healthz")?;
    }
    writeln!(
        out,
        "  note: binds localhost only (use SSH port-forwarding for remote access)"
    )
}

/// Plays to each client in a thread of its own. These threads are never joined: they wait for clients
/// until the program ends.
fn serve(stage: Stage, options: SocketOptions, listener: Listener) -> anyhow::Result<u8> {
    let stage = Arc::new(stage);
    let (ended, ends) = mpsc::sync_channel(1);
    thread::spawn(move || {
        let mut connection = 0;
        loop {
            let socket = match listener.accept() {
                Ok(socket) => socket,
                Err(error) => {
                    // Whoever connects next may have more luck, but not at once.
                    output::complain(stage.color, &format!("cannot take a connection: {error}"));
                    thread::sleep(PERIOD);
                    continue;
                }
            };
            let (stage, ended) = (Arc::clone(&stage), ended.clone());
            thread::spawn(move || match play(&stage, options, socket, connection) {
                Ok(End::Client) => {}
                Ok(End::Codex(status)) => {
                    let _ = ended.try_send(status);
                }
                Err(error) => output::complain(stage.color, &format!("{error:#}")),
            });
            connection += 1;
        }
    });
    loop {
        match ends.recv_timeout(PERIOD) {
            Ok(status) => return Ok(status),
            Err(_) if interrupt::requested() => return Ok(0),
            Err(_) => {}
        }
    }
}

/// Plays to one client.
fn play(
    stage: &Stage,
    options: SocketOptions,
    socket: Socket,
    connection: u32,
) -> anyhow::Result<End> {
    let accepted = accept(socket, options);
    // A client that leaves while it asks is gone, and no more.
    let Some((input, output)) = accepted.ok().flatten() else {
        return Ok(End::Client);
    };
    let observer = stage.observer.of_connection(connection);
    observer.connected();
    let (conversation, disturbance) = (stage.conversation)()?;
    let (sender, lines) = mpsc::sync_channel(QUEUE);
    thread::spawn(move || input.read_into(&sender));
    let session = Session::new(
        conversation,
        stage.speed,
        observer.clone(),
        stage.color,
        Box::new(output),
        disturbance,
    );
    let end = session.run(&lines);
    observer.closed();
    // A client that leaves while it is written to is gone, and no more.
    Ok(end.unwrap_or(End::Client))
}
