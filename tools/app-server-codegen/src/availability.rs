//! The releases in which a fact holds, and for which clients.

use std::collections::BTreeMap;

use codex_wire::Release;

/// Which of the two official documents of a release state a fact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Channels {
    /// The one for every client.
    pub stable: bool,
    /// The one for clients that opted into the experimental API. Releases before 0.95.0 have
    /// one document only, which counts as both.
    pub experimental: bool,
}

impl Channels {
    /// Both documents.
    pub const BOTH: Channels = Channels {
        stable: true,
        experimental: true,
    };
}

/// The releases in which a fact holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Availability(BTreeMap<Release, Channels>);

impl Availability {
    /// The availability of a fact stated once.
    pub fn once(release: Release, channels: Channels) -> Self {
        Availability([(release, channels)].into())
    }

    /// Adds what another availability holds.
    pub fn extend(&mut self, other: &Availability) {
        for (release, channels) in &other.0 {
            let known = self.0.entry(*release).or_default();
            known.stable |= channels.stable;
            known.experimental |= channels.experimental;
        }
    }

    /// Takes back what another availability holds.
    pub fn remove(&mut self, other: &Availability) {
        for (release, channels) in &other.0 {
            if let Some(known) = self.0.get_mut(release) {
                known.stable &= !channels.stable;
                known.experimental &= !channels.experimental;
            }
        }
        self.0.retain(|_, known| known.stable || known.experimental);
    }

    /// What both hold.
    pub fn and(&self, other: &Availability) -> Availability {
        let mut out = Availability::default();
        for (release, channels) in &self.0 {
            let Some(others) = other.0.get(release) else {
                continue;
            };
            let both = Channels {
                stable: channels.stable && others.stable,
                experimental: channels.experimental && others.experimental,
            };
            if both.stable || both.experimental {
                out.0.insert(*release, both);
            }
        }
        out
    }

    /// Forgets a release.
    pub fn forget(&mut self, release: Release) {
        self.0.remove(&release);
    }

    /// Whether no release states it.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether the document of `release` states it: the experimental one, or the stable one.
    pub fn holds(&self, release: Release, experimental: bool) -> bool {
        self.0.get(&release).is_some_and(|channels| {
            if experimental {
                channels.experimental
            } else {
                channels.stable
            }
        })
    }

    /// The first and last release.
    pub fn hull(&self) -> Option<(Release, Release)> {
        let first = self.0.keys().next()?;
        let last = self.0.keys().next_back()?;
        Some((*first, *last))
    }

    /// The releases, with the documents that state the fact.
    pub fn iter(&self) -> impl Iterator<Item = (Release, Channels)> {
        self.0
            .iter()
            .map(|(release, channels)| (*release, *channels))
    }

    /// The availability as text, ranges between releases of `release_list`: `0.58.0..0.98.0, exp 0.99.0..`.
    pub fn text(&self, release_list: &[Release]) -> String {
        let ranges = ranges(release_list, |release| self.0.get(release).copied());
        let texts = ranges.map(|(channels, since, until)| {
            let channels = match (channels.stable, channels.experimental) {
                (false, _) => "exp ",
                (true, false) => "stable-only ",
                (true, true) => "",
            };
            match Some(&until) == release_list.last() {
                true => format!("{channels}{since}.."),
                false => format!("{channels}{since}..{until}"),
            }
        });
        texts.collect::<Vec<_>>().join(", ")
    }

    /// Reads what [`Availability::text`] writes.
    ///
    /// # Errors
    /// In words, when the text is malformed.
    pub fn parse(text: &str, release_list: &[Release]) -> Result<Self, String> {
        let mut availability = Availability::default();
        for part in text.split(',').map(str::trim) {
            let (channels, range) = if let Some(range) = part.strip_prefix("exp ") {
                let experimental = Channels {
                    stable: false,
                    experimental: true,
                };
                (experimental, range)
            } else if let Some(range) = part.strip_prefix("stable-only ") {
                let stable = Channels {
                    stable: true,
                    experimental: false,
                };
                (stable, range)
            } else {
                (Channels::BOTH, part)
            };
            let (since, until) = range
                .split_once("..")
                .ok_or_else(|| format!("`{part}` is not an interval"))?;
            let release = |text: &str| text.parse::<Release>().map_err(|e| e.to_string());
            let since = release(since)?;
            let until = if until.is_empty() {
                *release_list.last().ok_or("no releases")?
            } else {
                release(until)?
            };
            let before = availability.0.len();
            for release in release_list.iter().filter(|r| (since..=until).contains(*r)) {
                availability.0.insert(*release, channels);
            }
            if availability.0.len() == before {
                return Err(format!("`{part}` holds no release"));
            }
        }
        Ok(availability)
    }
}

