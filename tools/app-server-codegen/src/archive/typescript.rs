//! The files of `generate-ts`: a type for each.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::prose::without_comments;
use super::texts::{join, part};
use crate::Error;

/// The code of files by their paths, without `.ts`: `v2/Turn`.
pub type Code = BTreeMap<String, String>;

/// The files of a release, as they are archived: without comments.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TypeScript {
    /// Empty where there are none.
    text: String,
}

impl TypeScript {
    /// The files as Codex writes them, for every client and for clients that opted into the
    /// experimental API.
    pub fn new(stable: Code, experimental: Option<Code>) -> Self {
        TypeScript {
            text: join(archived(stable), experimental.map(archived)),
        }
    }

    pub(super) fn archived(text: String) -> Self {
        TypeScript { text }
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// The files.
    ///
    /// # Errors
    /// When the text is malformed.
    pub fn files(&self) -> Result<(Code, Option<Code>), Error> {
        if self.text.is_empty() {
            return Ok((Code::new(), None));
        }
        let (stable, experimental) = part(&self.text)?;
        let read = |value| {
            serde_json::from_value(value).map_err(|error| Error::Archive(error.to_string()))
        };
        Ok((read(stable)?, experimental.map(read).transpose()?))
    }
}

fn archived(files: Code) -> Value {
    let code = files
        .into_iter()
        .map(|(path, code)| (path, without_comments(&code)));
    json!(code.collect::<Code>())
}
