//! The stage itself: takes a message whose releases were inferred, and says what is wrong with it.

use std::collections::HashSet;
use std::fmt;
use std::ops::Range;

use codex_wire_base::pointer::unescaped;
use codex_wire_base::shape::ReleaseBounds;
use codex_wire_base::{MessageSet, ReleaseSet};
use codex_wire_prefilter::Tape;
use serde_json::Value;

use super::duplicates::{KnownDuplicates, LastObject, violation_of};
use super::envelope::envelope;
use super::hook;
use super::schema_violation::SchemaViolation;
use super::validators::{AllValidators, Search, Validators};
use crate::attribution::Attributed;
use crate::dialect::Dialect;
use crate::dialect::json_rpc::{self, Kind};
use crate::framing::message::Message;
use crate::framing::scan::DuplicateKey;
use crate::framing::tree::TooManyValues;
use crate::inference::infer::{Inferred, Left, Unvalidated};
use crate::inference::possible::Possible;
use crate::inference::releases::Inferences;
use crate::options::Options;
use crate::phrasing::member;
use crate::rpc::call::Call;
use crate::rpc::dress::{dress, without_params};
use crate::rpc::tracker::{Fit, RPC_ID_KIND};
use crate::rule::{since, v};
use crate::rule_macros::rules;
use crate::validation::explanation::{NULL, UNKNOWN_KIND};
use crate::violation::{Broken, Violation};
use crate::writer::Writer;

/// What the stage knows of a stream.
#[derive(Default)]
pub(crate) struct Validation {
    /// How much was searched for the release by which a message of none has the fewest violations.
    search: Search,
    /// What is known of keys that Codex writes twice.
    duplicates: KnownDuplicates,
}

/// What a message is validated against.
pub(crate) struct Against<'c> {
    pub(crate) validators: &'c Validators,
    pub(crate) options: &'c Options,
    /// The releases that could have written the stream.
    pub(crate) releases: Possible<'c>,
    /// Whether the user wants the writer of the message checked.
    pub(crate) is_wanted: bool,
    /// How many violations there is room for. Further ones are only counted: their places and texts are
    /// not needed.
    pub(crate) room: usize,
}

/// A message that was checked against the schemas.
pub(crate) struct Validated<'i, 'c> {
    pub(crate) of: &'i Inferred<'i, 'i, 'c>,
    /// The releases that could have written the stream.
    pub(crate) releases: Possible<'c>,
}

impl Validation {
    /// Validates a message, unless the stages before have found that it is valid.
    pub(crate) fn validate<'i, 'c>(
        &mut self,
        against: &Against<'c>,
        inferred: &'i Inferred<'i, 'i, 'c>,
    ) -> (Validated<'i, 'c>, Vec<Violation>) {
        let mut out = Vec::new();
        against.experimental(inferred, &mut out);
        match &inferred.left {
            Left::Nothing => {}
            Left::Duplicates => self.duplicates_of(against, inferred, &mut out),
            Left::Validity(unvalidated) => {
                let mut by = inferred.possible;
                // A message of a client excludes no release of Codex. It is valid if a possible release reads it.
                let is_of_client = inferred.of.writer == Some(Writer::Client);
                if is_of_client && !(by & unvalidated.bits).is_empty() {
                    by &= unvalidated.bits;
                }
                if unvalidated.is_mixed {
                    by = unvalidated.bits;
                } else if against.is_wanted && !against.is_valid(inferred, unvalidated, by) {
                    self.schema(against, inferred, unvalidated, by, &mut out);
                }
                let message = &unvalidated.readings.last.message;
                let side = inferred.of.side;
                let mut last = LastObject::default();
                // Hooks print no key twice on purpose.
                let is_of_hook = inferred.of.message.line.hook.is_some();
                self.report_duplicates(
                    against,
                    inferred,
                    by,
                    &mut out,
                    |_, key| match is_of_hook {
                        true => None,
                        false => last.of_tree(against.validators, side, by, message, key),
                    },
                );
            }
        }
        let validated = Validated {
            of: inferred,
            releases: against.releases,
        };
        (validated, out)
    }

