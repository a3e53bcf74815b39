//! Knows the files of a checkout that belong to the model: its sources, and the files generated
//! from them.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::accessors::Accessors;
use crate::archive::Official;
use crate::docs::Docs;
use crate::domains::Domains;
use crate::features::Features;
use crate::model::Model;
use crate::overlay::Overlay;
use crate::results::Results;
use crate::written::{LeftOut, Written};
use crate::{Error, archive, rust, store};

/// Where the types go.
const TYPES: &str = "crates/codex-wire/src/app_server/types";

/// Where the list of releases goes.
const RELEASE_LIST: &str = "crates/codex-wire-base/src/release_list/app_server.rs";

/// Where the model's text goes.
const MODEL: &str = "tools/app-server-codegen/model";

/// The root of the checkout this crate was built in.
pub fn root() -> PathBuf {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    own.ancestors().nth(2).unwrap_or(own).to_path_buf()
}

/// What people write beside the model.
#[derive(Clone, Debug)]
pub struct Tables {
    /// Which module a definition goes to.
    pub domains: Domains,
    /// Which Cargo feature a method belongs to.
    pub features: Features,
    /// The documentation.
    pub docs: Docs,
    /// What answers requests.
    pub results: Results,
    /// The corrections.
    pub overlay: Overlay,
    /// Members that TypeScript requires and recordings lack.
    pub left_out: LeftOut,
    /// What code written by hand reads of the types.
    pub accessors: Accessors,
}

impl Tables {
    /// Reads them.
    ///
    /// # Errors
    /// When one cannot be read or is malformed.
    pub fn load() -> Result<Self, Error> {
        let model = store::folder();
        Ok(Tables {
            domains: store::domains(&model)?,
            features: Features::parse(&store::read(&model.join("features.toml"))?)?,
            docs: Docs::load(&model.with_file_name("docs"))?,
            results: Results::parse(&store::read(&model.join("results.toml"))?)?,
            overlay: Overlay::parse(&store::read(&model.join("overlay.toml"))?)?,
            left_out: LeftOut::parse(&store::read(&model.join("left-out.toml"))?)?,
            accessors: Accessors::parse(&store::read(&model.join("accessors.toml"))?)?,
        })
    }
}

/// The archive, and the model folded from it.
///
/// # Errors
/// When the archive is damaged, or a bundle uses a construct the reader does not know.
pub fn folded() -> Result<(Vec<Official>, Model), Error> {
    let mut model = Model::default();
    let officials = archive::read(&archive::folder())?;
    for official in &officials {
        let (stable, experimental) = official.snapshots()?;
        model.fold(&stable, experimental.as_ref());
    }
    Ok((officials, model))
}

/// The files that follow from what releases say and the model that it folds to, with their paths in
/// the checkout.
///
/// # Errors
/// When a table does not fit the model, or rustfmt fails.
pub fn files(
    officials: &[Official],
    model: &Model,
    tables: &Tables,
) -> Result<BTreeMap<String, String>, Error> {
    let mut files = BTreeMap::new();
    for (path, text) in store::files(model, &tables.domains)? {
        files.insert(format!("{MODEL}/{path}"), text);
    }
    let corrected = tables.overlay.apply(model)?;
    let written = Written::of(officials, &corrected, &tables.results, &tables.left_out)?;
    files.insert(
        format!("{MODEL}/written.model"),
        written.text(&model.releases),
    );
    let sources = rust::Sources {
        model: &corrected,
        written: &written,
        domains: &tables.domains,
        features: &tables.features,
        docs: &tables.docs,
        results: &tables.results,
        accessors: &tables.accessors,
    };
    for (name, text) in rust::generate(&sources)? {
        let path = match name.as_str() {
            "releases.rs" => RELEASE_LIST.to_owned(),
            _ => format!("{TYPES}/{name}"),
        };
        let text = formatted(&path, &text)?;
        files.insert(path, text);
    }
    Ok(files)
}

/// Rust as rustfmt writes it.
fn formatted(path: &str, text: &str) -> Result<String, Error> {
    let failed = |message: String| Error::File {
        file: path.to_owned(),
        message: format!("rustfmt: {message}"),
    };
    let io = |error: std::io::Error| failed(error.to_string());
    let mut child = Command::new("rustfmt")
        .args(["--edition", "2024"])
        .current_dir(root())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(io)?;
    // It reads all before it writes anything.
    if let Some(mut stdin) = child.stdin.take() {
        stdin.write_all(text.as_bytes()).map_err(io)?;
    }
    let output = child.wait_with_output().map_err(io)?;
    if !output.status.success() {
        let complaint = String::from_utf8_lossy(&output.stderr);
        return Err(failed(complaint.trim().to_owned()));
    }
    String::from_utf8(output.stdout).map_err(|error| failed(error.to_string()))
}

/// A file that is not what it has to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stale {
    /// Its path in the checkout.
    pub path: String,
    /// What it is; `None` where it is missing.
    pub committed: Option<String>,
    /// What it has to be; `None` where it has to go.
    pub wanted: Option<String>,
}

/// The files below `root` that are not what they have to be.
///
/// # Errors
/// When a folder or file cannot be read.
pub fn stale(root: &Path, files: &BTreeMap<String, String>) -> Result<Vec<Stale>, Error> {
    let mut out = Vec::new();
    for (path, wanted) in files {
        let file = root.join(path);
        let committed = match file.exists() {
            true => Some(store::read(&file)?),
            false => None,
        };
        if committed.as_ref() != Some(wanted) {
            out.push(Stale {
                path: path.clone(),
                committed,
                wanted: Some(wanted.clone()),
            });
        }
    }
    for folder in [format!("{MODEL}/definitions"), TYPES.to_owned()] {
        let Ok(entries) = fs::read_dir(root.join(&folder)) else {
            continue;
        };
        for entry in entries {
            let entry = entry.map_err(|error| Error::file(Path::new(&folder), &error))?;
            let path = format!("{folder}/{}", entry.file_name().to_string_lossy());
            if !files.contains_key(&path) {
                out.push(Stale {
                    committed: Some(store::read(&entry.path())?),
                    path,
                    wanted: None,
                });
            }
        }
    }
    Ok(out)
}

/// Makes the files below `root` what they have to be.
///
/// # Errors
/// When one cannot be written or removed.
pub fn write(root: &Path, stale: &[Stale]) -> Result<(), Error> {
    for Stale { path, wanted, .. } in stale {
        let file = root.join(path);
        let done = match (wanted, file.parent()) {
            (Some(text), Some(folder)) => {
                fs::create_dir_all(folder).and_then(|()| fs::write(&file, text))
            }
            _ => fs::remove_file(&file),
        };
        done.map_err(|error| Error::file(&file, &error))?;
    }
    Ok(())
}
