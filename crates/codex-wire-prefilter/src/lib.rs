//! Compiles JSON Schemas into prefilters, which run over the bytes of a line, without a tree.
//!
//! [`Prefilter::compile`] turns the schema of one release into flat tables: the members of an object,
//! which of them are required, which value each may have, which variant a tag selects.
//! [`Prefilter::check`] walks one line along these tables. It builds no tree and allocates nothing.
//!
//! The answer is [`Verdict::Accepted`] or [`Verdict::NotSure`]. *Accepted* is a promise: serde_json
//! can read the line, and a JSON Schema validator accepts it, whichever value of a repeated key is
//! kept. *Not sure* promises nothing: a validator has to decide, and can explain. So an unknown
//! keyword is not an error; the prefilter is just never sure there ([`Prefilter::gaps`]).
//!
//! A prefilter remembers which member followed which. If the next line is like the last one, a name
//! costs one comparison.
//!
//! ```
//! use codex_wire_prefilter::{Prefilter, Verdict};
//! use serde_json::json;
//!
//! let prefilter = Prefilter::compile(&json!({
//!     "type": "object",
//!     "properties": {"type": {"const": "turn.started"}, "id": {"type": "integer", "minimum": 0}},
//!     "required": ["type"],
//!     "additionalProperties": false,
//! }))?;
//! let line = br#"{"type":"turn.started","id":3}"#;
//! assert_eq!(prefilter.check(line), Verdict::Accepted { repeated: false });
//! let line = br#"{"type":"turn.started","id":-3}"#;
//! assert_eq!(prefilter.check(line), Verdict::NotSure { at: 28 });
//! # Ok::<(), codex_wire_prefilter::Error>(())
//! ```
//!
//! This crate must not know protocols by name, releases, transcripts, findings or files.

mod compile;
mod error;
mod interner;
mod number;
mod paths;
mod pointer;
mod prefilter;
mod run;
mod scanner;
mod simd;
mod skip;
mod tables;
mod tape;
mod text;
mod view;

pub use error::Error;
pub use paths::Projected;
pub use scanner::Scanner;
pub use tables::{DEEPEST, Prefilter, Verdict};
pub use tape::Tape;
pub use view::{Elements, Keys, Members, Name, View};
