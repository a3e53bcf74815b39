//! Resolves `--release` to a release in the list of a protocol.

use anstream::ColorChoice;
use anyhow::bail;
use codex_wire_base::release_list::ResolveError;
use codex_wire_base::{MessageSet, Protocol, Release};

use crate::output;

/// The listed release that `text` stands for, of the stated protocol if one is stated.
pub(crate) fn of_protocol(
    protocol: Option<Protocol>,
    text: &str,
    color: ColorChoice,
) -> anyhow::Result<Release> {
    let message_sets = protocol.map_or(MessageSet::ALL, Protocol::message_sets);
    Ok(of_message_sets(message_sets, text, color)?.1)
}

/// The listed release that `text` stands for, where the protocol is not known yet: a release that any
/// protocol lists is itself.
pub(crate) fn of_any(text: &str, color: ColorChoice) -> anyhow::Result<Release> {
    let lists = |release: &Release| {
        let mut protocols = Protocol::ALL.iter();
        protocols.any(|protocol| protocol.release_list().releases().contains(release))
    };
    match text.parse().ok().filter(lists) {
        Some(release) => Ok(release),
        None => of_protocol(None, text, color),
    }
}

/// The first of some message sets that has the release `text` stands for, and that release. If the
/// listed release differs from the given one, standard error says so.
pub(crate) fn of_message_sets(
    message_sets: &[MessageSet],
    text: &str,
    color: ColorChoice,
) -> anyhow::Result<(MessageSet, Release)> {
    let given = text.parse::<Release>().ok();
    let mut failures = Vec::new();
    for message_set in message_sets {
        let release_list = message_set.release_list();
        let latest = release_list.latest();
        let gone = given.is_some_and(|given| given > latest && !message_set.is_current());
        match release_list.resolve(text) {
            Ok(_) if gone => {}
            Ok(listed) => {
                if let Some(remark) = difference(text, given, listed, latest) {
                    output::remark(color, &remark);
                }
                return Ok((*message_set, listed));
            }
            Err(error) => failures.push(error),
        }
    }
    bail!("{}", refusal(message_sets, text, &failures))
}

/// Why none of the message sets has the release. If the protocol is not stated, the text names none.
fn refusal(message_sets: &[MessageSet], text: &str, failures: &[ResolveError]) -> String {
    let first = |protocol: Protocol| {
        let of = message_sets.iter().filter(|s| s.protocol() == protocol);
        of.map(|message_set| message_set.release_list().first())
            .min()
    };
    let protocols = Protocol::ALL.iter().copied();
    let begins: Vec<(Protocol, Release)> = protocols
        .filter_map(|protocol| Some((protocol, first(protocol)?)))
        .collect();
    let is_old = |failure: &ResolveError| matches!(failure, ResolveError::TooOld { .. });
    match (&begins[..], failures.last()) {
        // A single message set is named itself: others of its protocol may have the release.
        (_, None) if message_sets.len() == 1 => format!("{text} no longer has {}", message_sets[0]),
        (_, None) => format!("{text} no longer has {}", message_sets[0].protocol()),
        ([(_, first)], Some(failure)) if is_old(failure) => {
            format!("{text} is older than the protocol, which begins at {first}")
        }
        (_, Some(failure)) if is_old(failure) => {
            let begins: Vec<String> = begins
                .iter()
                .map(|(protocol, first)| format!("{protocol} begins at {first}"))
                .collect();
            format!("{text} is older than every protocol: {}", begins.join(", "))
        }
        _ => {
            let mut points: Vec<&str> = Vec::new();
            for point in message_sets.iter().flat_map(|s| s.release_list().points()) {
                if !points.contains(&point.name) {
                    points.push(point.name);
                }
            }
            let points = match points.is_empty() {
                true => String::new(),
                false => format!("; forks: {}", points.join(", ")),
            };
            format!("`{text}` is neither a release such as 0.44.0 nor a known fork{points}")
        }
    }
}

fn difference(
    text: &str,
    given: Option<Release>,
    listed: Release,
    latest: Release,
) -> Option<String> {
    match given {
        Some(given) if given == listed => None,
        Some(given) if given > latest => Some(format!(
            "{given} is newer than {latest}, the newest known release; using {latest}"
        )),
        Some(given) => Some(format!(
            "{given} is not listed; using {listed}, the release before it"
        )),
        None => Some(format!("{text} has the protocol of {listed}")),
    }
}
