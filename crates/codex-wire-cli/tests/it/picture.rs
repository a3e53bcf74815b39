//! The pictures in the pages: a finding as `check` prints it, and a session as `show` does, drawn as SVG.

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

/// The first turn of a session file, with a tool, a patch and a command that fails.
#[test]
fn the_picture_of_a_session_is_what_show_prints() {
    let scratch = folder("picture-show");
    let home = workspace().join("fixtures/rollout/0.169.0/extended/home/sessions/2026/11/23");
    let file = fs::read_dir(home).unwrap().next().unwrap().unwrap().path();
    fs::copy(file, scratch.join("session.jsonl")).unwrap();
    let command = "show --turn 1 --width 80 session.jsonl";
    let finished = run(&scratch, &format!("{command} --color always"));
    assert_eq!((finished.stderr.as_str(), finished.code), ("", 0));
    let text = format!("\x1b[1m$ codex-wire {command}\x1b[0m\n{}", finished.stdout);
    let picture = Term::new().render_svg(&text);
    golden_files::assert_file(&workspace().join("docs/img/session.svg"), &picture);
    let page = fs::read_to_string(workspace().join("docs/show.md")).unwrap();
    assert!(page.contains("](img/session.svg)"));
}
