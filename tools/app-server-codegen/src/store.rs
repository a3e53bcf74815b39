//! Reads and writes the files of the model, a folder that is reviewed like source.

use std::fs;
use std::path::Path;

use crate::domains::Domains;
use crate::model::Model;
use crate::{Error, text};

/// The folder of the model in the repository.
pub fn folder() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("model")
}

/// Reads the model from a folder.
///
/// # Errors
/// When a file cannot be read or is malformed.
pub fn load(folder: &Path) -> Result<Model, Error> {
    let mut model = Model::default();
    let methods = folder.join("methods.model");
    text::parse(&mut model, &shown(&methods), &read(&methods)?)?;
    let mut files: Vec<_> = fs::read_dir(folder.join("definitions"))
        .map_err(|e| Error::file(folder, &e))?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|e| e == "model"))
        .collect();
    files.sort();
    for file in files {
        text::parse(&mut model, &shown(&file), &read(&file)?)?;
    }
    Ok(model)
}

/// The domains beside the model.
///
/// # Errors
/// When the file cannot be read or is malformed.
pub fn domains(folder: &Path) -> Result<Domains, Error> {
    Domains::parse(&read(&folder.join("domains.toml"))?)
}

/// The model as files: paths below the folder, and contents.
///
/// # Errors
/// When a definition belongs to no domain.
pub fn files(model: &Model, domains: &Domains) -> Result<Vec<(String, String)>, Error> {
    for name in model.definitions.keys() {
        if domains.of(name).is_none() {
            let message = format!("`{name}` belongs to no domain");
            return Err(Error::table("domains.toml", message));
        }
    }
    let mut files = vec![("methods.model".to_owned(), text::methods(model))];
    for domain in domains.all() {
        let wanted = |name: &str| domains.of(name).is_some_and(|of| of.name == domain.name);
        let definitions = text::definitions(model, wanted);
        if !definitions.is_empty() {
            let text = format!("# {}\n\n{definitions}", domain.about);
            files.push((format!("definitions/{}.model", domain.name), text));
        }
    }
    Ok(files)
}

pub(crate) fn read(path: &Path) -> Result<String, Error> {
    fs::read_to_string(path).map_err(|e| Error::file(path, &e))
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}
