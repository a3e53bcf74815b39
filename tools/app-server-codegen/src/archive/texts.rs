//! An archive file: a text for each release, and how a text holds what there is for each kind of client.

use std::io::{Read as _, Write as _};

use codex_wire::Release;
use serde_json::{Map, Value};

use crate::Error;

/// An archive of one text for each release, as bytes which depend on nothing else.
pub(crate) fn pack_texts(mut texts: Vec<(Release, &str)>) -> Result<Vec<u8>, Error> {
    let mut encoder = zstd::Encoder::new(Vec::new(), 19).map_err(Error::archive)?;
    // Releases hardly differ; the window holds what 27 bits can address, as much as readers
    // take without being asked to.
    encoder
        .long_distance_matching(true)
        .map_err(Error::archive)?;
    encoder.window_log(27).map_err(Error::archive)?;
    let mut archive = tar::Builder::new(encoder);
    texts.sort_by_key(|(release, _)| *release);
    for (release, text) in texts {
        let mut header = tar::Header::new_ustar();
        header.set_size(text.len() as u64);
        header.set_mode(0o644);
        header.set_mtime(0);
        let name = format!("official/{release}.json");
        archive
            .append_data(&mut header, name, text.as_bytes())
            .map_err(Error::archive)?;
    }
    let mut encoder = archive.into_inner().map_err(Error::archive)?;
    encoder.flush().map_err(Error::archive)?;
    encoder.finish().map_err(Error::archive)
}

/// The texts of an archive, oldest release first.
pub(crate) fn unpack_texts(bytes: &[u8]) -> Result<Vec<(Release, String)>, Error> {
    let plain = zstd::Decoder::new(bytes).map_err(Error::archive)?;
    let mut archive = tar::Archive::new(plain);
    let mut texts = Vec::new();
    for entry in archive.entries().map_err(Error::archive)? {
        let mut entry = entry.map_err(Error::archive)?;
        let path = entry.path().map_err(Error::archive)?.into_owned();
        let name = path.file_name().and_then(|name| name.to_str());
        let Some(release) = name.and_then(|name| name.strip_suffix(".json")) else {
            continue;
        };
        let release = release
            .parse()
            .map_err(|_| Error::Archive(format!("{release} names no release")))?;
        let mut text = String::new();
        entry.read_to_string(&mut text).map_err(Error::archive)?;
        texts.push((release, text));
    }
    texts.sort_by_key(|(release, _)| *release);
    Ok(texts)
}

/// One text of what there is for every client, and for clients with the experimental API.
pub(super) fn join(stable: Value, experimental: Option<Value>) -> String {
    let mut both = Map::new();
    if let Some(experimental) = experimental {
        both.insert("experimental".to_owned(), experimental);
    }
    both.insert("stable".to_owned(), stable);
    Value::Object(both).to_string()
}

/// What [`join`] joins.
pub(super) fn part(text: &str) -> Result<(Value, Option<Value>), Error> {
    let mut both: Map<String, Value> =
        serde_json::from_str(text).map_err(|error| Error::Archive(error.to_string()))?;
    let stable = both.remove("stable");
    let stable = stable.ok_or_else(|| Error::Archive("what is stable is missing".to_owned()))?;
    Ok((stable, both.remove("experimental")))
}
