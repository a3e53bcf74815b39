//! Ids of requests: integers, or strings that may be payload.

use codex_wire_prefilter::View;

use crate::bounded_map::{Lookup, MapKey, short};

/// An id that can be one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Id {
    Number(i64),
    Text(Box<str>),
}

impl MapKey for (u64, Id) {}

impl Lookup for (u64, Id) {}

impl Id {
    pub(super) fn of(value: View<'_>) -> Option<Self> {
        let number = value.as_i64().map(Id::Number);
        number.or_else(|| Some(Id::Text(short(value.as_str()?).into())))
    }

    /// The id as findings show it. A string may be payload, so it is not shown.
    pub(super) fn words(&self) -> String {
        match self {
            Id::Number(number) => format!("id {number}"),
            Id::Text(_) => "a string as id".to_owned(),
        }
    }
}
