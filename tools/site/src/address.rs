//! Where each page is.

use codex_wire_base::MessageSet;
use codex_wire_schema::Family;

/// The page of a family of message sets.
pub(crate) fn family(family: Family) -> String {
    format!("protocol/{}/index.html", family.as_str())
}

/// The page of a message set.
pub(crate) fn message_set(message_set: MessageSet) -> String {
    let family = Family::of(message_set);
    format!("protocol/{}/sets/{message_set}.html", family.as_str())
}

/// The page of a definition.
pub(crate) fn definition(family: Family, name: &str) -> String {
    format!("protocol/{}/types/{name}.html", family.as_str())
}

/// The page of all messages of a name.
pub(crate) fn message(family: Family, name: &str) -> String {
    format!("protocol/{}/messages/{name}.html", family.as_str())
}

/// The way from a page back to the folder of the site.
pub(crate) fn root_of(page: &str) -> String {
    "../".repeat(page.matches('/').count())
}
