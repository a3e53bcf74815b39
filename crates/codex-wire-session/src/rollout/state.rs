//! The thread as far as its lines have been read: which turn runs, what may come again, what is a copy.

use std::collections::VecDeque;

use codex_wire_base::Release;
use serde_json::Value;

use super::lineage;
use super::once::{Pick, Place, Side, Singles, Source};
use super::settings;
use crate::build::counter::TokenCounter;
use crate::build::thread::{self, Here, ThreadBuilder};
use crate::model::{
    Body, Item, Lines, Message, Reasoning, Role, Time, Tokens, Turn, TurnError, TurnStatus,
};

/// How much later than its first line a legacy fork may still copy lines, in milliseconds. Only forks made
/// before 0.100.0 need it.
const COPYING: u64 = 1000;

/// Reads the lines of a session file into a thread.
#[derive(Clone, Debug, Default)]
pub(crate) struct RolloutReader {
    pub(super) builder: ThreadBuilder,
    pub(super) counter: TokenCounter,
    /// The line at hand.
    pub(super) here: Here,
    /// How many messages there were.
    pub(super) messages: u64,
    /// Whether the first line was one of 0.20.0 to 0.29.0.
    pub(super) is_early: bool,
    /// The last of the turns has not begun yet: what stands in it came before.
    pub(super) is_draft: bool,
    /// The last of the turns has an id, and has not ended.
    pub(super) is_open: bool,
    /// Messages and searches that came once, of the two times that files have them.
    singles: Singles,
    /// The last things the user said, and the turns they stand in.
    prompts: VecDeque<(usize, String)>,
    /// The first message of those that may begin the next turn, and the time and the line of the turn before it.
    before_prompt: Option<(Place, Option<Time>, u64)>,
    /// Settings were applied that are not yet those of the running turn: a resume applies them before its first turn.
    has_new_settings: bool,
    pub(super) is_reviewing: bool,
    /// Whether the model has answered since the file began.
    pub(super) has_answered: bool,
    /// Lines are copies of another thread's.
    pub(super) is_copying: bool,
    /// The release that made the file.
    pub(super) made_by: Option<Release>,
}

impl RolloutReader {
    /// Whether the release that made the file writes ids of turns.
    pub(super) fn has_turn_ids(&self) -> bool {
        self.made_since(Release::new(0, 100, 0))
    }

    pub(super) fn made_since(&self, release: Release) -> bool {
        self.made_by >= Some(release)
    }

    pub(super) fn change_settings(&mut self, applied: &Value) {
        settings::change(&mut self.builder.settings, applied);
        self.has_new_settings = !self.is_draft && self.is_open;
    }

    /// The line at hand begins no turn: settings that were applied before it are those of the running one.
    pub(super) fn settle_settings(&mut self) {
        if std::mem::take(&mut self.has_new_settings) {
            self.set_settings();
        }
    }

    /// The settings in force are those of the current turn.
    pub(super) fn set_settings(&mut self) {
        let settings = self.builder.settings.clone();
        let number = self.current_number();
        if let Some(turn) = self.builder.turn_mut(number) {
            turn.settings = settings;
        }
    }

    /// The number of the turn that what comes belongs to: the running one, or else one that has not begun.
    pub(super) fn current_number(&mut self) -> usize {
        let ends_unmarked = |turn: &Turn| turn.status == TurnStatus::Unmarked;
        let goes_on =
            self.is_draft || self.is_open || self.builder.last().is_some_and(ends_unmarked);
        if !goes_on {
            self.draft();
        }
        self.builder.len() - 1
    }

    fn draft(&mut self) {
        if !self.is_draft {
            self.is_draft = true;
            let settings = self.builder.settings.clone();
            self.builder.push(Turn {
                lines: Lines::at(self.here.line),
                settings,
                is_copied: self.is_copying,
                ..Turn::default()
            });
        }
    }

