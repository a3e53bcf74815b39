//! Comments of other languages do not speak Rust.

use type_codegen::{Files, Releases, go, python, typescript};

/// What links of rustdoc look like, and what is left of one that lost its brackets.
const RUST: &[&str] = &["::", "[`", "`]", "`("];

/// The places with links or paths of Rust.
fn found(language: &str, files: &Files) -> Vec<String> {
    let mut out = Vec::new();
    for (path, text) in files {
        for (index, line) in text.lines().enumerate() {
            if RUST.iter().any(|part| line.contains(part)) || has_link(line) {
                out.push(format!("{language} {path}:{}: {}", index + 1, line.trim()));
            }
        }
    }
    out
}

/// Whether a line has a link in Markdown that leads to an item of Rust, and not to a page.
fn has_link(line: &str) -> bool {
    let mut targets = line.split("](").skip(1);
    targets.any(|target| {
        target.starts_with(|c: char| c.is_alphabetic()) && !target.starts_with("http")
    })
}

#[test]
fn links_of_rustdoc_are_found() {
    for (text, is_rust) in [
        ("looks at each of `images`(Self::images)", true),
        ("looks at each of [`images`](Self::images)", true),
        ("[the images](crate::Images)", true),
        ("see [`images`]", true),
        ("`TokenCountEvent::last` reads both", true),
        ("[the page](https://example.com) of `images` (all)", false),
        ("func (v [*Images]) Read(lines []string)", false),
    ] {
        let files = Files::from([("file".to_owned(), text.to_owned())]);
        assert_eq!(!found("language", &files).is_empty(), is_rust, "{text}");
    }
}

#[test]
fn no_comment_has_a_link_of_rustdoc() {
    let mut all = found("TypeScript", &typescript::files(Releases::All));
    all.extend(found("Python", &python::files()));
    all.extend(found("Go", &go::files().expect("schemas that can be read")));
    assert!(all.is_empty(), "{} places:\n{}", all.len(), all.join("\n"));
}
