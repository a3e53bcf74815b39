//! The picture in the README: a finding as `check` prints it, drawn as SVG.

use std::fs;

use anstyle_svg::Term;

use crate::support::{folder, run, workspace};

/// What the picture shows being typed.
const COMMAND: &str = "check --release 0.124.0 --profile exact run.jsonl";

/// A recording of 0.125.0 is checked against 0.124.0, which does not write one of its fields.
#[test]
fn the_picture_in_the_readme_is_what_check_prints() {
    let scratch = folder("picture");
    let recording = workspace().join("fixtures/exec/0.125.0/message.jsonl");
    fs::copy(recording, scratch.join("run.jsonl")).unwrap();
    let finished = run(&scratch, &format!("{COMMAND} --color always"));
    assert_eq!((finished.stderr.as_str(), finished.code), ("", 1));
    let mut text = format!("\x1b[1m$ codex-wire {COMMAND}\x1b[0m\n");
    // The last line names the version and a digest, which change more often than the picture.
    let lines = finished
        .stdout
        .lines()
        .filter(|line| !line.contains("  by "));
    text.extend(lines.flat_map(|line| [line, "\n"]));
    assert!(text.contains("reasoning_output_tokens"), "{text}");
    let picture = Term::new().render_svg(&text);
    golden_files::assert_file(&workspace().join("docs/img/finding.svg"), &picture);
    let readme = fs::read_to_string(workspace().join("README.md")).unwrap();
    assert!(readme.contains("](docs/img/finding.svg)"));
}
