//! What a release does not know of a value that is to be sent to it.
//!
//! A value is walked by the description of its type. The walk reads each byte once, except for the
//! shapes of untagged unions, which are tried as reading tries them.

mod cut;
mod part;
mod walk;

use serde::Serialize;

use crate::error::Error;
use crate::protocol::Protocol;
use crate::release::Release;
use crate::shape::ValueShape;
use crate::wire::{Wire, to_string};

pub use cut::without;
pub use part::{Effect, PartKind, Unsupported};

/// Lists what `release` does not know of a value, in the order of the wire.
///
/// A release that is not listed knows what the listed one before it knows. Of one that is newer than all listed
/// releases it is not known what it has gained: only what listed releases have lost is reported. A release that is
/// older than the protocol knows nothing of it, and is taken for the first one.
///
/// `codex_wire::app_server::unsupported` is this for the app-server, with an example.
pub fn of<T: Wire + Serialize>(
    value: &T,
    protocol: Protocol,
    release: Release,
) -> Vec<Unsupported> {
    // What a value writes is JSON. Only what is nested deeper than any release reads cannot be walked.
    in_text(&to_string(value), T::VALUE, protocol, release).unwrap_or_default()
}

/// The same of the JSON text of a value of type `T`, written by hand or otherwise.
///
/// # Errors
/// If the text is not JSON.
pub fn of_text<T: Wire>(
    text: &str,
    protocol: Protocol,
    release: Release,
) -> Result<Vec<Unsupported>, Error> {
    in_text(text, T::VALUE, protocol, release)
}

/// The same of a value of this shape.
///
/// # Errors
/// If the text is not JSON.
#[doc(hidden)]
pub fn in_text(
    text: &str,
    shape: ValueShape,
    protocol: Protocol,
    release: Release,
) -> Result<Vec<Unsupported>, Error> {
    let list = protocol.release_list();
    let floor = list.floor(release).unwrap_or(list.first());
    walk::walk(text, shape, floor, release > list.latest())
}
