//! What the messages of one dialect are validated by, range by range.
//!
//! If several releases are possible, a message is validated for those, and the release with the
//! fewest violations explains it.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use codex_wire_base::{MessageSet, ReleaseSet};
use codex_wire_prefilter::{Tape, View};
use codex_wire_schema::ir::Object;
use codex_wire_schema::{Profile, annotated};
use serde_json::{Value, json};

use super::equivalence::Equivalence;
use super::schema_violation::SchemaViolation;
use super::validator::MessageValidator;
use crate::dialect::Dialect;
use crate::dialect::ranges::Ranges;
use crate::inference::possible::Possible;
use crate::inference::releases::{Inference, Inferences};

/// The validators of every dialect, each made when it is first needed.
pub(crate) struct AllValidators {
    /// See [`MessageValidator::new`].
    requires_written: bool,
    by_dialect: [OnceLock<Validators>; Dialect::ALL.len()],
}

impl AllValidators {
    /// Those for a profile. What may be missing in the open and the known profile is what a reader can
    /// do without.
    pub(crate) fn new(profile: Profile) -> Self {
        AllValidators {
            requires_written: profile == Profile::Exact,
            by_dialect: Default::default(),
        }
    }

    /// Those of a dialect.
    pub(crate) fn of(&self, dialect: Dialect, inferences: &Inferences) -> &Validators {
        self.by_dialect[dialect as usize].get_or_init(|| {
            Validators::new(Arc::clone(inferences.of(dialect)), self.requires_written)
        })
    }
}

/// The validators of a dialect.
pub(crate) struct Validators {
    inference: Arc<Inference>,
    requires_written: bool,
    sides: Vec<Side>,
}

struct Side {
    message_set: MessageSet,
    by_range: Vec<OnceLock<MessageValidator>>,
    /// Which ranges are equivalent for a kind of message, by its tags.
    equivalences: Mutex<BTreeMap<String, Arc<Equivalence>>>,
}

/// Of how many kinds of message it is kept which ranges are equivalent for them: as many as there are,
/// and some that there are not.
const KINDS: usize = 1024;

/// The members that lead to the tags of a message, each from the outside in.
fn tags(dialect: Dialect) -> &'static [&'static [&'static str]] {
    match dialect {
        Dialect::Exec => &[&["type"], &["item", "type"], &["item", "item_type"]],
        Dialect::ExecLegacy => &[&["msg", "type"]],
        Dialect::Core => &[&["msg", "type"], &["op", "type"]],
        Dialect::AppServer => &[&["params", "item", "type"]],
        Dialect::Rollout | Dialect::RolloutEarly => &[
            &["type"],
            &["payload", "type"],
            &["payload", "item", "type"],
        ],
        Dialect::Hooks | Dialect::Notify => &[&["type"]],
    }
}

impl Validators {
    fn new(inference: Arc<Inference>, requires_written: bool) -> Self {
        let ranges = inference.ranges();
        let side = |message_set: &MessageSet| Side {
            message_set: *message_set,
            by_range: ranges.ranges.iter().map(|_| OnceLock::new()).collect(),
            equivalences: Mutex::default(),
        };
        let sides = ranges.dialect.message_sets().iter().map(side).collect();
        Validators {
            inference,
            requires_written,
            sides,
        }
    }

    /// The release ranges of the dialect.
    pub(crate) fn ranges(&self) -> &Ranges {
        self.inference.ranges()
    }

    /// What infers the releases of a message.
    pub(crate) fn inference(&self) -> &Inference {
        &self.inference
    }