    /// A turn begins; what stands in the draft belongs to it.
    pub(super) fn begin(&mut self, id: Option<&str>) {
        if let Some(id) = id {
            self.notice_own_turn(id);
        } else if self.is_copying
            && self.builder.thread.lineage.copies_are_guessed
            && self.is_late()
        {
            self.is_copying = false;
        }
        if self.is_open
            && let Some(turn) = self.builder.last_mut()
        {
            // It never ended: Codex was killed and the thread resumed.
            turn.status = TurnStatus::Unfinished;
        }
        self.draft();
        self.is_draft = false;
        self.has_new_settings = false;
        self.is_open = id.is_some();
        let (at, is_copied) = (self.here.at, self.is_copying);
        let number = self.builder.len() - 1;
        if let Some(turn) = self.builder.turn_mut(number) {
            turn.started = at;
            turn.is_copied = is_copied;
        }
        if let Some(id) = id {
            self.builder.name_turn(number, id);
        }
    }

    /// The running turn ends.
    pub(super) fn end(&mut self, id: Option<&str>, status: TurnStatus) -> Option<&mut Turn> {
        // In the parent of a review, the end names another turn than the beginning.
        let number = match (self.is_open, id.and_then(|id| self.builder.turn_of(id))) {
            (true, _) => self.builder.len() - 1,
            (false, Some(number)) => number,
            (false, None) if self.is_draft || id.is_some() => return None,
            (false, None) => self.builder.len().checked_sub(1)?,
        };
        self.is_open = false;
        let here = self.here;
        let turn = self.builder.turn_mut(number)?;
        turn.ended = here.at;
        turn.lines.extend(here.line);
        turn.status = status;
        Some(turn)
    }

    /// A turn with an id made after the file is not a copy, nor is what follows.
    pub(super) fn notice_own_turn(&mut self, id: &str) {
        if !self.is_copying || !self.has_turn_ids() {
            return;
        }
        let made = self.builder.thread.id.as_deref();
        let made = made.and_then(lineage::time_of_id);
        if made.is_some() && lineage::time_of_id(id) >= made {
            self.is_copying = false;
            if self.builder.thread.lineage.forked_from.is_some() {
                self.counter.end_copies();
            }
            self.has_answered = false;
            if self.is_draft
                && let Some(draft) = self.builder.last_mut()
            {
                match draft.responses.is_empty() {
                    // What was read between the copies and this turn is its own.
                    true => draft.is_copied = false,
                    // A turn that was copied without its beginning.
                    false => self.is_draft = false,
                }
            }
        }
    }

    /// Whether the line is from long after the file was made.
    fn is_late(&self) -> bool {
        let made = self.builder.thread.created;
        let late = |(now, made): (Time, Time)| now.since(made) > COPYING;
        self.here.at.zip(made).is_some_and(late)
    }

    /// Notes the place and the time of the line in the running turn.
    pub(super) fn touch(&mut self) {
        if self.is_draft || self.has_new_settings {
            return;
        }
        let (here, is_open) = (self.here, self.is_open);
        if let Some(turn) = self.builder.last_mut() {
            let is_unmarked = turn.status == TurnStatus::Unmarked && turn.started.is_some();
            if is_open || is_unmarked {
                turn.ended = here.at;
                turn.lines.extend(here.line);
            }
        }
    }

    /// The last of the turns that have begun.
    pub(super) fn last_begun(&mut self) -> Option<&mut Turn> {
        let number = self.last_begun_number()?;
        self.builder.turn_mut(number)
    }

    fn last_begun_number(&self) -> Option<usize> {
        self.builder
            .len()
            .checked_sub(1 + usize::from(self.is_draft))
    }

    /// A response of the model used tokens.
    pub(super) fn response(&mut self, tokens: Tokens) {
        // Between turns, it belongs to the one before: its compaction, say.
        let number = match self.last_begun_number() {
            Some(number) => number,
            None => {
                self.draft();
                0
            }
        };
        self.builder.response(number, self.here, tokens);
    }

    /// Adds an item to the turn with that id, or to the current one.
    pub(super) fn add(&mut self, turn_id: Option<&str>, item: Item) -> Place {
        let number = turn_id.and_then(|id| self.builder.turn_of(id));
        let number = match number {
            Some(number) => number,
            None => self.current_number(),
        };
        if is_context(&item)
            && let Some(turn) = self.builder.turn(number)
            && !turn.items.last().is_some_and(is_context)
        {
            let place = (number, turn.items.len());
            self.before_prompt = Some((place, turn.ended, turn.lines.to));
        }
        match self.builder.add(Some(number), item) {
            thread::Place::Turn(turn, item) => (turn, item),
            // The turn was taken out long ago.
            thread::Place::Outside(item) => (usize::MAX, item),
        }
    }

