//! Reads the databases that Codex keeps in its home: `state_N.sqlite` has a row for each thread, and
//! `thread_history_N.sqlite` the turns and items of threads whose history is paginated.
//!
//! [`Database::open`] opens one, also while Codex writes to it, and sees what is committed in the log beside it
//! (`…-wal`). Nothing is written, neither to the file nor beside it: [`Access`] says how that was done.
//! [`Database::tables`] says what there is, and [`Database::rows`] hands out the rows of a table as values.
//!
//! ```no_run
//! use codex_wire_state::{Database, MOST_BYTES, Value};
//!
//! let database = Database::open("state_5.sqlite".as_ref())?;
//! if let Some(threads) = database.table("threads") {
//!     database.rows(threads, &["id", "tokens_used"], MOST_BYTES, |row| {
//!         let tokens = row.get("tokens_used").and_then(Value::as_integer);
//!         println!("{:?}: {tokens:?} tokens", row.get("id"));
//!     })?;
//! }
//! # Ok::<(), codex_wire_state::Error>(())
//! ```
//!
//! SQLite opens files by their path and reads three of them, so this is one of the crates that open files.
//! It must not know what the rows mean, transcripts, findings, report formats or command lines.

#![forbid(unsafe_code)]

mod access;
mod database;
mod error;
mod value;

pub use access::Access;
pub use database::{Column, Database, MOST_BYTES, Migrations, Row, Table};
pub use error::Error;
pub use value::Value;
