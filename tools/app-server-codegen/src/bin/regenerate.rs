//! Writes the model's text and the Rust types again, as `cargo xtask sync` does, but without
//! building the types. Use it when they do not compile.

#![allow(clippy::print_stdout)]

use app_server_codegen::{Error, repository};

fn main() -> Result<(), Error> {
    let tables = repository::Tables::load()?;
    let (officials, model) = repository::folded()?;
    let files = repository::files(&officials, &model, &tables)?;
    let root = repository::root();
    let stale = repository::stale(&root, &files)?;
    repository::write(&root, &stale)?;
    for file in stale {
        println!("{}", file.path);
    }
    Ok(())
}
