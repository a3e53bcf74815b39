//! Makes tables of transcripts: rows of Arrow, for streams and for files of Parquet.
//!
//! Each transcript has rows in eight tables: what it is and whether it conforms, its threads, turns, items, commands,
//! calls of tools, counts of tokens, and findings. [`Table::columns`] describes them; `docs/tables.md` of the repository
//! has them as a page.
//!
//! ```
//! use codex_wire_table::{Partition, Rows, Sink, Table, Tables, Transcript};
//!
//! struct Turns(Rows);
//! impl Sink for Turns {
//!     fn rows(&mut self, _: Partition) -> &mut Rows {
//!         &mut self.0
//!     }
//! }
//!
//! let stream = br#"{"type":"thread.started","thread_id":"t"}
//! {"type":"turn.started"}
//! {"type":"turn.completed","usage":{"input_tokens":1200,"cached_input_tokens":1000,"output_tokens":34}}
//! "#;
//! let mut turns = Turns(Rows::new(&[Table::Turns], false));
//! Tables::new().read(Transcript::new("run.jsonl"), &stream[..], &mut turns)?;
//! let [(Table::Turns, batch)] = &turns.0.take()?[..] else {
//!     panic!("a turn");
//! };
//! assert_eq!(batch.num_rows(), 1);
//! # Ok::<(), codex_wire_table::Error>(())
//! ```
//!
//! A transcript is read once, line by line: the checker and the session model see the same lines. What is kept of it is the
//! turn that is not over yet.
//!
//! The library must not know files, command lines or standard streams: bytes come in, and bytes go out. The program
//! `codex-wire-table`, in `src/bin`, does.

#![forbid(unsafe_code)]

mod cells;
mod column;
mod deferred;
mod error;
mod held;
mod items;
mod parquet_file;
mod read;
mod rows;
mod sessions;
mod stream;
mod tables;
mod words;

pub use column::{Column, ColumnType};
pub use deferred::DeferredRows;
pub use error::Error;
pub use parquet_file::ParquetFile;
pub use read::{Sink, Tables, Transcript};
pub use rows::{Partition, Rows};
pub use stream::ArrowStream;
pub use tables::{Table, VERSION};
