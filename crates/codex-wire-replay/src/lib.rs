//! A stand-in for Codex: plays recordings of any release to any client.
//!
//! Recordings go in; the lines that Codex would write come out. A [`Player`] answers each request of a
//! client with what Codex wrote after the request of the recorded client that is most like it:
//!
//! ```
//! use codex_wire_replay::{About, Conversation, Player, PlayerOptions, Recording};
//!
//! let transcript = r#"{"kind":"start","transcript":1,"protocol":"app-server","release":"0.98.0"}
//! {"kind":"line","from":"client","line":"{\"id\":0,\"method\":\"initialize\",\"params\":{\"clientInfo\":{\"name\":\"a\",\"version\":\"1\"}}}"}
//! {"kind":"line","from":"codex","line":"{\"id\":0,\"result\":{\"userAgent\":\"a/0.98.0\"}}"}
//! {"kind":"line","from":"client","line":"{\"method\":\"initialized\"}"}
//! {"kind":"line","from":"client","line":"{\"id\":1,\"method\":\"model/list\",\"params\":{}}"}
//! {"kind":"line","from":"codex","line":"{\"id\":1,\"result\":{\"data\":[],\"nextCursor\":null}}"}
//! "#;
//! let recording = Recording::read("models.jsonl", transcript.into(), About::new())?;
//! let mut player = Player::new(&[recording], PlayerOptions::new())?;
//!
//! player.line(r#"{"id":6,"method":"initialize","params":{"clientInfo":{"name":"b","version":"2"}}}"#);
//! player.line(r#"{"method":"initialized"}"#);
//!
//! // The answer has the id of this client.
//! let reaction = player.line(r#"{"id":7,"method":"model/list","params":{}}"#);
//! assert_eq!(reaction.emissions[0].line, r#"{"id":7,"result":{"data":[],"nextCursor":null}}"#);
//!
//! // What no recording answers is an error of that release, and is reported.
//! let reaction = player.line(r#"{"id":8,"method":"thread/list","params":{}}"#);
//! assert!(reaction.emissions[0].line.contains(r#""error":"#));
//! assert_eq!(reaction.miss.map(|miss| miss.what).as_deref(), Some("thread/list"));
//! # Ok::<(), codex_wire_replay::Error>(())
//! ```
//!
//! [`ExecPlay`] is a run of `codex exec`, which has no client that writes to it. [`script`] makes streams
//! without a recording, [`as_release()`] converts a recording to another release, [`faults`] are what can go
//! wrong, [`client_log`] says what a client does, [`type_files()`] are what the app-server writes
//! of its own types, and [`arguments`] reads the command line that it passes to `codex`.
//!
//! This crate must not know protocol types, files, sockets, processes, clocks, report formats, or the
//! command line of `codex-wire` itself. `codex-wire-live` moves the bytes and waits.

#![forbid(unsafe_code)]

mod accepts;
pub mod arguments;
mod as_release;
pub mod client_log;
mod compose;
mod conversation;
mod error;
mod exec;
pub mod faults;
mod matching;
mod message;
mod miss;
pub mod names;
mod opted_out;
mod player;
mod recording;
mod rewrite;
pub mod scenarios;
pub mod script;
mod synthesis;
mod text;
mod track;
mod type_files;

pub use as_release::as_release;
pub use conversation::{Conversation, Emission, OnMiss, Reaction, Remark};
pub use error::{Error, Unsupported};
pub use exec::ExecPlay;
pub use matching::Difference;
pub use message::unread;
pub use miss::{Miss, Nearest, is_turn};
pub use opted_out::OptedOut;
pub use player::{Player, PlayerOptions};
pub use recording::{About, Lines, RecordedLine, Recording, Writer, manifest};
pub use text::Text;
pub use type_files::{Language, type_files};
