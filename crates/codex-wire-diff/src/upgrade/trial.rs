//! What a client did with two releases.

/// A scenario, and what the client did in it with both releases.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ClientTrial {
    /// The scenario.
    pub scenario: String,
    /// With the older release.
    pub before: ClientResult,
    /// With the newer release.
    pub after: ClientResult,
    /// What the client shows with the newer one, if it ran with both.
    pub shows: Option<Shows>,
}

/// What a client shows undisturbed with the newer release, beside what it shows with the older one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shows {
    /// The same, except for numbers.
    TheSame,
    /// Something else.
    SomethingElse,
    /// Nothing, though it showed something before.
    Nothing,
}

/// What a client did with a release.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClientResult {
    /// It works.
    Works,
    /// Something is wrong.
    Fails(Vec<ClientFailure>),
    /// It could not be tried, with the reason.
    NotTried(String),
}

/// What a client did with a release, and what it showed undisturbed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientRun {
    /// What it did.
    pub result: ClientResult,
    /// What it showed.
    pub shown: String,
}

/// Something that is wrong with a client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientFailure {
    /// The fault with which it shows; none if it shows undisturbed.
    pub fault: Option<String>,
    /// The id of the finding.
    pub finding: String,
    /// The finding in words.
    pub message: String,
}

/// The finding of a client that shows nothing with the newer release.
const SHOWS_NOTHING: &str = "upgrade/shows-nothing";

impl ClientResult {
    /// What is wrong.
    pub fn failures(&self) -> &[ClientFailure] {
        match self {
            ClientResult::Fails(failures) => failures,
            _ => &[],
        }
    }

    /// Whether it was tried.
    pub fn is_tried(&self) -> bool {
        !matches!(self, ClientResult::NotTried(_))
    }

    /// The result in words.
    pub fn sentence(&self) -> String {
        match self {
            ClientResult::Works => "works".to_owned(),
            ClientResult::NotTried(reason) => format!("not tried: {reason}"),
            ClientResult::Fails(failures) => {
                let all = failures.iter().map(|failure| match &failure.fault {
                    Some(fault) => format!("{} with {fault}", failure.finding),
                    None => failure.finding.clone(),
                });
                all.collect::<Vec<_>>().join(", ")
            }
        }
    }
}

impl ClientTrial {
    /// Compares what a client did. A client that shows nothing any more fails, whatever its exit status is.
    pub fn new(scenario: String, before: ClientRun, mut after: ClientRun) -> Self {
        let both = before.result.is_tried() && after.result.is_tried();
        let shows = both.then(|| match (before.shown.trim(), after.shown.trim()) {
            (old, "") if !old.is_empty() => Shows::Nothing,
            (old, new) if same(old, new) => Shows::TheSame,
            _ => Shows::SomethingElse,
        });
        if shows == Some(Shows::Nothing) {
            let mut failures = after.result.failures().to_vec();
            failures.push(ClientFailure {
                fault: None,
                finding: SHOWS_NOTHING.to_owned(),
                message: "the client shows nothing, and showed something before".to_owned(),
            });
            after.result = ClientResult::Fails(failures);
        }
        ClientTrial {
            scenario,
            before: before.result,
            after: after.result,
            shows,
        }
    }

    /// Whether something can be learnt of it: the client ran with the newer release, and without a fault it works there.
    pub(super) fn tells(&self) -> bool {
        let undisturbed = self
            .after
            .failures()
            .iter()
            .any(|failure| failure.fault.is_none());
        self.after.is_tried() && !undisturbed
    }

    /// The failures with the newer release that the client does not have with the older one; none if it was not tried
    /// with that.
    pub fn new_failures(&self) -> impl Iterator<Item = &ClientFailure> {
        let known = self.before.failures();
        let is_new = move |failure: &&ClientFailure| {
            self.before.is_tried()
                && !known
                    .iter()
                    .any(|one| one.fault == failure.fault && one.finding == failure.finding)
        };
        self.after.failures().iter().filter(is_new)
    }
}

/// Whether two texts have the same words, except for those with digits, such as ids, times and counts.
fn same(one: &str, other: &str) -> bool {
    fn words(text: &str) -> impl Iterator<Item = &str> {
        let has_digit = |word: &&str| word.contains(|c: char| c.is_ascii_digit());
        text.split_whitespace().filter(move |word| !has_digit(word))
    }
    words(one).eq(words(other))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failure(fault: Option<&str>, finding: &str) -> ClientFailure {
        ClientFailure {
            fault: fault.map(str::to_owned),
            finding: finding.to_owned(),
            message: String::new(),
        }
    }

    fn trial(before: (ClientResult, &str), after: (ClientResult, &str)) -> ClientTrial {
        let run = |(result, shown): (ClientResult, &str)| ClientRun {
            result,
            shown: shown.to_owned(),
        };
        ClientTrial::new("exec/message".to_owned(), run(before), run(after))
    }

    #[test]
    fn what_failed_before_is_not_new() {
        let known = failure(Some("turn-fails"), "a");
        let before = ClientResult::Fails(vec![known.clone()]);
        let after = ClientResult::Fails(vec![known, failure(None, "a")]);
        let found = trial((before, "x"), (after, "x"));
        assert_eq!(found.new_failures().count(), 1);
        let untried = ClientResult::NotTried("no".to_owned());
        let found = trial((untried, ""), (found.after, "x"));
        assert_eq!((found.new_failures().count(), found.shows), (0, None));
    }

    #[test]
    fn a_client_that_shows_nothing_fails() {
        let shows = |old, new| trial((ClientResult::Works, old), (ClientResult::Works, new));
        let found = shows("Done.", "\n");
        assert_eq!(
            (found.new_failures().count(), found.shows),
            (1, Some(Shows::Nothing))
        );
        assert_eq!(
            shows("Done in 3s", "Done in 4s").shows,
            Some(Shows::TheSame)
        );
        assert_eq!(shows("Done.", "Failed.").shows, Some(Shows::SomethingElse));
        assert_eq!(shows("", "").shows, Some(Shows::TheSame));
    }
}
