//! Validates a message, in either reading where keys stand in it twice.

use std::collections::HashSet;
use std::ops::Range;

use codex_wire_base::ReleaseSet;
use serde_json::Value;

use super::duplicates::KnownDuplicates;
use super::envelope::envelope;
use super::hook;
use super::validators::{Search, Validators};
use super::violation::SchemaViolation;
use crate::dialect::json_rpc::{self, Kind};
use crate::inference::possible::Possible;
use crate::line::LineContext;
use crate::options::Options;
use crate::phrasing::member;
use crate::rpc::call::Call;
use crate::rpc::dress::{dress, without_params};
use crate::rpc::readings::Readings;
use crate::rpc::tracker::RPC_ID_KIND;
use crate::rule::{rules, since, v};
use crate::validation::explanation::{NULL, UNKNOWN_KIND};
use crate::violation::Violation;
use crate::writer::Writer;
use codex_wire_base::MessageSet;

/// What the validation stage knows of a stream.
#[derive(Default)]
pub(crate) struct ValidationState {
    /// How much was searched for the release by which a message of none has the fewest violations.
    pub(crate) search: Search,
    /// What is known of keys that Codex writes twice.
    pub(crate) duplicates: KnownDuplicates,
}

/// What messages are validated against.
#[derive(Clone, Copy)]
pub(crate) struct Validation<'s> {
    pub(crate) validators: &'s Validators,
    /// The releases that could have written the stream.
    pub(crate) possible: ReleaseSet,
    pub(crate) search: &'s Search,
    pub(crate) options: &'s Options,
}

/// What is wrong with a message.
pub(crate) struct Invalid {
    pub(crate) violations: Vec<SchemaViolation>,
    /// How many of them are about the last of duplicate keys; the others are about the first.
    pub(crate) of_last: usize,
    /// Where the numbers stand that the last of these are about.
    pub(crate) numbers: Vec<Range<usize>>,
    /// What releases other than those of the stream have to do with it.
    pub(crate) elsewhere: Option<String>,
    /// Where the first value stands that is beyond the limit of values.
    pub(crate) unread: Option<usize>,
}

