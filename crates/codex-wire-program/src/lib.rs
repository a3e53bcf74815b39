//! JSON Schemas as programs that run straight over the bytes of a line.
//!
//! [`Program::compile`] turns a schema of one release into flat tables: which members an object
//! has, which of them must be there, which value each may have, which tag leads where.
//! [`Program::check`] walks one line along these tables. It builds no tree and allocates nothing.
//!
//! The answer is [`Verdict::Accepted`] or [`Verdict::NotSure`], and the first is a promise: the
//! line is JSON as serde_json reads it, and a JSON Schema validator accepts it. The second
//! promises nothing. A validator has to judge, and can explain. Keywords that the program does
//! not know are therefore no error: wherever they stand, it is never sure ([`Program::gaps`]).
//!
//! A program learns which member follows which. Where the next line is like the last one, a
//! name costs one comparison.
//!
//! ```
//! use codex_wire_program::{Program, Verdict};
//! use serde_json::json;
//!
//! let program = Program::compile(&json!({
//!     "type": "object",
//!     "properties": {"type": {"const": "turn.started"}, "id": {"type": "integer", "minimum": 0}},
//!     "required": ["type"],
//!     "additionalProperties": false,
//! }))?;
//! let line = br#"{"type":"turn.started","id":3}"#;
//! assert_eq!(program.check(line), Verdict::Accepted { repeated: false });
//! let line = br#"{"type":"turn.started","id":-3}"#;
//! assert_eq!(program.check(line), Verdict::NotSure { at: 28 });
//! # Ok::<(), codex_wire_program::Error>(())
//! ```
//!
//! This crate must not know protocols by name, releases, transcripts, findings or files.

mod compile;
mod error;
mod lanes;
mod number;
mod outline;
mod places;
mod program;
mod run;
mod scanner;
mod text;
mod view;
mod words;

pub use error::Error;
pub use outline::Outline;
pub use places::Seen;
pub use program::{DEEPEST, Program, Verdict};
pub use scanner::Scanner;
pub use view::{Elements, Keys, Members, Name, View};
