//! Go: a package per protocol, with the types of its newest release, and one per format that the program
//! writes for other programs. What they do not declare is kept, so that they also read and write lines of
//! other releases. Session files had lines of another kind at first, which are declared, too.
//!
//! `go/wire` is written by hand: it has what all packages share.

mod names;
mod package;
mod session_lines;

use codex_wire_schema::BundleName;

use crate::formats::{self, FormatError};
use crate::model::Model;
use crate::{Files, Releases, models};

/// The formats that have a package. Reports, differences and identifications are for people and CI systems.
const FORMATS: &[&str] = &["session", "usage", "client_log", "faults"];

/// Writes the packages, by their paths below `go`.
///
/// # Errors
/// If the schema of a format has words that have no meaning here.
pub fn files() -> Result<Files, FormatError> {
    let mut files = Files::new();
    for name in BundleName::ALL {
        for mut model in models(name, Releases::Newest) {
            let package = name.as_str().replace('-', "");
            let path = format!("{package}/{package}.go");
            let choice = match name {
                BundleName::Rollout => {
                    let all = Model::merged(models(name, Releases::All));
                    session_lines::add_to(&mut model, &all)
                }
                _ => None,
            };
            files.insert(path, package::protocol(model, &package, choice));
        }
    }
    for own in formats::own()? {
        if FORMATS.contains(&own.module) {
            // Names of packages are one word.
            let package = &own.module.replace('_', "");
            let definitions = own.format.definitions()?;
            let path = format!("{package}/{package}.go");
            files.insert(path, package::format(&definitions, package, &own.origin));
        }
    }
    Ok(files)
}
