//! What words name.

use codex_wire_base::ReleaseChoice;
use codex_wire_check::Rule;
use codex_wire_schema::find::Hit;

/// What words name.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Parts {
    /// The words, without a release that stood among them.
    pub words: Vec<String>,
    /// The parts of messages.
    pub hits: Vec<Hit>,
    /// The rules.
    pub rules: Vec<&'static Rule>,
    /// The release or the releases to say it for.
    pub releases: Option<ReleaseChoice>,
}

impl Parts {
    /// What these words name, of all releases.
    pub fn new(words: Vec<String>, hits: Vec<Hit>, rules: Vec<&'static Rule>) -> Self {
        Parts {
            words,
            hits,
            rules,
            releases: None,
        }
    }

    /// Whether nothing has such a name.
    pub fn is_empty(&self) -> bool {
        self.hits.is_empty() && self.rules.is_empty()
    }
}
