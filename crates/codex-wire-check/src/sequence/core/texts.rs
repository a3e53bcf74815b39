//! Compares texts that arrive in deltas with the complete text that follows.

/// How many bytes of an incomplete text are kept for comparison.
const MOST: usize = 4 << 20;

/// A kind of text that Codex sends in deltas and then complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Strand {
    Message,
    Reasoning,
    Raw,
}

impl Strand {
    const ALL: [Strand; 3] = [Strand::Message, Strand::Reasoning, Strand::Raw];

    /// The strand of a delta event.
    pub(super) fn of_delta(tag: &str) -> Option<Strand> {
        Strand::ALL.into_iter().find(|strand| strand.delta() == tag)
    }

    /// The strand of an event with a complete text.
    pub(super) fn of_whole(tag: &str) -> Option<Strand> {
        Strand::ALL.into_iter().find(|strand| strand.whole() == tag)
    }

    fn delta(self) -> &'static str {
        match self {
            Strand::Message => "agent_message_delta",
            Strand::Reasoning => "agent_reasoning_delta",
            Strand::Raw => "agent_reasoning_raw_content_delta",
        }
    }

    pub(super) fn whole(self) -> &'static str {
        match self {
            Strand::Message => "agent_message",
            Strand::Reasoning => "agent_reasoning",
            Strand::Raw => "agent_reasoning_raw_content",
        }
    }
}

/// How a complete text compares with its deltas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fit {
    /// The deltas add up to it, or cannot be compared.
    Whole,
    /// It has no deltas, and no text of its kind had any.
    Unannounced,
    /// It has no deltas, but other texts of its kind had some.
    NoDeltas,
    /// The deltas add up to something else.
    Other,
}

/// The texts whose deltas have come, but not yet the complete text.
#[derive(Debug, Default)]
pub(super) struct Texts([Pending; 3]);

#[derive(Debug, Default)]
struct Pending {
    text: String,
    /// Whether deltas of this strand have come at all.
    has_deltas: bool,
    /// Whether a complete text of this strand has come at all.
    whole: bool,
    /// Whether there may be deltas that are not in `text`. Then nothing is compared until the model
    /// starts again.
    unsure: bool,
}

impl Texts {
    pub(super) fn delta(&mut self, strand: Strand, delta: &str) {
        let pending = &mut self.0[strand as usize];
        pending.has_deltas = true;
        if pending.text.len() + delta.len() > MOST {
            pending.unsure = true;
            pending.text = String::new();
        } else if !pending.unsure {
            pending.text.push_str(delta);
        }
    }

    pub(super) fn whole(&mut self, strand: Strand, text: &str) -> Fit {
        let pending = &mut self.0[strand as usize];
        pending.whole = true;
        if pending.unsure || text.is_empty() {
            return Fit::Whole;
        }
        if pending.text.is_empty() {
            return match pending.has_deltas {
                true => Fit::NoDeltas,
                false => Fit::Unannounced,
            };
        }
        // The deltas of several texts may come before the first of them is complete.
        if pending.text.starts_with(text) {
            pending.text.drain(..text.len());
            return Fit::Whole;
        }
        pending.text.clear();
        Fit::Other
    }

    /// Whether a complete text of that strand has come.
    pub(super) fn was_whole(&self, strand: Strand) -> bool {
        self.0[strand as usize].whole
    }

    /// A strand with deltas that wait for the complete text.
    pub(super) fn left(&self) -> Option<Strand> {
        let waits = |strand: &Strand| !self.0[*strand as usize].text.is_empty();
        Strand::ALL.into_iter().find(waits)
    }

    /// The model starts again: incomplete texts are discarded.
    pub(super) fn void(&mut self) {
        for pending in &mut self.0 {
            pending.text.clear();
            pending.unsure = false;
        }
    }

    /// Deltas may be missing.
    pub(super) fn lost(&mut self) {
        for pending in &mut self.0 {
            pending.text.clear();
            pending.unsure = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_join_to_one_text_after_another() {
        let mut texts = Texts::default();
        assert_eq!(texts.whole(Strand::Reasoning, "x"), Fit::Unannounced);
        texts.delta(Strand::Reasoning, "ab");
        texts.delta(Strand::Reasoning, "cd");
        assert_eq!(texts.whole(Strand::Reasoning, "abc"), Fit::Whole);
        assert_eq!(texts.left(), Some(Strand::Reasoning));
        assert_eq!(texts.whole(Strand::Reasoning, "d"), Fit::Whole);
        assert_eq!(texts.left(), None);
        assert_eq!(texts.whole(Strand::Reasoning, "d"), Fit::NoDeltas);
    }

    #[test]
    fn what_may_be_missing_is_not_compared() {
        let mut texts = Texts::default();
        texts.delta(Strand::Message, "a");
        texts.lost();
        texts.delta(Strand::Message, "c");
        assert_eq!(texts.whole(Strand::Message, "abc"), Fit::Whole);
        assert_eq!(texts.whole(Strand::Message, "def"), Fit::Whole);
        texts.void();
        texts.delta(Strand::Message, "d");
        assert_eq!(texts.whole(Strand::Message, "e"), Fit::Other);
    }

    #[test]
    fn it_does_not_grow() {
        let mut texts = Texts::default();
        for _ in 0..10 {
            texts.delta(Strand::Message, &"x".repeat(1 << 20));
        }
        assert!(texts.0[0].text.len() <= MOST);
        assert_eq!(texts.whole(Strand::Message, "x"), Fit::Whole);
    }
}
