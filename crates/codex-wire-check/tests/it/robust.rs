//! Size, quantity and rubbish: memory does not grow with the input, findings are counted and
//! capped, and nothing panics.

use std::io::{self, BufReader, Read};
use std::process::{Command, ExitCode};
use std::sync::LazyLock;

use codex_wire::{Protocol, Release};
use codex_wire_check::{Checker, Limits, Options, Outcome, Severity, Verdict};
use codex_wire_testing::describe;
use libtest_mimic::Trial;
use proptest::prelude::*;
use proptest::sample::{Index, select};

use crate::support::property::{AsLine, holds};
use crate::support::{name, transcripts, trial, without_order};

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial("robust::many_lines_take_the_memory_of_one", many_lines),
        trial("robust::one_long_line", one_line),
        trial(
            "robust::findings_are_counted_and_capped",
            counted_and_capped,
        ),
        trial("robust::many_faults_in_one_line", many_faults_in_one_line),
        trial("robust::reading_may_fail", reading_may_fail),
        trial("robust::any_bytes", any_bytes),
        trial("robust::any_damage", any_damage),
        trial("robust::any_cut", any_cut),
    ]
}

fn latest() -> Checker {
    let latest = Protocol::Exec.release_list().latest();
    Checker::new(without_order(Options::exact(Protocol::Exec, latest))).unwrap()
}

/// An input that is made while it is read: a head, a middle again and again, an end.
struct Made {
    parts: [&'static [u8]; 3],
    times: u64,
    part: usize,
    at: usize,
}

impl Made {
    fn new(head: &'static [u8], middle: &'static [u8], times: u64, end: &'static [u8]) -> Self {
        Made {
            parts: [head, middle, end],
            times,
            part: 0,
            at: 0,
        }
    }
}

impl Read for Made {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut written = 0;
        while written < buffer.len() && self.part < 3 {
            let left = &self.parts[self.part][self.at..];
            let count = left.len().min(buffer.len() - written);
            buffer[written..written + count].copy_from_slice(&left[..count]);
            written += count;
            self.at += count;
            if count == left.len() {
                self.at = 0;
                if self.part == 1 && self.times > 1 {
                    self.times -= 1;
                } else {
                    self.part += 1;
                }
            }
        }
        Ok(written)
    }
}

const MIB: u64 = 1 << 20;

/// The variable that makes this program a child that checks one input and prints its memory.
const CHILD: &str = "CODEX_WIRE_CHECK_INPUT";

pub(crate) fn is_child() -> bool {
    std::env::var_os(CHILD).is_some()
}

/// Checks a made input and prints what a parent wants to know.
pub(crate) fn child() -> ExitCode {
    let input = match std::env::var(CHILD).as_deref() {
        Ok("many") => {
            static LINE: LazyLock<String> = LazyLock::new(|| {
                let text = "x\\n".repeat(5000);
                format!(
                    "{{\"type\":\"item.completed\",\"item\":{{\"id\":\"item_0\",\"type\":\"reasoning\",\"text\":\"{text}\"}}}}\n"
                )
            });
            let times = 64 * MIB / LINE.len() as u64 + 1;
            Made::new(b"", LINE.as_bytes(), times, b"")
        }
        Ok("one") => Made::new(
            br#"{"type":"item.completed","item":{"id":"item_0","type":"reasoning","text":""#,
            b"a line of sixty-four bytes, again and again and again, until .\\n",
            50 * MIB / 64,
            b"\"}}\n{\"type\":\"turn.started\"}\n",
        ),
        _ => return ExitCode::FAILURE,
    };
    let outcome = latest().check("-", BufReader::new(input));
    let peak = peak().unwrap_or(0);
    #[allow(clippy::print_stdout, reason = "the parent reads it")]
    {
        println!("{} {} {peak}", outcome.verdict.as_str(), outcome.messages);
    }
    ExitCode::SUCCESS
}

/// The most memory this process ever had, in bytes, where the system reports it.
fn peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib * 1024)
}

/// Runs a child on an input of its own, so that other tests' memory is not counted.
fn in_child(input: &str) -> (String, u64, u64) {
    let output = Command::new(std::env::current_exe().unwrap())
        .env(CHILD, input)
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let said = String::from_utf8(output.stdout).unwrap();
    let words: Vec<&str> = said.split_whitespace().collect();
    let number = |index: usize| words[index].parse().unwrap();
    (words[0].to_owned(), number(1), number(2))
}

fn many_lines() {
    let (verdict, messages, peak) = in_child("many");
    assert_eq!(verdict, "conforms");
    assert!(messages > 4000, "{messages}");
    // What counts allocations in these tests moves a buffer whenever it grows, so that it is there
    // twice: it was 28 MiB without.
    assert!(peak < 36 * MIB, "64 MiB of lines took {} MiB", peak / MIB);
}