    /// Knows how well the result of a message fits a method of the app-server, in these releases of it.
    pub(crate) fn fit<'s>(
        &'s self,
        validators: &'s AllValidators,
        inferences: &'s Inferences,
        by: ReleaseSet,
    ) -> ResultFit<'s> {
        ResultFit {
            validators,
            inferences,
            by,
            search: &self.search,
        }
    }

    /// What is wrong with a message that `by` could have written.
    fn schema(
        &self,
        against: &Against<'_>,
        inferred: &Inferred<'_, '_, '_>,
        unvalidated: &Unvalidated<'_>,
        by: ReleaseSet,
        out: &mut Vec<Violation>,
    ) {
        let checked = Checked {
            validators: against.validators,
            options: against.options,
            search: &self.search,
            of: inferred.of,
            is_copied: inferred.is_copied,
            by,
        };
        let last = &unvalidated.readings.last;
        // It comes first, so that it is reported however much else there is.
        if let Some(at) = last.tree.omitted.first {
            let limit = against.options.limits.values;
            let at = inferred.of.message.line.origin.skipped + at;
            out.push(TooManyValues { limit }.in_line(at..at));
        }
        checked.validate(unvalidated, against.room == 0, out);
    }

    /// Reports the duplicate keys of a message that is valid otherwise.
    fn duplicates_of(
        &mut self,
        against: &Against<'_>,
        inferred: &Inferred<'_, '_, '_>,
        out: &mut Vec<Violation>,
    ) {
        let by = inferred.possible;
        let mut last = LastObject::default();
        self.report_duplicates(against, inferred, by, out, |known, key| {
            known.of_message(against.validators, inferred.of, by, &mut last, key)
        });
    }

    /// Reports the duplicate keys of a message that `by` could have written.
    fn report_duplicates(
        &mut self,
        against: &Against<'_>,
        inferred: &Inferred<'_, '_, '_>,
        by: ReleaseSet,
        out: &mut Vec<Violation>,
        mut availability: impl FnMut(&mut KnownDuplicates, &DuplicateKey) -> Option<ReleaseBounds>,
    ) {
        let duplicates = &inferred.of.message.duplicates;
        if duplicates.is_empty() {
            return;
        }
        let newest = against.validators.ranges().range(by).until;
        for (index, key) in duplicates.iter().enumerate() {
            let availability = availability(&mut self.duplicates, key);
            let is_shown = index < against.room;
            out.push(violation_of(key, is_shown, availability, newest));
        }
    }
}

impl Against<'_> {
    /// What a client uses of the experimental API that did not ask for it.
    fn experimental(&self, inferred: &Inferred<'_, '_, '_>, out: &mut Vec<Violation>) {
        let attributed = inferred.of;
        let Some(call) = attributed.call.as_ref().filter(|_| attributed.is_stable) else {
            return;
        };
        let (Some(side), Writer::Client) = (attributed.side, call.writer) else {
            return;
        };
        let message = dress(attributed.message.tree(), None);
        let possible = inferred.possible;
        let places = self
            .validators
            .experimental(side, possible, &self.releases, &message);
        for pointer in places {
            let what = Named::of(&pointer);
            out.push(ExperimentalUse { what }.at(pointer));
        }
    }

    /// Whether a compiled schema accepts the message as what it turned out to be, as one of these
    /// releases.
    fn is_valid(
        &self,
        inferred: &Inferred<'_, '_, '_>,
        unvalidated: &Unvalidated<'_>,
        by: ReleaseSet,
    ) -> bool {
        let before = unvalidated.accepted_by;
        if before.is_some_and(|before| before.newest() == by.newest()) {
            return true;
        }
        let Attributed {
            message,
            call,
            side,
            ..
        } = inferred.of;
        let left = unvalidated.readings.last.tree.omitted.first;
        let may_be = message.duplicates.is_empty() || left.is_some();
        // How deep it may be nested was examined before.
        let (Some(side), true, None) = (side, self.options.fast_path && may_be, message.line.hook)
        else {
            return false;
        };
        let tag = match call {
            Some(call) => call.method,
            None => message.view.get_str("type"),
        };
        let mut tape = Tape::new();
        let text = message.line.text;
        let accepted = self.validators.accepts(*side, by, tag, text, &mut tape);
        accepted.is_some()
    }
}

