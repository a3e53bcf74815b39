//! Narrows a comparison to what a reader asked for.

use codex_wire_base::MessageSet;

use crate::change::{Change, Direction, Verdict};
use crate::comparison::Comparison;
use crate::difference::{Difference, Message};
use crate::evidence::EvidenceKind;

impl Comparison {
    /// Keeps only what concerns messages of one writer. A difference in messages of both writers
    /// keeps the verdict of this one.
    #[must_use]
    pub fn only_written_by(self, direction: Direction) -> Comparison {
        let mut narrowed = self.keeping(|difference| {
            let mut judgements = difference.judgements.iter();
            judgements.any(|judgement| judgement.direction == direction)
        });
        let corrections = narrowed.corrections.iter_mut();
        let corrections = corrections.map(|corrected| &mut corrected.difference);
        for difference in narrowed.differences.iter_mut().chain(corrections) {
            difference
                .judgements
                .retain(|judgement| judgement.direction == direction);
        }
        // The sort is stable: places stay in their order.
        narrowed
            .differences
            .sort_by_key(|difference| std::cmp::Reverse(difference.verdict()));
        narrowed
    }

    /// Keeps only the differences in messages, requests or variants with such a name. Of the messages that a
    /// difference is in, these come first.
    #[must_use]
    pub fn only_named(self, matches: impl Fn(&str) -> bool) -> Comparison {
        let mut narrowed = self.keeping(|difference| difference.is_named(&matches));
        for difference in &mut narrowed.differences {
            let messages = &mut difference.messages;
            messages.sort_by_key(|message| !matches(&message.name));
        }
        narrowed
    }

    /// Keeps only the differences with these verdicts.
    #[must_use]
    pub fn only_verdicts(self, verdicts: &[Verdict]) -> Comparison {
        self.keeping(|difference| verdicts.contains(&difference.verdict()))
    }

    /// Keeps only the breaking differences that rest on evidence of these kinds.
    #[must_use]
    pub fn only_evidence(self, kinds: &[EvidenceKind]) -> Comparison {
        self.keeping(|difference| {
            difference.verdict() == Verdict::Breaking
                && difference
                    .evidence()
                    .is_some_and(|evidence| kinds.contains(&evidence.kind()))
        })
    }

    /// Keeps only the differences in what was observed.
    pub(crate) fn only_observed(self) -> Comparison {
        self.keeping(|difference| difference.is_observed)
    }

    /// Keeps some of the differences and known corrections, and counts the others.
    fn keeping(mut self, keep: impl Fn(&Difference) -> bool) -> Comparison {
        let hidden = &mut self.hidden;
        self.differences.retain(|difference| {
            let kept = keep(difference);
            if !kept {
                hidden.add(difference);
            }
            kept
        });
        let before = self.corrections.len();
        self.corrections
            .retain(|corrected| keep(&corrected.difference));
        hidden.corrections += before - self.corrections.len();
        self
    }
}

impl Difference {
    /// Whether a message that contains the place has such a name, or a variant on the way to it.
    fn is_named(&self, matches: &impl Fn(&str) -> bool) -> bool {
        // Of a type that both sides write, only the messages count whose verdict is kept.
        let counts = |message: &&Message| match direction(&message.part) {
            Some(direction) => {
                let mut judgements = self.judgements.iter();
                judgements.any(|judgement| judgement.direction == direction)
            }
            None => true,
        };
        let messages = self.messages.iter().filter(counts);
        let tags = self
            .path
            .iter()
            .filter_map(|step| step.strip_prefix('<')?.strip_suffix('>'));
        let own: &[&Option<String>] = match self.change {
            Change::MessageRenamed
            | Change::VariantAdded
            | Change::VariantRemoved
            | Change::VariantRenamed => &[&self.before, &self.after],
            _ => &[],
        };
        messages
            .map(|message| message.name.as_str())
            .chain(tags)
            .chain(own.iter().filter_map(|name| name.as_deref()))
            .any(matches)
    }
}

/// Who writes the messages of a part; `None` for a file that does not say so.
fn direction(part: &str) -> Option<Direction> {
    let message_set = MessageSet::ALL.iter().find(|one| one.as_str() == part)?;
    Some(if message_set.is_written() {
        Direction::CodexWrites
    } else {
        Direction::ClientWrites
    })
}