impl Validation<'_> {
    /// What is wrong with a message that the releases `bits` could have written. `is_counted` says
    /// whether violations are only counted, so that their texts are not needed.
    pub(crate) fn validate(
        &self,
        context: &LineContext<'_>,
        bits: ReleaseSet,
        readings: &Readings<'_>,
        is_counted: bool,
    ) -> Invalid {
        let Readings { last, first } = readings;
        // Of duplicate keys both readings are compared by what is said.
        self.search.is_brief.set(is_counted && first.is_none());
        let mut violations = self.violations(context, &last.message);
        self.search.is_brief.set(false);
        // Where something is missing that may have been needed, nothing can be said.
        violations.retain(|violation| last.tree.left.is_whole_at(&violation.pointer));
        // Where there is a bound, that is the better thing to say.
        let bounded: HashSet<&str> = violations.iter().map(|v| v.pointer.as_str()).collect();
        let beyond = last.tree.beyond.iter();
        let beyond: Vec<_> = beyond
            .filter(|beyond| !bounded.contains(beyond.pointer.as_str()))
            .collect();
        drop(bounded);
        let numbers = beyond.iter().map(|beyond| beyond.at.clone()).collect();
        let of_numbers = beyond.iter();
        violations.extend(of_numbers.map(|beyond| SchemaViolation::beyond(&beyond.pointer)));
        let of_last = violations.len();
        if let Some(first) = first {
            let known: HashSet<_> = violations.iter().map(SchemaViolation::key).collect();
            let mut more = self.violations(context, first.message());
            more.retain(|violation| {
                first.tree.left.is_whole_at(&violation.pointer) && !known.contains(&violation.key())
            });
            drop(known);
            violations.append(&mut more);
        }
        let elsewhere = (!bits.is_empty() && (self.possible & bits).is_empty()).then(|| {
            let ranges = self.validators.ranges();
            format!(
                "as a whole this is a message of {}",
                ranges.availability(bits)
            )
        });
        Invalid {
            violations,
            of_last,
            numbers,
            elsewhere,
            unread: last.tree.left.first,
        }
    }

    /// How many violations a result has as one of a method.
    pub(crate) fn mismatch(&self, side: usize, message: &Value, method: &str) -> usize {
        let dressed = dress(message, Some(method));
        let violations = self.of_side(side, &dressed);
        violations.len()
    }

    /// What a client uses of the experimental API that did not ask for it.
    pub(crate) fn experimental(
        &self,
        call: &Call,
        releases: &Possible<'_>,
        message: &Value,
        out: &mut Vec<Violation>,
    ) {
        let Some(message_set) = call.message_set.filter(|_| call.writer == Writer::Client) else {
            return;
        };
        let side = self.validators.ranges().side(message_set);
        let message = dress(message, None);
        let places = self
            .validators
            .experimental(side, self.possible, releases, &message);
        for pointer in places {
            let what = match pointer.rsplit('/').next().unwrap_or_default() {
                "method" => "the method".to_owned(),
                name => member(&name.replace("~1", "/").replace("~0", "~")),
            };
            let text = format!("{what} is experimental, which `initialize` did not ask for");
            out.push(Violation::new(&RPC_EXPERIMENTAL, pointer, text));
        }
    }

    fn of_side(&self, side: usize, message: &Value) -> Vec<SchemaViolation> {
        self.validators
            .violations(side, self.possible, message, self.search)
    }

    /// What is wrong with a message of a side, or with one that is of none.
    fn violations(&self, context: &LineContext<'_>, message: &Value) -> Vec<SchemaViolation> {
        let (side, call) = (context.side, context.call.as_ref());
        let mut violations = match (side, call) {
            (Some(side), _) => self.of_side(side, message),
            (None, Some(call)) => envelope(call.kind, message),
            (None, None) => Vec::new(),
        };
        if context.is_copied {
            // Each member may be of another release, and `null` if the copier has it and the source had
            // not. What else no release writes is wrong here too.
            violations.retain(|violation| {
                let is_unknown =
                    *violation.rule == NULL && violation.pointer.starts_with("/payload/");
                violation.releases.is_none() && !is_unknown
            });
        }
        if context.hook.is_some() {
            let newest = self.validators.ranges().range(self.possible).until;
            hook::bare(newest, &mut violations);
        }
        let Some(call) = call else {
            return violations;
        };
        // There is no method in the line; that of the request was checked with the request.
        if call.kind == Kind::Response {
            violations.retain(|violation| violation.pointer != "/method");
        }
        // Codex takes an empty object for the params of a method that has none.
        if let (Some(side), Some(bare)) = (side, without_params(Some(call), message))
            && !violations.is_empty()
            && self.needs_no_params(side, &bare)
        {
            violations = self.of_side(side, &bare);
        }
        let id = message.get("id");
        if id.is_some_and(|id| !id.is_i64() && !id.is_string())
            && self.options.severity(&RPC_ID_KIND, false).is_some()
        {
            violations.retain(|violation| violation.pointer != "/id");
        }
        for violation in &mut violations {
            let is_about_method = *violation.rule == UNKNOWN_KIND && violation.pointer == "/method";
            let help = call
                .method
                .filter(|_| is_about_method)
                .and_then(|method| json_rpc::known_elsewhere(method, call.kind));
            violation.help = help.or(violation.help.take());
        }
        violations
    }

    /// Whether a request may come without params, whatever else is wrong with it.
    fn needs_no_params(&self, side: usize, bare: &Value) -> bool {
        let plain = serde_json::json!({"id": 0, "method": bare["method"]});
        !(self.validators.inference().of(side, &plain) & self.possible).is_empty()
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
    }
}
