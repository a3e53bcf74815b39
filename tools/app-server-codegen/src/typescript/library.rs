//! The files of a release: a type in each.

use std::collections::BTreeMap;

use super::parse::{Syntax, Type};
use crate::Error;
use crate::archive::Code;

/// The types of a release by the paths of their files: `v2/Turn`.
#[derive(Debug, Default)]
pub struct Library {
    pub(super) files: BTreeMap<String, File>,
}

/// A file: a type, and the files of the types that it names.
#[derive(Clone, Debug)]
pub(super) struct File {
    pub(super) imports: BTreeMap<String, String>,
    pub(super) declared: Type,
}

/// Reads many libraries: most of their files are the same.
#[derive(Debug, Default)]
pub struct Reader {
    known: BTreeMap<(bool, String), File>,
}

impl Reader {
    /// Reads the files of a release.
    ///
    /// # Errors
    /// When a file uses a construct this reader does not know.
    pub fn read(&mut self, code: &Code) -> Result<Library, Error> {
        let mut files = BTreeMap::new();
        for (path, text) in code {
            if path.rsplit('/').next() == Some("index") {
                continue;
            }
            let key = (path.contains('/'), text.clone());
            let file = match self.known.get(&key) {
                Some(known) => known.clone(),
                None => {
                    let file = file(path, text)?;
                    self.known.insert(key, file.clone());
                    file
                }
            };
            files.insert(path.clone(), file);
        }
        Ok(Library { files })
    }
}

fn file(path: &str, text: &str) -> Result<File, Error> {
    let failed = |message: String| Error::Archive(format!("TypeScript, `{path}`: {message}"));
    let mut syntax = Syntax::of(text).map_err(failed)?;
    let mut imports = BTreeMap::new();
    while let Some((names, from)) = syntax.import().map_err(failed)? {
        let target = resolve(path, &from);
        for name in names {
            imports.insert(name, target.clone());
        }
    }
    let declared = syntax.declaration().map_err(failed)?;
    Ok(File { imports, declared })
}

/// The path that an import means: `../Turn` in `v2/Thread` is `Turn`.
fn resolve(path: &str, from: &str) -> String {
    let mut parts: Vec<&str> = path.split('/').collect();
    parts.pop();
    for part in from.split('/') {
        match part {
            "." => {}
            ".." => {
                parts.pop();
            }
            name => parts.push(name),
        }
    }
    parts.join("/")
}

impl Library {
    /// The paths of the files.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str)
    }
}
