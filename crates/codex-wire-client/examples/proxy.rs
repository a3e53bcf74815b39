//! Stands between a client and Codex, and says on standard error what goes by: put `proxy codex app-server` where the client starts
//! `codex app-server`.
//!
//! Each line is passed on as it came, byte for byte: what cannot be read, and what a later release says, arrives too.

use std::collections::HashMap;
use std::io::{self, BufRead, BufReader, Write};
use std::process::{Command, ExitCode, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use codex_wire::app_server::{
    ClientMessage, ClientSide, Id, JsonRpcMessage, ServerMessage, ServerSide,
};
use codex_wire::from_slice;

/// The methods of the requests that wait for an answer, of each side.
#[derive(Default)]
struct Open {
    client: HashMap<Id<ClientSide>, String>,
    codex: HashMap<Id<ServerSide>, String>,
}

fn main() -> ExitCode {
    match run() {
        Ok(code) => code,
        Err(error) => {
            say(&format!("error: {error}"));
            ExitCode::FAILURE
        }
    }
}

fn run() -> io::Result<ExitCode> {
    let mut arguments = std::env::args_os().skip(1);
    let program = arguments.next().unwrap_or_else(|| "codex".into());
    let mut codex = Command::new(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let (Some(to_codex), Some(from_codex)) = (codex.stdin.take(), codex.stdout.take()) else {
        unreachable!("both are piped");
    };
    let open = Arc::new(Mutex::new(Open::default()));
    let read = |what: fn(&[u8], &mut Open) -> String| {
        let open = open.clone();
        move |line: &[u8]| {
            let mut open = open.lock().unwrap_or_else(PoisonError::into_inner);
            say(&what(line, &mut open));
        }
    };
    let (client, server) = (read(of_client), read(of_codex));
    // It ends with the input of this program, and then that of Codex ends.
    thread::spawn(move || pass(io::stdin().lock(), to_codex, client));
    pass(BufReader::new(from_codex), io::stdout(), server)?;
    let status = codex.wait()?;
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    Ok(code.map_or(ExitCode::FAILURE, ExitCode::from))
}

/// Passes lines on until there are no more.
fn pass(mut from: impl BufRead, mut to: impl Write, read: impl Fn(&[u8])) -> io::Result<()> {
    let mut line = Vec::new();
    while from.read_until(b'\n', &mut line)? > 0 {
        // An answer cannot come before its question was read.
        read(line.trim_ascii_end());
        to.write_all(&line)?;
        to.flush()?;
        line.clear();
    }
    Ok(())
}

fn of_client(line: &[u8], open: &mut Open) -> String {
    let what = match from_slice::<ClientMessage>(line) {
        Ok(JsonRpcMessage::Request(request)) => {
            let method = request.params.tag().to_owned();
            let text = format!("asks {method}");
            open.client.insert(request.id, method);
            text
        }
        Ok(JsonRpcMessage::Notification(notification)) => {
            format!("says {}", notification.params.tag())
        }
        Ok(JsonRpcMessage::Response(response)) => answered(open.codex.remove(&response.id)),
        Ok(JsonRpcMessage::Error(error)) => refused(open.codex.remove(&error.id)),
        Ok(_) => "says something".to_owned(),
        Err(error) => format!("says what cannot be read: {error}"),
    };
    format!("client {what}")
}

fn of_codex(line: &[u8], open: &mut Open) -> String {
    let what = match from_slice::<ServerMessage>(line) {
        Ok(JsonRpcMessage::Request(request)) => {
            let method = request.params.tag().to_owned();
            let text = format!("asks {method}");
            open.codex.insert(request.id, method);
            text
        }
        Ok(JsonRpcMessage::Notification(notification)) => {
            format!("says {}", notification.params.tag())
        }
        Ok(JsonRpcMessage::Response(response)) => answered(open.client.remove(&response.id)),
        Ok(JsonRpcMessage::Error(error)) => refused(open.client.remove(&error.id)),
        Ok(_) => "says something".to_owned(),
        Err(error) => format!("says what cannot be read: {error}"),
    };
    format!("codex {what}")
}

fn answered(method: Option<String>) -> String {
    format!(
        "answers {}",
        method.as_deref().unwrap_or("nothing that was asked")
    )
}

fn refused(method: Option<String>) -> String {
    format!(
        "refuses {}",
        method.as_deref().unwrap_or("nothing that was asked")
    )
}

fn say(what: &str) {
    // Whoever closed standard error does not want to know.
    let _ = writeln!(io::stderr(), "{what}");
}
