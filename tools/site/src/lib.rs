//! Makes the site: pages about the protocols, what releases changed, and the guides, which work from a folder.
//!
//! [`build`] makes files of texts of the repository ([`Sources`]); [`folder`] reads and writes them. Everything about
//! protocols comes from the annotated documents of `codex-wire-schema`, and what is searched is the index that its
//! `find` goes by: there is a page for each definition, message and message set, and an anchor for each part. Pages
//! link to each other by relative paths. Templates, styles and scripts are files beside the code.
//!
//! Transcripts are checked by `codex-wire-check` and shown by `codex-wire-report`: only the module `timelines` knows
//! them.
//!
//! This crate must not know protocol types, rules or command lines.

#![forbid(unsafe_code)]

mod address;
mod breaks;
mod changes;
mod clients;
mod error;
mod examples;
mod feed;
pub mod folder;
mod guides;
mod history;
mod home;
mod languages;
mod links;
mod markdown;
mod model;
mod pages;
mod playground;
mod protocol;
mod ranges;
mod render;
mod rows;
mod search;
mod sources;
mod spelling;
mod timelines;
mod tree;
mod users;

pub use error::Error;
pub use pages::Files;
pub use sources::{Playground, Sources};

/// Makes all pages, scripts and styles. Schemas are not among them: `codex_wire_schema::archive` makes them.
///
/// # Errors
/// When a page cannot be made, which no text of the repository should bring about.
pub fn build(sources: &Sources) -> Result<Files, Error> {
    let model = model::Model::new();
    let links = links::Links::new(sources, &model);
    let mut pages = pages::Pages::new(sources)?;
    home::write(&mut pages, &model, sources)?;
    let histories = changes::Histories::new();
    let clients = clients::Clients::new(sources);
    protocol::write(&mut pages, &model, sources, &histories, &clients)?;
    changes::write(&mut pages, &model, &histories)?;
    guides::write(&mut pages, sources, &links, &clients)?;
    clients::write(&mut pages, &clients)?;
    playground::write(&mut pages, sources)?;
    search::write(&mut pages, &model, sources);
    feed::write(&mut pages, sources)?;
    Ok(pages.into_files())
}
