//! The stages as a session runs them: each method hands a stage what it needs, keeps what it has
//! found out, and reports what is wrong.

use super::state::{Session, possible_releases};
use crate::checker::Spec;
use crate::dialect::Dialect;
use crate::dialect::detect::Shown;
use crate::dialect::json_rpc::{self, Kind};
use crate::fast_path::accept::Accepted;
use crate::framing::frame::NOT_AN_OBJECT;
use crate::framing::frame::{LineMessage, LineViolation};
use crate::framing::message::Message;
use crate::framing::scan::DuplicateKey;
use crate::inference::identity::Weighed;
use crate::inference::runs;
use crate::inference::state::MIXED_RELEASES;
use crate::inference::unspoken;
use crate::line::LineContext;
use crate::outcome::Counts;
use crate::phrasing::kind;
use crate::rpc::array::array;
use crate::rpc::readings::{FirstReading, Readings};
use crate::rpc::tracker::Incoming;
use crate::validation::duplicates::{Duplicate, LastObject};
use crate::validation::validate::Validation;
use crate::violation::Violation;
use crate::writer::Writer;
use codex_wire_base::lines::Line;
use codex_wire_base::{MessageSet, ReleaseSet};
use codex_wire_prefilter::{Keys, View};
use serde_json::Value;

/// What the releases of a message are.
pub(super) struct Inferred {
    /// The ranges that could have written it.
    pub(super) bits: ReleaseSet,
    /// Those that could have written the stream before it.
    pub(super) before: ReleaseSet,
    /// Whether no release could have written both.
    pub(super) is_mixed: bool,
}

