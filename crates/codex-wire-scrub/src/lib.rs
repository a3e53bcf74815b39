//! Replaces private data in transcripts of Codex, for bug reports.
//!
//! Every text, path, id and command becomes a placeholder of the same length in bytes, the same one
//! for the same value. Words of the protocol stay: names of members, kinds of messages, values of
//! enumerations. So do numbers, order and pairing. A checker finds the same in the scrubbed
//! transcript as in the original.
//!
//! ```
//! use codex_wire_scrub::{Key, scrub};
//!
//! let line = br#"{"type":"item.completed","item":{"id":"item_0","type":"agent_message","text":"Hi"}}"#;
//! let scrubbed = scrub(line, Key::new([1; 16]), &[])?;
//! let scrubbed = String::from_utf8_lossy(&scrubbed);
//! assert!(scrubbed.starts_with(r#"{"type":"item.completed","item":{"id":"item_0","#));
//! assert!(!scrubbed.contains("Hi"));
//! assert_eq!(scrubbed.len(), line.len());
//! # Ok::<(), codex_wire_scrub::Survivor>(())
//! ```
//!
//! [`Scrubber`] takes one line after another, [`scrub`] a whole transcript. The lines may be of any
//! dialect, or of the transcript format, in which lines stand in strings. Lines that are not JSON are
//! scrubbed too.
//!
//! [`Secrets`] takes only keys, tokens, passwords, names of home folders and mail addresses out of a transcript, and
//! leaves the prose.
//!
//! Placeholders come from a keyed hash, not from a table (see [`Key`]): memory does not grow with
//! the values. What grows, up to a bound, is the list of runs by which the result is checked, and the
//! number of texts that come in deltas and are not complete.
//!
//! This crate must not know protocol types, findings, report formats, files or command lines.

#![forbid(unsafe_code)]

mod cipher;
mod cuts;
mod deltas;
mod events;
mod line;
mod places;
mod pointer;
mod record;
mod replace;
mod role;
mod scrubber;
mod secrets;
mod shape;
mod survivors;
mod tokens;
mod words;

pub use cipher::Key;
pub use pointer::{ParsePointerError, Pointer};
pub use scrubber::{Scrubber, scrub, scrub_with_progress};
pub use secrets::{Secrets, WithoutSecrets};
pub use survivors::Survivor;
