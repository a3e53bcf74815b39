//! Whoever looks on sees every line once, and every finding with the line it belongs to.

use std::io;

use codex_wire_check::{Checker, Event, Finding, Location, Options};
use libtest_mimic::Trial;

use crate::support::{name, transcripts, trial};

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial("observe::every_line_is_observed", every_line_is_observed),
        trial("observe::what_is_pushed_is_observed", pushed),
        trial("observe::answers_know_their_requests", answers),
        trial("observe::failures_are_passed_on", failures),
    ]
}

fn checker() -> Checker {
    Checker::new(Options::new()).unwrap()
}

/// What a finding is known by.
type Key = (&'static str, Location);

fn key(finding: &Finding) -> Key {
    (finding.rule.id, finding.place.clone())
}

fn sorted(mut keys: Vec<Key>) -> Vec<Key> {
    keys.sort_by_cached_key(|key| format!("{key:?}"));
    keys
}

fn every_line_is_observed() {
    let checker = checker();
    let mut seen_any = 0;
    for path in transcripts("invalid")
        .into_iter()
        .chain(transcripts("rules"))
    {
        let text = std::fs::read(&path).unwrap();
        let (mut seen, mut lines, mut ends) = (Vec::new(), Vec::new(), 0);
        let outcome = checker
            .observe("x", text.as_slice(), |step| {
                match step.event {
                    Event::End => ends += 1,
                    _ => lines.push(step.line),
                }
                seen.extend(step.findings.iter().map(key));
                Ok(())
            })
            .unwrap();
        let checked = checker.check("x", text.as_slice());
        assert_eq!(
            format!("{outcome:?}"),
            format!("{checked:?}"),
            "{}",
            name(&path)
        );
        if outcome.error.is_some() {
            continue;
        }
        seen_any += seen.len();
        let found: Vec<_> = outcome.findings.iter().map(key).collect();
        assert_eq!(sorted(seen), sorted(found), "{}", name(&path));
        // A recorded run of a hook is one line with two messages.
        lines.dedup();
        assert!(lines.iter().copied().eq(1..=lines.len() as u64) && ends == 1);
    }
    assert!(seen_any > 100);
}

/// Whoever pushes bytes sees the same as whoever reads them.
fn pushed() {
    let checker = checker();
    let mut findings = 0;
    for path in transcripts("invalid")
        .into_iter()
        .chain(transcripts("rules"))
    {
        let text = std::fs::read(&path).unwrap();
        // Arrays of messages are only read whole.
        if text.starts_with(b"[") {
            continue;
        }
        let mut read = Vec::new();
        let observed = checker.observe("x", text.as_slice(), |step| {
            read.push(format!("{step:?}"));
            Ok(())
        });
        let mut seen = Vec::new();
        let mut stream = checker.stream("x").observed_by(|step| {
            findings += step.findings.len();
            seen.push(format!("{step:?}"));
        });
        let mut given_out = Vec::new();
        for bytes in text.chunks(997) {
            given_out.extend(stream.feed(bytes).iter().map(key));
        }
        let (outcome, rest) = stream.finish();
        if outcome.error.is_none() {
            given_out.extend(rest.iter().map(key));
            let found: Vec<_> = outcome.findings.iter().map(key).collect();
            assert_eq!(sorted(given_out), sorted(found), "{}", name(&path));
        }
        assert_eq!(
            format!("{outcome:?}"),
            format!("{:?}", observed.unwrap()),
            "{}",
            name(&path)
        );
        assert_eq!(seen, read, "{}", name(&path));
    }
    assert!(findings > 100);
}

fn answers() {
    let text = concat!(
        r#"{"kind":"line","from":"client","connection":2,"ms":5,"line":"{\"id\":1,\"method\":\"thread/list\",\"params\":{}}"}"#,
        "\n",
        r#"{"kind":"line","from":"codex","connection":2,"ms":9,"line":"{\"id\":1,\"result\":{\"data\":[]}}"}"#,
        "\n"
    );
    let mut seen = Vec::new();
    let look = |step: &codex_wire_check::Step<'_>| {
        if let Event::Message { answers, .. } = step.event {
            let method = answers.and_then(|answers| answers.method.clone());
            let line = answers.and_then(|answers| answers.line);
            seen.push((step.ms, step.connection, method, line));
        }
        Ok(())
    };
    checker().observe("x", text.as_bytes(), look).unwrap();
    let method = Some("thread/list".to_owned());
    assert_eq!(
        seen,
        [
            (Some(5), Some(2), None, None),
            (Some(9), Some(2), method, Some(1))
        ]
    );
}

fn failures() {
    let full = |_: &codex_wire_check::Step<'_>| Err(io::Error::other("full"));
    let error = checker()
        .observe("x", b"{}\n".as_slice(), full)
        .unwrap_err();
    assert_eq!(error.to_string(), "full");
}
