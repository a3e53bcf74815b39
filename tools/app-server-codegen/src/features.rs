//! Assigns methods to the Cargo features of codex-wire.

use serde::Deserialize;

use crate::Error;

/// The features that have the types of the app-server.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Features {
    rest: String,
    core: Core,
    feature: Vec<Feature>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Core {
    name: String,
    methods: Vec<String>,
    types: Vec<String>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Feature {
    name: String,
    methods: Vec<String>,
}

impl Features {
    /// Reads `features.toml`.
    ///
    /// # Errors
    /// When the file is malformed.
    pub fn parse(text: &str) -> Result<Self, Error> {
        toml::from_str(text).map_err(|error| Error::table("features.toml", error))
    }

    /// The feature of a method: the one with the longest entry that its name begins with, else the one that has the
    /// rest.
    pub fn of(&self, method: &str) -> &str {
        let entries = self.entries();
        let fitting = entries.filter(|(_, entry)| method.starts_with(entry));
        let longest = fitting.max_by_key(|(_, entry)| entry.len());
        longest.map_or(&self.rest, |(feature, _)| feature)
    }

    /// The feature that is there with any of the others.
    pub fn core(&self) -> &str {
        &self.core.name
    }

    /// The types that are in the core whatever methods reach them.
    pub fn types(&self) -> &[String] {
        &self.core.types
    }

    /// The names of all features, without one for all of them.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let others = self.feature.iter().map(|feature| feature.name.as_str());
        [self.core(), self.rest.as_str()].into_iter().chain(others)
    }

    /// The entries that no method begins with.
    pub fn idle<'m>(&self, methods: impl Iterator<Item = &'m str> + Clone) -> Vec<&str> {
        let entries = self.entries().map(|(_, entry)| entry);
        entries
            .filter(|entry| !methods.clone().any(|method| method.starts_with(entry)))
            .collect()
    }

    fn entries(&self) -> impl Iterator<Item = (&str, &str)> {
        let core = (self.core.name.as_str(), &self.core.methods);
        let others = self.feature.iter();
        let others = others.map(|feature| (feature.name.as_str(), &feature.methods));
        let all = [core].into_iter().chain(others);
        all.flat_map(|(name, methods)| methods.iter().map(move |entry| (name, entry.as_str())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_entry_decides() {
        let features = Features::parse(
            r#"
            rest = "c"
            [core]
            name = "a"
            methods = ["thread/", "turn/start"]
            types = []
            [[feature]]
            name = "b"
            methods = ["thread/realtime/", "gone"]
            "#,
        )
        .expect("a table");
        let of = [
            "thread/read",
            "thread/realtime/stop",
            "turn/start",
            "turn/stop",
        ];
        assert_eq!(of.map(|method| features.of(method)), ["a", "b", "a", "c"]);
        assert_eq!(features.names().collect::<Vec<_>>(), ["a", "c", "b"]);
        assert_eq!(features.idle(of.into_iter()), ["gone"]);
    }
}
