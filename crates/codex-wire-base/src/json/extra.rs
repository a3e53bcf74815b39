//! Keeps the members of an object that its type does not name.

use serde::ser::{Serialize, SerializeMap, Serializer};

use crate::error::Error;
use crate::json::Raw;
use crate::wire::Wire;

/// The members of an object that its type does not name, in the order in which they were read.
///
/// New members of later releases are kept here, and so is the second occurrence of a duplicate key:
/// the first value fills the member, whereas a tree of serde_json keeps the last. They are written
/// back after the named members.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Extra(Vec<(String, Raw)>);

impl Extra {
    /// No extra members.
    pub const fn new() -> Self {
        Extra(Vec::new())
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many there are, repetitions counted.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// The first member called `key`.
    pub fn get(&self, key: &str) -> Option<&Raw> {
        self.iter().find(|(k, _)| *k == key).map(|(_, raw)| raw)
    }

    /// Reads the first member called `key` as a type; `None` where there is no such member.
    ///
    /// # Errors
    /// When it cannot be read as `T`.
    pub fn parse_member<T: Wire>(&self, key: &str) -> Result<Option<T>, Error> {
        let read = self.get(key).map(Raw::parse).transpose();
        read.map_err(|error| error.in_member(key))
    }

    /// Reads all of them as a type of one's own, which keeps those that it does not name in its own `extra`.
    ///
    /// # Errors
    /// When they cannot be read as `T`.
    pub fn parse<T: Wire>(&self) -> Result<T, Error> {
        Raw::written(self).parse()
    }

    /// All of them in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Raw)> {
        self.0.iter().map(|(key, raw)| (key.as_str(), raw))
    }

    /// Adds one behind the others, even if the name is taken.
    pub fn push(&mut self, key: impl Into<String>, value: Raw) {
        self.0.push((key.into(), value));
    }

    /// Writes them into a map that is being serialised.
    #[doc(hidden)]
    pub fn entries<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        for (key, raw) in &self.0 {
            map.serialize_entry(key, raw)?;
        }
        Ok(())
    }
}

impl Serialize for Extra {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.len()))?;
        self.entries(&mut map)?;
        map.end()
    }
}
