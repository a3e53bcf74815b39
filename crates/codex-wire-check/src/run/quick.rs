//! The short way: most lines are right, and a program sees that in one pass over their bytes.
//!
//! What it leaves open goes the long way, and so does whatever is not plain. Both ways say the
//! same: a program accepts only what the long way finds nothing to fault with.

use serde_json::Value;

use super::Run;
use crate::form::Spec;
use crate::options::Limits;
use crate::rpc::Kind;
use crate::scan::{Doubled, scan};

impl Run<'_> {
    /// The message, where serde_json says all there is to say of its text: it follows the same
    /// grammar as the scan, as deep as that goes.
    pub(super) fn plain(&self, text: &str) -> Option<Value> {
        let is_plain =
            self.identity.is_none() && self.checker.options.limits.depth >= Limits::DEEPEST;
        is_plain.then(|| serde_json::from_str(text).ok()).flatten()
    }

    /// Whether a plain message is right in the releases that count, and which keys are doubled.
    pub(super) fn quick(
        &self,
        spec: &Spec,
        side: Option<usize>,
        message: &Value,
        text: &str,
    ) -> (bool, Vec<Doubled>) {
        let answers = |call: &&crate::rpc::Call| call.kind == Kind::Response;
        let method = self
            .call
            .as_ref()
            .filter(answers)
            .and_then(|call| call.method);
        let accepted =
            side.and_then(|side| spec.accepts(side, self.possible, (message, method), text));
        if accepted == Some(false) {
            return (true, Vec::new());
        }
        // It is plain, so there is no error.
        let doubled = scan(text, self.checker.options.limits.depth).unwrap_or_default();
        (accepted.is_some(), doubled)
    }
}