fn one_line() {
    let (verdict, messages, peak) = in_child("one");
    assert_eq!((verdict.as_str(), messages), ("conforms", 2));
    // The line, its text once more as a value, and room for a buffer that doubles as it grows.
    assert!(
        peak < 4 * 50 * MIB,
        "a line of 50 MiB took {} MiB",
        peak / MIB
    );
}

/// Ten thousand bad lines: all are counted, the first thousand are listed, and the input is
/// read to its end.
fn counted_and_capped() {
    let bad = b"{\"type\":\"turn.started\",\"added\":1}\n";
    let input = Made::new(b"", bad, 10_000, b"{\"type\":\"turn.started\"");
    let outcome = latest().check("-", BufReader::new(input));
    assert_eq!(outcome.verdict, Verdict::Findings);
    assert_eq!(outcome.messages, 10_000);
    assert_eq!(outcome.counts.error, 10_001);
    assert_eq!(outcome.findings.len(), 1000);
    assert_eq!(outcome.dropped(), 9001);
    let last = outcome.findings.last().unwrap();
    assert_eq!(last.place.line, 1000);
    assert_eq!(last.place.message, Some(1000));
    assert_eq!(last.place.offset, 999 * bad.len() as u64 + 23);
    assert!(describe(&outcome).contains("… and 9,001 more findings, counted below"));
}

/// Each finding takes a look at its line; what is only counted must not. Only so many values of a
/// message are examined, and that there are more is a finding.
fn many_faults_in_one_line() {
    let input = Made::new(
        br#"{"type":"item.completed","item":{"id":"item_0","type":"todo_list","items":[{}"#,
        b",{}",
        49_999,
        b"]}}\n",
    );
    let mut options = without_order(Options::exact(Protocol::Exec, Release::new(0, 169, 0)));
    options.limits.findings = 10;
    options.limits.values = 200_000;
    let outcome = Checker::new(options)
        .unwrap()
        .check("-", BufReader::new(input));
    assert_eq!(outcome.counts.error, 100_000);
    assert_eq!(outcome.findings.len(), 10);
    assert_eq!(outcome.messages, 1);
    let limits = Limits::default();
    let mut options = without_order(Options::exact(Protocol::Exec, Release::new(0, 169, 0)));
    options.limits = limits;
    let input = format!(
        "{{\"type\":\"item.completed\",\"item\":{{\"id\":\"item_0\",\"type\":\"todo_list\",\"items\":[{{}}{}],\
         \"mood\":1}}}}\n",
        ",{}".repeat(49_999)
    );
    let outcome = Checker::new(options).unwrap().check("-", input.as_bytes());
    assert_eq!(outcome.findings.len(), limits.findings);
    // Two of each element that is examined, what stands behind them, and the limit itself.
    let values = limits.values as u64;
    let most = 2 * values + 2;
    assert!(
        (most - 20..=most).contains(&outcome.counts.total()),
        "{:?}",
        outcome.counts
    );
}

/// An input that breaks off with an error cannot be checked, whatever came before.
fn reading_may_fail() {
    struct Broken;
    impl Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("the disk is gone"))
        }
    }
    let start: &[u8] = b"{\"type\":\"turn.started\"}\n";
    let outcome = latest().check("-", BufReader::new(start.chain(Broken)));
    assert_eq!(outcome.verdict, Verdict::Unreadable);
    assert_eq!(
        outcome.error.as_deref(),
        Some("reading failed after line 1: the disk is gone")
    );
}

fn options() -> [Options; 3] {
    let mut small = Options::new();
    small.limits.line_bytes = 40;
    small.limits.depth = 3;
    small.limits.findings = 2;
    small.show_values = true;
    let exact = |release| Options::exact(Protocol::Exec, release);
    [
        small,
        exact(Release::new(0, 44, 0)),
        exact(Release::new(0, 169, 0)),
    ]
}

/// What is true of every outcome, whatever the input.
pub(crate) fn sound(outcome: &Outcome, input: &[u8]) -> Result<(), String> {
    let deny = outcome.counts.error > 0;
    let fits = match outcome.verdict {
        Verdict::Conforms => !deny && outcome.messages > 0,
        Verdict::Findings => deny,
        Verdict::NotExercised => !deny && outcome.messages == 0,
        Verdict::Unreadable => outcome.error.is_some(),
    };
    if !fits {
        return Err(format!("{outcome:?}"));
    }
    for finding in &outcome.findings {
        let place = &finding.place;
        let end = (place.offset + place.length) as usize;
        let excerpt = finding.excerpt.as_ref();
        let marked = excerpt.is_none_or(|e| e.text.get(e.start..e.end).is_some());
        let plain = excerpt.is_none_or(|e| !e.text.contains(char::is_control));
        if end > input.len() || !marked || !plain {
            return Err(format!("{finding:?}"));
        }
    }
    Ok(())
}

