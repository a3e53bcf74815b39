//! Takes a line through the stages.
//!
//! ```text
//! Line → Framed → Text → Parsed → Message → Attributed → Inferred → Validated → Sequenced → findings
//!        └──────── framing ────────────┘   attribution  inference  validation  sequence   diagnostics
//! ```
//!
//! Stages do not call each other. `line.rs` calls framing for each line, and `message.rs` the stages that see a message:
//! each gets the value before it, and what it needs to know of other stages, such as the releases that are
//! possible. The violations of a line are gathered, and become findings at once. A line of a recording
//! holds another one, which goes the same way and has findings of its own ([`record`]).
//!
//! `check.rs` (inputs that are read), `stream.rs` (bytes that are pushed), `identify.rs`, `observe.rs` and `hook.rs` drive a
//! pipeline; [`end`] says what is known of the input in the end.

mod end;
mod hook;
mod line;
mod message;
pub(crate) mod observed;
mod record;

use codex_wire_prefilter::Tape;

use self::observed::ObservedLine;
use crate::attribution::Attribution;
use crate::checker::Checker;
use crate::diagnostics::report::{Diagnostics, ReportedLine};
use crate::fast_path::accept::FastPath;
use crate::fast_path::deltas::DeltaTemplate;
use crate::framing::frame::Framing;
use crate::inference::possible::Possible;
use crate::inference::state::ReleaseState;
use crate::line::{Origin, Text};
use crate::sequence::state::Sequence;
use crate::validation::validate::Validation;
use crate::violation::Violation;
use crate::writer::Writer;

/// One input on its way through the checker.
pub(crate) struct Pipeline<'c> {
    checker: &'c Checker,
    /// The name of the input.
    path: String,
    framing: Framing,
    attribution: Attribution,
    releases: ReleaseState,
    validation: Validation,
    sequence: Sequence,
    diagnostics: Diagnostics<'c>,
    /// The bytes around the last delta, for the fast path.
    deltas: DeltaTemplate,
    /// Room for scanning a line, and the line of a recording that it holds.
    tapes: [Tape; 2],
    /// What the line at hand holds, where somebody wants to see it.
    observed: Option<Box<ObservedLine>>,
    /// Messages are attributed, and not checked.
    is_reading: bool,
    /// A message is of the side that is checked.
    is_exercised: bool,
}

impl<'c> Pipeline<'c> {
    /// A pipeline that checks an input.
    pub(crate) fn new(checker: &'c Checker, path: &str) -> Self {
        let options = &checker.options;
        Pipeline {
            checker,
            path: path.to_owned(),
            framing: Framing::default(),
            attribution: Attribution::new(&checker.dialects, options.protocol, &options.limits),
            releases: ReleaseState::new(options.release, options.among),
            validation: Validation::default(),
            sequence: Sequence::default(),
            diagnostics: Diagnostics::new(options, false),
            deltas: DeltaTemplate::default(),
            tapes: Default::default(),
            observed: None,
            is_reading: false,
            is_exercised: false,
        }
    }

    /// A pipeline that only finds out which message a line holds, and who wrote it.
    pub(crate) fn reading(checker: &'c Checker, path: &str) -> Self {
        Pipeline {
            is_reading: true,
            ..Pipeline::new(checker, path)
        }
    }

    /// A pipeline that only finds out what an input is.
    pub(crate) fn identifying(checker: &'c Checker) -> Self {
        let options = &checker.options;
        Pipeline {
            attribution: Attribution::new(&checker.dialects, None, &options.limits),
            releases: ReleaseState::identifying(),
            diagnostics: Diagnostics::new(options, true),
            ..Pipeline::new(checker, "")
        }
    }

    /// What the fast path reads of the stages.
    fn fast_path(&self) -> FastPath<'_> {
        FastPath {
            checker: self.checker,
            dialect: &self.attribution.dialect,
            rpc: &self.attribution.rpc,
            releases: &self.releases,
        }
    }

    /// The releases that could have written the stream.
    fn possible(&self) -> Possible<'c> {
        let dialect = self.attribution.dialect.or_first();
        self.releases
            .possible_in(self.checker.inference(dialect).ranges())
    }

    /// Whether the messages of a writer are checked: of all, unless the user names a side.
    fn checks(&self, writer: Option<Writer>) -> bool {
        let side = self.checker.options.side;
        side.is_none() || writer.is_none() || side == writer
    }

    /// Reports what is wrong with a line that holds no message.
    fn report(&mut self, text: Text<'_>, violations: Vec<Violation>) {
        let line = ReportedLine {
            text,
            protocol: self.attribution.dialect.or_first().protocol(),
            message: None,
            writer: None,
        };
        let possible = self.possible();
        self.diagnostics.report(line, violations, &possible);
    }

    /// A line could not be read.
    fn lost(&mut self, origin: &Origin) {
        self.attribution.rpc.lost(origin.connection);
        self.sequence.lose(origin.stated_writer, origin.connection);
    }

    /// The input ends in the middle of a message.
    fn cut(&mut self, origin: &Origin) {
        self.sequence.cut();
        self.lost(origin);
    }

    /// A line holds no message.
    fn unrecognized(&mut self, origin: &Origin) {
        if let Some(identity) = &mut self.releases.identity {
            identity.add_unrecognized(origin.line);
        }
    }
}
