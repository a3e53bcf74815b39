//! Infers the releases of the messages of a dialect.

use std::sync::{Arc, OnceLock};

use codex_wire_base::{MessageSet, ReleaseSet};
use serde_json::Value;

use super::parts::Part;
use super::walk::ReleaseInference;
use crate::dialect::Dialect;
use crate::dialect::ranges::Ranges;
use crate::rpc::call::Call;
use crate::rpc::dress::without_params;

/// The inference of every dialect, each made when it is first needed.
#[derive(Default)]
pub(crate) struct Inferences([OnceLock<Arc<Inference>>; Dialect::ALL.len()]);

impl Inferences {
    /// That of a dialect.
    pub(crate) fn of(&self, dialect: Dialect) -> &Arc<Inference> {
        self.0[dialect as usize].get_or_init(|| Arc::new(Inference::new(dialect)))
    }
}

/// Which ranges of a dialect could have written a message, by message set.
pub(crate) struct Inference {
    ranges: Ranges,
    sides: Vec<(MessageSet, OnceLock<ReleaseInference>)>,
}

impl Inference {
    fn new(dialect: Dialect) -> Self {
        let message_sets = dialect.message_sets().iter();
        Inference {
            ranges: Ranges::new(dialect),
            sides: message_sets.map(|s| (*s, OnceLock::new())).collect(),
        }
    }

    /// The release ranges of the dialect.
    pub(crate) fn ranges(&self) -> &Ranges {
        &self.ranges
    }

    /// The ranges that could have written a message of a side.
    pub(crate) fn of(&self, side: usize, message: &Value) -> ReleaseSet {
        self.side(side).of(message)
    }

    /// The same of a message of which requests and responses tell more: Codex takes an empty object
    /// for the params of a method that has none.
    pub(crate) fn of_call(
        &self,
        side: Option<usize>,
        call: Option<&Call>,
        message: &Value,
    ) -> ReleaseSet {
        let Some(side) = side else {
            return self.ranges.all();
        };
        let bits = self.of(side, message);
        match without_params(call, message) {
            Some(bare) => bits | self.of(side, &bare),
            None => bits,
        }
    }

    /// The parts of a message of a side that some of `excluded` do not write.
    pub(crate) fn parts(&self, side: usize, message: &Value, excluded: ReleaseSet) -> Vec<Part> {
        self.side(side).parts(message, excluded)
    }

    fn side(&self, side: usize) -> &ReleaseInference {
        let (message_set, inference) = &self.sides[side];
        inference.get_or_init(|| ReleaseInference::new(*message_set, &self.ranges.ranges))
    }
}
