//! Every recording of `codex proto` conforms to the release it states: what Codex wrote without
//! exception, what the client wrote where Codex did not refuse it. The streams inside, without
//! their records, are identified.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use codex_wire::transcript::{Record, Side};
use codex_wire::{MessageSet, Protocol, Release};
use codex_wire_check::{
    Checker, Finding, Options, Outcome, Profile, Severity, Status, Verdict, Writer,
};
use codex_wire_testing::describe;
use libtest_mimic::{Failed, Trial};
use serde_json::Value;

use crate::support::{fixtures, name, release_of, transcripts};

pub(crate) fn trials() -> Vec<Trial> {
    let trial = |path: PathBuf| {
        Trial::test(format!("conform::{}", name(&path)), move || {
            let text = std::fs::read_to_string(&path)?;
            let lines = lines(&text)?;
            codex_side(&path, &text)?;
            both_sides(&path, &text, &lines)?;
            one_way(&path, &lines)?;
            two_ways(&path, &text, &lines)
        })
    };
    // No real Codex has refused a line of a transcript written by hand.
    let synthetic = |path: PathBuf| {
        Trial::test(format!("conform::{}", name(&path)), move || {
            let text = std::fs::read_to_string(&path)?;
            codex_side(&path, &text)?;
            let outcome = EXACT.check(&name(&path), text.as_bytes());
            if outcome.verdict != Verdict::Conforms || unknown(&path, &outcome).count() > 0 {
                return Err(describe(&outcome).into());
            }
            Ok(())
        })
    };
    let recorded = transcripts("core").into_iter().map(trial);
    let written = transcripts("synthetic/core").into_iter().map(synthetic);
    recorded.chain(written).collect()
}

/// Whether a finding says what recordings are known to do: rules that only mostly hold. And what
/// the client does on purpose in those that submit what is bad.
fn is_known(path: &str, finding: &Finding) -> bool {
    let of_client = finding.rule.about == [MessageSet::CoreSubmissions];
    let on_purpose = path.contains("bad_submissions") && of_client;
    let graded = finding.severity < Severity::Error;
    (finding.rule.status == Status::Advisory && graded) || on_purpose
}

/// The findings that say something new.
fn unknown<'o>(path: &Path, outcome: &'o Outcome) -> impl Iterator<Item = &'o Finding> {
    let path = name(path);
    let findings = outcome.findings.iter();
    findings.filter(move |finding| !is_known(&path, finding))
}

/// A recorded line, who wrote it, and on which line of the recording it stands.
struct Recorded {
    number: u64,
    client: bool,
    text: String,
}

fn lines(recording: &str) -> Result<Vec<Recorded>, Failed> {
    let mut out = Vec::new();
    for (index, line) in recording.split_terminator('\n').enumerate() {
        if let Record::Line(line) = codex_wire::from_str(line)? {
            out.push(Recorded {
                number: index as u64 + 1,
                client: matches!(line.from, Side::Client),
                text: line.line.value().ok_or("a line is not text")?.clone(),
            });
        }
    }
    Ok(out)
}

/// How many lines of each recording Codex refused, by its path below `fixtures/core`.
static REFUSED: LazyLock<BTreeMap<String, u64>> = LazyLock::new(|| {
    let text = std::fs::read_to_string(fixtures().join("core/manifest.json")).unwrap();
    let manifest: Value = serde_json::from_str(&text).unwrap();
    let entries = manifest["transcripts"].as_array().unwrap().iter();
    entries
        .map(|entry| {
            let file = entry["file"].as_str().unwrap().to_owned();
            (file, entry["refused"].as_u64().unwrap_or(0))
        })
        .collect()
});

/// The checkers are made once: what they compile serves all recordings.
static EXACT: LazyLock<Checker> = LazyLock::new(|| checker(Profile::Exact, None));
static OPEN: LazyLock<Checker> = LazyLock::new(|| checker(Profile::Known, None));
static CODEX: LazyLock<Checker> = LazyLock::new(|| checker(Profile::Exact, Some(Writer::Codex)));

fn checker(profile: Profile, side: Option<Writer>) -> Checker {
    let mut options = Options::new();
    options.profile = profile;
    options.side = side;
    Checker::new(options).unwrap()
}

