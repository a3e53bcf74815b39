//! Plays `codex app-server --listen`: each WebSocket connection is a client of its own.
//!
//! What the real one does was observed with binaries of 0.101.0 to 0.169.0: a text frame holds one
//! message, frames of bytes are ignored, and `GET /readyz` and `GET /healthz` are answered since
//! 0.114.0. A request with an `Origin` is refused since 0.116.0. On a unix socket the same WebSocket is
//! spoken, without those three.

use std::io;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Arc, mpsc};
use std::thread;

use codex_wire_base::Release;
use codex_wire_inputs::Stop;
use codex_wire_replay::arguments::Listen;

use crate::error::Error;
use crate::notice::Notice;
use crate::sockets::{Listener, PERIOD, Socket};
use crate::stand_in::environment::Errors;
use crate::stand_in::session::{End, Session};
use crate::stand_in::socket::{SocketOptions, accept, refuse};
use crate::stand_in::stage::Stage;

/// How many clients may be connected at the same time, those included that have not said yet what they want. Each has
/// what is played in memory. The real one has no such limit.
const CLIENTS: usize = 128;

/// How many messages of a client may wait.
const QUEUE: usize = 64;

/// The first release that says over HTTP whether it is ready.
const READY: Release = Release::new(0, 114, 0);

/// The first release that refuses a request with an `Origin`.
const ORIGIN: Release = Release::new(0, 116, 0);

/// Plays to whoever connects, until a stop is requested. Returns the exit status.
pub(crate) fn listen(
    address: &Listen,
    home: Option<&Path>,
    stage: Stage,
    stop: &Stop,
) -> Result<u8, Error> {
    match address {
        Listen::WebSocket(address) if !address.ip().is_loopback() => {
            return Err(Error::NotLoopback(address.ip()));
        }
        #[cfg(unix)]
        Listen::Unix(_) => {}
        Listen::WebSocket(_) => {}
        _ => return Err(Error::NoSocketAddress),
    }
    let listener = Listener::bind(address, home)?;
    let mut options = SocketOptions {
        is_server: false,
        refuses_origin: false,
    };
    #[cfg_attr(not(unix), expect(irrefutable_let_patterns))]
    if let Listener::Tcp(tcp) = &listener {
        let address = tcp.local_addr().map_err(Error::system("listen"))?;
        let release = stage.release();
        let is = |since: Release| release.is_none_or(|release| release >= since);
        options = SocketOptions {
            is_server: is(READY),
            refuses_origin: is(ORIGIN),
        };
        announce(&stage.errors, address, options)
            .map_err(Error::system("write to standard error"))?;
    }
    let listener = Arc::new(listener);
    let status = serve(stage, options, &listener, stop);
    if let Some(path) = listener.path() {
        // It may be gone with the folder of the client.
        let _ = std::fs::remove_file(path);
    }
    Ok(status)
}

/// Says on standard error where the stand-in listens, as Codex does.
fn announce(errors: &Errors, address: SocketAddr, options: SocketOptions) -> io::Result<()> {
    let mut text = format!("codex app-server (WebSockets)\n  listening on: ws://{address}\n");
    if options.is_server {
        for path in ["readyz", "healthz"] {
            text += &format!("  {path}: http://{address}/{path}\n");
        }
    }
    text += "  note: binds localhost only (use SSH port-forwarding for remote access)\n";
    errors.write(text.as_bytes())
}

/// Plays to each client in a thread of its own. These threads are never joined: they wait for clients
/// until the program ends.
fn serve(stage: Stage, options: SocketOptions, listener: &Arc<Listener>, stop: &Stop) -> u8 {
    let stage = Arc::new(stage);
    let (ended, ends) = mpsc::sync_channel(1);
    // A session of Codex can end the process without a stop of the user.
    let closed = Stop::new();
    {
        let (listener, closed) = (Arc::clone(listener), closed.clone());
        thread::spawn(move || {
            let connected = Arc::new(());
            let mut is_told = false;
            listener.accept_all(&closed, &stage.notices, |socket, connection| {
                // Each client has one, and so have we.
                if Arc::strong_count(&connected) > CLIENTS {
                    refuse(socket);
                    if !std::mem::replace(&mut is_told, true) {
                        stage.notices.tell(&Notice::TooManyClients(CLIENTS));
                    }
                    return;
                }
                let (stage, ended) = (Arc::clone(&stage), ended.clone());
                let own = Arc::clone(&connected);
                thread::spawn(move || {
                    match play(&stage, options, socket, connection) {
                        Ok(End::Client) => {}
                        Ok(End::Codex(status)) => {
                            let _ = ended.try_send(status);
                        }
                        Err(error) => stage.notices.tell(&Notice::Failed(error)),
                    }
                    drop(own);
                });
            });
        });
    }
    let status = loop {
        match ends.recv_timeout(PERIOD) {
            Ok(status) => break status,
            Err(_) if stop.is_requested() => break 0,
            Err(mpsc::RecvTimeoutError::Timeout) => {}
            // It ends with the last thread, which nobody waits for.
            Err(mpsc::RecvTimeoutError::Disconnected) => thread::sleep(PERIOD),
        }
    };
    closed.request();
    listener.wake();
    status
}

/// Plays to one client.
fn play(
    stage: &Stage,
    options: SocketOptions,
    socket: Socket,
    connection: u32,
) -> Result<End, Error> {
    let accepted = accept(socket, options);
    // A client that leaves while it asks is gone, and no more.
    let Some((input, output)) = accepted.ok().flatten() else {
        return Ok(End::Client);
    };
    let observer = stage.observer.of_connection(connection);
    observer.connected();
    let (conversation, writer) = stage.session(observer.clone(), Box::new(output))?;
    let (sender, lines) = mpsc::sync_channel(QUEUE);
    thread::spawn(move || input.read_into(&sender));
    let (speed, notices) = (stage.settings.speed, stage.notices.clone());
    let session = Session::new(conversation, speed, observer.clone(), notices, writer);
    let end = session.run(&lines);
    observer.closed();
    // A client that leaves while it is written to is gone, and no more.
    Ok(end.unwrap_or(End::Client))
}
