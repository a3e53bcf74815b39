//! Python: the modules `codex_wire.types.…` of the distribution `codex-wire`, models of pydantic, and
//! `codex_wire.types.msgspec.…`, structs of msgspec.
//!
//! One module has one protocol in all its releases. `model` reads the bundles of all releases into
//! one model: a member that not every release writes is optional, and a union has the variants of all.
//! `render` writes a module from it, in the flavour of `pydantic` or of `msgspec`.

mod docstring;
mod model;
mod msgspec;
mod names;
mod pydantic;
mod render;

use codex_wire_schema::BundleName;

use crate::{Files, Releases, bundles};
use model::Model;

/// Writes the modules, by their paths in `codex_wire/types`.
pub fn files() -> Files {
    let mut files = Files::new();
    for name in BundleName::ALL {
        let model = Model::read(bundles(name, Releases::All));
        let file = format!("{}.py", name.as_str().replace('-', "_"));
        let text = render::module::<pydantic::Pydantic>(name, &model);
        files.insert(file.clone(), text);
        let model = msgspec::with_named_unions(model);
        let text = render::module::<msgspec::Msgspec>(name, &model);
        files.insert(format!("msgspec/{file}"), text);
    }
    files
}