/// The recording states its release. All that Codex wrote is what that release writes.
fn codex_side(path: &Path, recording: &str) -> Result<(), Failed> {
    let outcome = CODEX.check(&name(path), recording.as_bytes());
    let release = release_of(path)?;
    let stated = outcome
        .releases
        .is_some_and(|r| r.since == release && r.until == release);
    let fine = stated && !outcome.identified && outcome.protocol == Some(Protocol::Core);
    if !fine || outcome.verdict != Verdict::Conforms || unknown(path, &outcome).count() > 0 {
        return Err(describe(&outcome).into());
    }
    Ok(())
}

/// What the client wrote is what that release reads, except for the lines that Codex refused. It
/// reads over members it does not know, and exactly those are all the exact profile adds.
fn both_sides(path: &Path, recording: &str, lines: &[Recorded]) -> Result<(), Failed> {
    let below = format!("{}.jsonl", name(path).trim_start_matches("core/"));
    let refused = REFUSED.get(&below).ok_or("not in the manifest")?;
    let open = OPEN.check(&name(path), recording.as_bytes());
    // Codex refuses a blank line, too. It is a warning, since what copies a stream may have added it.
    let is_blank = |f: &Finding| f.rule.id == "framing/blank-line";
    let denied = |f: &&Finding| f.severity == Severity::Error || is_blank(f);
    let wrong: BTreeSet<u64> = unknown(path, &open).filter(denied).map(line).collect();
    if *refused != wrong.len() as u64 {
        let found = describe(&open);
        return Err(format!("{refused} lines were refused\n{found}").into());
    }
    let exact = EXACT.check(&name(path), recording.as_bytes());
    let warned = unknown(path, &exact).any(|f| f.severity == Severity::Warning && !is_blank(f));
    if warned || unknown(path, &exact).count() != unknown(path, &open).count() {
        return Err(describe(&exact).into());
    }
    let of_client = |number: u64| lines.iter().any(|l| l.number == number && l.client);
    for finding in unknown(path, &exact).chain(unknown(path, &open)) {
        if finding.writer != Some(Writer::Client) || !of_client(line(finding)) {
            return Err(format!("not the client's: {finding:?}").into());
        }
    }
    Ok(())
}

fn line(finding: &Finding) -> u64 {
    finding.place.line
}

/// What Codex wrote, alone, as a bare stream.
fn one_way(path: &Path, lines: &[Recorded]) -> Result<(), Failed> {
    let text = bare(lines.iter().filter(|line| !line.client));
    identified(path, &text, true)
}

/// What both wrote, as a log that does not say who wrote what; refused lines left out.
fn two_ways(path: &Path, recording: &str, lines: &[Recorded]) -> Result<(), Failed> {
    let stated = EXACT.check(&name(path), recording.as_bytes());
    let wrong = |line: &Recorded| unknown(path, &stated).any(|f| self::line(f) == line.number);
    let left: Vec<&Recorded> = lines.iter().filter(|line| !wrong(line)).collect();
    let whole = left.len() == lines.len();
    identified(path, &bare(left.into_iter()), whole)
}

fn bare<'l>(lines: impl Iterator<Item = &'l Recorded>) -> String {
    lines.map(|line| format!("{}\n", line.text)).collect()
}

/// Where lines of the client were left out, what follows from them has no ground.
fn identified(path: &Path, text: &str, whole: bool) -> Result<(), Failed> {
    let outcome = EXACT.check(&name(path), text.as_bytes());
    let release = release_of(path)?;
    let fine = outcome.identified
        && outcome.protocol == Some(Protocol::Core)
        && outcome.messages == text.lines().count() as u64
        && covers(&outcome, release);
    let new = |f: &&Finding| whole || f.rule.group() != "sequence";
    if !fine || unknown(path, &outcome).filter(new).count() > 0 {
        return Err(describe(&outcome).into());
    }
    Ok(())
}

fn covers(outcome: &Outcome, release: Release) -> bool {
    outcome
        .releases
        .is_some_and(|r| r.since <= release && release <= r.until)
}
