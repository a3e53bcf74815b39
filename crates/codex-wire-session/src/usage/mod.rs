//! What turns used, summed up by what they have in common: day, model, project, thread, tool and more.
//!
//! ```
//! use codex_wire_session::Reader;
//! use codex_wire_session::usage::{Key, Query, Usage};
//!
//! let stream = br#"{"type":"thread.started","thread_id":"t"}
//! {"type":"turn.started"}
//! {"type":"turn.completed","usage":{"input_tokens":1200,"cached_input_tokens":1000,"output_tokens":34}}
//! "#;
//! let mut usage = Usage::new(Query::new().by(Key::Status));
//! usage.read(&Reader::new(), "run.jsonl", &stream[..])?;
//! let table = usage.finish();
//! assert_eq!(table.rows[0].keys, ["completed"]);
//! assert_eq!(table.rows[0].sums.tokens.input, 1200);
//! # Ok::<(), codex_wire_session::Error>(())
//! ```
//!
//! Each response of a model counts once, also if several inputs hold it: turns that a fork copied do not count,
//! and streams of a thread do not count beside its session files. `codex exec` reports
//! the total of the thread, so of several runs of a thread the differences count.
//!
//! Memory grows with the number of rows, by a few bytes with each thread and turn, and with the rows of each thread of a stream.

mod condition;
mod key;
mod prices;
mod query;
mod table;
mod tools;

pub use condition::{Condition, ConditionError};
pub use key::{Key, NotAKey};
pub use prices::{Price, Prices, PricesError};
pub use query::Query;
pub use table::{Fork, Row, Sums, Table, Usage};
