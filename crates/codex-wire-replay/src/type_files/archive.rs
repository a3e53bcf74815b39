//! What releases say of their app-server, as `app-server-codegen` archives it: of each release a text of JSON
//! with `stable` and, since 0.95.0, `experimental`.

use std::io::{self, Read as _};

use codex_wire_base::Release;
use serde_json::{Map, Value};

/// A file of the archive.
#[derive(Clone, Copy, Debug)]
pub(super) enum Archive {
    /// All schemas in one document.
    Bundle,
    /// The documents beside it, one for each message.
    Messages,
    /// The code of each file of TypeScript.
    TypeScript,
}

impl Archive {
    fn bytes(self) -> &'static [u8] {
        match self {
            Archive::Bundle => include_bytes!("app-server.tar.zst"),
            Archive::Messages => include_bytes!("app-server-messages.tar.zst"),
            Archive::TypeScript => include_bytes!("app-server-typescript.tar.zst"),
        }
    }

    /// What it has of a release, with or without the experimental API; `None` if it does not have the release.
    pub(super) fn read(self, release: Release, is_experimental: bool) -> Option<Value> {
        let text = match text(self.bytes(), release) {
            Ok(text) => text?,
            Err(error) => unreachable!("the archive of this crate is readable: {error}"),
        };
        let mut both: Map<String, Value> = match serde_json::from_str(&text) {
            Ok(both) => both,
            Err(error) => unreachable!("the archive of this crate has JSON: {error}"),
        };
        let experimental = is_experimental.then(|| both.remove("experimental"));
        experimental.flatten().or_else(|| both.remove("stable"))
    }
}

/// The text of a release. What comes behind it is not read.
fn text(bytes: &[u8], release: Release) -> io::Result<Option<String>> {
    let mut archive = tar::Archive::new(zstd::Decoder::new(bytes)?);
    let wanted = format!("{release}.json");
    for entry in archive.entries()? {
        let mut entry = entry?;
        if entry
            .path()?
            .file_name()
            .is_some_and(|name| *name == *wanted)
        {
            let mut text = String::new();
            entry.read_to_string(&mut text)?;
            return Ok(Some(text));
        }
    }
    Ok(None)
}
