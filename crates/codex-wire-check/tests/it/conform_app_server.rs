//! Every recording of `codex app-server` conforms to the release it states: what Codex wrote
//! without exception, what the client wrote except where it errs on purpose. The streams inside
//! are identified, with their records and without, from both sides and from one.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex};

use codex_wire::transcript::{Record, Side};
use codex_wire::{Protocol, Release};
use codex_wire_check::{
    Checker, Finding, Options, Outcome, Profile, Severity, Status, Verdict, Writer,
};
use codex_wire_testing::describe;
use libtest_mimic::{Failed, Trial};

use crate::support::{name, release_of, transcripts};

pub(crate) fn trials() -> Vec<Trial> {
    let trial = |path: PathBuf| {
        Trial::test(format!("conform::{}", name(&path)), move || {
            let text = std::fs::read_to_string(&path)?;
            stated(&path, &text)?;
            identified(&path, &text)?;
            one_way(&path, &text)?;
            two_ways(&path, &text)
        })
    };
    transcripts("app-server").into_iter().map(trial).collect()
}

/// Recordings in which the client does on purpose what is wrong, to see what Codex answers, or
/// sends what only other releases know.
const ERRING: &[&str] = &[
    "0.111.0/07d_mcp_elicitation_declined",
    "0.133.0/09a_list_read_name_fork_archive",
    "0.169.0/09h_queue_sections_projects",
    "0.169.0/10a_plain_requests",
    "0.169.0/16_websocket_two_clients",
    "0.58.0/07h_mcp_broken",
    "0.63.0/15d_v1_plain_requests",
    "0.98.0/03k_approval_malformed_reply",
    "approval_answered_twice",
    "approval_unknown_decision",
    "bad_requests",
    "experimental_without_capability",
    "ids",
    "initialize_extra_members",
    "initialize_variants",
    "malformed_lines",
    "unknown_response_ids",
];

fn errs(path: &Path) -> bool {
    let name = name(path);
    ERRING.iter().any(|erring| name.ends_with(erring))
}

/// Whether several clients are connected, whose lines a log without records runs together.
fn has_several_clients(text: &str) -> bool {
    text.contains("{\"kind\":\"connected\"")
}

/// Recordings in which a log that does not say who wrote what is not enough: the client leaves
/// requests of Codex unanswered, and Codex's answers have their ids.
const UNCLEAR: &[&str] = &["0.169.0/14q_auth_tokens_refresh"];

fn is_unclear(path: &Path) -> bool {
    let name = name(path);
    UNCLEAR.iter().any(|unclear| name.ends_with(unclear))
}

/// One checker for each release and side, and one for streams that state none: what they compile
/// serves all recordings.
fn checker(release: Option<Release>, side: Option<Writer>) -> Arc<Checker> {
    type Key = (Option<Release>, Option<&'static str>);
    static CHECKERS: LazyLock<Mutex<BTreeMap<Key, Arc<Checker>>>> = LazyLock::new(Mutex::default);
    let make = || {
        let mut options = match release {
            Some(release) => Options::exact(Protocol::AppServer, release),
            None => Options::new(),
        };
        options.profile = Profile::Exact;
        options.side = side;
        Arc::new(Checker::new(options).unwrap())
    };
    let mut checkers = CHECKERS.lock().unwrap();
    let key = (release, side.map(Writer::as_str));
    Arc::clone(checkers.entry(key).or_insert_with(make))
}

/// Whether a finding says what recordings are known to do: of rules that only mostly hold.
fn is_known(finding: &Finding) -> bool {
    finding.rule.status == Status::Advisory && finding.severity < Severity::Error
}

fn only_known(outcome: &Outcome) -> Result<(), Failed> {
    match outcome.verdict == Verdict::Conforms && outcome.findings.iter().all(is_known) {
        true => Ok(()),
        false => Err(describe(outcome).into()),
    }
}

/// As what the release of its folder speaks.
fn stated(path: &Path, text: &str) -> Result<(), Failed> {
    let release = release_of(path)?;
    let check = |side| checker(Some(release), side).check(&name(path), text.as_bytes());
    only_known(&check(Some(Writer::Codex)))?;
    let both = check(None);
    let wrong = both.findings.iter().filter(|f| !is_known(f)).count();
    if errs(path) {
        // Somebody has to notice.
        return match wrong {
            0 => Err("nothing is wrong with it".into()),
            _ => Ok(()),
        };
    }
    only_known(&both)
}

/// Without a word about the release, which Codex names in its first response.
fn identified(path: &Path, text: &str) -> Result<(), Failed> {
    let release = release_of(path)?;
    let stated = format!("\"release\":\"{release}\"");
    let (head, rest) = text.split_once('\n').ok_or("there are no lines")?;
    let head = head
        .replace(&format!(",{stated}"), "")
        .replace(",\"protocol\":\"app-server\"", "");
    if head.contains(&stated) || head.contains("protocol") {
        return Err(format!("it still says what it is: {head}").into());
    }
    let outcome =
        checker(None, Some(Writer::Codex)).check("-", format!("{head}\n{rest}").as_bytes());
    identified_as(&outcome, release)?;
    only_known(&outcome)
}

fn identified_as(outcome: &Outcome, release: Release) -> Result<(), Failed> {
    let found = outcome
        .releases
        .is_some_and(|r| r.since <= release && release <= r.until);
    match found && outcome.identified && outcome.protocol == Some(Protocol::AppServer) {
        true => Ok(()),
        false => Err(describe(outcome).into()),
    }
}

/// The lines of one connection, of one side or both, as a plain log has them.
fn plain(text: &str, of: impl Fn(&Side) -> bool) -> Result<String, Failed> {
    let mut out = String::new();
    for record in text.split_terminator('\n') {
        if let Record::Line(line) = codex_wire::from_str(record)?
            && of(&line.from)
            && let Some(text) = line.line.value()
        {
            out.push_str(text);
            out.push('\n');
        }
    }
    Ok(out)
}

/// What Codex wrote, alone; to one client.
fn one_way(path: &Path, text: &str) -> Result<(), Failed> {
    if is_unclear(path) || has_several_clients(text) {
        return Ok(());
    }
    let of_codex = plain(text, |side| *side == Side::Codex)?;
    let outcome = checker(None, None).check("-", of_codex.as_bytes());
    identified_as(&outcome, release_of(path)?)?;
    only_known(&outcome)
}

/// What both wrote, as a log that does not say who wrote what. Where several clients are
/// connected such a log does not tell them apart.
fn two_ways(path: &Path, text: &str) -> Result<(), Failed> {
    if errs(path) || is_unclear(path) || has_several_clients(text) {
        return Ok(());
    }
    let both = plain(text, |_| true)?;
    let outcome = checker(None, None).check("-", both.as_bytes());
    identified_as(&outcome, release_of(path)?)?;
    only_known(&outcome)
}
