//! On several threads the outcome is that of one.

use std::fs;
use std::io::BufReader;
use std::num::NonZeroUsize;

use codex_wire::transcript::Record;
use codex_wire::{Protocol, Release};
use codex_wire_check::{Checker, Options};
use libtest_mimic::Trial;

use crate::support::{transcripts, trial};

/// Inputs are long enough for a second thread, several times over.
const LENGTH: usize = 4 << 20;

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial("threads::exec", || {
            hold("exec", Protocol::Exec);
        }),
        trial("threads::core", || {
            hold("core", Protocol::Core);
        }),
        trial("threads::app_server", || {
            hold("app-server", Protocol::AppServer);
        }),
        trial("threads::giant_lines", giant_lines),
        trial("threads::no_transcript", no_transcript),
    ]
}

/// All lines of a protocol one after another, as a log of them has them, again and again. Some
/// are broken on the way.
fn log(folder: &str, broken: bool) -> Vec<u8> {
    let mut lines: Vec<Vec<u8>> = Vec::new();
    for path in transcripts(folder) {
        let text = fs::read_to_string(&path).unwrap();
        for line in text.lines() {
            match codex_wire::from_str(line) {
                Ok(Record::Line(record)) => {
                    lines.extend(record.line.into_value().map(String::into_bytes));
                }
                Ok(_) => {}
                Err(_) => lines.push(line.as_bytes().to_vec()),
            }
        }
    }
    let mut out = Vec::new();
    for (index, line) in lines.iter().cycle().enumerate() {
        if out.len() > LENGTH {
            break;
        }
        let at = out.len();
        out.extend_from_slice(line);
        if broken && !line.is_empty() {
            match index % 97 {
                13 => out.truncate(at + line.len() / 2),
                26 => out.push(b'\r'),
                39 => out.truncate(at),
                52 => out[at + line.len() / 2] = 0xff,
                65 => out[at + line.len() / 3] = b'7',
                78 => drop(out.splice(at..at, *b"  ")),
                91 => drop(out.splice(at + 1..at + 1, *b"\"id\":1,")),
                _ => {}
            }
        }
        out.push(b'\n');
    }
    out
}

fn agree(options: Options, input: &[u8]) {
    let found = |threads, read_at_once| {
        let checker = Checker::new(options.clone()).unwrap();
        let threads = NonZeroUsize::new(threads).unwrap();
        let reader = BufReader::with_capacity(read_at_once, input);
        format!("{:#?}", checker.check_on(threads, "-", reader))
    };
    let one = format!(
        "{:#?}",
        Checker::new(options.clone()).unwrap().check("-", input)
    );
    // Lines go on beyond what is read at once, sooner or later.
    for (threads, read_at_once) in [(1, 256 << 10), (2, 256 << 10), (3, 1000), (5, input.len())] {
        let several = found(threads, read_at_once);
        assert!(
            several == one,
            "on {threads} threads:\n{several}\non one:\n{one}"
        );
    }
}

fn hold(folder: &str, protocol: Protocol) {
    let release = match protocol {
        Protocol::Core => Release::new(0, 40, 0),
        _ => Release::new(0, 125, 0),
    };
    for broken in [false, true] {
        let mut input = log(folder, broken);
        if broken {
            // The last line has no newline.
            input.pop();
        }
        agree(Options::release(protocol, release), &input);
        // What a mixed log is without a release, its first lines settle.
        if !broken {
            agree(Options::new(), &input[..input.len() / 2]);
        }
    }
}

fn giant_lines() {
    let giant = "x".repeat(3 << 20);
    let line = format!(
        r#"{{"type":"item.completed","item":{{"id":"item_0","type":"agent_message","text":"{giant}"}}}}"#
    );
    let input = format!(
        "{{\"type\":\"thread.started\",\"thread_id\":\"t\"}}\n{}",
        format!("{{\"type\":\"turn.started\"}}\n{line}\n").repeat(4)
    );
    let mut options = Options::release(Protocol::Exec, Release::new(0, 125, 0));
    agree(options.clone(), input.as_bytes());
    options.limits.line_bytes = 1 << 20;
    agree(options, input.as_bytes());
}

fn no_transcript() {
    agree(Options::new(), "{\"a\":1}\n".repeat(LENGTH / 8).as_bytes());
    agree(
        Options::new(),
        "no transcript\n".repeat(LENGTH / 8).as_bytes(),
    );
}
