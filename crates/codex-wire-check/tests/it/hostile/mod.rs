//! Inputs that are made to hurt: what they cost is linear in their size, the memory they take is
//! bounded, and so is what is said of them. Counted are bytes that are allocated, which a busy
//! machine does not change. Where work allocates nothing, inputs are so large that work which grows
//! with their square would not come to an end.

pub(crate) mod inputs;

use allocation_counter::{AllocationInfo, measure};
use codex_wire_check::{Checker, Converter, Finding, Options, Outcome, Verdict};
use libtest_mimic::Trial;

use self::inputs::{ALL, Hostile, RIGHT, conforming};
use crate::support::trial;

pub(crate) fn trials() -> Vec<Trial> {
    let each = ALL.iter().map(|input| {
        Trial::test(format!("hostile::{}", input.name), move || {
            holds(input);
            Ok(())
        })
    });
    let others = [
        trial("hostile::a_line_stops_no_other", a_line_stops_no_other),
        trial("hostile::what_is_right_costs_little", what_is_right),
        trial("hostile::identified_as_well", identified_as_well),
        trial("hostile::converted_as_well", converted_as_well),
        trial("hostile::identifying_stops", identifying_stops),
        trial("hostile::searching_stops", searching_stops),
    ];
    each.chain(others).collect()
}

const MIB: u64 = 1 << 20;

/// How many bytes a finding may say in all: message, help, pointer and excerpt.
const SAID: usize = 8 << 10;

/// How many bytes may be allocated, over the whole time, for each byte of the input, other than
/// for findings that are kept.
const WORK: u64 = 400;

fn options(input: &Hostile) -> Options {
    let (protocol, release) = input.of;
    Options::exact(protocol.parse().unwrap(), release.parse().unwrap())
}

/// Checks an input and counts what that takes, without what is made once for all inputs.
fn counted(checker: &Checker, input: &[u8]) -> (Outcome, AllocationInfo) {
    let mut outcome = None;
    let info = measure(|| outcome = Some(checker.check("-", input)));
    (outcome.unwrap(), info)
}

fn longest(input: &[u8]) -> u64 {
    let lines = input.split(|byte| *byte == b'\n').map(<[u8]>::len);
    lines.max().unwrap_or(0) as u64
}

fn said(finding: &Finding) -> usize {
    let excerpt = finding.excerpt.as_ref().map_or(0, |shown| shown.text.len());
    let help = finding.help.as_ref().map_or(0, String::len);
    finding.message.len() + help + finding.place.pointer.len() + excerpt
}

/// What is true of everything that is made to hurt.
fn bounded(name: &str, input: &[u8], outcome: &Outcome, info: &AllocationInfo) {
    costs_little(name, input, info);
    for finding in &outcome.findings {
        let length = said(finding);
        assert!(length <= SAID, "{name}: a finding of {length} bytes");
    }
}

/// Memory and work are in proportion to the input.
fn costs_little(name: &str, input: &[u8], info: &AllocationInfo) {
    let most = 64 * MIB + 8 * longest(input);
    let peak = info.bytes_max;
    assert!(
        peak <= most,
        "{name}: {} MiB at a time for {} KiB, the longest line {} KiB",
        peak / MIB,
        input.len() >> 10,
        longest(input) >> 10
    );
    let work = 64 * MIB + WORK * input.len() as u64;
    assert!(
        info.bytes_total <= work,
        "{name}: {} MiB in all for {} KiB",
        info.bytes_total / MIB,
        input.len() >> 10
    );
}

fn holds(input: &Hostile) {
    let checker = Checker::new(options(input)).unwrap();
    // What is made once is made here.
    checker.check("-", (input.make)(3).as_slice());
    let [(one, of_one), (two, of_two)] = [1, 2].map(|times| {
        let made = (input.make)(times * input.size);
        let (outcome, info) = counted(&checker, &made);
        bounded(input.name, &made, &outcome, &info);
        (outcome, info)
    });
    assert_ne!(one.verdict, Verdict::Unreadable);
    assert!(two.counts.total() >= one.counts.total());
    // Of what may be remembered of many lines no more is kept the more there are.
    let (small, large) = (of_one.bytes_max, of_two.bytes_max);
    assert!(
        input.is_one_line() || large <= small + 4 * MIB,
        "{}: {} KiB at a time of one, {} KiB of two",
        input.name,
        small >> 10,
        large >> 10
    );
    // Twice as much of it takes twice as much, or less where a limit ends it.
    let (one, two) = (of_one.bytes_total, of_two.bytes_total);
    assert!(
        two <= 3 * one + MIB,
        "{}: {} KiB of one, {} KiB of two",
        input.name,
        one >> 10,
        two >> 10
    );
}

/// Whatever a line holds, the next one is examined.
fn a_line_stops_no_other() {
    for input in ALL {
        let mut options = options(input);
        options.limits.findings = usize::MAX;
        let checker = Checker::new(options).unwrap();
        let mut made = (input.make)(300);
        let at = made.len() as u64;
        made.extend_from_slice(b"{\"type\":\"turn.started\",\n");
        let outcome = checker.check("-", made.as_slice());
        let found = outcome.findings.iter().any(|finding| {
            finding.rule.id == "framing/malformed-json" && finding.place.offset >= at
        });
        assert!(found, "{}: the next line was not looked at", input.name);
    }
}

