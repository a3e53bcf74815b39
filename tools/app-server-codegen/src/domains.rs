//! Assigns definitions to domains: modules of the Rust types, and files of the model.

use std::collections::BTreeSet;

use serde::Deserialize;

use crate::Error;

/// The domains, in the order of the file.
#[derive(Clone, Debug, Deserialize)]
pub struct Domains {
    domain: Vec<Domain>,
}

/// A part of the protocol.
#[derive(Clone, Debug, Deserialize)]
pub struct Domain {
    /// The name of module and file.
    pub name: String,
    /// What it is about.
    pub about: String,
    #[serde(default)]
    prefixes: Vec<String>,
    #[serde(default)]
    names: Vec<String>,
}

impl Domains {
    /// Reads `domains.toml`.
    ///
    /// # Errors
    /// When the file is malformed.
    pub fn parse(text: &str) -> Result<Self, Error> {
        toml::from_str(text).map_err(|error| Error::table("domains.toml", error))
    }

    /// All domains.
    pub fn all(&self) -> &[Domain] {
        &self.domain
    }

    /// The domain of a definition: the one that names it, else the one with the longest prefix
    /// or name its name begins with.
    pub fn of(&self, definition: &str) -> Option<&Domain> {
        self.rule(definition).map(|(domain, _)| domain)
    }

    /// The domain of a definition, and the name or prefix that says so.
    fn rule(&self, definition: &str) -> Option<(&Domain, &str)> {
        let named = |domain: &&Domain| domain.names.iter().any(|name| name == definition);
        if let Some(domain) = self.domain.iter().find(named) {
            let name = domain.names.iter().find(|name| *name == definition)?;
            return Some((domain, name));
        }
        // A type without a name of its own is called after the definition it stands in.
        let rules = self.rules();
        rules
            .filter(|(_, rule, _)| definition.starts_with(rule))
            .max_by_key(|(_, rule, is_prefix)| (rule.len(), *is_prefix))
            .map(|(domain, rule, _)| (domain, rule))
    }

    /// All names and prefixes, and whether they are prefixes.
    fn rules(&self) -> impl Iterator<Item = (&Domain, &str, bool)> {
        self.domain.iter().flat_map(|domain| {
            let prefixes = domain.prefixes.iter().map(|rule| (rule, true));
            let names = domain.names.iter().map(|rule| (rule, false));
            let rules = prefixes.chain(names);
            rules.map(move |(rule, is_prefix)| (domain, rule.as_str(), is_prefix))
        })
    }

    /// The names and prefixes that are listed twice, or place none of these definitions.
    pub fn idle<'d>(&self, definitions: impl Iterator<Item = &'d String>) -> Vec<String> {
        let used: BTreeSet<(&str, &str)> = definitions
            .filter_map(|definition| self.rule(definition))
            .map(|(domain, rule)| (domain.name.as_str(), rule))
            .collect();
        let mut seen = BTreeSet::new();
        self.rules()
            .filter(|(domain, rule, is_prefix)| {
                let again = !seen.insert((*rule, *is_prefix));
                again || !used.contains(&(domain.name.as_str(), *rule))
            })
            .map(|(domain, rule, _)| format!("{}: {rule}", domain.name))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exact_name_comes_first_and_then_the_longest_prefix() {
        let text = r#"
            [[domain]]
            name = "a"
            about = ""
            prefixes = ["Thread", "Item"]
            names = ["ThreadItem", "Gone"]
            [[domain]]
            name = "b"
            about = ""
            prefixes = ["ThreadItem"]
            names = ["Turn", "Gone"]
        "#;
        let domains = Domains::parse(text).unwrap();
        let of = |name| domains.of(name).map(|domain| domain.name.as_str());
        assert_eq!(of("ThreadItem"), Some("a"));
        assert_eq!(of("ThreadItemKind"), Some("b"));
        assert_eq!(of("ThreadStart"), Some("a"));
        assert_eq!(of("TurnError"), Some("b"));
        assert_eq!(of("Model"), None);
        let names = ["ThreadItem", "ThreadItemKind", "ThreadStart", "TurnError"].map(str::to_owned);
        assert_eq!(
            domains.idle(names.iter()),
            ["a: Item", "a: Gone", "b: Gone"]
        );
    }
}
