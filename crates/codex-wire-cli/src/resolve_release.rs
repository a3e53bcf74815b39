//! Resolves `--release`, and whatever else names releases, in the lists of protocols.

use anstream::ColorChoice;
use anyhow::bail;
use codex_wire_base::{
    MessageSet, NamedRelease, NoSuchRelease, Protocol, Release, ReleaseBounds, ReleaseList,
};
use codex_wire_check::Options;

use crate::output;

/// What a flag names that takes one release or several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Releases {
    One(Release),
    /// A range such as `0.140..0.150`.
    Range(ReleaseBounds),
}

impl Releases {
    /// The release or the releases that `text` names, of the stated protocol if one is stated.
    pub(crate) fn of_protocol(
        protocol: Option<Protocol>,
        text: &str,
        color: ColorChoice,
    ) -> anyhow::Result<Self> {
        match protocol {
            _ if text.contains("..") => {
                let message_sets = protocol.map_or(MessageSet::ALL, Protocol::message_sets);
                Ok(Releases::Range(range(message_sets, text, color)?))
            }
            protocol => Ok(Releases::One(of_protocol(protocol, text, color)?)),
        }
    }

    /// The same, of some message sets.
    pub(crate) fn of_message_sets(
        message_sets: &[MessageSet],
        text: &str,
        color: ColorChoice,
    ) -> anyhow::Result<Self> {
        Ok(match text.contains("..") {
            true => Releases::Range(range(message_sets, text, color)?),
            false => Releases::One(of_message_sets(message_sets, text, color)?.1),
        })
    }

    /// Has a check assume the release, or infer it among those of the range.
    pub(crate) fn limit(self, options: &mut Options) {
        match self {
            Releases::One(release) => options.release = Some(release),
            Releases::Range(range) => options.among = range,
        }
    }

    /// The releases as a range.
    pub(crate) fn bounds(self) -> ReleaseBounds {
        match self {
            Releases::One(release) => ReleaseBounds {
                since: Some(release),
                until: Some(release),
            },
            Releases::Range(range) => range,
        }
    }
}

/// The listed release that `text` stands for, of the stated protocol if one is stated.
pub(crate) fn of_protocol(
    protocol: Option<Protocol>,
    text: &str,
    color: ColorChoice,
) -> anyhow::Result<Release> {
    match protocol {
        Some(protocol) => Ok(of_message_sets(protocol.message_sets(), text, color)?.1),
        None => of_any(text, color),
    }
}

/// The listed release that `text` stands for, where the protocol is not known yet.
pub(crate) fn of_any(text: &str, color: ColorChoice) -> anyhow::Result<Release> {
    Ok(remarked(NamedRelease::find_any(text), color)?.1)
}

/// The first of some message sets that has the release `text` stands for, and that release. If the
/// listed release differs from the given one, standard error says so.
pub(crate) fn of_message_sets(
    message_sets: &[MessageSet],
    text: &str,
    color: ColorChoice,
) -> anyhow::Result<(MessageSet, Release)> {
    remarked(NamedRelease::find(message_sets, text), color)
}

/// The first and the last release of a range such as `0.140..0.150`, whose ends may be left out; a single release is
/// the range of itself, and `0.145` that of all that begin so.
pub(crate) fn range(
    message_sets: &[MessageSet],
    text: &str,
    color: ColorChoice,
) -> anyhow::Result<ReleaseBounds> {
    let Some((since, until)) = text.split_once("..") else {
        let found = NamedRelease::find(message_sets, text)?;
        let first = first_that_begins(text).filter(|first| *first <= found.release);
        let (_, until) = match first {
            Some(_) => (found.message_set, found.release),
            None => remarked(Ok(found), color)?,
        };
        return Ok(ReleaseBounds {
            since: first.or(Some(until)),
            until: Some(until),
        });
    };
    let lists = message_sets.iter().map(|one| one.release_list());
    let latest = lists.map(ReleaseList::latest).max();
    let bounds = ReleaseBounds {
        since: match (since, first_that_begins(since)) {
            ("", _) => None,
            // It need not be listed.
            (_, Some(first)) if Some(first) <= latest => Some(first),
            (since, _) => Some(of_message_sets(message_sets, since, color)?.1),
        },
        until: match until {
            "" => None,
            until => match NamedRelease::find(message_sets, until) {
                // The range goes on after the last release that has it.
                Err(NoSuchRelease::Ended { .. }) => None,
                // Which release is the last that begins so goes without saying.
                Ok(found)
                    if first_that_begins(until).is_some_and(|first| first <= found.release) =>
                {
                    Some(found.release)
                }
                found => Some(remarked(found, color)?.1),
            },
        },
    };
    if let ReleaseBounds {
        since: Some(since),
        until: Some(until),
    } = bounds
        && since > until
    {
        bail!("`{text}` is a range without releases: {since} is newer than {until}");
    }
    Ok(bounds)
}

/// The release with which a range begins: of `0.140` that is 0.140.0.
fn first_that_begins(text: &str) -> Option<Release> {
    let missing = 2_usize.saturating_sub(text.matches('.').count());
    format!("{text}{}", ".0".repeat(missing)).parse().ok()
}

fn remarked(
    found: Result<NamedRelease, NoSuchRelease>,
    color: ColorChoice,
) -> anyhow::Result<(MessageSet, Release)> {
    let found = found?;
    if let Some(stands_for) = &found.stands_for {
        output::remark(color, &stands_for.to_string());
    }
    Ok((found.message_set, found.release))
}
