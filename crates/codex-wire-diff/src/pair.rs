//! A part that both sides have, with the validators of each.

use std::rc::Rc;

use crate::difference::Which;
use crate::document::Document;
use crate::limits::Budget;
use crate::prove::Validators;
use crate::side::Part;

/// A part of both sides.
pub(crate) struct Pair<'d> {
    pub(crate) name: &'d str,
    pub(crate) before: &'d Part,
    pub(crate) after: &'d Part,
    validators: [Validators<'d>; 2],
}

impl<'d> Pair<'d> {
    pub(crate) fn new(
        name: &'d str,
        before: &'d Part,
        after: &'d Part,
        budget: &Rc<Budget>,
    ) -> Self {
        Pair {
            name,
            before,
            after,
            validators: [
                Validators::new(&before.document, budget),
                Validators::new(&after.document, budget),
            ],
        }
    }

    pub(crate) fn document(&self, which: Which) -> &Document {
        match which {
            Which::Before => &self.before.document,
            Which::After => &self.after.document,
        }
    }

    pub(crate) fn validators(&self, which: Which) -> &Validators<'_> {
        &self.validators[which as usize]
    }
}
