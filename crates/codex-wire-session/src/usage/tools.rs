//! Which tools a turn used.

use std::borrow::Cow;

use crate::model::{Item, Status};

/// A call of a tool.
pub(super) struct Call<'a> {
    pub(super) name: Cow<'a, str>,
    pub(super) has_failed: bool,
    /// How long it took, if that is known.
    pub(super) ms: Option<u64>,
}

/// The call that an item is, if it is one.
pub(super) fn call(item: &Item) -> Option<Call<'_>> {
    let (name, status) = item.body.tool()?;
    Some(Call {
        name,
        has_failed: status == Some(Status::Failed),
        ms: item.took_ms(),
    })
}
