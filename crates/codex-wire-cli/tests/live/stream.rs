//! Checking in chunks finds the same as checking at once.

use codex_wire_base::lines::Line;
use codex_wire_check::{Checker, Finding, Options, Writer};

use crate::support::{BAD, GOOD, Numbers};
use crate::{Trials, trials};

pub(crate) fn trials() -> Trials {
    trials![
        pieces_make_no_difference,
        a_line_is_checked_when_it_is_complete,
        an_open_input_has_nothing_missing,
        what_is_no_transcript_is_said_once,
        sides_may_be_told,
    ]
}

fn checker() -> Checker {
    Checker::new(Options::new()).unwrap()
}

fn about(findings: &[Finding]) -> Vec<String> {
    let mut about: Vec<String> = findings
        .iter()
        .map(|finding| format!("{} {:?} {}", finding.rule, finding.place, finding.message))
        .collect();
    about.sort();
    about
}

fn pieces_make_no_difference() {
    let checker = checker();
    let faulty = GOOD
        .replace("item_0", "item_x")
        .replace("hello", "hello\u{2028}");
    let inputs: Vec<Vec<u8>> = vec![
        GOOD.into(),
        Vec::new(),
        b"\n\n".to_vec(),
        [GOOD, BAD, "\r\n", "not json\n", GOOD].concat().into(),
        faulty.clone().into(),
        [faulty.as_bytes(), b"\xff\xfe\n", &GOOD.as_bytes()[..200]].concat(),
        b"hello\nworld\n".to_vec(),
        b"{\"kind\":\"line\",\"from\":\"codex\",\"line\":\"{}\"}\n{\"kind\":\"exit\",\"status\":1}\n"
            .to_vec(),
    ];
    let mut numbers = Numbers(1);
    for input in inputs {
        let whole = checker.check("x", input.as_slice());
        for most in [1, 7, 100, 10_000] {
            let mut stream = checker.stream("x");
            let mut found = Vec::new();
            let mut rest = input.as_slice();
            while !rest.is_empty() {
                let (piece, more) = rest.split_at((1 + numbers.below(most)).min(rest.len()));
                found.extend(stream.feed(piece).to_vec());
                rest = more;
            }
            let (outcome, last) = stream.finish();
            found.extend(last);
            assert_eq!(outcome.verdict, whole.verdict);
            assert_eq!(outcome.counts, whole.counts);
            assert_eq!(outcome.error, whole.error);
            assert_eq!(outcome.releases, whole.releases);
            assert_eq!(about(&outcome.findings), about(&whole.findings));
            // Every finding was handed out, and none twice.
            assert_eq!(about(&found), about(&whole.findings));
        }
    }
}

fn a_line_is_checked_when_it_is_complete() {
    let checker = checker();
    let mut stream = checker.stream("x");
    assert_eq!(stream.feed(GOOD.as_bytes()), []);
    let (half, rest) = BAD.split_at(10);
    assert_eq!(stream.feed(half.as_bytes()), []);
    let found = stream.feed(rest.as_bytes());
    assert!(!found.is_empty());
    assert!(found.iter().all(|finding| finding.place.line == 5));
    assert!(!stream.is_over());
}

fn an_open_input_has_nothing_missing() {
    let checker = checker();
    let cut = &GOOD.as_bytes()[..GOOD.len() - 40];
    let mut stream = checker.stream("x");
    assert_eq!(stream.feed(cut), []);
    let (outcome, rest) = stream.leave();
    assert_eq!((outcome.counts.total(), rest), (0, vec![]));
    let mut stream = checker.stream("x");
    assert_eq!(stream.feed(cut), []);
    let (outcome, rest) = stream.finish();
    assert!(outcome.counts.total() > 0);
    assert_eq!(outcome.findings, rest);
}

fn what_is_no_transcript_is_said_once() {
    let checker = checker();
    let mut stream = checker.stream("x");
    for _ in 0..5000 {
        assert_eq!(stream.feed(b"Reading additional input from stdin...\n"), []);
    }
    assert!(stream.is_over());
    let (outcome, rest) = stream.finish();
    assert!(outcome.error.unwrap().starts_with("not a transcript"));
    assert_eq!(rest, []);
}

fn sides_may_be_told() {
    let checker = checker();
    let mut stream = checker.stream("x");
    let bytes = br#"{"id":"1","op":{"type":"interrupt"}}"#;
    let line = |number| Line {
        bytes,
        number,
        offset: 0,
        ended: true,
        length: bytes.len() as u64,
        column: None,
    };
    assert_eq!(stream.line(Writer::Client, &line(1)), []);
    let found = stream.line(Writer::Codex, &line(2));
    assert_eq!(found[0].writer, Some(Writer::Codex));
    assert_eq!(found[0].place.line, 2);
}
