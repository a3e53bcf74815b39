//! The pages that are written, and what all of them have in common.

use std::collections::{BTreeMap, BTreeSet};

use minijinja::context;
use serde::Serialize;

use crate::address::root_of;
use crate::render::Templates;
use crate::{Error, Sources};

/// The files of the site, by their paths.
pub type Files = BTreeMap<String, Vec<u8>>;

/// The pages that are written.
pub(crate) struct Pages {
    templates: Templates,
    files: Files,
    lower: BTreeSet<String>,
    repository: String,
    has_feed: bool,
    has_playground: bool,
}

/// What a page is called, and where it is.
pub(crate) struct Head {
    pub(crate) path: String,
    pub(crate) title: String,
    pub(crate) about: String,
    /// The part of the navigation.
    pub(crate) section: &'static str,
}

const ASSETS: [(&str, &str); 7] = [
    ("assets/site.css", include_str!("../assets/site.css")),
    ("assets/site.js", include_str!("../assets/site.js")),
    ("assets/release.js", include_str!("../assets/release.js")),
    ("assets/search.js", include_str!("../assets/search.js")),
    ("assets/find.js", include_str!("../assets/find.js")),
    ("assets/compare.js", include_str!("../assets/compare.js")),
    ("assets/icon.svg", include_str!("../assets/icon.svg")),
];

impl Pages {
    pub(crate) fn new(sources: &Sources) -> Result<Self, Error> {
        let mut files = Files::new();
        for (path, text) in ASSETS {
            files.insert(path.to_owned(), text.as_bytes().to_vec());
        }
        Ok(Pages {
            templates: Templates::new()?,
            files,
            lower: BTreeSet::new(),
            repository: sources.repository.clone(),
            has_feed: !sources.dates.is_empty(),
            has_playground: sources.playground.is_some(),
        })
    }

    /// Writes a page.
    pub(crate) fn page(
        &mut self,
        head: Head,
        template: &'static str,
        content: impl Serialize,
    ) -> Result<(), Error> {
        if !self.lower.insert(head.path.to_lowercase()) {
            return Err(Error::SamePath { page: head.path });
        }
        let values = context! {
            root => root_of(&head.path),
            title => head.title,
            about => head.about,
            section => head.section,
            repository => self.repository,
            has_feed => self.has_feed,
            has_playground => self.has_playground,
            page => content,
        };
        let text = self.templates.render(&head.path, template, values)?;
        self.files.insert(head.path, text.into_bytes());
        Ok(())
    }

    /// Writes a file that no template makes.
    pub(crate) fn file(&mut self, path: String, bytes: Vec<u8>) {
        self.files.insert(path, bytes);
    }

    /// Writes a file with a template, which is not a page.
    pub(crate) fn text(
        &mut self,
        path: &str,
        template: &'static str,
        content: impl Serialize,
    ) -> Result<(), Error> {
        let values = context! { page => content, repository => self.repository };
        let text = self.templates.render(path, template, values)?;
        self.files.insert(path.to_owned(), text.into_bytes());
        Ok(())
    }

    pub(crate) fn into_files(self) -> Files {
        self.files
    }
}
