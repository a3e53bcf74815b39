//! Compares paths as text: whether one is inside another.

/// Whether `path` is `folder` or lies below it, comparing name by name.
///
/// Only the text is examined: `..` is a name like any other and links are not followed.
pub(super) fn lies_within(path: &str, folder: &str) -> bool {
    let windows = is_windows(folder);
    is_rooted(path, windows) == is_rooted(folder, windows) && {
        let mut names = names(path, windows);
        self::names(folder, windows).all(|name| names.next() == Some(name))
    }
}

/// A name within a folder.
pub(super) fn join(folder: &str, name: &str) -> String {
    let separator = if is_windows(folder) { '\\' } else { '/' };
    if folder.ends_with(separator) {
        format!("{folder}{name}")
    } else {
        format!("{folder}{separator}{name}")
    }
}

/// Whether the path is absolute as Unix writes it.
pub(super) fn is_unix(path: &str) -> bool {
    path.starts_with('/')
}

/// Whether the path is absolute as Windows writes it: `C:\…` or `\\server\…`.
fn is_windows(path: &str) -> bool {
    let bytes = path.as_bytes();
    path.starts_with("\\\\")
        || (bytes.first().is_some_and(u8::is_ascii_alphabetic) && bytes.get(1) == Some(&b':'))
}

fn is_separator(c: char, windows: bool) -> bool {
    c == '/' || (windows && c == '\\')
}

fn is_rooted(path: &str, windows: bool) -> bool {
    path.starts_with(|c| is_separator(c, windows))
}

/// The names on the way, without empty ones and `.`, which change nothing.
fn names(path: &str, windows: bool) -> impl Iterator<Item = &str> {
    path.split(move |c| is_separator(c, windows))
        .filter(|name| !name.is_empty() && *name != ".")
}
