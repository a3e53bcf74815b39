//! `scrub`: the exit code, where the result goes, and that nothing is written if the check fails.

use std::fs;

use serde_json::{Value, json};

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

/// A variable that is not set is no secret text.
#[test]
fn an_empty_seed_is_refused() {
    let finished = run(&workspace(), &format!("scrub --seed= {PATH}"));
    assert_eq!((finished.code, &*finished.stdout), (2, ""), "{finished:?}");
    assert!(
        finished.stderr.contains("`--seed` is empty"),
        "{finished:?}"
    );
}

/// Secrets go, the prose stays, and what went is said.
#[test]
fn secrets_alone_are_taken_out() {
    let token = format!("ghp_{}", "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hJ6");
    let line = json!({"type": "item.completed", "item": {"id": "item_0", "type": "agent_message",
        "text": format!("I pushed with {token} from /home/ada/engine.")}});
    let line = format!("{line}\n");
    let finished = run_with(&workspace(), "scrub --secrets", line.as_bytes());
    assert_eq!(finished.code, 0, "{}", finished.stderr);
    let stars = "*".repeat(36);
    let expected = format!("I pushed with ***_{stars} from /home/***/engine.");
    let value: Value = serde_json::from_str(&finished.stdout).unwrap();
    assert_eq!(value["item"]["text"], expected);
    assert_eq!(
        finished.stderr,
        "codex-wire: overwritten: github-pat: 1, home-folder: 1\n"
    );
    let again = run_with(&workspace(), "scrub --secrets", finished.stdout.as_bytes());
    assert_eq!(again.stdout, finished.stdout);
    assert_eq!(again.stderr, "codex-wire: no secrets were found\n");
    for flag in ["--seed x", "--keep /item"] {
        let finished = run_with(&workspace(), &format!("scrub --secrets {flag}"), b"");
        assert_eq!(finished.code, 2);
        assert!(
            finished.stderr.contains("cannot be used with"),
            "{}",
            finished.stderr
        );
    }
}

/// What is not a transcript is refused: its secrets would stay.
#[test]
fn what_is_no_transcript_is_refused() {
    let original = fs::read_to_string(workspace().join(PATH)).unwrap();
    let utf16: Vec<u8> = format!("\u{feff}{original}")
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    let inputs: [(&[u8], &str); 4] = [
        (b"", "the input is empty"),
        (&utf16, "UTF-16 text, not UTF-8"),
        (b"\x80\0\x01\xffada@acme.org", "it looks like binary data"),
        (b"Bearer of ada@acme.org\n", "it looks like plain text"),
    ];
    for (input, reason) in inputs {
        for args in ["scrub", "scrub --secrets"] {
            let finished = run_with(&workspace(), args, input);
            assert_eq!((finished.code, &*finished.stdout), (2, ""), "{finished:?}");
            assert!(finished.stderr.contains(reason), "{finished:?}");
        }
    }
    // A line of a transcript that is not UTF-8 is searched.
    let mut mixed = original.into_bytes();
    mixed.extend(b"{\"type\":\"error\",\"message\":\"\xff ada@acme.org\"}\n");
    let mut child = crate::support::command(&workspace(), "scrub --secrets")
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), &mixed).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert!(output.stdout.ends_with(b"\xff ***@****.***\"}\n"));
}