    pub(super) fn item(&mut self, place: Place) -> Option<&mut Item> {
        self.builder.item(thread::Place::Turn(place.0, place.1))
    }

    /// An item of the line at hand.
    pub(super) fn new_item(&self, body: Body) -> Item {
        Item {
            started: self.here.at,
            completed: self.here.at,
            ..Item::new(self.here.line, body)
        }
    }

    /// Adds an item that the file has twice: once as item, once as event. Gives its place, and whether it is
    /// the second time.
    pub(super) fn add_once(
        &mut self,
        turn_id: Option<&str>,
        (side, source): (Side, Source),
        text: &str,
        item: Item,
    ) -> (Place, bool) {
        // The other one stands in the same turn, or in the one before if that is just beginning.
        let from = self.builder.len().saturating_sub(2);
        if let Some(place) = self.singles.find(side, source, text, from, Pick::Oldest) {
            // Reasoning may come again once more: a section with each event.
            if side != Side::Reasoning {
                self.singles.remove(place);
            }
            let line = self.here.line;
            if let Some(item) = self.item(place) {
                item.lines.extend(line);
            }
            return (place, true);
        }
        let place = self.add(turn_id, item);
        self.singles.wait(place, side, source, text);
        (place, false)
    }

    /// The section of reasoning at this place goes on with that before it, if no item has had that one yet.
    pub(super) fn join_section(&mut self, place: Place, text: &str) {
        let Some(before) = place.1.checked_sub(1).map(|at| (place.0, at)) else {
            return;
        };
        if !self.singles.extend_section(before, text) {
            return;
        }
        self.singles.remove(place);
        if let Some(turn) = self.builder.turn_mut(place.0) {
            turn.items.pop();
        }
        let here = self.here;
        if let Some(item) = self.item(before)
            && let Body::Reasoning(first) = &mut item.body
        {
            first.summary.push_str("\n\n");
            first.summary.push_str(text);
            item.lines.extend(here.line);
            item.completed = here.at;
        }
    }

    /// The sections of reasoning at this place are, or begin with, what an item says as a whole.
    pub(super) fn complete_reasoning(
        &mut self,
        place: Place,
        whole: Reasoning,
        id: Option<String>,
    ) {
        self.singles.take_section(place, &whole.summary);
        if let Some(id) = &id {
            self.builder
                .place(id, thread::Place::Turn(place.0, place.1));
        }
        if let Some(item) = self.item(place)
            && let Body::Reasoning(sections) = &mut item.body
        {
            item.id = item.id.take().or(id);
            if whole.summary.len() > sections.summary.len() {
                sections.summary = whole.summary;
            }
            if !sections.content.is_empty() && !whole.content.is_empty() {
                sections.content.push_str("\n\n");
            }
            sections.content.push_str(&whole.content);
        }
    }

    /// Removes the last item if it is an answer that no event repeats and that `text` contains.
    pub(super) fn drop_answer_in(&mut self, text: &str) {
        let Some(number) = self.builder.len().checked_sub(1) else {
            return;
        };
        let last = self
            .builder
            .last()
            .and_then(|turn| turn.items.len().checked_sub(1));
        let Some(last) = last else { return };
        if self.singles.is_answer_in((number, last), text) {
            self.singles.remove((number, last));
            if let Some(turn) = self.builder.last_mut() {
                turn.items.pop();
            }
        }
    }

    /// The user spoke: the turn begins with it, where the file does not mark beginnings.
    pub(super) fn prompt(&mut self, turn_id: Option<&str>, mut item: Item) {
        let Body::Message(message) = &item.body else {
            return;
        };
        let text = message.text.clone();
        let from = self.builder.len().saturating_sub(2);
        let (side, source) = (Side::User, Source::Event);
        let mut matched = self.singles.find(side, source, &text, from, Pick::Newest);
        if self.is_reviewing && self.was_said(&text) {
            // The parent of a review has the task twice.
            return;
        }
        if self.is_reviewing && !self.is_open && self.has_prompt() {
            // Another task: the review never ended, for Codex was killed.
            self.is_reviewing = false;
        }
        let is_marked = self.is_open || turn_id.is_some();
        let goes_on = self.is_reviewing && self.last_begun().is_some();
        if !is_marked && !goes_on {
            matched = self.begin_at(matched);
        }
        let place = match matched {
            Some(place) => {
                self.singles.remove(place);
                if let Some(first) = self.item(place) {
                    item.lines.from = first.lines.from;
                    item.started = first.started.or(item.started);
                    *first = item;
                }
                place
            }
            None => {
                let place = self.add(turn_id, item);
                self.singles.wait(place, side, source, &text);
                place
            }
        };
        self.note_prompt(place.0, &text);
    }

