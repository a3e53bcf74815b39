//! Files, folders and compression.

use std::fs;
use std::io::Write;
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::Value;

use crate::support::{Finished, GOOD, bad, folder, golden, run};

pub(crate) fn gzip(text: &str) -> Vec<u8> {
    let mut packer = GzEncoder::new(Vec::new(), Compression::default());
    packer.write_all(text.as_bytes()).unwrap();
    packer.finish().unwrap()
}

pub(crate) fn zstd(text: &str) -> Vec<u8> {
    zstd::encode_all(text.as_bytes(), 3).unwrap()
}

/// The findings of a report with one input, without their input's path.
fn findings(folder: &Path, path: &str) -> Value {
    let finished: Finished = run(folder, &format!("check --format json {path}"));
    let mut report: Value = serde_json::from_str(&finished.stdout).unwrap();
    let mut input = report["inputs"][0].take();
    assert_eq!(input["path"], path);
    input["path"].take();
    input
}

#[test]
fn compressed_files_are_the_same_inputs() {
    let folder = folder("compressed");
    let bad = bad();
    fs::write(folder.join("a.jsonl"), &bad).unwrap();
    fs::write(folder.join("a.jsonl.gz"), gzip(&bad)).unwrap();
    fs::write(folder.join("a.jsonl.zst"), zstd(&bad)).unwrap();
    let plain = findings(&folder, "a.jsonl");
    assert_eq!(plain["verdict"], "findings");
    assert_eq!(findings(&folder, "a.jsonl.gz"), plain);
    assert_eq!(findings(&folder, "a.jsonl.zst"), plain);
}

/// Loggers append a member or a frame for each run.
#[test]
fn compressed_files_may_have_several_parts() {
    let folder = folder("parts");
    let (head, tail) = GOOD.split_at(100);
    fs::write(folder.join("a.gz"), [gzip(head), gzip(tail)].concat()).unwrap();
    fs::write(folder.join("a.zst"), [zstd(head), zstd(tail)].concat()).unwrap();
    for path in ["a.gz", "a.zst"] {
        assert_eq!(findings(&folder, path)["messages"], 5, "{path}");
    }
}

#[test]
fn damaged_compression_is_not_conformance() {
    let folder = folder("damaged");
    for (path, packed) in [("a.jsonl.gz", gzip(GOOD)), ("a.jsonl.zst", zstd(GOOD))] {
        fs::write(folder.join(path), &packed[..packed.len() / 2]).unwrap();
        assert_eq!(findings(&folder, path)["verdict"], "unreadable", "{path}");
        // The bytes say what it is, not the name.
        fs::write(folder.join(path), GOOD).unwrap();
        assert_eq!(findings(&folder, path)["verdict"], "conforms", "{path}");
    }
}

