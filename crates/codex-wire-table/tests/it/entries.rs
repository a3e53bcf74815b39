//! Lists of inputs: paths and frames.

use std::io::{Read, Write as _};
use std::process::Stdio;

use crate::program::{column, frame, program, recording, run, said, stream};
use crate::shown::cell;

const FROM_STDIN: [&str; 4] = ["--format", "arrow-stream", "--files-from", "-"];

#[test]
fn paths_and_frames_are_read_in_their_order() {
    let message = recording("exec/0.169.0/message.jsonl");
    // Some programs begin a text with a byte order mark.
    let mut list = b"\xef\xbb\xbfexec/0.169.0/reasoning.jsonl\n\r\n".to_vec();
    list.extend(frame("s3://bucket/{a}\u{e9}.jsonl", &message));
    list.extend(frame(
        "packed.jsonl.zst",
        &zstd::encode_all(&*message, 3).expect("zstd"),
    ));
    list.extend(frame("nothing", b""));
    list.extend(b"./{none}.jsonl\r\nexec/0.169.0/todo_bad.jsonl");
    let output = run(&FROM_STDIN, &list);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let rows = stream(&output);
    assert_eq!(
        column(&rows, "path"),
        [
            "exec/0.169.0/reasoning.jsonl",
            "s3://bucket/{a}\u{e9}.jsonl",
            "packed.jsonl.zst",
            "nothing",
            "./{none}.jsonl",
            "exec/0.169.0/todo_bad.jsonl"
        ]
    );
    assert_eq!(
        column(&rows, "verdict"),
        [
            "conforms",
            "conforms",
            "conforms",
            "not-exercised",
            "unreadable",
            "conforms"
        ]
    );
    // A transcript is the same, however it is packed.
    assert_eq!(cell(&rows[1], "digest"), cell(&rows[2], "digest"));
    assert_eq!(cell(&rows[2], "bytes"), Some(&*message.len().to_string()));
}

/// A frame is the transcript that its path would be.
#[test]
fn a_frame_is_what_its_file_is() {
    let name = "rollout/0.169.0/mcp/notify.jsonl";
    for table in ["transcripts", "findings"] {
        let arguments = [&FROM_STDIN[..], &["--table", table]].concat();
        let by_frame = run(&arguments, &frame(name, &recording(name)));
        let by_path = run(&arguments, format!("{name}\n").as_bytes());
        assert_eq!(stream(&by_frame), stream(&by_path));
    }
}

/// One that writes a frame and waits for its rows gets them.
#[test]
fn rows_come_before_the_next_entry() {
    for threads in ["1", "2"] {
        rows_come(threads);
    }
}

fn rows_come(threads: &str) {
    let mut child = program(&[&FROM_STDIN[..], &["-j", threads]].concat())
        .stdin(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut input = child.stdin.take().expect("a pipe");
    let mut output = child.stdout.take().expect("a pipe");
    let (send, bytes) = std::sync::mpsc::channel();
    let reader = std::thread::spawn(move || {
        let mut chunk = [0; 4096];
        while let Ok(read @ 1..) = output.read(&mut chunk) {
            send.send(chunk[..read].to_vec()).expect("the test goes on");
        }
    });
    let patience = std::time::Duration::from_secs(60);
    let mut seen = Vec::new();
    for name in ["one.jsonl", "two.jsonl"] {
        input
            .write_all(&frame(name, &recording("exec/0.169.0/message.jsonl")))
            .expect("it reads");
        let holds = |seen: &[u8]| seen.windows(name.len()).any(|part| part == name.as_bytes());
        while !holds(&seen) {
            seen.extend(bytes.recv_timeout(patience).expect("its rows come"));
        }
    }
    drop(input);
    let output = child.wait_with_output().expect("it ends");
    reader.join().expect("a reader");
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
}

/// A list that breaks off is an error, and what came before it is written.
#[test]
fn a_broken_list_is_an_error() {
    let message = recording("exec/0.169.0/message.jsonl");
    let good = frame("good.jsonl", &message);
    let mut cut = frame("cut.jsonl", &message);
    cut.truncate(cut.len() - 20);
    let mut long = frame("long.jsonl", &message);
    let end = long.len() - 1;
    long[end] = b'x';
    for (bad, reason, verdicts) in [
        (cut, "cut.jsonl has", &["conforms", "unreadable"][..]),
        (long, "long.jsonl has", &["conforms", "conforms"]),
        (
            b"{\"path\":\"a\"}\n".to_vec(),
            "entry 2: no header of a frame",
            &["conforms"],
        ),
        (b"-\n".to_vec(), "standard input", &["conforms"]),
        (
            vec![b'a'; 2 << 20],
            "entry 2: it has more than",
            &["conforms"],
        ),
    ] {
        for threads in ["1", "2"] {
            let arguments = [&FROM_STDIN[..], &["-j", threads]].concat();
            let output = run(&arguments, &[&good[..], &bad].concat());
            assert_eq!(output.status.code(), Some(2), "{reason}");
            assert!(
                said(&output).contains(reason),
                "{reason}: {}",
                said(&output)
            );
            let rows = crate::program::whole_batches(&output.stdout);
            assert_eq!(column(&rows, "verdict"), verdicts, "{reason}");
        }
    }
}