    fn note_prompt(&mut self, turn: usize, text: &str) {
        if self.prompts.len() == 8 {
            self.prompts.pop_front();
        }
        self.prompts.push_back((turn, text.to_owned()));
        self.builder.prompted(turn);
    }

    /// Whether somebody has said something in the last turn that began.
    fn has_prompt(&self) -> bool {
        let turn = self.last_begun_number();
        turn.is_some() && self.builder.last_prompted() >= turn
    }

    /// Whether this was said a moment ago.
    fn was_said(&self, text: &str) -> bool {
        let from = self.builder.len().saturating_sub(2);
        let mut prompts = self.prompts.iter();
        prompts.any(|(turn, said)| *turn >= from && said == text)
    }

    /// A turn begins with an item that stands at the end of the one before, with the context that precedes
    /// it. Gives the new place of that item.
    fn begin_at(&mut self, first: Option<Place>) -> Option<Place> {
        let mut moved = Vec::new();
        let mut from = None;
        let before_prompt = self.before_prompt.take();
        if let Some((number, item)) = first
            && !self.is_draft
            && number + 1 == self.builder.len()
            && let Some(turn) = self.builder.turn_mut(number)
        {
            let items = turn.items[..item].iter().rev();
            let start = item - items.take_while(|item| is_context(item)).count();
            moved = turn.items.split_off(start);
            // Its last line is not one of the next turn, which may be of another day.
            if let Some((place, ended, line)) = before_prompt
                && place == (number, start)
            {
                turn.ended = ended;
                turn.lines.to = line;
            }
            from = Some((number, start));
        }
        self.begin(None);
        let number = self.builder.len() - 1;
        let turn = self.builder.last_mut()?;
        let offset = turn.items.len();
        if let Some(first) = moved.first() {
            turn.lines.from = turn.lines.from.min(first.lines.from);
        }
        turn.items.extend(moved);
        let Some((old, start)) = from else {
            return first;
        };
        let moves = |place: &mut Place| {
            if place.0 == old && place.1 >= start {
                *place = (number, place.1 - start + offset);
            }
        };
        self.singles.relocate(moves);
        let ids: Vec<(String, usize)> = self.builder.last().map_or_else(Vec::new, |turn| {
            let moved = turn.items.iter().enumerate().skip(offset);
            moved
                .filter_map(|(at, item)| Some((item.id.clone()?, at)))
                .collect()
        });
        for (id, at) in ids {
            self.builder.place(&id, thread::Place::Turn(number, at));
        }
        let mut first = first?;
        moves(&mut first);
        Some(first)
    }

    /// A message of the conversation as the model sees it.
    pub(super) fn item_message(&mut self, message: Message) {
        let side = match message.role {
            Role::Assistant => Side::Agent,
            Role::Context => Side::User,
            _ => {
                let item = self.new_item(Body::Message(message));
                self.add(None, item);
                return;
            }
        };
        let text = message.text.clone();
        if self.is_early && side == Side::User && !text.trim_start().starts_with('<') {
            self.begin(None);
            let prompt = Message {
                role: Role::User,
                ..message
            };
            let item = self.new_item(Body::Message(prompt));
            let place = self.add(None, item);
            self.note_prompt(place.0, &text);
            return;
        }
        let item = self.new_item(Body::Message(message));
        self.add_once(None, (side, Source::Item), &text, item);
    }

    /// The last turn failed.
    pub(super) fn failed(&mut self, error: TurnError) {
        if let Some(turn) = self.last_begun() {
            turn.error = Some(error);
        }
    }
}

/// Whether an item is what the model is told, as prompts are before their event.
fn is_context(item: &Item) -> bool {
    matches!(&item.body, Body::Message(message) if message.role == Role::Context)
}