/// The method or a member, as findings name it.
#[derive(Debug)]
pub(crate) struct Named(Option<String>);

impl Named {
    fn of(pointer: &str) -> Self {
        Named(match pointer.rsplit('/').next().unwrap_or_default() {
            "method" => None,
            name => Some(member(&unescaped(name))),
        })
    }
}

impl fmt::Display for Named {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.as_deref().unwrap_or("the method"))
    }
}

/// How well a result fits a method.
pub(crate) struct ResultFit<'s> {
    validators: &'s AllValidators,
    inferences: &'s Inferences,
    by: ReleaseSet,
    search: &'s Search,
}

impl Fit for ResultFit<'_> {
    fn mismatch(&self, message: &Message<'_>, message_set: MessageSet, method: &str) -> usize {
        let dressed = dress(message.tree(), Some(method));
        let side = Dialect::AppServer.side(message_set);
        let validators = self.validators.of(Dialect::AppServer, self.inferences);
        let violations = validators.violations(side, self.by, &dressed, self.search);
        violations.len()
    }
}

/// A message that is compared with schemas.
struct Checked<'s> {
    validators: &'s Validators,
    options: &'s Options,
    search: &'s Search,
    of: &'s Attributed<'s, 's>,
    is_copied: bool,
    /// The releases that could have written it.
    by: ReleaseSet,
}

