//! Where an image or a sound is: in one of several members.
//!
//! `types/accessors.rs` finds it: which members a type has depends on the releases.

/// Where an image or a sound is to be had.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Media<'a> {
    /// At a URL, which may be a `data:` URL that holds it.
    Url(&'a str),
    /// In a file that the provider keeps, by its id.
    File(&'a str),
    /// Here, in base64.
    Base64(&'a str),
}
