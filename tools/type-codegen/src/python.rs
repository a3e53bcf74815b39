//! Python: the modules `codex_wire.types.…` of the distribution `codex-wire`, models of pydantic, and
//! `codex_wire.types.msgspec.…`, structs of msgspec.
//!
//! One module has one protocol in all its releases: it is written from the model of all of them. `render` writes
//! a module, in the flavour of `pydantic` or of `msgspec`.

mod docstring;
mod msgspec;
mod names;
mod pydantic;
mod render;

use codex_wire_schema::BundleName;

use crate::model::Model;
use crate::{Files, Releases, models};

/// Writes the modules, by their paths in `codex_wire/types`.
pub fn files() -> Files {
    let mut files = Files::new();
    for name in BundleName::ALL {
        let model = names::with_named_strings(Model::merged(models(name, Releases::All)));
        let file = format!("{}.py", name.as_str().replace('-', "_"));
        let text = render::module::<pydantic::Pydantic>(name, &model);
        files.insert(file.clone(), text);
        let model = msgspec::with_named_unions(model);
        let text = render::module::<msgspec::Msgspec>(name, &model);
        files.insert(format!("msgspec/{file}"), text);
    }
    files
}
