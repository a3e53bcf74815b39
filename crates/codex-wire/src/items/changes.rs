//! The files of patches.

use crate::app_server::{self, PatchChangeKind, PatchChangeKindSince0_63};
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
    let (kind, move_path) = match &change.kind {
        PatchChangeKind::Since0_63(PatchChangeKindSince0_63::Update(update)) => (
            ChangeKind::Update,
            update.move_path.value().map(String::as_str),
        ),
        PatchChangeKind::Since0_63(kind) => (kind.tag().into(), None),
        PatchChangeKind::Until0_61(kind) => (kind.as_str().into(), None),
        PatchChangeKind::Unknown(raw) => (ChangeKind::Other(raw.get()), None),
    };
    Change {
        path: &change.path,
        kind,
        move_path,
        diff: Some(&change.diff),
    }
}
