//! What a release does not know of a value that is to be sent to it.
//!
//! A value is walked by the description of its type. The walk reads each byte once, but for the
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
/// ```
/// use codex_wire_base::{Protocol, Release, Wire, unsupported};
/// # use codex_wire_base as codex_wire;
/// use codex_wire::Maybe;
/// use codex_wire::json::Extra;
///
/// #[derive(Wire)]
/// struct Params {
///     #[wire(since = "0.90.0", optional)]
///     model: Maybe<String>,
///     #[wire(extra)]
///     extra: Extra,
/// }
///
/// let params = Params { model: Maybe::Value("gpt".into()), extra: Extra::new() };
/// let found = unsupported::of(&params, Protocol::AppServer, Release::new(0, 58, 0));
/// assert_eq!(found[0].pointer, "/model");
/// assert_eq!(found[0].to_string(), "the member `model` at /model (0.90.0 or later)");
/// ```
pub fn of<T: Wire + Serialize>(
    value: &T,
    protocol: Protocol,
    release: Release,
) -> Vec<Unsupported> {
    match in_text(&to_string(value), T::VALUE, protocol, release) {
        Ok(found) => found,
        // Values keep text that was read or checked, so what they write is JSON. Whatever is not has no known parts.
        Err(_) => Vec::new(),
    }
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
