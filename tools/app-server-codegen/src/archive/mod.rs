//! The archive of what each release says of its app-server.
//!
//! | file in `src/type_files/` of codex-wire-replay | what Codex wrote |
//! |---|---|
//! | `app-server.tar.zst` | the bundle of `generate-json-schema`: [`Bundle`] |
//! | `app-server-messages.tar.zst` | the files beside it, one for each message: [`MessageFiles`] |
//! | `app-server-typescript.tar.zst` | the files of `generate-ts`: [`TypeScript`] |
//!
//! Each release has two of everything: for every client, and for clients that opted into the
//! experimental API. Releases before 0.95.0 have one. Schemas are archived without titles,
//! descriptions and default values, TypeScript without comments.
//!
//! `cargo xtask sync --codex PATH` adds a release. `cargo xtask archive` asks all releases again.

mod bundle;
mod messages;
mod prose;
mod texts;
mod typescript;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use codex_wire::Release;

pub use self::bundle::Bundle;
pub use self::messages::{MessageFile, MessageFiles, Messages};
pub use self::texts::Archived;
pub(crate) use self::texts::{pack_texts, unpack_texts};
pub use self::typescript::{Code, TypeScript};
use crate::snapshot::Snapshot;
use crate::{Error, official};

/// All that a release says of its app-server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Official {
    /// The release.
    pub release: Release,
    /// All schemas in one document.
    pub bundle: Bundle,
    /// A document for each message.
    pub messages: MessageFiles,
    /// The types of TypeScript.
    pub typescript: TypeScript,
}

impl Official {
    /// A bundle with nothing beside it.
    pub fn bundle(release: Release, bundle: Bundle) -> Self {
        Official {
            release,
            bundle,
            messages: MessageFiles::default(),
            typescript: TypeScript::default(),
        }
    }

    /// What the bundle says: for every client, and for clients with the experimental API.
    ///
    /// # Errors
    /// When it uses a construct the reader does not know.
    pub fn snapshots(&self) -> Result<(Snapshot, Option<Snapshot>), Error> {
        let (stable, experimental) = self.bundle.read()?;
        let read = |document| official::read(self.release, &document);
        Ok((read(stable)?, experimental.map(read).transpose()?))
    }
}

/// The archive in the repository. A stand-in writes the same files as the release, and has them in its program.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../crates/codex-wire-replay/src/type_files")
}

type TextOf = fn(&Official) -> &str;

/// What the files of an archive are called, and the text that each has of a release.
const FILES: [(&str, TextOf); 3] = [
    ("app-server.tar.zst", |official| &official.bundle.text),
    ("app-server-messages.tar.zst", |official| {
        &official.messages.text
    }),
    ("app-server-typescript.tar.zst", |official| {
        &official.typescript.text
    }),
];

/// Reads an archive, oldest release first.
///
/// # Errors
/// When it cannot be read or is damaged.
pub fn read(folder: &Path) -> Result<Vec<Official>, Error> {
    let mut all = Vec::new();
    for (name, _) in FILES {
        let file = folder.join(name);
        all.push(fs::read(&file).map_err(|error| Error::file(&file, &error))?);
    }
    unpack(&all)
}

/// Writes an archive.
///
/// # Errors
/// When it cannot be written.
pub fn write(folder: &Path, all: &[Official]) -> Result<(), Error> {
    for ((name, _), bytes) in FILES.iter().zip(pack(all)?) {
        let file = folder.join(name);
        fs::write(&file, bytes).map_err(|error| Error::file(&file, &error))?;
    }
    Ok(())
}

/// The files of an archive as bytes, which depend on nothing but the releases.
///
/// # Errors
/// When compression fails.
pub fn pack(all: &[Official]) -> Result<Vec<Vec<u8>>, Error> {
    let file = |(_, text): &(&str, fn(&Official) -> &str)| {
        let texts = all
            .iter()
            .map(|official| (official.release, text(official)));
        pack_texts(texts.collect())
    };
    FILES.iter().map(file).collect()
}

/// Reads what [`pack`] makes.
///
/// # Errors
/// When it is damaged.
pub fn unpack(files: &[Vec<u8>]) -> Result<Vec<Official>, Error> {
    let mut texts: BTreeMap<Release, [String; 3]> = BTreeMap::new();
    for (at, bytes) in files.iter().enumerate().take(FILES.len()) {
        for (release, text) in unpack_texts(bytes)? {
            texts.entry(release).or_default()[at] = text;
        }
    }
    let official = |(release, [bundle, messages, typescript]): (Release, [String; 3])| Official {
        release,
        bundle: Archived::of_text(bundle),
        messages: Archived::of_text(messages),
        typescript: Archived::of_text(typescript),
    };
    Ok(texts.into_iter().map(official).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_archive_reads_back_and_does_not_depend_on_the_order() {
        let official = |minor| {
            let document = json!({"definitions": {"A": {"enum": [minor]}}});
            let files = [("A".to_owned(), json!({"enum": [minor]}))];
            let types = [("A".to_owned(), format!("export type A = {minor};"))];
            Official {
                release: Release::new(0, minor, 0),
                bundle: Bundle::new(document, None),
                messages: MessageFiles::new(Messages::new(files), None),
                typescript: TypeScript::new(types.into(), None),
            }
        };
        let all = [official(58), official(59)];
        let packed = pack(&all).unwrap();
        assert_eq!(unpack(&packed).unwrap(), all);
        assert_eq!(pack(&[official(59), official(58)]).unwrap(), packed);
        let damaged = [packed[0][..40].to_vec()];
        assert!(matches!(unpack(&damaged), Err(Error::Archive(_))));
    }

    #[test]
    fn a_bundle_has_nothing_beside_it() {
        let bundle = Bundle::new(json!({"definitions": {}}), None);
        let all = [Official::bundle(Release::new(0, 58, 0), bundle)];
        assert_eq!(unpack(&pack(&all).unwrap()).unwrap(), all);
    }
}
