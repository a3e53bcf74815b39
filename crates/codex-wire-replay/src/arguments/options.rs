//! The options that were given.

use std::ffi::{OsStr, OsString};

use clap::ArgMatches;
use clap::parser::ValueSource;

/// Options and their values, by the word of their long flag: `cd` for `--cd` and `-C`.
///
/// An option with another name is found by its own: `json` for `--experimental-json`, since both are
/// the same option.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options(Vec<(String, Vec<OsString>)>);

impl Options {
    /// Whether an option was given.
    pub fn has(&self, name: &str) -> bool {
        self.0.iter().any(|(known, _)| known == name)
    }

    /// The value of an option; the last one if it was given several times.
    pub fn value(&self, name: &str) -> Option<&OsStr> {
        self.values(name).last()
    }

    /// All values of an option, in their order.
    pub fn values(&self, name: &str) -> impl DoubleEndedIterator<Item = &OsStr> {
        let options = self.0.iter().filter(move |(known, _)| known == name);
        options.flat_map(|(_, values)| values.iter().map(OsString::as_os_str))
    }

    /// All options that were given, with their values.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &[OsString])> {
        self.0
            .iter()
            .map(|(name, values)| (name.as_str(), values.as_slice()))
    }

    /// The options of one command, without those of commands above and below it.
    pub(super) fn read(matches: &ArgMatches) -> Self {
        let given = matches.ids().map(clap::Id::as_str).filter(|id| {
            let source = matches.value_source(id);
            // Arguments without a flag have names in capitals.
            !id.starts_with(char::is_uppercase) && source == Some(ValueSource::CommandLine)
        });
        Options(given.map(|id| (id.to_owned(), raw(matches, id))).collect())
    }

    /// Puts these before the ones of a command below: what is closer to the end counts. Lists are
    /// joined.
    pub(super) fn before(mut self, inner: Options) -> Options {
        for (name, mut values) in inner.0 {
            match self.0.iter_mut().find(|(known, _)| *known == name) {
                Some((_, outer)) => outer.append(&mut values),
                None => self.0.push((name, values)),
            }
        }
        self
    }

    /// Only options with these names.
    pub(super) fn only(mut self, names: &[&str]) -> Options {
        self.0.retain(|(name, _)| names.contains(&name.as_str()));
        self
    }
}

/// The values of an argument; none for a flag.
pub(super) fn raw(matches: &ArgMatches, id: &str) -> Vec<OsString> {
    let is_flag = matches.try_get_one::<bool>(id).is_ok() || matches.try_get_one::<u8>(id).is_ok();
    match matches.try_get_raw(id) {
        Ok(Some(values)) if !is_flag => values.map(OsStr::to_owned).collect(),
        _ => Vec::new(),
    }
}
