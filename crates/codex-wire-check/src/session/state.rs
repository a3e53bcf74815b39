//! Holds what each stage knows of one input.

use super::observed::ObservedLine;
use crate::checker::{Checker, Spec};
use crate::diagnostics::report::Diagnostics;
use crate::dialect::detect::DialectState;
use crate::dialect::mcp_server::McpServer;
use crate::fast_path::accept::{Ahead, FastPath};
use crate::fast_path::deltas::DeltaTemplate;
use crate::framing::frame::FramingState;
use crate::framing::message::Message;
use crate::inference::possible::Possible;
use crate::inference::state::ReleaseState;
use crate::line::LineContext;
use crate::rpc::tracker::Rpc;
use crate::sequence::state::SequenceState;
use crate::validation::validate::{Validation, ValidationState};
use crate::violation::Violation;
use crate::writer::Writer;
use codex_wire_base::ReleaseSet;
use codex_wire_base::lines::Line;

/// How many lines without a single message are read before an input is given up as something
/// else.
const GIVE_UP_AFTER: u64 = 1000;

/// One input on its way through the checker.
pub(crate) struct Session<'c> {
    pub(super) checker: &'c Checker,
    /// The name of the input.
    pub(super) path: String,
    /// Whether the release is identified rather than stated.
    pub(super) is_identified: bool,
    /// How many messages were read.
    pub(super) messages: u64,
    pub(super) framing: FramingState,
    pub(super) dialect: DialectState,
    pub(super) rpc: Rpc,
    pub(super) releases: ReleaseState,
    pub(super) validation: ValidationState,
    pub(super) sequence: SequenceState,
    pub(super) diagnostics: Diagnostics<'c>,
    /// The bytes around the last delta, for the fast path.
    pub(super) deltas: DeltaTemplate,
    /// What the line at hand holds, where somebody wants to see it.
    pub(super) observed: Option<Box<ObservedLine>>,
}

impl<'c> Session<'c> {
    /// A session that checks an input.
    pub(crate) fn new(checker: &'c Checker, path: &str) -> Self {
        let options = &checker.options;
        Session {
            checker,
            path: path.to_owned(),
            is_identified: options.release.is_none(),
            messages: 0,
            framing: FramingState::default(),
            dialect: DialectState::new(&checker.dialects, options.protocol),
            rpc: Rpc::new(&options.limits),
            releases: ReleaseState::new(options.release),
            validation: ValidationState::default(),
            sequence: SequenceState::default(),
            diagnostics: Diagnostics::new(options, false),
            deltas: DeltaTemplate::default(),
            observed: None,
        }
    }

    /// A session that only finds out what an input is.
    pub(crate) fn identifying(checker: &'c Checker) -> Self {
        Session {
            is_identified: true,
            dialect: DialectState::new(&checker.dialects, None),
            releases: ReleaseState::identifying(),
            diagnostics: Diagnostics::new(&checker.options, true),
            ..Session::new(checker, "")
        }
    }

    /// Takes note of a line that is checked by other means than [`Session::line`].
    pub(crate) fn begin(&mut self, line: &Line<'_>) {
        self.framing.next_line(line);
    }

    /// A line of which nothing is known yet.
    pub(crate) fn context<'a>(&self, line: &Line<'a>, recorded: Option<Writer>) -> LineContext<'a> {
        let protocol = self.dialect.or_first().protocol();
        LineContext::new(line, recorded, self.messages, protocol)
    }

    /// A line could not be read.
    pub(super) fn lost(&mut self, context: &LineContext<'_>) {
        self.rpc.lost(context.connection);
        self.sequence.lose(context.recorded, context.connection);
    }

    /// The input ends in the middle of a message.
    pub(super) fn cut(&mut self, context: &LineContext<'_>) {
        self.sequence.end.cut = true;
        self.lost(context);
    }

    /// A line holds no message.
    pub(super) fn unrecognized(&mut self) {
        let line = self.framing.lines;
        if let Some(identity) = &mut self.releases.identity {
            identity.add_unrecognized(line);
        }
    }

    /// Why the input is given up after the line at hand, if it is.
    pub(super) fn is_hopeless(&self) -> Option<String> {
        let hopeless = self.framing.lines == GIVE_UP_AFTER && self.dialect.recognized == 0;
        let hopeless = hopeless && self.is_identified
            || matches!(self.dialect.mcp_server, McpServer::Named(_));
        hopeless.then(|| self.not_a_transcript())
    }

    /// What the fast path reads of the stages.
    pub(super) fn fast_path(&self) -> FastPath<'_> {
        FastPath {
            checker: self.checker,
            dialect: &self.dialect,
            rpc: &self.rpc,
            releases: &self.releases,
        }
    }

    /// What messages are validated against, if these releases could have written them.
    pub(super) fn validation<'s>(&'s self, spec: &'s Spec, possible: ReleaseSet) -> Validation<'s> {
        Validation {
            validators: &spec.validators,
            possible,
            search: &self.validation.search,
            options: &self.checker.options,
        }
    }

    /// Reports violations of rules whose level may depend on the release.
    pub(super) fn report_sequence(
        &mut self,
        context: &LineContext<'_>,
        violations: Vec<Violation>,
        of_message: bool,
    ) {
        for violation in violations {
            let spec = self.checker.spec(self.dialect.or_first());
            let releases = possible_releases(spec, &self.releases);
            self.diagnostics
                .report_sequence(context, violation, of_message, &releases);
        }
    }

    /// The releases that could have written the stream.
    pub(super) fn possible_releases(&self) -> Possible<'c> {
        possible_releases(self.checker.spec(self.dialect.or_first()), &self.releases)
    }

    /// Takes note of a message that was checked.
    pub(super) fn observe(&mut self, context: &LineContext<'_>, message: Message<'_>) {
        if let Some(observed) = &mut self.observed {
            observed.keep(context, message.into_tree());
        }
    }

    /// What has to be known of the stream to look at its next lines.
    pub(crate) fn ahead(&self) -> Ahead {
        self.fast_path().ahead()
    }
}

/// The releases that could have written a stream.
pub(super) fn possible_releases<'s>(spec: &'s Spec, releases: &ReleaseState) -> Possible<'s> {
    Possible::new(
        spec.ranges.dialect.release_list(),
        releases.release(),
        &spec.ranges.ranges,
        releases.possible,
    )
}