/// Bytes, many of which look like JSON.
fn any_bytes() {
    let pieces: Vec<&[u8]> = vec![
        b"{",
        b"}",
        b"[",
        b"]",
        b",",
        b":",
        b"\"",
        b"\n",
        b"\r\n",
        b"\\",
        b"\\u",
        b"\\ud800",
        b"0",
        b"1e9",
        b"-",
        b".",
        b"null",
        b"true",
        b"\"type\":",
        b"\"item\":{",
        b"\"id\":",
        b"\"turn.started\"",
        b"\"item.completed\"",
        b"\"web_search\"",
        b"\xff",
        b"\xe2\x80",
        b"\xef\xbb\xbf",
        b"\0",
        b" ",
        b"\xf0\x9f\x98\x80",
        b"{\"type\":\"turn.started\"}\n",
        b"{\"kind\":\"line\",\"from\":",
        b"\"line\":\"{}\"}",
    ];
    let piece = prop_oneof![
        4 => select(pieces).prop_map(<[u8]>::to_vec),
        1 => prop::collection::vec(any::<u8>(), 0..6),
    ];
    let inputs = prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat());
    for options in options() {
        let checker = Checker::new(options).unwrap();
        holds(file!(), 2000, "bytes", &inputs, |input| {
            sound(&checker.check("-", input.as_slice()), &input)
        });
    }
}

/// Recorded streams with a few bytes put in, taken out or replaced.
fn any_damage() {
    let streams: Vec<Vec<u8>> = streams(4000).into_iter().map(|(_, bytes)| bytes).collect();
    let bytes = prop_oneof![
        any::<u8>(),
        select(b"{}[],:\"\\ \n\r\t-.0e".to_vec()),
        select(vec![0x00, 0x80, 0xc3, 0xef, 0xff]),
    ];
    let edits = prop::collection::vec((any::<Index>(), 0..3usize, bytes), 1..5);
    let damaged = (select(streams), edits).prop_map(|(mut bytes, edits)| {
        for (index, edit, byte) in edits {
            let at = index.index(bytes.len());
            match edit {
                0 => bytes[at] = byte,
                1 => bytes.insert(at, byte),
                _ if bytes.len() > 1 => drop(bytes.remove(at)),
                _ => {}
            }
        }
        bytes
    });
    for options in options() {
        let checker = Checker::new(options).unwrap();
        holds(file!(), 500, "damage", &damaged, |input| {
            sound(&checker.check("-", input.as_slice()), &input)
        });
    }
}

/// Recorded streams of at most so many bytes, by name.
fn streams(limit: usize) -> Vec<(String, Vec<u8>)> {
    transcripts("exec")
        .into_iter()
        .map(|path| (name(&path), std::fs::read(path).unwrap()))
        .filter(|(_, bytes)| (1..limit).contains(&bytes.len()))
        .collect()
}

/// A recorded stream that is cut off somewhere.
#[derive(Clone)]
struct Cut {
    name: String,
    bytes: Vec<u8>,
}

impl std::fmt::Debug for Cut {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} cut to {} bytes", self.name, self.bytes.len())
    }
}

impl AsLine for Cut {
    fn line(&self) -> String {
        format!("{self:?}")
    }
}

/// Wherever a stream is cut, what is left is right, and the cut is reported as one, unless it falls
/// between two messages.
fn any_cut() {
    let cuts = (select(streams(100_000)), any::<Index>()).prop_map(|((name, bytes), index)| Cut {
        bytes: bytes[..index.index(bytes.len() + 1)].to_vec(),
        name,
    });
    holds(file!(), 400, "cut", &cuts, |cut| {
        let release = cut.name.split('/').nth(1).unwrap().parse().unwrap();
        let checker = Checker::new(Options::exact(Protocol::Exec, release)).unwrap();
        let outcome = checker.check("-", cut.bytes.as_slice());
        sound(&outcome, &cut.bytes)?;
        let denied: Vec<_> = outcome
            .findings
            .iter()
            .filter(|finding| finding.severity == Severity::Error)
            .collect();
        let rest = cut
            .bytes
            .rsplit(|byte| *byte == b'\n')
            .next()
            .unwrap_or(&[]);
        let whole = rest.is_empty() || serde_json::from_slice::<serde_json::Value>(rest).is_ok();
        match denied.as_slice() {
            [] if whole => Ok(()),
            [one] if !whole && one.rule.id == "framing/cut-line" => {
                let end = one.place.offset + one.place.length;
                (end == cut.bytes.len() as u64)
                    .then_some(())
                    .ok_or_else(|| format!("{:?}", one.place))
            }
            _ => Err(describe(&outcome)),
        }
    });
}
