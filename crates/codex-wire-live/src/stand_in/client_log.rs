//! The file with what a client does. Several processes may append to it.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use codex_wire_base::Protocol;
use codex_wire_check::Writer;
use codex_wire_replay::client_log::{ClientAction, ClientEvent, ClientTalk, Started};

use crate::error::Error;
use crate::stand_in::environment::{appended, own_path};

/// A file to which is written what a client does, before it is answered.
#[derive(Debug)]
pub(crate) struct ClientLog {
    file: File,
    protocol: Protocol,
    directory: String,
    /// What was said in each connection; streams have no number.
    talks: HashMap<Option<u32>, ClientTalk>,
}

/// Appends to a log that is not open, such as why nothing is played.
pub(crate) fn append(path: &Path, actions: impl IntoIterator<Item = ClientAction>) {
    if let Ok(mut file) = appended(path) {
        // What goes wrong here is less than what is told.
        let mut actions = actions.into_iter();
        let _ = actions.try_for_each(|action| write(&mut file, action));
    }
}

/// Writes a line: with one write, so that those of several processes do not mix.
fn write(file: &mut File, action: ClientAction) -> io::Result<()> {
    let event = ClientEvent::new(std::process::id(), action);
    let mut line = serde_json::to_vec(&event).map_err(io::Error::other)?;
    line.push(b'\n');
    file.write_all(&line)
}

impl ClientLog {
    /// Opens the file, and writes that a stand-in was started.
    pub(crate) fn begin(path: &Path, protocol: Protocol, started: Started) -> Result<Self, Error> {
        let mut log = ClientLog {
            file: appended(path)?,
            protocol,
            directory: started.directory.clone(),
            talks: HashMap::new(),
        };
        log.write(ClientAction::Started(started))
            .map_err(Error::write(&own_path(path)))?;
        Ok(log)
    }

    /// Writes a line.
    pub(crate) fn write(&mut self, action: ClientAction) -> io::Result<()> {
        write(&mut self.file, action)
    }

    /// A side wrote a line.
    pub(crate) fn line(
        &mut self,
        connection: Option<u32>,
        writer: Writer,
        line: &[u8],
    ) -> io::Result<()> {
        // The lines of a run are its output, which the client does not answer.
        if self.protocol == Protocol::Exec {
            return Ok(());
        }
        let new = || ClientTalk::new(self.protocol, &self.directory);
        let talk = self.talks.entry(connection).or_insert_with(new);
        if writer != Writer::Client {
            let taken = talk.codex(line);
            return taken.map_or(Ok(()), |action| self.write(action));
        }
        let mut actions = talk.client(line).into_iter();
        actions.try_for_each(|action| self.write(action))
    }

    /// A client has gone.
    pub(crate) fn closed(&mut self, connection: u32) {
        self.talks.remove(&Some(connection));
    }
}
