//! What the site is made of, beside the model.

use std::collections::BTreeMap;

/// Texts of the repository.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    /// The pages in Markdown, by their paths in the repository.
    pub pages: BTreeMap<String, String>,
    /// The pictures that they show, by their paths in the repository.
    pub pictures: BTreeMap<String, Vec<u8>>,
    /// The types in other languages, by their paths in the repository.
    pub types: BTreeMap<String, String>,
    /// The recordings of clients, by their paths in the repository.
    pub recordings: BTreeMap<String, String>,
    /// The transcripts that pages of rules and scenarios link to, and the files `settings` beside them, by their
    /// paths in the repository.
    pub transcripts: BTreeMap<String, Vec<u8>>,
    /// When pages of changes were added, by their paths in the repository, as RFC 3339 has times. Without any, there
    /// is no feed.
    pub dates: BTreeMap<String, String>,
    /// The checker for browsers. Without it, there is no playground.
    pub playground: Option<Playground>,
    /// The address of the repository.
    pub repository: String,
}

/// The checker for browsers.
#[derive(Clone, Debug)]
pub struct Playground {
    /// The module of WebAssembly.
    pub module: Vec<u8>,
    /// What a policy has to say so that browsers take the style sheet of the pages that it makes.
    pub style: String,
}