impl<'c> Session<'c> {
    /// Looks which dialect the stream is, and which of its message sets the message is of.
    pub(super) fn find_dialect(
        &mut self,
        context: &mut LineContext<'_>,
        message: &Message<'_>,
        is_accepted: bool,
    ) -> &'c Spec {
        // What a hook prints does not show what it is.
        let is_new = context.hook.is_none() && {
            if self.releases.identity.is_some() {
                self.identify_dialect(message);
            }
            self.dialect.settle(message, is_accepted)
        };
        let dialect = self.dialect.or_first();
        let spec = self.checker.spec(dialect);
        if is_new {
            self.releases.restart(&spec.ranges);
        }
        context.protocol = dialect.protocol();
        if dialect != Dialect::AppServer {
            let side = match context.hook {
                Some(_) => spec.ranges.side(MessageSet::HooksOutput),
                None => dialect.side_of(message.view, context.recorded),
            };
            context.side = Some(side);
            context.writer = Some(dialect.writer_of(side));
        }
        spec
    }

    /// Examines which dialect a message is by itself, where a stream is only identified.
    pub(super) fn identify_dialect(&mut self, message: &Message<'_>) {
        let line = self.framing.lines;
        let before = self.dialect.or_first();
        let shown = self.dialect.shown_by(message.view);
        let Some(identity) = &mut self.releases.identity else {
            return;
        };
        match shown {
            Shown::Nothing => identity.add_unrecognized(line),
            Shown::Same => {}
            Shown::Restart => identity.restart(),
            Shown::Other(found) => {
                let [before, here] = [before, found].map(|d| &self.checker.spec(d).ranges);
                identity.mix(line, (before, self.releases.possible), here);
            }
        }
    }

    /// Tracks requests and responses: who wrote the message, and what it answers.
    pub(super) fn track_call(
        &mut self,
        context: &mut LineContext<'_>,
        spec: &Spec,
        message: &Message<'_>,
    ) {
        let incoming = Incoming {
            message: message.view,
            from: context.recorded,
            connection: context.connection,
            message_ref: context.message_ref(),
        };
        let mut violations = Vec::new();
        let validation = Validation {
            validators: &spec.validators,
            possible: self.releases.possible,
            search: &self.validation.search,
            options: &self.checker.options,
        };
        let mismatch = |message_set, method: &str| {
            validation.mismatch(spec.ranges.side(message_set), message.tree(), method)
        };
        let call = self.rpc.observe(&incoming, &mismatch, &mut violations);
        // A request of Codex that also has an answer may be the answer of a client, with the method beside it.
        let has_answer = ["result", "error"]
            .iter()
            .any(|key| message.view.get(key).is_some());
        let is_both = call.kind == Kind::Request && call.writer == Writer::Codex && has_answer;
        context.writer = (!is_both).then_some(call.writer);
        context.side = call
            .message_set
            .map(|message_set| spec.ranges.side(message_set));
        if call.writer == Writer::Codex
            && call.kind == Kind::Response
            && let Some(name) = json_rpc::user_agent(message.view)
        {
            let at = context.message_ref();
            if let Some(violation) = self.releases.report(&spec.ranges, at, name) {
                self.diagnostics.report(context, violation);
            }
        }
        if call.kind == Kind::Request && self.rpc.is_stable(call.connection) {
            let possible = self.possible_releases();
            self.validation(spec, self.releases.possible).experimental(
                &call,
                &possible,
                message.tree(),
                &mut violations,
            );
        }
        self.report_sequence(context, violations, true);
        context.call = Some(call);
    }

    /// The ranges that could have written a message, and with it the stream. Where nothing is to be
    /// validated there are none.
    pub(super) fn infer(
        &mut self,
        context: &LineContext<'_>,
        spec: &Spec,
        readings: &Readings<'_>,
    ) -> Option<Inferred> {
        let of = |message: &Value, is_sound: bool| match is_sound {
            true => spec
                .inference
                .of_call(context.side, context.call.as_ref(), message),
            // A missing part excludes nothing.
            false => spec.ranges.all(),
        };
        let Readings { last, first } = readings;
        let mut bits = of(&last.message, last.tree.left.is_sound());
        if let Some(first) = first {
            bits &= of(first.message(), first.tree.left.is_sound());
        }
        let creator = match spec.ranges.dialect {
            Dialect::Rollout => runs::creator(&last.message),
            _ => None,
        };
        if let (Some(identity), Some(creator)) = (&mut self.releases.identity, creator) {
            identity.created_by(creator);
        }
        if self.releases.runs.is_migrated() {
            self.releases.migrated(spec.ranges.from(runs::PAGINATED));
        }
        if context.is_copied {
            return self.releases.identity.is_none().then_some(Inferred {
                bits,
                before: self.releases.possible,
                is_mixed: false,
            });
        }
        let writer = context.writer.unwrap_or(Writer::Codex);
        if let Some(identity) = &mut self.releases.identity {
            let weighed = Weighed {
                side: context.side,
                writer,
                readings: [
                    Some(&*last.message),
                    first.as_ref().map(FirstReading::message),
                ],
                bits,
            };
            let at = context.message_ref();
            if self.dialect.dialect.is_some()
                && let Some(left) = {
                    let runs = &mut self.releases.runs;
                    identity.weigh((&spec.ranges, &spec.inference), runs, at, &weighed)
                }
            {
                self.releases.possible = left;
            }
            return None;
        }
        let before = self.releases.possible;
        if let Some(creator) = creator {
            self.releases.created_by(&spec.ranges, creator, bits);
        }
        if self.releases.stated.is_none()
            && !bits.is_empty()
            && (self.releases.possible & bits).is_empty()
            && self.releases.runs.begin().is_some()
        {
            // What was found so far is of the run before.
            let releases = self.possible_releases();
            self.diagnostics.settle(&releases);
            self.releases.begin_run(bits);
        }
        let is_mixed = self.releases.release().is_none()
            && !bits.is_empty()
            && !self.releases.narrow(writer == Writer::Codex, bits);
        if is_mixed {
            let text = format!(
                "only {} write such a message, and the lines before come from {}",
                spec.ranges.availability(bits),
                spec.ranges.availability(self.releases.possible)
            );
            let violation = Violation::new(&MIXED_RELEASES, "", text);
            self.diagnostics.report(context, violation);
        }
        Some(Inferred {
            bits,
            before,
            is_mixed,
        })
    }

    /// Validates a message, unless the fast path has accepted it as what it is.
    pub(super) fn validate(
        &mut self,
        context: &LineContext<'_>,
        spec: &Spec,
        (readings, duplicates): (&Readings<'_>, &[DuplicateKey]),
        inferred: Inferred,
        accepted: Option<Accepted>,
    ) {
        let Inferred { bits, .. } = inferred;
        if inferred.is_mixed {
            return self.report_duplicates(context, spec, bits, readings, duplicates);
        }
        let mut possible = self.releases.possible;
        // A message of a client excludes no release of Codex. It is valid if a possible release reads it.
        if context.writer == Some(Writer::Client) && !(possible & bits).is_empty() {
            possible &= bits;
        }
        let is_right = accepted.is_some() && possible.newest() == inferred.before.newest();
        let may_be = duplicates.is_empty() || readings.last.tree.left.first.is_some();
        let is_right = is_right || may_be && self.fast_path().accepts_as(spec, context, possible);
        if !is_right && self.diagnostics.is_checked(context) {
            let is_full = self.diagnostics.is_full();
            let validation = self.validation(spec, possible);
            let invalid = validation.validate(context, bits, readings, is_full);
            self.diagnostics.report_invalid(context, invalid);
        }
        self.report_duplicates(context, spec, possible, readings, duplicates);
    }

    /// Reports the duplicate keys of a message that these releases could have written.
    pub(super) fn report_duplicates(
        &mut self,
        context: &LineContext<'_>,
        spec: &Spec,
        by: ReleaseSet,
        readings: &Readings<'_>,
        duplicates: &[DuplicateKey],
    ) {
        let newest = spec.ranges.range(by).until;
        let mut last = LastObject::default();
        for key in duplicates {
            let side = (context.side, by);
            let message = &readings.last.message;
            // Hooks print no key twice on purpose.
            let availability = match context.hook {
                Some(_) => None,
                None => last.of_tree(&spec.validators, side, message, key),
            };
            let duplicate = Duplicate::new(key, availability, newest);
            self.diagnostics.report_duplicate(context, &duplicate);
        }
    }

    /// Reports the duplicate keys of a message that is valid otherwise.
    pub(super) fn report_duplicates_of(
        &mut self,
        context: &LineContext<'_>,
        spec: &Spec,
        message: &Message<'_>,
        duplicates: &[DuplicateKey],
    ) {
        let by = self.releases.possible;
        let newest = spec.ranges.range(by).until;
        let mut last = LastObject::default();
        for key in duplicates {
            let known = &mut self.validation.duplicates;
            let of = (&mut last, key);
            let availability = known.of_message(&spec.validators, context, by, message, of);
            let duplicate = Duplicate::new(key, availability, newest);
            self.diagnostics.report_duplicate(context, &duplicate);
        }
    }

    /// Shows a message to the state machine of the stream.
    pub(super) fn follow_order(
        &mut self,
        context: &LineContext<'_>,
        message: View<'_>,
        has_duplicates: bool,
        before: Counts,
    ) {
        if self.releases.identity.is_some() {
            return;
        }
        let dialect = self.dialect.dialect;
        self.diagnostics.is_recorded |= dialect.is_some() && context.recorded.is_some();
        let first = match has_duplicates {
            true => message.with(Keys::First),
            false => message,
        };
        let spec = self.checker.spec(self.dialect.or_first());
        let releases = possible_releases(spec, &self.releases);
        let is_invalid = self.diagnostics.counts().error > before.error;
        let limits = &self.checker.options.limits;
        let views = (message, first);
        let violations =
            self.sequence
                .message((dialect, limits), context, views, releases, is_invalid);
        self.report_sequence(context, violations, true);
    }

    /// Whether a message is of a dialect that the stated release does not speak, which is reported.
    pub(super) fn is_unspoken(
        &mut self,
        context: &mut LineContext<'_>,
        message: &Message<'_>,
    ) -> bool {
        let stated = self.releases.stated;
        let Some(stated) = stated.filter(|_| self.releases.identity.is_none()) else {
            return false;
        };
        let protocol = self.checker.options.protocol;
        let Some(dialect) = self.dialect.unspoken(message.view, stated, protocol) else {
            return false;
        };
        let spec = self.checker.spec(dialect);
        let of = (&*spec.ranges, &*spec.inference);
        let (writer, violation) = unspoken::violation(of, context.recorded, message, stated);
        context.writer = writer;
        self.diagnostics.report(context, violation);
        true
    }

    /// A line that is JSON, but no object.
    pub(super) fn not_an_object(&mut self, context: &LineContext<'_>, value: &Value) {
        let text = 0..context.text.len();
        if value.is_array() {
            self.dialect.examine_array();
            let is_rpc = self.dialect.or_first() == Dialect::AppServer;
            let violation = array(context.text, &self.checker.options);
            if let Some(violation) = violation.filter(|_| is_rpc) {
                // What it may have asked for is not known.
                self.rpc.lost(context.connection);
                return self.diagnostics.report_line(context, &violation);
            }
        }
        self.unrecognized();
        let violation = LineViolation {
            rule: &NOT_AN_OBJECT,
            range: text,
            message: LineMessage::NotAnObject(kind(value)),
        };
        self.diagnostics.report_line(context, &violation);
    }

    /// A line that is the one before but for its delta: takes it, and returns whether it did.
    pub(super) fn further_delta(&mut self, line: &Line<'_>, recorded: Option<Writer>) -> bool {
        let delta = self.deltas.delta(line).filter(|_| recorded.is_none());
        if delta.is_some_and(|delta| self.sequence.delta(&delta)) {
            self.messages += 1;
            self.dialect.recognized += 1;
            return true;
        }
        self.deltas.clear();
        false
    }

    /// Keeps what stands around the delta of a message that was right, if there may be more.
    pub(super) fn expect_deltas(&mut self, context: &LineContext<'_>, message: View<'_>) {
        if context.recorded.is_none()
            && !context.is_inner
            && context.skipped == 0
            && self.fast_path().is_on()
            && self.observed.is_none()
            && self.sequence.expects_delta()
        {
            self.deltas.keep(context.text, message);
        }
    }
}
