//! The way of one message through the stages.

use codex_wire_base::Protocol;
use codex_wire_prefilter::{Tape, View};

use super::Pipeline;
use super::observed::About;
use crate::attribution::How;
use crate::attribution::accepted::Accepted;
use crate::diagnostics::report;
use crate::dialect::Dialect;
use crate::dialect::mcp_server::{Known, McpServer, is_event};
use crate::framing::frame::{Loss, Parsed, not_an_object, parse};
use crate::framing::mcp_event::Event;
use crate::framing::message::Message;
use crate::inference::unspoken::unspoken;
use crate::line::Text;
use crate::rpc::array::{RPC_ARRAY, array};
use crate::sequence::state::Sequenced;
use crate::validation::validate::Against;
use crate::violation::Violation;
use crate::writer::Writer;

impl Pipeline<'_> {
    /// Checks a line that is text, and what a line of a recording holds. `violations` were found so far.
    /// The fast path reads it as JSON, or else the parser. Returns a line of a recording unchecked.
    pub(super) fn text<'a>(
        &mut self,
        text: Text<'a>,
        violations: Vec<Violation>,
        tape: &'a mut Tape,
    ) -> Option<View<'a>> {
        let limits = &self.checker.options.limits;
        if !self.is_reading
            && let Some((view, accepted)) = self.fast_path().accept(&text, tape)
        {
            let mut message = Message::accepted(view, &text, limits.values);
            if accepted.is_repeated {
                message.find_duplicates(limits.depth);
            }
            self.message(message, Some(accepted), violations);
            return None;
        }
        let parsed = parse(&text, limits, tape);
        self.parsed(text, parsed, violations)
    }

    /// Checks a line that is known not to be a line of a recording: one inside it, or one whose writer the
    /// caller knows. It runs while the line of the recording is still being read, so it has a tape of
    /// its own.
    pub(super) fn inner(&mut self, text: Text<'_>, violations: Vec<Violation>) {
        let mut tape = std::mem::take(&mut self.tapes[1]);
        self.text(text, violations, &mut tape);
        self.tapes[1] = tape;
    }

    /// Checks a line as the parser has read it.
    fn parsed<'a>(
        &mut self,
        text: Text<'_>,
        parsed: Parsed<'a>,
        mut violations: Vec<Violation>,
    ) -> Option<View<'a>> {
        match parsed {
            Parsed::Message(message) => {
                self.message(message, None, violations);
                return None;
            }
            Parsed::Record(view) => {
                self.report(text, violations);
                return Some(view);
            }
            Parsed::Other(value) => {
                if value.is_array() {
                    self.attribution.dialect.examine_array();
                }
                let is_rpc = self.attribution.dialect.or_first() == Dialect::AppServer;
                if value.is_array() && is_rpc && self.checker.options.levels.is_on(&RPC_ARRAY) {
                    // What it may have asked for is not known.
                    self.attribution.rpc.lost(text.origin.connection);
                    violations.push(array(text));
                } else {
                    self.unrecognized(&text.origin);
                    violations.push(not_an_object(text, &value));
                }
            }
            Parsed::NotText(violation) => {
                self.lost(&text.origin);
                self.unrecognized(&text.origin);
                self.attribution.dialect.examine_bytes(text.text.as_bytes());
                violations.push(violation);
                self.report(Text::new(text.origin, ""), violations);
                return None;
            }
            Parsed::Lost(loss, violation) => {
                match loss {
                    Loss::TooDeep => self.lost(&text.origin),
                    Loss::Cut => self.cut(&text.origin),
                    Loss::Malformed => {
                        self.lost(&text.origin);
                        self.unrecognized(&text.origin);
                        self.attribution.dialect.examine_text(text.text);
                    }
                }
                violations.push(violation);
            }
        }
        self.report(text, violations);
        None
    }

    /// Takes a message to its findings, and shows it to whoever observes. `accepted` is given if the fast path
    /// has accepted it.
    fn message(
        &mut self,
        mut message: Message<'_>,
        accepted: Option<Accepted>,
        violations: Vec<Violation>,
    ) {
        self.framing.messages += 1;
        message.number = self.framing.messages;
        if self.is_of_mcp_server(&message) {
            return self.report(message.line, violations);
        }
        let unspoken = match accepted {
            Some(_) => None,
            None => self.unspoken(&message),
        };
        let about = match unspoken {
            Some(unspoken) => self.refused(&message, unspoken, violations),
            None => self.checked(&message, accepted, violations),
        };
        if let Some(about) = about
            && let Some(observed) = &mut self.observed
        {
            observed.keep(about, || message.into_tree());
        }
    }

    /// Reports a message that the stated release does not speak, and nothing else of it. Returns what an observer
    /// gets to know, if there is one.
    fn refused(
        &mut self,
        message: &Message<'_>,
        (writer, violation): (Option<Writer>, Violation),
        mut violations: Vec<Violation>,
    ) -> Option<About> {
        violations.push(violation);
        self.is_exercised |= self.checks(message.line.origin.stated_writer.or(writer));
        let line = report::ReportedLine {
            writer,
            ..self.line_of(message)
        };
        let possible = self.possible();
        self.diagnostics.report(line, violations, &possible);
        let observed = self.observed.as_ref();
        observed.map(|_| About::unspoken(message, writer))
    }

    /// Takes a message through the stages from *attribution* on. Returns what an observer gets to know, if there is
    /// one and the message was new to the checker.
    fn checked(
        &mut self,
        message: &Message<'_>,
        accepted: Option<Accepted>,
        mut violations: Vec<Violation>,
    ) -> Option<About> {
        let checker = self.checker;

        // Attribution: which dialect is it, who wrote it, and which request does it answer?
        let how = How {
            is_accepted: accepted.is_some(),
            only_identifies: self.releases.identity.is_some(),
        };
        let fit = self.validation.fit(
            &checker.validators,
            &checker.inferences,
            self.releases.possible,
        );
        let (attributed, more) = self.attribution.attribute(message, how, &fit);
        self.is_exercised |= self.checks(attributed.written_by());
        let about = self.observed.as_ref().map(|_| About::of(&attributed));
        if self.is_reading {
            return about;
        }
        violations.extend(more);

        // Inference: which releases could have written it?
        let inferences = &checker.inferences;
        let (inferred, more) = self
            .releases
            .infer(inferences, &attributed, accepted.as_ref());
        violations.extend(more);
        if let Some(before) = &inferred.run_before {
            // What was found so far is of the run before.
            self.diagnostics.settle(before);
        }
        if how.only_identifies {
            return None;
        }

        // Validation: is it what they write?
        let releases = self
            .releases
            .possible_in(checker.inference(attributed.dialect).ranges());
        let against = Against {
            validators: checker.validators(attributed.dialect),
            options: &checker.options,
            releases,
            is_wanted: self.diagnostics.checks_side(attributed.written_by()),
            room: self.diagnostics.room(),
        };
        let (validated, more) = self.validation.validate(&against, &inferred);
        violations.extend(more);

        // Sequence: may it come now? Events that an MCP server holds are of several sessions.
        let sequenced = match self.attribution.dialect.mcp_server {
            McpServer::Event => Sequenced::Unordered,
            _ => {
                let is_invalid = self.diagnostics.has_error(&violations, &releases);
                let limits = &checker.options.limits;
                let (sequenced, more) = self.sequence.message(&validated, is_invalid, limits);
                violations.extend(more);
                sequenced
            }
        };

        // Diagnostics: which findings are these?
        let is_recorded = message.line.origin.stated_writer.is_some();
        self.diagnostics.is_recorded |=
            attributed.is_known && is_recorded && sequenced != Sequenced::Unordered;
        if sequenced == Sequenced::Delta {
            let is_valid = message.duplicates.is_empty()
                && !self.diagnostics.has_finding(&violations, &releases);
            self.expect_deltas(message, is_valid);
        }
        if !violations.is_empty() {
            let line = report::ReportedLine {
                writer: attributed.writer,
                protocol: attributed.dialect.protocol(),
                ..self.line_of(message)
            };
            self.diagnostics.report(line, violations, &releases);
        }
        about
    }

    /// A line that holds a message, of which nothing is known yet.
    fn line_of<'a>(&self, message: &Message<'a>) -> report::ReportedLine<'a> {
        report::ReportedLine {
            text: message.line,
            protocol: self.attribution.dialect.or_first().protocol(),
            message: Some(message.number),
            writer: None,
        }
    }

    /// Whether a message is of `codex mcp-server`, or of its client. Then it is done with: only the core
    /// events that it may hold are checked, in releases that have the core protocol. One stream may have
    /// several sessions whose events alternate, so their order is not checked.
    fn is_of_mcp_server(&mut self, message: &Message<'_>) -> bool {
        let dialect = &mut self.attribution.dialect;
        if dialect.mcp_server == McpServer::Unknown && dialect.recognized == 0 {
            let stated = self.checker.options.protocol;
            let known = Known {
                release: self.releases.stated,
                may_be_core: self.releases.identity.is_none()
                    && stated.is_none_or(|protocol| protocol == Protocol::Core),
                is_first: self.framing.messages == 1,
            };
            let release = dialect.examine_mcp_server(message.view, known);
            self.releases.state(release);
        }
        match dialect.mcp_server {
            McpServer::Unknown | McpServer::Event => return false,
            McpServer::Named(_) => return true,
            McpServer::Checked => {}
        }
        // Only events are counted.
        self.framing.messages -= 1;
        let params = message.view.get("params");
        if let Some(params) = params.filter(|_| is_event(message.view))
            && let Some(event) = Event::of(message.line, params)
        {
            self.attribution.dialect.begin_mcp_event();
            self.inner(event.line(), Vec::new());
            self.attribution.dialect.end_mcp_event();
        }
        true
    }

    /// The writer of a message of a dialect that the stated release does not speak, and the violation.
    fn unspoken(&mut self, message: &Message<'_>) -> Option<(Option<Writer>, Violation)> {
        let stated = self.releases.stated?;
        if self.releases.identity.is_some() || message.line.hook.is_some() {
            return None;
        }
        let protocol = self.checker.options.protocol;
        let dialect = &mut self.attribution.dialect;
        let dialect = dialect.unspoken(message.view, stated, protocol)?;
        Some(unspoken(self.checker.inference(dialect), message, stated))
    }

    /// Keeps what stands around the delta of a message, if that was valid and there may be more.
    fn expect_deltas(&mut self, message: &Message<'_>, is_valid: bool) {
        let origin = &message.line.origin;
        if is_valid
            && origin.stated_writer.is_none()
            && !origin.is_inner
            && origin.skipped == 0
            && self.fast_path().is_on()
            && self.observed.is_none()
        {
            self.deltas.keep(message.line.text, message.view);
        }
    }
}
