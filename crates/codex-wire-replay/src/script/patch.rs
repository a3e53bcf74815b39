//! The patch format of Codex, as far as a stream shows it: which files change, and how.

/// A file that a patch changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FileChange {
    /// The path in the patch.
    pub(crate) path: String,
    pub(crate) kind: ChangeKind,
    /// What the app-server calls the diff: of a new file its content, of a changed one the hunks.
    pub(crate) diff: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ChangeKind {
    Add,
    Delete,
    /// With the new path, if the file moves.
    Update(Option<String>),
}

impl ChangeKind {
    pub(crate) fn as_str(&self) -> &'static str {
        match self {
            ChangeKind::Add => "add",
            ChangeKind::Delete => "delete",
            ChangeKind::Update(_) => "update",
        }
    }
}

/// The files that a patch changes.
pub(crate) fn changes(patch: &str) -> Result<Vec<FileChange>, String> {
    let lines: Vec<&str> = patch.trim().lines().collect();
    let [first, body @ .., last] = lines.as_slice() else {
        return Err("a patch is `*** Begin Patch` to `*** End Patch`".to_owned());
    };
    if *first != "*** Begin Patch" || *last != "*** End Patch" {
        return Err("a patch is `*** Begin Patch` to `*** End Patch`".to_owned());
    }
    let mut out: Vec<(FileChange, Vec<&str>)> = Vec::new();
    for line in body {
        let header = |kind: &str| line.strip_prefix("*** ")?.strip_prefix(kind);
        let begun = if let Some(path) = header("Add File: ") {
            Some((path, ChangeKind::Add))
        } else if let Some(path) = header("Delete File: ") {
            Some((path, ChangeKind::Delete))
        } else {
            header("Update File: ").map(|path| (path, ChangeKind::Update(None)))
        };
        match (begun, out.last_mut()) {
            (Some((path, kind)), _) => {
                let change = FileChange {
                    path: path.trim().to_owned(),
                    kind,
                    diff: String::new(),
                };
                out.push((change, Vec::new()));
            }
            (None, None) => return Err(format!("no file of the patch has `{line}`")),
            (None, Some((change, lines))) => match header("Move to: ") {
                Some(path) => change.kind = ChangeKind::Update(Some(path.trim().to_owned())),
                None => lines.push(line),
            },
        }
    }
    if out.is_empty() {
        return Err("the patch changes no file".to_owned());
    }
    let finished = out.into_iter().map(|(mut change, lines)| {
        change.diff = match change.kind {
            ChangeKind::Add => lines
                .iter()
                .map(|line| format!("{}\n", line.strip_prefix('+').unwrap_or(line)))
                .collect(),
            ChangeKind::Delete => String::new(),
            ChangeKind::Update(_) => unified(&lines),
        };
        change
    });
    Ok(finished.collect())
}

/// The hunks with line numbers. The script does not have the file, so the first hunk is taken to
/// be at its start and each further one to follow.
fn unified(lines: &[&str]) -> String {
    let mut hunks: Vec<Vec<&str>> = Vec::new();
    for line in lines {
        match (line.starts_with("@@"), hunks.last_mut()) {
            (true, _) => hunks.push(Vec::new()),
            (false, Some(hunk)) => hunk.push(line),
            (false, None) => hunks.push(vec![line]),
        }
    }
    let (mut old, mut new, mut out) = (1, 1, String::new());
    for hunk in hunks {
        let removed = hunk.iter().filter(|line| !line.starts_with('+')).count();
        let added = hunk.iter().filter(|line| !line.starts_with('-')).count();
        let range = |start: usize, count: usize| match count {
            1 => start.to_string(),
            count => format!("{start},{count}"),
        };
        out += &format!("@@ -{} +{} @@\n", range(old, removed), range(new, added));
        for line in hunk {
            out += line;
            out.push('\n');
        }
        old += removed;
        new += added;
    }
    out
}

/// The change as one text for the whole turn, as `git diff` writes it.
pub(crate) fn turn_diff(changes: &[FileChange]) -> String {
    let mut out = String::new();
    for change in changes {
        let path = &change.path;
        out += &format!("diff --git a/{path} b/{path}\n");
        match &change.kind {
            ChangeKind::Add => {
                let count = change.diff.lines().count();
                out += &format!("new file mode 100644\n--- /dev/null\n+++ b/{path}\n");
                out += &format!("@@ -0,0 +1,{count} @@\n");
                for line in change.diff.lines() {
                    out += &format!("+{line}\n");
                }
            }
            ChangeKind::Delete => {
                out += &format!("deleted file mode 100644\n--- a/{path}\n+++ /dev/null\n");
            }
            ChangeKind::Update(moved) => {
                let to = moved.as_ref().unwrap_or(path);
                out += &format!("--- a/{path}\n+++ b/{to}\n{}", change.diff);
            }
        }
    }
    out
}

/// What the tool for patches says when it is done.
pub(crate) fn updated_files(changes: &[FileChange]) -> String {
    let mut out = String::from("Success. Updated the following files:\n");
    for (kind, letter) in [("add", 'A'), ("update", 'M'), ("delete", 'D')] {
        for change in changes.iter().filter(|change| change.kind.as_str() == kind) {
            let path = match &change.kind {
                ChangeKind::Update(Some(moved)) => moved,
                _ => &change.path,
            };
            out += &format!("{letter} {path}\n");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hunks_get_line_numbers() {
        let patch = "*** Begin Patch\n*** Update File: a.txt\n@@\n one\n-two\n+2\n+3\n@@\n-four\n\
                     *** Delete File: b.txt\n*** Add File: c.txt\n+new\n*** End Patch\n";
        let changes = changes(patch).expect("a patch");
        let kinds: Vec<&str> = changes.iter().map(|change| change.kind.as_str()).collect();
        assert_eq!(kinds, ["update", "delete", "add"]);
        assert_eq!(
            changes[0].diff,
            "@@ -1,2 +1,3 @@\n one\n-two\n+2\n+3\n@@ -3 +4,0 @@\n-four\n"
        );
        assert_eq!(changes[2].diff, "new\n");
        let diff = turn_diff(&changes);
        assert!(
            diff.contains("diff --git a/c.txt b/c.txt\nnew file mode 100644\n"),
            "{diff}"
        );
    }

    #[test]
    fn what_is_no_patch_is_an_error() {
        for text in [
            "",
            "*** Begin Patch",
            "*** Begin Patch\n*** End Patch",
            "*** Begin Patch\n+one\n*** End Patch",
        ] {
            assert!(changes(text).is_err(), "{text}");
        }
    }
}