    /// A line as the newest of some ranges surely writes it on a side, which comes with it; see
    /// [`MessageValidator::accepts`]. An answer has no tag but the method of its request.
    pub(crate) fn accepts<'a>(
        &self,
        side: usize,
        by: ReleaseSet,
        tag: Option<&str>,
        text: &'a str,
        tape: &'a mut Tape,
    ) -> Option<(View<'a>, bool)> {
        self.newest_of(side, by).accepts(tag, text, tape)
    }

    /// What is wrong with a message of a side, by that of some ranges which finds the fewest
    /// violations; by the newest of those. Where enough was searched, by the one that was found last.
    pub(crate) fn violations(
        &self,
        side: usize,
        by: ReleaseSet,
        message: &Value,
        search: &Search,
    ) -> Vec<SchemaViolation> {
        let mut left = by;
        if left.len() > 1 && search.is_over() {
            return self.violations_after(side, by, message, search);
        }
        let mut best = self
            .newest_of(side, left)
            .violations(message, search.is_brief.get());
        let is_least =
            |violations: &[SchemaViolation]| SchemaViolation::weight(violations) <= (0, 1);
        if is_least(&best) || left.len() < 2 {
            return best;
        }
        let mut found_by = newest(left);
        // Many violations are in every range, and looking for fewer takes as long as finding them.
        let mut found = best.len();
        // Of hundreds of definitions a message needs a few: most ranges are equivalent for it.
        let equivalence = Equivalence::new(
            annotated(self.sides[side].message_set),
            &self.ranges().ranges,
            message,
        );
        while !is_least(&best) && found <= LOOKED_AT {
            left &= !equivalence.of(newest(left));
            if left.is_empty() {
                break;
            }
            search.tries();
            let violations = self
                .newest_of(side, left)
                .violations(message, search.is_brief.get());
            found += violations.len();
            if SchemaViolation::weight(&violations) < SchemaViolation::weight(&best) {
                (best, found_by) = (violations, newest(left));
            }
        }
        search.found.set(Some(found_by));
        best
    }

    /// Which ranges are equivalent for messages of the kind that a line is of, by its tags.
    pub(crate) fn equivalence(
        &self,
        side: usize,
        line: View<'_>,
        method: Option<&str>,
    ) -> Arc<Equivalence> {
        let side = &self.sides[side];
        let places = tags(self.ranges().dialect);
        let tag = |place: &&[&str]| {
            let value = place.iter().try_fold(line, |at, name| at.get(name));
            value.and_then(View::as_str)
        };
        let mut key = String::with_capacity(64);
        for tag in std::iter::once(method).chain(places.iter().map(tag)) {
            // A tag that is longer than any is one that nobody has.
            key.push_str(tag.map_or("", |tag| tag.get(..256).unwrap_or(tag)));
            key.push('\n');
        }
        let mut known = side
            .equivalences
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(equivalence) = known.get(&key) {
            return Arc::clone(equivalence);
        }
        let mut message = json!({});
        if let Some(method) = method {
            message["method"] = json!(method);
        }
        for place in places {
            let Some(tag) = tag(place) else { continue };
            let mut at = &mut message;
            for name in *place {
                at = &mut at[name];
            }
            *at = json!(tag);
        }
        let equivalence = Arc::new(Equivalence::new(
            annotated(side.message_set),
            &self.ranges().ranges,
            &message,
        ));
        if known.len() < KINDS {
            known.insert(key, Arc::clone(&equivalence));
        }
        equivalence
    }

    /// What is wrong with a message once enough was searched: nothing if one of the ranges writes
    /// it, as ever.
    fn violations_after(
        &self,
        side: usize,
        by: ReleaseSet,
        message: &Value,
        search: &Search,
    ) -> Vec<SchemaViolation> {
        let right = by & self.inference.of(side, message);
        let last = search
            .found
            .get()
            .map_or(ReleaseSet::EMPTY, ReleaseSet::one)
            & by;
        let chosen = [right, last, by].into_iter().find(|bits| !bits.is_empty());
        self.newest_of(side, chosen.unwrap_or(by))
            .violations(message, search.is_brief.get())
    }

    /// The places of a message that belong to the experimental API in all of these releases.
    pub(crate) fn experimental(
        &self,
        side: usize,
        by: ReleaseSet,
        releases: &Possible<'_>,
        message: &Value,
    ) -> Vec<String> {
        self.newest_of(side, by)
            .experimental(message, &|availability| {
                let mut releases = releases.iter();
                releases.all(|release| availability.is_experimental(release))
            })
    }

    /// What all releases say of an object in a message.
    pub(crate) fn object(
        &self,
        side: Option<usize>,
        by: ReleaseSet,
        message: &Value,
        object: &str,
    ) -> Option<&'static Object> {
        self.newest_of(side?, by).object(message, object)
    }

    fn newest_of(&self, side: usize, by: ReleaseSet) -> &MessageValidator {
        let range = newest(by);
        let side = &self.sides[side];
        side.by_range[range].get_or_init(|| {
            let range = self.ranges().ranges[range];
            MessageValidator::new(side.message_set, range, self.requires_written)
        })
    }
}

/// How many violations of a message are counted to find a release in which it has fewer.
const LOOKED_AT: usize = 500;

/// How often the messages of an input are checked against another release to find one by which they
/// have fewer violations.
const SEARCHED: u32 = 200;

/// How much was searched in an input for the release by which its messages have the fewest violations.
#[derive(Debug, Default)]
pub(crate) struct Search {
    tried: Cell<u32>,
    /// Whether violations are only counted.
    pub(crate) is_brief: Cell<bool>,
    /// The range that was found last.
    found: Cell<Option<usize>>,
}

impl Search {
    fn tries(&self) {
        self.tried.set(self.tried.get().saturating_add(1));
    }

    fn is_over(&self) -> bool {
        self.tried.get() >= SEARCHED
    }
}

fn newest(bits: ReleaseSet) -> usize {
    bits.newest().unwrap_or_default()
}
