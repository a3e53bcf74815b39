//! `codex app-server generate-ts` and `generate-json-schema`.

use std::fmt::Display;
use std::fs;
use std::io;
use std::process::Command;

use codex_wire_base::Release;
use codex_wire_replay::arguments::TypeFiles;
use codex_wire_replay::type_files;

use crate::error::Error;
use crate::stand_in::play::{Host, Played};

/// The exit status if the files cannot be written.
const FAILED: u8 = 1;

/// Writes the files of a release, and has them formatted if that is asked for.
pub(crate) fn write(release: Release, asked: &TypeFiles, host: Host) -> Result<Played, Error> {
    let known = type_files(release, asked.language, asked.is_experimental);
    let files = known.ok_or(Error::NoTypeFiles {
        release,
        command: asked.language.command(),
    })?;
    let status = match put(files, asked, &host) {
        Ok(()) => 0,
        // Codex says so in the same way.
        Err(message) => {
            let message = format!("Error: {message}\n");
            let said = host.streams.errors.write(message.as_bytes());
            said.map_err(Error::system("write standard error"))?;
            FAILED
        }
    };
    Ok(Played {
        status,
        outcome: None,
    })
}

fn put(
    files: impl IntoIterator<Item = (String, String)>,
    asked: &TypeFiles,
    host: &Host,
) -> Result<(), String> {
    let out = host.environment.here(&asked.out);
    let mut written = Vec::new();
    for (path, text) in files {
        let path = out.join(path);
        let folder = path.parent().unwrap_or(&out);
        fs::create_dir_all(folder)
            .map_err(because(format!("Failed to create {}", folder.display())))?;
        fs::write(&path, text).map_err(because(format!("Failed to write {}", path.display())))?;
        written.push(path);
    }
    let Some(prettier) = &asked.prettier else {
        return Ok(());
    };
    let mut command = Command::new(prettier);
    command
        .args(["--write", "--log-level", "warn"])
        .args(written);
    let name = prettier.display();
    let status = command
        .status()
        .map_err(because(format!("Failed to invoke Prettier at {name}")))?;
    match status.success() {
        true => Ok(()),
        false => Err(format!("Prettier failed with status {status}")),
    }
}

/// Says what was not done, and why.
fn because(what: impl Display) -> impl FnOnce(io::Error) -> String {
    move |error| format!("{what}\n\nCaused by:\n    {error}")
}