impl FromIterator<Release> for Availability {
    /// Of a fact that both documents of these releases state.
    fn from_iter<I: IntoIterator<Item = Release>>(releases: I) -> Self {
        let releases = releases.into_iter();
        Availability(releases.map(|one| (one, Channels::BOTH)).collect())
    }
}

/// The ranges of neighbouring releases of a list that have the same value, with their first and last release.
pub fn ranges<T: PartialEq>(
    release_list: &[Release],
    value: impl Fn(&Release) -> Option<T> + Copy,
) -> impl Iterator<Item = (T, Release, Release)> {
    let ranges = release_list.chunk_by(move |a, b| value(a) == value(b));
    ranges.filter_map(move |range| {
        let (first, last) = (range.first()?, range.last()?);
        Some((value(first)?, *first, *last))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn release_list() -> Vec<Release> {
        [58, 59, 60, 61, 62]
            .map(|minor| Release::new(0, minor, 0))
            .to_vec()
    }

    fn parse(text: &str) -> Availability {
        Availability::parse(text, &release_list()).unwrap()
    }

    #[test]
    fn intervals_are_read_and_written_back() {
        for text in [
            "0.58.0..",
            "0.59.0..0.60.0",
            "0.58.0..0.58.0",
            "0.58.0..0.58.0, 0.60.0..0.61.0",
            "exp 0.58.0..0.59.0, 0.60.0..",
            "stable-only 0.58.0..0.58.0, exp 0.60.0..",
        ] {
            assert_eq!(parse(text).text(&release_list()), text);
        }
        // Neighbours grow together.
        assert_eq!(
            parse("0.58.0..0.59.0, 0.60.0..").text(&release_list()),
            "0.58.0.."
        );
    }

    #[test]
    fn what_is_no_interval_is_refused() {
        for (text, message) in [
            ("", "`` is not an interval"),
            ("0.58.0", "`0.58.0` is not an interval"),
            ("0.58.0..,", "`` is not an interval"),
            ("0.60.0..0.59.0", "`0.60.0..0.59.0` holds no release"),
            ("0.70.0..0.71.0", "`0.70.0..0.71.0` holds no release"),
        ] {
            assert_eq!(
                Availability::parse(text, &release_list()),
                Err(message.to_owned())
            );
        }
        assert!(Availability::parse("first..", &release_list()).is_err());
        assert!(Availability::parse("0.58.0..", &[]).is_err());
    }

    #[test]
    fn an_open_end_is_that_of_the_timeline() {
        let availability = parse("exp 0.61.0..");
        assert_eq!(
            availability.hull(),
            Some((Release::new(0, 61, 0), Release::new(0, 62, 0)))
        );
        assert!(availability.holds(Release::new(0, 62, 0), true));
        assert!(!availability.holds(Release::new(0, 62, 0), false));
        assert!(!availability.holds(Release::new(0, 60, 0), true));
    }

    #[test]
    fn what_is_added_can_be_taken_back() {
        let mut availability = parse("exp 0.58.0..");
        availability.extend(&parse("0.60.0..0.61.0"));
        let text = "exp 0.58.0..0.59.0, 0.60.0..0.61.0, exp 0.62.0..";
        assert_eq!(availability.text(&release_list()), text);
        availability.remove(&parse("stable-only 0.61.0..0.61.0, exp 0.62.0.."));
        let text = "exp 0.58.0..0.59.0, 0.60.0..0.60.0, exp 0.61.0..0.61.0";
        assert_eq!(availability.text(&release_list()), text);
        availability.forget(Release::new(0, 60, 0));
        availability.remove(&parse("0.58.0.."));
        assert!(availability.is_empty());
    }
}
