//! Compares texts that arrive in deltas with the complete text that follows.

/// How much of a text that is not whole yet is kept for comparison.
const MOST: usize = 4 << 20;

/// What is told in pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Strand {
    Message,
    Reasoning,
    Raw,
}

impl Strand {
    const ALL: [Strand; 3] = [Strand::Message, Strand::Reasoning, Strand::Raw];

    /// The strand an event tells a piece of.
    pub(super) fn of_delta(tag: &str) -> Option<Strand> {
        Strand::ALL.into_iter().find(|strand| strand.delta() == tag)
    }

    /// The strand an event tells whole.
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

/// What a whole text is to its pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fit {
    /// They join to it, or nothing can be said.
    Whole,
    /// It was not told in pieces, and no text of its kind was.
    Unannounced,
    /// Pieces told others of its kind, and not this one.
    Untold,
    /// They join to something else.
    Other,
}

/// The pieces that were told and are not whole yet.
#[derive(Debug, Default)]
pub(super) struct Texts([Pending; 3]);

#[derive(Debug, Default)]
struct Pending {
    text: String,
    /// Whether pieces of this strand were told at all.
    told: bool,
    /// Whether a text of this strand was told whole at all.
    whole: bool,
    /// Whether there may be pieces that are not in `text`: nothing is compared until the model
    /// starts again.
    unsure: bool,
}

impl Texts {
    pub(super) fn delta(&mut self, strand: Strand, piece: &str) {
        let pending = &mut self.0[strand as usize];
        pending.told = true;
        if pending.text.len() + piece.len() > MOST {
            pending.unsure = true;
            pending.text = String::new();
        } else if !pending.unsure {
            pending.text.push_str(piece);
        }
    }

    pub(super) fn whole(&mut self, strand: Strand, text: &str) -> Fit {
        let pending = &mut self.0[strand as usize];
        pending.whole = true;
        if pending.unsure || text.is_empty() {
            return Fit::Whole;
        }
        if pending.text.is_empty() {
            return match pending.told {
                true => Fit::Untold,
                false => Fit::Unannounced,
            };
        }
        // Several texts may be told in pieces before the first of them is told whole.
        if pending.text.starts_with(text) {
            pending.text.drain(..text.len());
            return Fit::Whole;
        }
        pending.text.clear();
        Fit::Other
    }

    /// Whether a text of that strand was told whole.
    pub(super) fn was_whole(&self, strand: Strand) -> bool {
        self.0[strand as usize].whole
    }

    /// The strand whose pieces wait for the whole.
    pub(super) fn left(&self) -> Option<Strand> {
        let waits = |strand: &Strand| !self.0[*strand as usize].text.is_empty();
        Strand::ALL.into_iter().find(waits)
    }

    /// The model starts again: what it said by halves is void.
    pub(super) fn void(&mut self) {
        for pending in &mut self.0 {
            pending.text.clear();
            pending.unsure = false;
        }
    }

    /// Pieces may be missing.
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
        assert_eq!(texts.whole(Strand::Reasoning, "d"), Fit::Untold);
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