#[test]
fn folders_are_walked_in_order() {
    let folder = folder("walk");
    for (path, bytes) in [
        ("t/b.jsonl", GOOD.as_bytes().to_vec()),
        ("t/a.jsonl", bad().into_bytes()),
        ("t/deep/er/c.jsonl.gz", gzip(&bad())),
        ("t/deep/d.jsonl.zst", zstd(GOOD)),
        // Hidden, and ignored by version control: still to be checked.
        ("t/.hidden/e.jsonl", GOOD.as_bytes().to_vec()),
        ("t/.gitignore", b"*.jsonl\n".to_vec()),
        // Not transcripts by their names, one of which is a folder's.
        ("t/notes.txt", b"{}".to_vec()),
        ("t/raw.gz", gzip("no transcript")),
        ("t/folder.jsonl/readme.txt", b"".to_vec()),
    ] {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
    golden(
        "walk.txt",
        &folder,
        "check --format json --max-findings 0 t",
    );
}

/// Those that a home has for them may lie on another disk.
#[cfg(unix)]
#[test]
fn links_are_followed_to_folders_of_session_files() {
    use std::os::unix::fs::symlink;
    let folder = folder("links-sessions");
    for name in ["disk/2026", "home", "other"] {
        fs::create_dir_all(folder.join(name)).unwrap();
    }
    fs::write(folder.join("disk/2026/a.jsonl"), GOOD).unwrap();
    symlink("../disk", folder.join("home/sessions")).unwrap();
    symlink("../other", folder.join("home/archived_sessions")).unwrap();
    symlink("2026", folder.join("disk/sessions")).unwrap();
    let finished = run(&folder, "check home");
    assert!(
        finished.stdout.starts_with("1 input, 5 messages: conforms"),
        "{finished:?}"
    );
    assert!(
        finished
            .stdout
            .contains("not read: 1 linked folder (home/sessions/sessions)"),
        "{finished:?}"
    );
    // Nothing is read twice, and no loop is gone through.
    symlink("..", folder.join("other/sessions")).unwrap();
    for named in ["disk", "other"] {
        let finished = run(&folder, &format!("check {named}"));
        let skipped = format!("not read: 1 linked folder ({named}/sessions)");
        assert!(finished.stdout.contains(&skipped), "{finished:?}");
    }
}

#[cfg(unix)]
#[test]
fn links_are_followed_to_files_only() {
    use std::os::unix::fs::symlink;
    let folder = folder("links");
    fs::create_dir(folder.join("t")).unwrap();
    fs::write(folder.join("target.txt"), GOOD).unwrap();
    symlink("../target.txt", folder.join("t/file.jsonl")).unwrap();
    symlink("..", folder.join("t/loop")).unwrap();
    let finished = run(&folder, "check t");
    assert!(
        finished.stdout.starts_with("1 input, 5 messages: conforms"),
        "{finished:?}"
    );
    assert_eq!(finished.code, 0);
    assert!(
        finished
            .stdout
            .contains("not read: 1 linked folder (t/loop)"),
        "{finished:?}"
    );
    // A link to nothing is a transcript that is missing.
    symlink("gone.txt", folder.join("t/gone.jsonl")).unwrap();
    let finished = run(&folder, "check t");
    assert!(
        finished
            .stdout
            .contains("error: cannot read t/gone.jsonl: No such file"),
        "{finished:?}"
    );
    assert_eq!(finished.code, 2);
}

#[test]
fn a_file_that_is_missing_is_said_once_and_in_one_form() {
    let folder = folder("missing");
    fs::write(folder.join("good.jsonl"), GOOD).unwrap();
    let said = "cannot read gone.jsonl: No such file or directory (os error 2)";
    for args in [
        "check gone.jsonl",
        "check --format json gone.jsonl",
        "check --config gone.jsonl good.jsonl",
        "identify gone.jsonl",
        "show gone.jsonl",
        "show --format timeline gone.jsonl",
        "show --format json gone.jsonl",
        "usage gone.jsonl",
        "usage --prices gone.jsonl good.jsonl",
        "scrub gone.jsonl",
        "convert gone.jsonl",
        "convert --to otlp gone.jsonl",
        "diff good.jsonl gone.jsonl",
        "diff --to 0.169.0 --transcript gone.jsonl",
        "replay gone.jsonl",
        "conformance --client true --recordings gone.jsonl",
        "conformance --client true --baseline gone.jsonl",
        "hooks test gone.jsonl",
        "hooks test --event Stop --input gone.jsonl -- true",
    ] {
        let finished = run(&folder, args);
        assert_eq!(finished.code, 2, "{args}: {finished:?}");
        let all = finished.stdout + &finished.stderr;
        assert_eq!(all.matches(said).count(), 1, "{args}: {all}");
        assert_eq!(all.matches("cannot ").count(), 1, "{args}: {all}");
    }
    // It was waited for.
    let finished = run(&folder, "show --follow --until-idle 0.1 gone.jsonl");
    let said = "cannot read gone.jsonl: the file never appeared\n";
    assert_eq!(
        (finished.code, &*finished.stdout),
        (2, said),
        "{finished:?}"
    );
}

#[test]
fn a_folder_without_transcripts_says_so() {
    let folder = folder("empty-folder");
    fs::create_dir(folder.join("t")).unwrap();
    golden("empty-folder.txt", &folder, "check t");
}
