//! Every command that takes a release takes the same names, and says the same of what is not listed.

use std::fs;

use codex_wire_base::MessageSet;

use crate::support::{GOOD, folder, golden, run, workspace};

/// What a command does with a range of releases.
#[derive(PartialEq)]
enum Ranges {
    Taken,
    Refused,
}
use Ranges::{Refused, Taken};

/// How each command is called with `R`, a release.
const COMMANDS: &[(&str, Ranges)] = &[
    ("check run.jsonl -r R", Taken),
    ("show run.jsonl -r R", Taken),
    ("show run.jsonl --format json -r R", Taken),
    ("tap -p exec -r R -- true", Taken),
    ("find turn.started -r R", Taken),
    ("example turn.started -r R", Taken),
    ("releases exec -r R", Taken),
    (
        "hooks test --event PreToolUse -r R -- grep -q never-there",
        Taken,
    ),
    (
        "conformance --client true --scenario exec/message --fault turn-fails --release R",
        Taken,
    ),
    ("schema exec -r R", Refused),
    ("schema exec --profile codegen -r R", Refused),
    ("diff exec 0.44.0 R", Refused),
    ("diff exec R 0.44.0", Refused),
    ("diff --behaviour exec 0.44.0 R", Refused),
    ("diff --transcript run.jsonl --to R", Refused),
    ("diff --transcript run.jsonl --from R --to 0.44.0", Refused),
    ("upgrade --from 0.44.0 --to R", Refused),
    ("upgrade --from R --to 0.44.0", Refused),
    ("replay run.jsonl --install stand-in --release R", Refused),
    (
        "replay run.jsonl --install stand-in --as-release R",
        Refused,
    ),
    (
        "record --out out --script s.toml -r R -- exec --json Hi",
        Refused,
    ),
];

/// Runs each command with this text for the release, and gives what it writes to standard error.
fn each(text: &str, mut see: impl FnMut(&str, &Ranges, i32, &str)) {
    let place = folder(&format!("named-releases-{text}"));
    fs::write(place.join("run.jsonl"), GOOD).unwrap();
    fs::write(place.join("s.toml"), "[[step]]\nsay = \"Hi.\"\n").unwrap();
    fs::create_dir(place.join("cache")).unwrap();
    for (command, ranges) in COMMANDS {
        let stand_in = place.join("stand-in");
        if stand_in.exists() {
            fs::remove_dir_all(stand_in).unwrap();
        }
        let args = command.replace('R', text);
        let output = crate::support::command(&place, &args)
            .env("CODEX_WIRE_CACHE", place.join("cache"))
            .env("HOME", &place)
            .output()
            .unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        see(&args, ranges, output.status.code().unwrap(), &stderr);
    }
}

#[test]
fn a_release_is_named_by_its_first_parts() {
    each("0.153", |args, _, _, stderr| {
        // Of `releases` and of ranges it means all that begin so.
        let is_said = stderr.contains("0.153 is read as 0.153.4, the newest release of 0.153");
        assert_eq!(is_said, !args.starts_with("releases"), "{args}: {stderr}");
    });
}

#[test]
fn a_release_that_does_not_exist_yet_is_read_as_the_newest() {
    let latest = MessageSet::Exec.release_list().latest();
    let remark = format!("is newer than {latest}, the newest known release; using {latest}");
    for text in ["0.999", "0.999.0"] {
        each(text, |args, _, _, stderr| {
            // A program that is newer than this one may be there.
            let is_run = args.starts_with("record") && text == "0.999.0";
            let expected = match is_run {
                true => "there is no Codex 0.999.0".to_owned(),
                false => format!("{text} {remark}"),
            };
            assert_eq!(stderr.matches(&expected).count(), 1, "{args}: {stderr}");
        });
    }
}

#[test]
fn what_is_no_release_is_refused() {
    each("0.x", |args, _, code, stderr| {
        let refused = "`0.x` is neither a release such as 0.44.0, 0.44 or latest, nor a known fork";
        assert_eq!(code, 2, "{args}");
        assert!(stderr.contains(refused), "{args}: {stderr}");
    });
}

#[test]
fn a_range_is_taken_or_refused_with_the_same_words() {
    each("0.144.6..0.146", |args, ranges, code, stderr| {
        let refused = stderr.contains("`0.144.6..0.146` is a range of releases; give one release");
        assert_eq!(refused, *ranges == Refused, "{args}: {stderr}");
        // No scenario fits the client `true`.
        let fails = code == 2 && !args.starts_with("conformance");
        assert_eq!(refused, fails, "{args}: {stderr}");
    });
    each("0.150..0.140", |args, ranges, code, stderr| {
        let expected = match ranges {
            Taken => "is a range without releases: 0.150.0 is newer than 0.140.0",
            Refused => "give one release",
        };
        assert_eq!(code, 2, "{args}");
        assert!(stderr.contains(expected), "{args}: {stderr}");
    });
    each("0.999..", |args, ranges, _, stderr| {
        let expected = match ranges {
            Taken => "0.999 is newer than ",
            Refused => "give one release",
        };
        assert_eq!(stderr.matches(expected).count(), 1, "{args}: {stderr}");
    });
}

#[test]
fn what_ranges_mean() {
    let root = workspace();
    golden(
        "find-range.txt",
        &root,
        "find turn/completed durationMs -r 0.110..0.125",
    );
    golden(
        "example-range.txt",
        &root,
        "example PreToolUse -r 0.120..0.140",
    );
    golden(
        "example-no-range.txt",
        &root,
        "example PreToolUse -r 0.114..0.120",
    );
    // Ends may be left out.
    let text = |args: &str| run(&root, args).stdout;
    assert_eq!(
        text("example PreToolUse -r 0.120.."),
        text("example PreToolUse")
    );
    let [whole, ends] = ["0.44..0.50", "0.44.0 0.50.0"].map(|sides| {
        let finished = run(&root, &format!("diff exec {sides} --format json"));
        assert_eq!(finished.code, 0, "{}", finished.stderr);
        finished
            .stdout
            .replace("0.44.0", "0.44")
            .replace("0.50.0", "0.50")
    });
    assert_eq!(whole, ends);
    assert_eq!(
        text("diff --behaviour exec 0.132.0..0.145.0"),
        text("diff --behaviour exec 0.132.0 0.145.0")
    );
}

/// What releases of the range have is not wrong, and what only others have is said to be theirs.
#[test]
fn a_check_infers_the_release_within_a_range() {
    let place = folder("check-range");
    fs::write(place.join("run.jsonl"), GOOD).unwrap();
    golden("check-range.txt", &place, "check run.jsonl -r 0.45..0.47");
    golden(
        "check-outside-range.txt",
        &place,
        "check run.jsonl -r 0.142..",
    );
    golden(
        "check-before-range.txt",
        &place,
        "check run.jsonl -r 0.30..0.41",
    );
    golden(
        "check-no-range.txt",
        &place,
        "check run.jsonl -p hooks -r ..0.100",
    );
}
