//! Finds the releases of a range that a text names, such as `0.140..0.150`.

use crate::availability::ReleaseBounds;
use crate::protocol::MessageSet;
use crate::release::Release;
use crate::release_list::ReleaseList;
use crate::release_name::{NamedRelease, NoSuchRelease, StandsFor};

/// What is chosen: one release, or a range of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReleaseChoice {
    /// One release.
    One(Release),
    /// All releases of a range.
    Range(ReleaseBounds),
}

/// A range of releases that a text names.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NamedRange {
    /// The first and the last release. An end that the text leaves out is open.
    pub bounds: ReleaseBounds,
    /// What listed releases stand for, where they are not what the text names.
    pub stands_for: Vec<StandsFor>,
}

/// The ends of a range as a text names them. An end that is left out is `None`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RangeEnds<'t> {
    /// The older end.
    pub since: Option<&'t str>,
    /// The newer end.
    pub until: Option<&'t str>,
}

impl ReleaseChoice {
    /// The releases as a range.
    pub fn bounds(self) -> ReleaseBounds {
        match self {
            ReleaseChoice::One(release) => ReleaseBounds {
                since: Some(release),
                until: Some(release),
            },
            ReleaseChoice::Range(range) => range,
        }
    }
}

impl NamedRange {
    /// Finds the releases of a range such as `0.140..0.150` in the lists of some message sets. A text without `..` is one
    /// release, and the range of itself; `0.145` is the range of all releases that begin so.
    ///
    /// ```
    /// use codex_wire_base::{NamedRange, Protocol, Release};
    ///
    /// let range = NamedRange::find(Protocol::Exec.message_sets(), "0.140..0.142")?;
    /// assert_eq!(range.bounds.since, Some(Release::new(0, 140, 0)));
    /// assert_eq!(range.bounds.until, Some(Release::new(0, 142, 5)));
    /// # Ok::<(), codex_wire_base::NoSuchRelease>(())
    /// ```
    ///
    /// # Errors
    /// When an end is not a release, or the range has none.
    pub fn find(message_sets: &[MessageSet], text: &str) -> Result<Self, NoSuchRelease> {
        let mut range = NamedRange {
            bounds: ReleaseBounds::ALWAYS,
            stands_for: Vec::new(),
        };
        let Some(RangeEnds { since, until }) = RangeEnds::of(text) else {
            let found = NamedRelease::find(message_sets, text)?;
            let first = first_that_begins(text).filter(|first| *first <= found.release);
            let until = match first {
                Some(_) => found.release,
                None => range.release(found),
            };
            range.bounds.since = first.or(Some(until));
            range.bounds.until = Some(until);
            return Ok(range);
        };
        let lists = message_sets.iter().map(|one| one.release_list());
        let latest = lists.map(ReleaseList::latest).max();
        range.bounds.since = match since.map(|since| (since, first_that_begins(since))) {
            None => None,
            // It need not be listed.
            Some((_, Some(first))) if Some(first) <= latest => Some(first),
            Some((since, _)) => Some(range.release(NamedRelease::find(message_sets, since)?)),
        };
        range.bounds.until = match until {
            None => None,
            Some(until) => match NamedRelease::find(message_sets, until) {
                // The range goes on after the last release that has it.
                Err(NoSuchRelease::Ended { .. }) => None,
                // Which release is the last that begins so goes without saying.
                Ok(found)
                    if first_that_begins(until).is_some_and(|first| first <= found.release) =>
                {
                    Some(found.release)
                }
                found => Some(range.release(found?)),
            },
        };
        match range.bounds {
            ReleaseBounds {
                since: Some(since),
                until: Some(until),
            } if since > until => Err(NoSuchRelease::EmptyRange {
                text: text.to_owned(),
                since,
                until,
            }),
            _ => Ok(range),
        }
    }

    /// The release that was found, noting what it stands for.
    fn release(&mut self, found: NamedRelease) -> Release {
        self.stands_for.extend(found.stands_for);
        found.release
    }
}

impl<'t> RangeEnds<'t> {
    /// The ends of a range; `None` for a text without `..`.
    pub fn of(text: &'t str) -> Option<Self> {
        let (since, until) = text.split_once("..")?;
        let end = |text: &'t str| Some(text).filter(|text| !text.is_empty());
        Some(RangeEnds {
            since: end(since),
            until: end(until),
        })
    }
}

/// The release with which a range begins: of `0.140` that is 0.140.0.
fn first_that_begins(text: &str) -> Option<Release> {
    let missing = 2_usize.saturating_sub(text.matches('.').count());
    format!("{text}{}", ".0".repeat(missing)).parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::Protocol;

    /// The ends that a text stands for, with the remarks for the user.
    fn found(text: &str) -> String {
        match NamedRange::find(Protocol::Exec.message_sets(), text) {
            Ok(NamedRange { bounds, stands_for }) => {
                let end = |end: Option<Release>| end.map_or(String::new(), |end| end.to_string());
                let mut out = format!("{}..{}", end(bounds.since), end(bounds.until));
                for remark in stands_for {
                    out += &format!(" ({remark})");
                }
                out
            }
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn a_range_is_asked_for_in_several_ways() {
        for (text, expected) in [
            ("0.142", "0.142.0..0.142.5"),
            ("0.140..0.142", "0.140.0..0.142.5"),
            ("0.140..", "0.140.0.."),
            ("..0.142.5", "..0.142.5"),
            ("..", ".."),
            // The end before need not be listed.
            ("0.46.0..0.48.0", "0.46.0..0.48.0"),
            (
                "0.44.0..0.46.0",
                "0.44.0..0.45.0 (0.46.0 is not listed; using 0.45.0, the release before it)",
            ),
            (
                "0.46.0",
                "0.45.0..0.45.0 (0.46.0 is not listed; using 0.45.0, the release before it)",
            ),
            (
                "0.142..0.140",
                "`0.142..0.140` is a range without releases: 0.142.0 is newer than 0.140.0",
            ),
        ] {
            assert_eq!(found(text), expected, "{text}");
        }
        for bad in ["0.x..", "..newest", "0.1...0.2"] {
            assert!(found(bad).contains("is neither a release"), "{bad}");
        }
    }
}
