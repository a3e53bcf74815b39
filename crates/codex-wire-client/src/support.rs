//! What the release at the other end knows of what the client is about to send.

use codex_wire::app_server::{Method, unsupported_text};
use codex_wire::json::Raw;
use codex_wire::unsupported::{Unsupported, without};
use codex_wire::{Protocol, Release, Wire};
use serde::Serialize;

use crate::error::Error;

/// What becomes of a message with parts that the release of Codex does not know: members, kinds and values that
/// another release has.
///
/// A release ignores members that it does not know and refuses messages with kinds and values that it does not know.
/// The client knows better before it sends. A Codex whose release is not known, such as a build that is not a
/// release, is sent everything.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum OnUnsupported {
    /// It is not sent: [`Error::Unsupported`] names the parts. This is the default, since a member that is ignored can
    /// be one that was to keep Codex from something, such as a sandbox or an approval policy.
    #[default]
    Refuse,
    /// The parts are left out where they may be: a member that may be absent, an element of a list. Of a value or kind
    /// that may not, the member around it is left out. [`Ticket::dropped`](crate::Ticket::dropped) and
    /// [`Session::answer`](crate::Session::answer) list them. Where
    /// nothing may be left out, and for a method that the release does not know, it is as with `Refuse`.
    Drop,
    /// It is sent as it is.
    Send,
}

/// Whether a release has a method, for a client that opted into the experimental API or did not.
pub(crate) fn supports<M: Method>(release: Release, is_experimental: bool) -> bool {
    let list = Protocol::AppServer.release_list();
    let release = list.floor(release).unwrap_or(list.first());
    let availability = M::AVAILABILITY;
    availability.contains(release) && (is_experimental || !availability.is_experimental(release))
}

/// What is to be sent of a value, and what was left out of it.
pub(crate) fn fit<T: Wire + Serialize>(
    value: &T,
    method: &str,
    release: Option<Release>,
    choice: OnUnsupported,
) -> Result<(Raw, Vec<Unsupported>), Error> {
    let raw = Raw::of(value);
    let Some(release) = release.filter(|_| choice != OnUnsupported::Send) else {
        return Ok((raw, Vec::new()));
    };
    // It was written from a value, so that it is JSON. What is nested too deep to be walked, Codex refuses.
    let parts = unsupported_text::<T>(raw.get(), release).unwrap_or_default();
    if parts.is_empty() {
        return Ok((raw, parts));
    }
    let fitted = match choice {
        OnUnsupported::Drop => without(raw.get(), &parts).and_then(|text| Raw::new(text).ok()),
        _ => None,
    };
    match fitted {
        Some(raw) => Ok((raw, parts)),
        None => Err(Error::Unsupported {
            method: method.to_owned(),
            release,
            parts,
        }),
    }
}
