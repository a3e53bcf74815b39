//! Checks the token counts of a session.

use super::Core;
use super::evidence::{BOTH, streams};
use crate::phrasing::Word;
use crate::rule::{Status, since, v};
use crate::rule_macros::{parts_of_tokens, rules};
use crate::sequence::machine::Observed;
use crate::sequence::value::{Counts, ListedCounts};
use crate::severity::Severity;
use crate::violation::{Broken, Violation};

impl Core {
    /// Compares the counts with those before.
    pub(super) fn tokens(&mut self, seen: &Observed<'_>, out: &mut Vec<Violation>) {
        parts(seen, out);
        let total = match seen.message.pointer("/msg/info") {
            Some(info) if info.is_object() => info.get("total_token_usage"),
            Some(info) if info.is_null() && !self.session.tokens.is_empty() => {
                out.push(TokensGone.at("/msg/info"));
                return;
            }
            // In early releases these are the tokens of one answer.
            _ => return,
        };
        let Some(total) = total.filter(|total| total.is_object()) else {
            return;
        };
        // A full window is counted as one number, with nothing else.
        let total = ListedCounts::of(total);
        let mut counts = total.iter();
        let is_full = counts.all(|(name, count)| name == "total_tokens" || count == 0);
        if is_full {
            return;
        }
        for (name, before, now) in self.session.tokens.falling(&total) {
            let pointer = format!("/msg/info/total_token_usage/{name}");
            let name = Word::of(name);
            out.push(TokensFall { name, before, now }.at(pointer));
        }
        self.session.tokens = Counts::of(&total);
    }
}

/// Compares counts of tokens with those they are part of, of the last answer and of all.
fn parts(seen: &Observed<'_>, out: &mut Vec<Violation>) {
    let last = "/msg/info/last_token_usage";
    for place in ["/msg", "/msg/info/total_token_usage", last] {
        let counts = seen.message.pointer(place);
        let Some(counts) = counts.map(ListedCounts::of) else {
            continue;
        };
        for (part, whole) in counts.parts_beyond() {
            out.push(PartBeyondWhole { part, whole }.at(format!("{place}/{part}")));
        }
    }
}

rules! {
    CORE_TOKENS_FALL {
        summary: "the token counts of a session never decrease",
        id: "sequence/core-tokens-fall",
        about: BOTH,
        releases: since(v(31)),
        explanation: "`total_token_usage` counts the whole session, so clients compute differences. \
            Before 0.31.0 the event counts one response of the model and is not checked. The \
            count for a full context window is ignored: it sets only the total.",
        evidence: streams!("850 counts of 5 releases from 0.34.0 on were compared."),
    } => {
        TokensGone: "`info` is null, but tokens were counted before",
        TokensFall { name: Word, before: u64, now: u64 }: "`{name}` falls from {before} to {now}",
    }
    CORE_TOKENS_PART {
        summary: "cached input tokens are not more than input tokens, and reasoning tokens are \
            not more than output tokens",
        id: "sequence/core-tokens-part",
        about: BOTH,
        level: Severity::Warning,
        status: Status::Advisory,
        exceptions: parts_of_tokens!(),
        explanation: "Clients subtract cached tokens from input tokens to compute a price, and \
            reasoning tokens from output tokens to count the visible text. Here the result is \
            negative.",
        evidence: "1,286 counts of 13 releases from 0.20.0 to 0.42.0; none breaks it.",
    } => {
        PartBeyondWhole { part: &'static str, whole: &'static str }: "`{part}` is more than `{whole}`",
    }
}
