//! Takes objects and arrays apart, with all keys as they stand: Codex refuses one that it knows and that stands
//! twice.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::problem::Refused;
use crate::phrasing;
use crate::pointer::push_segment;

/// The members of an object, in their order. None of those that Codex knows stands twice.
pub(super) fn members<'j>(
    value: &'j RawValue,
    pointer: &str,
    known: &[&str],
) -> Result<Vec<(String, &'j RawValue)>, Refused> {
    let Ok(Members(found)) = serde_json::from_str(value.get()) else {
        return Err(Refused::new(pointer, "it is not an object"));
    };
    for (index, (name, _)) in found.iter().enumerate() {
        let is_known = known.contains(&name.as_str());
        if is_known && found[..index].iter().any(|(other, _)| other == name) {
            let message = format!("`{name}` stands twice");
            return Err(Refused::new(self::pointer(pointer, name), message));
        }
    }
    Ok(found)
}

/// The elements of an array.
pub(super) fn elements<'j>(
    value: &'j RawValue,
    pointer: &str,
) -> Result<Vec<&'j RawValue>, Refused> {
    serde_json::from_str(value.get()).map_err(|_| Refused::new(pointer, "it is not an array"))
}

/// A text, or `null` for none.
pub(super) fn optional_text(value: &RawValue, pointer: &str) -> Result<Option<String>, Refused> {
    serde_json::from_str(value.get()).map_err(|_| Refused::new(pointer, "it is not a string"))
}

/// The pointer to a member.
pub(super) fn pointer(base: &str, name: &str) -> String {
    let mut pointer = base.to_owned();
    push_segment(&mut pointer, name);
    pointer
}

/// A name of the file as messages show it.
pub(super) fn shown(name: &str) -> Cow<'_, str> {
    Cow::Borrowed(phrasing::shown(name))
}

/// The members of an object, of which some may have the same name.
struct Members<'j>(Vec<(String, &'j RawValue)>);

impl<'de: 'j, 'j> Deserialize<'de> for Members<'j> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Collect;

        impl<'de> Visitor<'de> for Collect {
            type Value = Members<'de>;

            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members<'de>, A::Error> {
                let mut found = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    found.push(entry);
                }
                Ok(Members(found))
            }
        }

        deserializer.deserialize_map(Collect)
    }
}
