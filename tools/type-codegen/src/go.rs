//! Go: a package per protocol, with the types of its newest release. What they do not declare is
//! kept, so that they also read and write lines of other releases.
//!
//! `go/wire` is written by hand: it has what all packages share.

mod names;
mod package;

use codex_wire_schema::BundleName;

use crate::{Files, Releases, models};

/// Writes the packages, by their paths below `go`.
pub fn files() -> Files {
    let mut files = Files::new();
    for name in BundleName::ALL {
        for model in models(name, Releases::Newest) {
            let package = name.as_str().replace('-', "");
            let path = format!("{package}/{package}.go");
            files.insert(path, package::write(model, &package));
        }
    }
    files
}
