//! Finds and opens transcripts of Codex: files, folders, archives and standard input, compressed or not.
//!
//! [`list`] says what there is to read before anything is read. A [`Source`] is then opened, or, if it is an
//! archive, each of its members. [`in_order`] reads several on threads, and gives the results out in their
//! order. What cannot be read is a value, so that the others are read; what is left out is listed with the
//! reason.
//!
//! ```
//! use std::io::Read as _;
//!
//! use codex_wire_inputs::{Found, Selection, Stop, list};
//!
//! let folder = tempfile::tempdir()?;
//! std::fs::write(folder.path().join("run.jsonl"), "{}\n")?;
//! let stop = Stop::new();
//! let listing = list(&[folder.path().to_owned()], Selection::new(), &stop);
//! assert_eq!(listing.bytes, Some(3));
//! let mut text = String::new();
//! for source in listing.inputs.iter().flatten() {
//!     source.each(&stop, &[], |found| {
//!         if let Found::Input(mut opened) = found {
//!             opened.input.read_to_string(&mut text).expect("it is readable");
//!         }
//!     });
//! }
//! assert_eq!(text, "{}\n");
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! This crate opens files, and looks for nothing in them but how they are packed. It must not know protocols,
//! messages, checks, reports, command lines or signals: whoever reads is told how it goes on by a [`Watch`],
//! and ends it by a [`Stop`].

#![forbid(unsafe_code)]

mod archive;
mod error;
mod exclude;
mod glob;
mod in_order;
mod interruptible;
mod known;
mod list;
mod names;
mod placed;
pub mod relative;
mod since;
mod skipped;
mod source;
mod stop;
mod unpack;

pub use error::{Error, Unreadable};
pub use exclude::Exclude;
pub use glob::Glob;
pub use in_order::in_order;
pub use list::{Listing, SESSION_FOLDERS, Selection, list};
pub use since::Since;
pub use skipped::{SkipReason, Skipped};
pub use source::{Found, Opened, STDIN, Source, each_of_bytes, other_form, read_whole};
pub use stop::{Stop, Watch};
