//! Reads and writes the archive of official schema bundles.
//!
//! Bundles are archived without their prose: a JSON object with the members `stable` and
//! `experimental`, each a bundle as Codex writes it, sorted and without titles, descriptions and
//! default values.

use std::fs;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};

use codex_wire::Release;
use serde_json::{Map, Value};

use crate::snapshot::Snapshot;
use crate::{Error, official};

/// The official documents of a release.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bundle {
    /// The release.
    pub release: Release,
    text: String,
}

/// The archive in the repository.
pub fn file() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("official/app-server.tar.zst")
}

impl Bundle {
    /// The documents as Codex writes them, for every client and for clients that opted into the
    /// experimental API; releases before 0.95.0 have one only.
    pub fn new(release: Release, stable: Value, experimental: Option<Value>) -> Self {
        let mut both = Map::new();
        if let Some(experimental) = experimental {
            both.insert("experimental".to_owned(), without_prose(experimental));
        }
        both.insert("stable".to_owned(), without_prose(stable));
        Bundle {
            release,
            text: Value::Object(both).to_string(),
        }
    }

    /// What the documents say: for every client, and for clients with the experimental API.
    ///
    /// # Errors
    /// When a document uses a construct the reader does not know.
    pub fn snapshots(&self) -> Result<(Snapshot, Option<Snapshot>), Error> {
        let (stable, experimental) = self.documents()?;
        let read = |document: &Value| official::read(self.release, document);
        Ok((read(&stable)?, experimental.as_ref().map(read).transpose()?))
    }

    /// The documents.
    ///
    /// # Errors
    /// When the text is malformed.
    pub fn documents(&self) -> Result<(Value, Option<Value>), Error> {
        let fault = |message: &str| Error::Archive(format!("{}.json: {message}", self.release));
        let mut both: Map<String, Value> =
            serde_json::from_str(&self.text).map_err(|error| fault(&error.to_string()))?;
        let stable = both.remove("stable");
        let stable = stable.ok_or_else(|| fault("the stable document is missing"))?;
        Ok((stable, both.remove("experimental")))
    }
}

/// Reads an archive, oldest release first.
///
/// # Errors
/// When it cannot be read or is damaged.
pub fn read(file: &Path) -> Result<Vec<Bundle>, Error> {
    unpack(&fs::read(file).map_err(|error| Error::file(file, &error))?)
}

/// Writes an archive.
///
/// # Errors
/// When it cannot be written.
pub fn write(file: &Path, bundles: &[Bundle]) -> Result<(), Error> {
    fs::write(file, pack(bundles)?).map_err(|error| Error::file(file, &error))
}

/// The archive as bytes, which depend on nothing but the bundles.
///
/// # Errors
/// When compression fails.
pub fn pack(bundles: &[Bundle]) -> Result<Vec<u8>, Error> {
    let texts = bundles.iter().map(|bundle| (bundle.release, &*bundle.text));
    pack_texts(texts.collect())
}

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

/// Reads what [`pack`] makes.
///
/// # Errors
/// When it is damaged.
pub fn unpack(bytes: &[u8]) -> Result<Vec<Bundle>, Error> {
    let texts = unpack_texts(bytes)?.into_iter();
    Ok(texts
        .map(|(release, text)| Bundle { release, text })
        .collect())
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

/// A schema without titles, descriptions and default values, its keys sorted.
fn without_prose(schema: Value) -> Value {
    match schema {
        Value::Object(fields) => {
            let kept = fields
                .into_iter()
                .filter(|(key, _)| !["title", "description", "default"].contains(&key.as_str()))
                .map(|(key, value)| {
                    let value = match (key.as_str(), value) {
                        // The keys are names here, not keywords.
                        ("properties", Value::Object(named)) => sorted(each(named)),
                        ("definitions", Value::Object(named)) => definitions(named),
                        (_, value) => without_prose(value),
                    };
                    (key, value)
                });
            sorted(kept)
        }
        Value::Array(list) => list.into_iter().map(without_prose).collect(),
        plain => plain,
    }
}

/// The newer name space stands among the definitions as if it were one of them.
fn definitions(mut named: Map<String, Value>) -> Value {
    let newer = match named.remove("v2") {
        Some(Value::Object(newer)) => Some(("v2".to_owned(), sorted(each(newer)))),
        _ => None,
    };
    sorted(each(named).chain(newer))
}

fn each(named: Map<String, Value>) -> impl Iterator<Item = (String, Value)> {
    let schemas = named.into_iter();
    schemas.map(|(name, schema)| (name, without_prose(schema)))
}

fn sorted(fields: impl Iterator<Item = (String, Value)>) -> Value {
    let mut fields: Vec<(String, Value)> = fields.collect();
    fields.sort_by(|a, b| a.0.cmp(&b.0));
    Value::Object(fields.into_iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_archive_reads_back_and_does_not_depend_on_the_order() {
        let bundle = |minor| {
            let document = json!({"definitions": {"A": {"enum": [minor]}}});
            Bundle::new(Release::new(0, minor, 0), document, None)
        };
        let bundles = [bundle(58), bundle(59)];
        let packed = pack(&bundles).unwrap();
        assert_eq!(unpack(&packed).unwrap(), bundles);
        assert_eq!(pack(&[bundle(59), bundle(58)]).unwrap(), packed);
        assert!(matches!(unpack(&packed[..40]), Err(Error::Archive(_))));
    }

    #[test]
    fn prose_goes_and_members_stay() {
        let stable = json!({
            "title": "T",
            "definitions": {
                "title": {"type": "string", "description": "d"},
                "v2": {
                    "description": {
                        "properties": {"default": {"default": null, "type": "null"}, "a": true},
                    },
                },
            },
        });
        let bundle = Bundle::new(Release::new(0, 58, 0), stable, None);
        assert_eq!(
            bundle.text,
            r#"{"stable":{"definitions":{"title":{"type":"string"},"v2":{"description":{"properties":{"a":true,"default":{"type":"null"}}}}}}}"#
        );
    }
}
