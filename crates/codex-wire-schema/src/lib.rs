//! Makes JSON Schemas of Codex's wire protocols for any release.
//!
//! One annotated document per message set describes all releases ([`annotated`]). It is made from
//! the protocol types and kept as data in this crate, which does not compile the types. [`project`]
//! reduces it to what one release speaks: its members, which of them it always writes, its kinds
//! and values. There are three profiles: `open` is what a client should accept, `exact` is what the
//! release writes, and `known` lies between: undeclared members pass, unknown kinds and values do
//! not. The checker goes by it. [`method_schema`] gives that of the params or of the result of one
//! method of the app-server. Everything else here is made of projections: the published files ([`publish`]), their catalogue, and the list of
//! what each release changed ([`changes`]).
//!
//! ```
//! use codex_wire_base::{Protocol, Release};
//! use codex_wire_schema::{Draft, Profile, Stability, project};
//!
//! let schema = project(
//!     Protocol::Exec,
//!     Release::new(0, 124, 0),
//!     Profile::Exact,
//!     Draft::Draft202012,
//!     Stability::Experimental,
//! );
//! let usage = &schema["$defs"]["Usage"]["properties"];
//! assert!(usage.get("output_tokens").is_some());
//! // Came with 0.125.0.
//! assert!(usage.get("reasoning_output_tokens").is_none());
//! ```
//!
//! This crate must not know protocol types, transcripts, findings, files or command lines.

#![forbid(unsafe_code)]

mod bundle;
mod bundle_name;
mod changes;
mod codegen;
mod document;
mod documents;
mod draft;
pub mod examples;
pub mod find;
mod ids;
pub mod ir;
mod make;
mod method_schema;
mod methods;
pub mod own;
mod parts;
mod profile;
mod project;
mod published;
mod ranges;
mod stability;
mod store;
mod version;

pub use bundle::{Bundle, BundleMethod, Root};
pub use bundle_name::BundleName;
pub use changes::{Change, ChangeKind, ReleaseChanges, changes, changes_of_all};
pub use codegen::codegen;
pub use document::{all_releases, transcript};
pub use documents::{Document, Family, annotated, words};
pub use draft::{Draft, ParseDraftError};
pub use ids::{BASE, Identity};
#[doc(hidden)]
pub use make::write as write_documents;
pub use method_schema::{MethodPart, method_schema};
pub use methods::{Method, MethodKind, methods};
pub use parts::Parts;
pub use profile::{ParseProfileError, Profile};
pub use project::project;
pub use published::{CatalogEntry, Published, archive, digest, is_small, publish};
pub use ranges::{ReleaseRange, release_ranges, tags};
pub use stability::{ParseStabilityError, Stability};
