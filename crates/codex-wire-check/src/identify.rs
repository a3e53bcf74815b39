//! Identifies the protocol, the dialect and the possible releases of an input, with the evidence.
//!
//! Identification runs the stages of a check up to release inference. It validates nothing.
//!
//! ```
//! use codex_wire_check::identify::Kind;
//! use codex_wire_check::{Checker, Options};
//!
//! let checker = Checker::new(Options::new())?;
//! let mut identifier = checker.identifier();
//! identifier.message("{\"type\":\"thread.started\",\"thread_id\":\"t\"}");
//! let known = identifier.identification();
//! assert_eq!(known.kind, Kind::Identified);
//! assert_eq!(known.to_string(), "exec, 0.43.0-alpha.5 or later (`codex exec --json`)");
//! let usage = r#"{"input_tokens":1,"cached_input_tokens":0,"output_tokens":2}"#;
//! identifier.message(&format!("{{\"type\":\"turn.completed\",\"usage\":{usage}}}"));
//! let known = identifier.identification();
//! assert_eq!(known.releases.unwrap().to_string(), "0.43.0-alpha.5 to 0.124.0");
//! assert_eq!(known.evidence[1].what, "`usage` without `reasoning_output_tokens`");
//! # Ok::<(), codex_wire_check::Error>(())
//! ```

use std::fmt;
use std::io::{self, BufRead};

use codex_wire_base::lines::{Line, Lines};

use crate::checker::Checker;
pub use crate::inference::identification::{
    Claim, Evidence, Identification, Kind, LineRun, Releases, StreamDialect, Tally,
};
use crate::line::Told;
use crate::pipeline::Pipeline;
use crate::writer::Writer;

impl Checker {
    /// Identifies an input. Reads it to its end, with one line in memory at a time. If the options state a
    /// protocol or a release, an input of another one is not identified.
    ///
    /// # Errors
    /// When reading fails.
    pub fn identify(&self, input: impl BufRead) -> io::Result<Identification> {
        let mut identifier = self.identifier();
        let mut lines = Lines::new(input, self.options.limits.line_bytes).or_array();
        while let Some(line) = lines.next()? {
            if identifier.given_up.is_some() {
                break;
            }
            identifier.line(&line, None);
        }
        Ok(identifier.identification())
    }

    /// Begins to identify messages that come one by one.
    pub fn identifier(&self) -> Identifier<'_> {
        Identifier {
            pipeline: Pipeline::identifying(self),
            given_up: None,
            lines: 0,
        }
    }
}

/// Identifies messages that come one by one. Each message can narrow the result.
pub struct Identifier<'c> {
    pipeline: Pipeline<'c>,
    /// Why the input was given up.
    given_up: Option<String>,
    lines: u64,
}

impl fmt::Debug for Identifier<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = f.debug_struct("Identifier");
        out.field("lines", &self.lines).finish_non_exhaustive()
    }
}

impl Identifier<'_> {
    /// Takes the next message, or a line of a transcript.
    pub fn message(&mut self, text: &str) {
        self.lines += 1;
        let line = Line {
            bytes: text.as_bytes(),
            number: self.lines,
            offset: 0,
            ended: true,
            length: text.len() as u64,
            column: None,
        };
        self.line(&line, None);
    }

    /// Takes the next line, and the side that wrote it, if that is known.
    pub fn line(&mut self, line: &Line<'_>, writer: Option<Writer>) {
        self.lines = line.number;
        if self.given_up.is_none() {
            let told = writer.map(|writer| Told {
                writer,
                record: None,
            });
            self.given_up = self.pipeline.line(line, told);
        }
    }

    /// The result so far.
    pub fn identification(&self) -> Identification {
        self.pipeline.identification(self.given_up.as_deref())
    }
}
