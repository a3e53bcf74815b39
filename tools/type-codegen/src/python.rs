//! Python: the modules `codex_wire.types.…` of the distribution `codex-wire`, models of pydantic.
//!
//! One module has one protocol in all its releases. `model` reads the bundles of all releases into
//! one model: a member that not every release writes is optional, and a union has the variants of all.
//! `render` writes a module.

mod model;
mod names;
mod render;

use codex_wire_schema::BundleName;

use crate::{Files, Releases, bundles};
use model::Model;

/// Writes the modules, by their names in `codex_wire/types`.
pub fn files() -> Files {
    let modules = BundleName::ALL.map(|name| {
        let model = Model::read(bundles(name, Releases::All));
        let file = format!("{}.py", name.as_str().replace('-', "_"));
        (file, render::module(name, &model))
    });
    modules.into_iter().collect()
}
