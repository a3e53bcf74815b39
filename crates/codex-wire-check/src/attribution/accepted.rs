//! Defines what the fast path has found out about a line.

use codex_wire_base::ReleaseSet;

use super::Attributed;
use crate::dialect::Dialect;
use crate::dialect::json_rpc::Kind;

/// That a compiled schema has accepted a line, and as what.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Accepted {
    pub(crate) dialect: Dialect,
    pub(crate) side: usize,
    /// The ranges of which the newest writes such lines.
    pub(crate) by: ReleaseSet,
    /// Of a response, the method of the request.
    pub(crate) answers: Option<&'static str>,
    /// Whether a key may stand there twice.
    pub(crate) is_repeated: bool,
}

impl Accepted {
    /// Whether the message turned out to be what it was accepted as, and these releases are still
    /// possible.
    pub(crate) fn is_valid(&self, attributed: &Attributed<'_, '_>, possible: ReleaseSet) -> bool {
        self.is_valid_kind(attributed) && possible.newest() == self.by.newest()
    }

    /// Whether the message turned out to be what it was accepted as.
    pub(crate) fn is_valid_kind(&self, attributed: &Attributed<'_, '_>) -> bool {
        let call = attributed.call.as_ref();
        let response = call.filter(|call| call.kind == Kind::Response);
        attributed.dialect == self.dialect
            && attributed.side == Some(self.side)
            && response.and_then(|call| call.method) == self.answers
    }
}
