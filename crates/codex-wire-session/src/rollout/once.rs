//! What a session file says twice: once as an item of the conversation, once as an event.

use std::collections::VecDeque;

/// Where an item is: the numbers of its turn and of the item in it.
pub(super) type Place = (usize, usize);

/// What may come twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    /// What the user says, or Codex in the role of the user.
    User,
    /// What the agent says.
    Agent,
    /// A web search.
    Search,
    /// A summary of reasoning.
    Reasoning,
}

/// Which of the two times it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// The response item.
    Item,
    /// The event, or the turn item in its place.
    Event,
}

/// Which of several that fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pick {
    /// The one that has waited longest.
    Oldest,
    /// The one that came last.
    Newest,
}

/// The items that came once, and may come again from the other source.
///
/// The two times stand a few lines apart, so few items need to be kept, and each is read a few times only:
/// what a file costs grows with its length and no faster, whatever it holds.
#[derive(Clone, Debug, Default)]
pub(super) struct Singles(VecDeque<Single>);

#[derive(Clone, Debug)]
struct Single {
    place: Place,
    side: Side,
    source: Source,
    text: String,
    /// How often it was searched for another text.
    looks: u32,
}

/// How many items wait at most.
const WAITING: usize = 64;

/// How often one of them is searched at most.
const LOOKS: u32 = 64;

impl Singles {
    /// Notes an item that came for the first time.
    pub(super) fn wait(&mut self, place: Place, side: Side, source: Source, text: &str) {
        if self.0.len() == WAITING {
            self.0.pop_front();
        }
        self.0.push_back(Single {
            place,
            side,
            source,
            text: text.trim().to_owned(),
            looks: 0,
        });
    }

    /// The place of the item that `text` says again from `source`, among those in the turns from `from` on.
    /// The text of an event may lack what is for the model only, such as tags.
    pub(super) fn find(
        &mut self,
        side: Side,
        source: Source,
        text: &str,
        from: usize,
        pick: Pick,
    ) -> Option<Place> {
        let text = text.trim();
        let mut equal = None;
        let mut within = None;
        for single in &mut self.0 {
            if single.side != side || single.source == source || single.place.0 < from {
                continue;
            }
            let kept = |found: Option<Place>| match pick {
                Pick::Oldest => found.or(Some(single.place)),
                Pick::Newest => Some(single.place),
            };
            if single.text == text {
                equal = kept(equal);
            } else if single.looks < LOOKS && equal.is_none() {
                single.looks += 1;
                let (long, short) = match source {
                    Source::Item => (text, &*single.text),
                    Source::Event => (&*single.text, text),
                };
                // One run of sections may be several items.
                let begins =
                    side == Side::Reasoning && source == Source::Item && short.starts_with(long);
                if begins || !short.is_empty() && long.contains(short) {
                    within = kept(within);
                }
            }
        }
        equal.or(within)
    }

    /// The item at a place has come twice.
    pub(super) fn remove(&mut self, place: Place) {
        self.0.retain(|single| single.place != place);
    }

    /// One more section belongs to the reasoning at a place, if that is of events only. Returns whether it is.
    pub(super) fn extend_section(&mut self, place: Place, text: &str) -> bool {
        let Some(section) = self.section(place) else {
            return false;
        };
        section.text.push_str("\n\n");
        section.text.push_str(text.trim());
        true
    }

    /// An item has said this part of the sections at a place.
    pub(super) fn take_section(&mut self, place: Place, part: &str) {
        let Some(section) = self.section(place) else {
            return;
        };
        match section.text.strip_prefix(part.trim()) {
            Some(rest) if !rest.is_empty() => section.text = rest.trim().to_owned(),
            _ => self.remove(place),
        }
    }

    fn section(&mut self, place: Place) -> Option<&mut Single> {
        let mut singles = self.0.iter_mut().rev();
        singles.find(|single| {
            let is_section = single.side == Side::Reasoning && single.source == Source::Event;
            is_section && single.place == place
        })
    }

    /// Whether the item at a place is an answer that no event has repeated and that `text` contains.
    pub(super) fn is_answer_in(&self, place: Place, text: &str) -> bool {
        self.0.iter().any(|single| {
            let is_answer = single.side == Side::Agent && single.source == Source::Item;
            is_answer && single.place == place && text.contains(&single.text)
        })
    }

    /// Changes the places of items.
    pub(super) fn relocate(&mut self, moves: impl Fn(&mut Place)) {
        self.0
            .iter_mut()
            .for_each(|single| moves(&mut single.place));
    }
}
