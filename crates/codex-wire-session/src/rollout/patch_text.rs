//! What a patch changes, by its text: `*** Begin Patch`, as the model writes it.

use crate::model::{ChangeKind, FileChange};

/// The files that a patch changes, in the order of their paths. Paths are joined to the folder that the patch
/// was applied in. Empty if the text is not a patch.
pub(super) fn changes(text: &str, folder: Option<&str>) -> Vec<FileChange> {
    let mut changes: Vec<FileChange> = Vec::new();
    for line in text.lines() {
        let begins = [
            ("*** Add File: ", ChangeKind::Add),
            ("*** Update File: ", ChangeKind::Update),
            ("*** Delete File: ", ChangeKind::Delete),
        ];
        let begun = begins
            .iter()
            .find_map(|(mark, kind)| Some((line.strip_prefix(mark)?, *kind)));
        if let Some((path, kind)) = begun {
            changes.push(FileChange::new(joined(folder, path.trim()), kind));
            continue;
        }
        let Some(change) = changes.last_mut() else {
            continue;
        };
        if let Some(path) = line.strip_prefix("*** Move to: ") {
            change.moved_to = Some(joined(folder, path.trim()));
        } else if change.kind == ChangeKind::Add
            && let Some(added) = line.strip_prefix('+')
        {
            let content = change.content.get_or_insert_default();
            content.push_str(added);
            content.push('\n');
        }
    }
    changes.sort_by(|a, b| a.path.cmp(&b.path));
    changes
}

fn joined(folder: Option<&str>, path: &str) -> String {
    match folder {
        Some(folder) if !path.starts_with('/') => {
            format!("{}/{path}", folder.trim_end_matches('/'))
        }
        _ => path.to_owned(),
    }
}
