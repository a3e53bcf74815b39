//! The names of the project, from the one file that has them.

use serde::Deserialize;

/// What `packages/project.json` says. All packages and the ids of schemas follow from it.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
pub struct Project {
    /// Owner and name of the repository on GitHub.
    pub repository: String,
    /// Where published schemas are: the beginning of their ids.
    pub schemas: String,
}

impl Project {
    /// Reads the file.
    ///
    /// # Panics
    /// If it is not as described, which a test would notice.
    pub fn read() -> Self {
        let text = include_str!("../../../packages/project.json");
        match serde_json::from_str(text) {
            Ok(project) => project,
            Err(error) => unreachable!("packages/project.json: {error}"),
        }
    }

    /// The address of the repository.
    pub fn url(&self) -> String {
        format!("https://github.com/{}", self.repository)
    }

    /// The version of all packages: that of the workspace.
    pub fn version(&self) -> &'static str {
        env!("CARGO_PKG_VERSION")
    }
}
