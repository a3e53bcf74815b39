//! Writes the types of Codex's wire protocols in other languages, and those of what codex-wire writes.
//!
//! Each language is a module with a function that makes its files from [`Bundle`]s: one protocol in
//! one release, every definition once. What the languages share is here: which releases are written
//! ([`Releases`]), what comments say ([`comments`]), and the names of the project ([`project`]).
//! [`formats`] writes the types of what our own program writes: reports, sessions and others.
//!
//! This crate must not know files, processes, transcripts, findings or the Rust types of the
//! protocols: it returns texts by their paths.

#![forbid(unsafe_code)]

pub mod comments;
pub mod formats;
pub mod go;
mod model;
mod names;
pub mod project;
pub mod python;
pub mod typescript;

use std::collections::BTreeMap;

use codex_wire_base::ReleaseRange;
use codex_wire_schema::{Bundle, BundleName, Stability};

use model::Model;

/// The texts of files, by their paths below the folder of a package.
pub type Files = BTreeMap<String, String>;

/// Which releases are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Releases {
    /// The newest of each protocol: what is in the repository.
    Newest,
    /// All: what a package has.
    All,
}

/// The bundles of a protocol, with its experimental API, oldest first.
pub fn bundles(name: BundleName, releases: Releases) -> impl Iterator<Item = Bundle> {
    let mut ranges = name.ranges();
    if releases == Releases::Newest {
        ranges = ranges.split_off(ranges.len().saturating_sub(1));
    }
    let ranges = ranges.into_iter();
    ranges.map(move |range| Bundle::new(name, range.since, Stability::Experimental))
}

/// The models of a protocol, oldest first.
fn models(name: BundleName, releases: Releases) -> impl Iterator<Item = Model> {
    bundles(name, releases).map(|bundle| Model::read(&bundle))
}

/// Makes one of neighbouring releases that are written alike: the ranges of bundles may be narrower
/// than what a language shows of them.
pub fn merged<T: PartialEq>(
    written: impl IntoIterator<Item = (ReleaseRange, T)>,
) -> Vec<(ReleaseRange, T)> {
    let mut out: Vec<(ReleaseRange, T)> = Vec::new();
    for (range, text) in written {
        match out.last_mut() {
            Some((last, known)) if *known == text => last.until = range.until,
            _ => out.push((range, text)),
        }
    }
    out
}
