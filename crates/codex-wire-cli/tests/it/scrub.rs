//! `scrub`: the exit code, where the result goes, and that nothing is written if the check fails.

use std::fs;

use crate::support::{folder, run, run_with, workspace};

const PATH: &str = "fixtures/exec/0.169.0/command_fail.jsonl";

#[test]
fn a_transcript_is_scrubbed() {
    let original = fs::read_to_string(workspace().join(PATH)).unwrap();
    let scrubbed = run(&workspace(), &format!("scrub {PATH}"));
    assert_eq!((scrubbed.code, scrubbed.stderr.as_str()), (0, ""));
    assert_eq!(scrubbed.stdout.len(), original.len());
    assert_ne!(scrubbed.stdout, original);
    let from_stdin = run_with(&workspace(), "scrub -", original.as_bytes());
    assert_eq!(from_stdin.code, 0);
    // The key is random, unless there is a seed.
    assert_ne!(from_stdin.stdout, scrubbed.stdout);
    let seeded = |seed| run(&workspace(), &format!("scrub --seed {seed} {PATH}")).stdout;
    assert_eq!(seeded("one"), seeded("one"));
    assert_ne!(seeded("one"), seeded("two"));
    let checked = run_with(&workspace(), "check --deny *", scrubbed.stdout.as_bytes());
    assert_eq!(checked.code, 0, "{}", checked.stdout);
}

#[test]
fn a_file_is_written_whole_or_not_at_all() {
    let folder = folder("scrub");
    let out = folder.join("out.jsonl");
    let line = |text: &str| {
        format!(
            "{{\"type\":\"item.completed\",\"item\":{{\"id\":\"item_0\",\"type\":\"agent_message\",\
             \"text\":\"{text}\"}}}}\n"
        )
    };
    let error = r#"{"type":"error","message":"the password is swordfish"}"#;
    fs::write(
        folder.join("in.jsonl"),
        line("swordfish is it") + error + "\n",
    )
    .unwrap();
    let kept = run(&folder, "scrub in.jsonl --out out.jsonl --keep /message");
    assert_eq!(kept.code, 2);
    assert!(kept.stderr.contains("line 2"), "{}", kept.stderr);
    assert!(
        kept.stderr.contains("a value that is kept"),
        "{}",
        kept.stderr
    );
    assert!(!out.exists());
    let scrubbed = run(&folder, "scrub in.jsonl --out out.jsonl --keep /type");
    assert_eq!((scrubbed.code, scrubbed.stdout.as_str()), (0, ""));
    let text = fs::read_to_string(&out).unwrap();
    assert!(!text.contains("swordfish") && text.contains("agent_message"));
    let both = run(&folder, "scrub in.jsonl --keep /message --keep /item/text");
    assert_eq!(
        (both.code, both.stdout),
        (0, fs::read_to_string(folder.join("in.jsonl")).unwrap())
    );
    assert_eq!(run(&folder, "scrub missing.jsonl").code, 2);
    assert_eq!(run(&folder, "scrub in.jsonl --keep message").code, 2);
}
