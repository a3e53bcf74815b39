//! Exports sessions of Codex to the formats of other tools.
//!
//! [`export`] takes a [`Session`], whichever surface and release it was read from, and makes documents of a
//! [`Format`]: traces of OpenTelemetry, with the conventions for generative AI or those of OpenInference,
//! trajectories in the Agent Trajectory Interchange Format, or updates of the Agent Client Protocol.
//!
//! ```
//! use codex_wire_export::{Format, Options, export};
//! use codex_wire_session::Reader;
//!
//! let stream = br#"{"type":"thread.started","thread_id":"t"}
//! {"type":"turn.started"}
//! {"type":"item.completed","item":{"id":"item_0","type":"agent_message","text":"Hello."}}
//! {"type":"turn.completed","usage":{"input_tokens":1200,"cached_input_tokens":1000,"output_tokens":34}}
//! "#;
//! let session = Reader::new().read("run.jsonl", &stream[..])?;
//! let exported = export(&session, Format::Atif, Options::new());
//! let trajectory = serde_json::to_value(&exported.documents[0])?;
//! assert_eq!(trajectory["steps"][0]["message"], "Hello.");
//! assert_eq!(trajectory["final_metrics"]["total_prompt_tokens"], 1200);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! What a session does not know is absent from a document. `docs/exporting.md` of the repository says what becomes
//! of each part of a session, and what a format cannot say. No session makes an export fail.
//!
//! [`Live`] does it while a session happens: it hands out traces of each turn as soon as it has ended, and says what the
//! checker finds.
//!
//! This crate must not know files, processes, sockets, clocks or command lines: it takes a session, or the steps of a
//! check, and returns documents.

#![forbid(unsafe_code)]

mod acp;
mod atif;
mod document;
mod family;
mod gen_ai;
mod left_out;
mod live;
mod openinference;
mod options;
mod reasoning;
mod source;
mod tool;
mod trace;

use codex_wire_session::Session;

use document::Content;
pub use document::Document;
pub use left_out::LeftOut;
pub use live::Live;
pub use options::Options;

/// The example of the page on exports, held to compile.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/exporting.md")]
struct Page;

/// What documents are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// Traces with the semantic conventions of OpenTelemetry for generative AI, 1.41.1: one
    /// `ExportTraceServiceRequest` in the JSON of OTLP for each session.
    Otlp,
    /// Traces with the semantic conventions of OpenInference, 0.1.42 of its package for Python: one
    /// `ExportTraceServiceRequest` in the JSON of OTLP for each session.
    OpenInference,
    /// Trajectories in the Agent Trajectory Interchange Format, ATIF-v1.7: one for each thread. Those of sub-agents
    /// are in that of their parent, if both are in the session.
    Atif,
    /// Notifications `session/update` of the Agent Client Protocol, version 1.
    Acp,
}

/// A session in another format.
#[derive(Debug)]
#[non_exhaustive]
pub struct Export<'a> {
    /// The documents, in the order of the session.
    pub documents: Vec<Document<'a>>,
    /// The threads that the format cannot hold.
    pub left_out: Vec<LeftOut>,
}

/// Exports a session to a format.
pub fn export<'a>(session: &'a Session, format: Format, options: Options) -> Export<'a> {
    let content = options.content;
    let one = |traces| Export {
        documents: vec![Document(Content::Traces(traces))],
        left_out: Vec::new(),
    };
    match format {
        Format::Otlp => one(trace::traces(session, &gen_ai::GenAi { content })),
        Format::OpenInference => one(trace::traces(
            session,
            &openinference::OpenInference { content },
        )),
        Format::Atif => {
            let (trajectories, left_out) = atif::trajectories(session);
            let documents = trajectories.into_iter();
            let documents = documents.map(|made| Document(Content::Trajectory(Box::new(made))));
            Export {
                documents: documents.collect(),
                left_out,
            }
        }
        Format::Acp => {
            let updates = acp::updates(session).into_iter();
            let documents = updates.map(|made| Document(Content::Update(Box::new(made))));
            Export {
                documents: documents.collect(),
                left_out: Vec::new(),
            }
        }
    }
}