fn what_is_right() {
    for input in RIGHT {
        let checker = Checker::new(options(input)).unwrap();
        checker.check("-", (input.make)(3).as_slice());
        let made = (input.make)(input.size);
        let (outcome, info) = counted(&checker, &made);
        // That it begins late or ends early is reported once.
        assert_eq!(outcome.verdict, Verdict::Conforms, "{}", input.name);
        assert!(outcome.counts.total() <= 1, "{}", input.name);
        let most = 8 * MIB + longest(&made);
        assert!(
            info.bytes_max <= most,
            "{}: {} KiB",
            input.name,
            info.bytes_max >> 10
        );
    }
}

/// Where the release is not stated, more is tried of each line, and that is bounded as well.
fn identified_as_well() {
    for input in ALL {
        let checker = Checker::new(Options::new()).unwrap();
        checker.check("-", (input.make)(3).as_slice());
        let made = (input.make)(input.size);
        let (outcome, info) = counted(&checker, &made);
        bounded(input.name, &made, &outcome, &info);
    }
}

/// Nor does a line become a record for more than that.
fn converted_as_well() {
    let converter = Converter::new().unwrap();
    let convert = |input: &[u8]| {
        let converted = converter.convert("-", input, &mut std::io::sink());
        assert!(converted.is_ok(), "{converted:?}");
    };
    let long = Hostile {
        name: "one_text",
        make: |n| format!("{{\"type\":\"error\",\"message\":\"{}\"}}", "a".repeat(n)).into(),
        size: 32 << 20,
        ..ALL[0]
    };
    let wrapped = Hostile {
        name: "one_wrapped_text",
        make: |n| {
            let text = "\\\"\\n".repeat(n);
            format!("{{\"dir\":\"out\",\"raw\":\"{{\\\"type\\\":\\\"{text}\"}}").into()
        },
        size: 4 << 20,
        ..ALL[0]
    };
    let numbers = Hostile {
        name: "one_array",
        make: |n| format!("{{\"type\":\"turn.started\",\"a\":[{}1]}}", "1,".repeat(n)).into(),
        size: 8 << 20,
        ..ALL[0]
    };
    for input in ALL.iter().chain([&long, &wrapped, &numbers]) {
        convert(&(input.make)(3));
        let made = (input.make)(input.size / sampling::few_or(8, 1));
        let info = measure(|| convert(&made));
        costs_little(input.name, &made, &info);
    }
    // Nothing of a line is lost in silence.
    let converter = Converter::with_limit(100).unwrap();
    let line = format!("{{\"type\":\"turn.started\"}}\n{}\n", "0".repeat(101));
    let error = converter.convert("-", line.as_bytes(), &mut std::io::sink());
    assert_eq!(
        error.unwrap_err().to_string(),
        "line 2 has more than 100 bytes"
    );
}

/// A message that all possible releases write excludes none of them.
fn identifying_stops() {
    let end = "{\"type\":\"turn.completed\",\"usage\":{\"input_tokens\":1,\"cached_input_tokens\":0,\
               \"cache_write_input_tokens\":0,\"output_tokens\":2,\"reasoning_output_tokens\":0}}\n";
    let mut made =
        b"{\"type\":\"thread.started\",\"thread_id\":\"t\"}\n{\"type\":\"turn.started\"}\n"
            .to_vec();
    made.extend_from_slice(end.as_bytes());
    let checker = Checker::new(Options::new()).unwrap();
    let first = checker.identify(made.as_slice()).unwrap();
    made.extend(conforming(20_000));
    checker.identify(&made[..made.len() / 100]).unwrap();
    let mut known = None;
    let info = measure(|| known = Some(checker.identify(made.as_slice()).unwrap()));
    let known = known.unwrap();
    assert_eq!(known.releases, first.releases);
    assert_eq!(known.messages, 20_005);
    // No tree is made of a line: that takes more than its text.
    let most = made.len() as u64 / 2 + MIB;
    assert!(info.bytes_total < most, "{} KiB", info.bytes_total >> 10);
}

/// Where the release is not stated, a stream whose every line is a finding is not checked against
/// each release, line after line: a child that writes such lines would wait for that.
fn searching_stops() {
    let input = ALL.iter().find(|i| i.name == "lines_of_wrong_members");
    let input = input.unwrap();
    let [stated, unstated] = [options(input), Options::new()].map(|options| {
        let checker = Checker::new(options).unwrap();
        checker.check("-", (input.make)(30).as_slice());
        let (outcome, info) = counted(&checker, &(input.make)(8_000));
        assert_eq!(outcome.verdict, Verdict::Findings);
        info.bytes_total
    });
    assert!(
        unstated <= 2 * stated + 16 * MIB,
        "{} KiB where the release is stated, {} KiB where not",
        stated >> 10,
        unstated >> 10
    );
}
