//! The releases in which a part of a schema exists, and for which clients.

use codex_wire_base::Release;
use codex_wire_base::shape::ReleaseBounds;

/// The releases that have a part of a schema.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Availability {
    /// The first and the last release that have it.
    pub range: ReleaseBounds,
    /// The releases between these that do not have it, oldest first.
    pub gaps: Vec<ReleaseBounds>,
    /// The releases in which only clients that opted into the experimental API have it.
    pub experimental: Vec<ReleaseBounds>,
}

impl Availability {
    /// Every release, for every client.
    pub const ALWAYS: Availability = Availability {
        range: ReleaseBounds::ALWAYS,
        gaps: Vec::new(),
        experimental: Vec::new(),
    };

    /// Whether every release has it for every client.
    pub fn is_always(&self) -> bool {
        *self == Self::ALWAYS
    }

    /// Whether `release`, one of the release list's, has it.
    pub fn contains(&self, release: Release) -> bool {
        self.range.contains(release) && !covers(&self.gaps, release)
    }

    /// Whether only clients that opted into the experimental API have it in `release`.
    pub fn is_experimental(&self, release: Release) -> bool {
        covers(&self.experimental, release)
    }

    /// The release ranges that have it, oldest first: one more than there are gaps. `releases` are
    /// those of the release list.
    pub fn ranges(&self, releases: &[Release]) -> Vec<ReleaseBounds> {
        let mut out = Vec::new();
        let mut rest = self.range;
        for gap in &self.gaps {
            let before = |since| releases.iter().copied().rfind(|release| *release < since);
            let after = |until| releases.iter().copied().find(|release| *release > until);
            out.push(ReleaseBounds {
                since: rest.since,
                until: gap.since.and_then(before),
            });
            rest.since = gap.until.and_then(after);
        }
        out.push(rest);
        out
    }

    /// Calls `see` with every range it states.
    pub fn visit_ranges(&self, see: &mut impl FnMut(ReleaseBounds)) {
        see(self.range);
        self.gaps
            .iter()
            .chain(&self.experimental)
            .for_each(|range| see(*range));
    }
}

/// The releases of `whole` that are in none of `ranges`, oldest first: the exceptions. `releases` are those of the
/// release list.
pub fn except(
    whole: ReleaseBounds,
    ranges: &[ReleaseBounds],
    releases: &[Release],
) -> Vec<ReleaseBounds> {
    let within: Vec<Release> = releases
        .iter()
        .copied()
        .filter(|release| whole.contains(*release))
        .collect();
    let mut out: Vec<ReleaseBounds> = Vec::new();
    let mut is_open = false;
    for (at, release) in within.iter().copied().enumerate() {
        if covers(ranges, release) {
            is_open = false;
            continue;
        }
        // The ends of the whole stay as they are stated, open ones too.
        let until = match at + 1 == within.len() {
            true => whole.until,
            false => Some(release),
        };
        match out.last_mut() {
            Some(last) if is_open => last.until = until,
            _ => out.push(ReleaseBounds {
                since: if at == 0 { whole.since } else { Some(release) },
                until,
            }),
        }
        is_open = true;
    }
    out
}

/// Whether any of several ranges has the release.
pub(crate) fn covers(ranges: &[ReleaseBounds], release: Release) -> bool {
    ranges.iter().any(|range| range.contains(release))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_divide_a_range() {
        let releases: Vec<Release> = (1..8).map(|minor| Release::new(0, minor, 0)).collect();
        let range = |since: Option<u32>, until: Option<u32>| ReleaseBounds {
            since: since.map(|minor| Release::new(0, minor, 0)),
            until: until.map(|minor| Release::new(0, minor, 0)),
        };
        let git = Availability {
            range: range(Some(2), None),
            gaps: vec![range(Some(4), Some(5))],
            ..Availability::ALWAYS
        };
        assert_eq!(
            git.ranges(&releases),
            [range(Some(2), Some(3)), range(Some(6), None)]
        );
        let open = Availability {
            gaps: vec![range(Some(3), Some(3))],
            ..Availability::ALWAYS
        };
        assert_eq!(
            open.ranges(&releases),
            [range(None, Some(2)), range(Some(4), None)]
        );
        assert_eq!(
            Availability::ALWAYS.ranges(&releases),
            [ReleaseBounds::ALWAYS]
        );
    }

    #[test]
    fn exceptions_are_what_no_range_has() {
        let releases: Vec<Release> = (1..8).map(|minor| Release::new(0, minor, 0)).collect();
        let range = |since: Option<u32>, until: Option<u32>| ReleaseBounds {
            since: since.map(|minor| Release::new(0, minor, 0)),
            until: until.map(|minor| Release::new(0, minor, 0)),
        };
        let always = ReleaseBounds::ALWAYS;
        assert_eq!(except(always, &[always], &releases), []);
        assert_eq!(except(always, &[], &releases), [always]);
        assert_eq!(
            except(
                always,
                &[range(None, Some(1)), range(Some(5), None)],
                &releases
            ),
            [range(Some(2), Some(4))]
        );
        assert_eq!(
            except(range(Some(2), None), &[range(Some(3), Some(6))], &releases),
            [range(Some(2), Some(2)), range(Some(7), None)]
        );
    }
}
