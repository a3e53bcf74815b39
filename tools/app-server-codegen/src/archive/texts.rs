//! An archive file: a text for each release, and how a text holds what there is for each kind of client.

use std::io::{Read as _, Write as _};
use std::marker::PhantomData;

use codex_wire::Release;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::json;

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

/// What a release writes of one kind, as the text that an archive has of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Archived<T> {
    pub(super) text: String,
    of: PhantomData<T>,
}

/// What there is for every client, and for clients with the experimental API.
#[derive(Serialize, Deserialize)]
struct Both<T> {
    #[serde(skip_serializing_if = "Option::is_none")]
    experimental: Option<T>,
    stable: T,
}

impl<T> Archived<T> {
    pub(super) fn of_text(text: String) -> Self {
        let of = PhantomData;
        Archived { text, of }
    }
}

impl<T: Serialize + DeserializeOwned> Archived<T> {
    pub(super) fn join(stable: T, experimental: Option<T>) -> Self {
        let both = json!(Both {
            experimental,
            stable
        });
        Archived::of_text(both.to_string())
    }

    /// What it has for every client, and for clients that opted into the experimental API.
    ///
    /// # Errors
    /// When the text is malformed.
    pub fn read(&self) -> Result<(T, Option<T>), Error> {
        let both: Both<T> =
            serde_json::from_str(&self.text).map_err(|error| Error::Archive(error.to_string()))?;
        Ok((both.stable, both.experimental))
    }
}

impl<T: Serialize + DeserializeOwned + Default> Default for Archived<T> {
    fn default() -> Self {
        Archived::join(T::default(), None)
    }
}