impl Checked<'_> {
    /// What is wrong with the message in either reading.
    fn validate(&self, unvalidated: &Unvalidated<'_>, is_counted: bool, out: &mut Vec<Violation>) {
        let Unvalidated { readings, bits, .. } = unvalidated;
        let (last, first) = (&readings.last, &readings.first);
        // Of duplicate keys both readings are compared by what is said.
        self.search.is_brief.set(is_counted && first.is_none());
        let mut violations = self.violations(&last.message);
        self.search.is_brief.set(false);
        // Where something is missing that may have been needed, nothing can be said.
        violations.retain(|violation| last.tree.omitted.is_whole_at(&violation.pointer));
        // Where there is a bound, that is the better thing to say.
        let bounded: HashSet<&str> = violations.iter().map(|v| v.pointer.as_str()).collect();
        let beyond = last.tree.beyond.iter();
        let beyond: Vec<_> = beyond
            .filter(|beyond| !bounded.contains(beyond.pointer.as_str()))
            .collect();
        drop(bounded);
        let more = first.as_ref().map(|first| {
            let known: HashSet<_> = violations.iter().map(SchemaViolation::key).collect();
            let mut more = self.violations(first.message());
            more.retain(|violation| {
                first.tree.omitted.is_whole_at(&violation.pointer)
                    && !known.contains(&violation.key())
            });
            more
        });
        let elsewhere = (!bits.is_empty() && (self.by & *bits).is_empty()).then(|| {
            let ranges = self.validators.ranges();
            format!(
                "as a whole this is a message of {}",
                ranges.availability(*bits)
            )
        });
        let report = |violation: SchemaViolation, is_first, range| {
            self.report(violation, is_first, range, elsewhere.as_deref())
        };
        out.extend(violations.into_iter().map(|v| report(v, false, None)));
        // Of a number beyond all others the place is known, however long its pointer.
        out.extend(beyond.into_iter().map(|beyond| {
            let violation = SchemaViolation::beyond(&beyond.pointer);
            report(violation, false, Some(beyond.at.clone()))
        }));
        let more = more.into_iter().flatten();
        out.extend(more.map(|violation| report(violation, true, None)));
    }

    /// A violation of the schema as it is reported. `elsewhere` says what other releases have to do
    /// with the message.
    fn report(
        &self,
        violation: SchemaViolation,
        is_first: bool,
        range: Option<Range<usize>>,
        elsewhere: Option<&str>,
    ) -> Violation {
        let help = match (&violation.help, elsewhere) {
            (Some(help), Some(elsewhere)) => Some(format!("{elsewhere}; {help}")),
            (Some(help), None) => Some(help.clone()),
            (None, elsewhere) => elsewhere.map(str::to_owned),
        };
        let request = self.of.call.as_ref().and_then(|call| call.request);
        let mut violation = violation.into_violation(is_first, range);
        violation.help = help.map(Into::into);
        match request {
            Some(request) => violation.earlier(request, "the request"),
            None => violation,
        }
    }

    fn of_side(&self, side: usize, message: &Value) -> Vec<SchemaViolation> {
        self.validators
            .violations(side, self.by, message, self.search)
    }

    /// What is wrong with a message of a side, or with one that is of none.
    fn violations(&self, message: &Value) -> Vec<SchemaViolation> {
        let (side, call) = (self.of.side, self.of.call.as_ref());
        let mut violations = match (side, call) {
            (Some(side), _) => self.of_side(side, message),
            (None, Some(call)) => envelope(call.kind, message),
            (None, None) => Vec::new(),
        };
        if self.is_copied {
            // Each member may be of another release, and `null` if the copier has it and the source had
            // not. What else no release writes is wrong here too.
            violations.retain(|violation| {
                let is_unknown =
                    *violation.rule == NULL && violation.pointer.starts_with("/payload/");
                violation.releases.is_none() && !is_unknown
            });
        }
        if self.of.message.line.hook.is_some() {
            let newest = self.validators.ranges().range(self.by).until;
            hook::bare(newest, &mut violations);
        }
        if let Some(call) = call {
            self.of_call(call, message, &mut violations);
        }
        violations
    }

    /// What is different because the message is a request or a response.
    fn of_call(&self, call: &Call, message: &Value, violations: &mut Vec<SchemaViolation>) {
        // There is no method in the line; that of the request was checked with the request.
        if call.kind == Kind::Response {
            violations.retain(|violation| violation.pointer != "/method");
        }
        // Codex takes an empty object for the params of a method that has none.
        if let (Some(side), Some(bare)) = (self.of.side, without_params(Some(call), message))
            && !violations.is_empty()
            && self.needs_no_params(side, &bare)
        {
            *violations = self.of_side(side, &bare);
        }
        let id = message.get("id");
        if id.is_some_and(|id| !id.is_i64() && !id.is_string())
            && self.options.levels.is_on(&RPC_ID_KIND)
        {
            violations.retain(|violation| violation.pointer != "/id");
        }
        for violation in violations {
            let is_about_method = *violation.rule == UNKNOWN_KIND && violation.pointer == "/method";
            let help = call
                .method
                .filter(|_| is_about_method)
                .and_then(|method| json_rpc::known_elsewhere(method, call.kind));
            violation.help = help.or(violation.help.take());
        }
    }

    /// Whether a request may come without params, whatever else is wrong with it.
    fn needs_no_params(&self, side: usize, bare: &Value) -> bool {
        let plain = serde_json::json!({"id": 0, "method": bare["method"]});
        !(self.validators.inference().of(side, &plain) & self.by).is_empty()
    }
}

rules! {
    RPC_EXPERIMENTAL {
        summary: "a client uses the experimental API only if its `initialize` had \
            `capabilities.experimentalApi`",
        id: "rpc/experimental",
        about: &[MessageSet::AppServerClientRequests],
        releases: since(v(95)),
        explanation: "Codex answers with error -32600 and the text `… requires experimentalApi \
            capability`. Absent members, `null`, `false`, `[]` and `{}` do not count as use. \
            Responses and notifications may always have experimental members.",
        evidence: "Of the 1,673 recorded connections, of 15 releases from 0.58.0 to 0.169.0, 64 \
            lines of 11 releases break it, on purpose. Codex refused each of them, and no other \
            for that reason.",
    } => {
        ExperimentalUse { what: Named }: "{what} is experimental, which `initialize` did not ask for",
    }
}
