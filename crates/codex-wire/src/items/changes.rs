//! The files of patches.

use crate::app_server::{self, PatchChangeKind};
use crate::exec;
use crate::items::{Change, ChangeKind};

pub(super) fn exec_change(change: &exec::FileUpdateChange) -> Change<'_> {
    Change {
        path: &change.path,
        kind: change.kind.as_str().into(),
        move_path: None,
        diff: None,
    }
}

pub(super) fn app_change(change: &app_server::FileUpdateChange) -> Change<'_> {
    let kind = change.kind();
    Change {
        path: change.path().unwrap_or_default(),
        kind: match kind {
            Some(PatchChangeKind::Unknown(raw)) => ChangeKind::Other(raw.get()),
            kind => kind
                .and_then(PatchChangeKind::word)
                .unwrap_or_default()
                .into(),
        },
        move_path: kind.and_then(PatchChangeKind::move_path),
        diff: change.diff(),
    }
}
