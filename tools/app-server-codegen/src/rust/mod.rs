//! Writes the Rust types of the protocol.
//!
//! `plan` decides which types there are and what their members are; `emit` writes them, and `accessors`
//! the methods through which code written by hand reads them. Every
//! definition has its name here, those too that no message reaches. Names for plain strings
//! (`ThreadId`, `AbsolutePathBuf`, …) are aliases, and their members are `String`: which name a
//! member had in which release says nothing about the wire.

mod accessors;
mod emit;
mod gates;
pub mod items;
mod plan;
pub mod ranges;
mod sources;

use std::collections::BTreeMap;

use crate::{Error, Kind};
use gates::Gates;

pub use accessors::missing;
pub use plan::Plan;
pub use sources::Sources;

/// The modules of the types: file names below `app_server/`, and contents, not yet formatted.
///
/// # Errors
/// When a table names something the model does not have.
pub fn generate(sources: &Sources<'_>) -> Result<BTreeMap<String, String>, Error> {
    let plan = Plan::new(sources)?;
    let gates = Gates::new(sources.features, &plan);
    let mut files = BTreeMap::new();
    for domain in sources.domains.all() {
        if let Some(items) = plan.domains.get(&domain.name) {
            files.insert(
                format!("{}.rs", domain.name),
                emit::module(&domain.about, items, &gates),
            );
        }
    }
    files.insert("methods.rs".to_owned(), emit::methods(&plan, &gates));
    files.insert(
        "accessors.rs".to_owned(),
        accessors::module(sources.accessors, &plan, &gates),
    );
    for kind in Kind::ALL {
        let (file, about) = emit::union_file(kind);
        files.insert(
            file.to_owned(),
            emit::module(about, &plan.unions[&kind], &gates),
        );
    }
    files.insert("mod.rs".to_owned(), emit::modules(sources.domains, &plan));
    files.insert("releases.rs".to_owned(), emit::releases(sources.model));
    Ok(files)
}
