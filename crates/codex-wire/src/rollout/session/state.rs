//! What is known of a session while its lines are read.

use std::collections::{HashMap, HashSet, VecDeque};

use crate::Release;
use crate::rollout::session::lineage::{self, Lineage};
use crate::rollout::session::once::{Pick, Place, Side, Singles, Source};
use crate::rollout::session::tokens::TokenCounter;
use crate::rollout::session::{
    Entry, Message, MessageKind, Response, Session, Settings, Tokens, Turn, TurnStatus,
};
use crate::rollout::{MessagePhase, SessionMeta, TurnContextItem};

/// How much later than its first line a legacy fork may still copy lines, in milliseconds. Only
/// forks made before 0.100.0 need it.
const COPYING: u64 = 1000;

/// What is known of a session while its lines are read.
#[derive(Clone, Debug, Default)]
pub(super) struct State {
    pub(super) session: Session,
    pub(super) counter: TokenCounter,
    settings: Settings,
    /// The time of the line at hand.
    pub(super) at: Option<String>,
    /// The number of the line at hand, from 1.
    pub(super) line: u64,
    /// Whether the first line was one of 0.20.0 to 0.29.0.
    pub(super) is_early: bool,
    /// The last of the turns has not begun yet: what stands in it came before.
    is_draft: bool,
    /// The last of the turns has an id, and has not ended.
    is_open: bool,
    turns_by_id: HashMap<String, usize>,
    pub(super) calls: HashMap<String, Place>,
    /// Messages and searches that came once, of the two times that files have them.
    singles: Singles,
    /// The last things the user said, and the turns they stand in.
    prompts: VecDeque<(usize, String)>,
    /// The turns in which the user said something, but for those that were taken back.
    prompted: Vec<usize>,
    /// How many turns there were when the last ones were taken back.
    rolled_back: usize,
    pub(super) children: HashSet<String>,
    pub(super) is_reviewing: bool,
    /// Whether the model has answered since the file began.
    pub(super) has_answered: bool,
    /// Lines are copies of another thread's.
    is_copying: bool,
}

impl State {
    /// The file goes on from that session.
    pub(super) fn continue_from(&mut self, base: Session) {
        let mut total = base.reported;
        let mut below = base.base.as_deref();
        while let (None, Some(base)) = (total, below) {
            total = base.reported;
            below = base.base.as_deref();
        }
        self.counter.continue_from(total);
        if let Some(turn) = base.turns.last() {
            self.settings.clone_from(&turn.settings);
        }
        self.session.base = Some(Box::new(base));
    }

    /// The session of the lines so far.
    pub(super) fn finish(mut self) -> Session {
        if self.is_draft
            && let Some(draft) = self.session.turns.pop()
        {
            if draft.responses.is_empty() {
                self.session.outside = draft.entries;
            } else {
                self.session.turns.push(draft);
            }
        }
        if self.is_open
            && let Some(turn) = self.session.turns.last_mut()
        {
            turn.status = TurnStatus::Unfinished;
        }
        self.session
    }

    pub(super) fn meta(&mut self, meta: &SessionMeta) {
        if self.session.id.is_none() {
            self.session.id = Some(meta.id.clone());
            self.session.created = Some(meta.timestamp.clone());
            self.session.cli_version = Some(meta.cli_version.clone());
            self.session.originator = Some(meta.originator.clone());
            self.session.cwd = Some(meta.cwd.clone());
            self.session.lineage = Lineage::of(meta);
            if meta.history_base.value().is_some() {
                self.counter.continue_from(None);
            }
        } else if self.session.id.as_ref() != Some(&meta.id) && self.line == 2 {
            // A legacy fork: what follows was copied, with times of the copy.
            self.is_copying = true;
            self.session.lineage.copies_are_guessed = !self.has_turn_ids();
            let parent = &mut self.session.lineage.forked_from;
            parent.get_or_insert_with(|| meta.id.clone());
        }
    }

    /// Whether the release that made the file writes ids of turns.
    fn has_turn_ids(&self) -> bool {
        self.made_since(Release::new(0, 100, 0))
    }

    pub(super) fn made_since(&self, release: Release) -> bool {
        let version = self.session.cli_version.as_deref();
        version.and_then(|version| version.parse::<Release>().ok()) >= Some(release)
    }

    pub(super) fn context(&mut self, context: &TurnContextItem) {
        if let Some(id) = context.turn_id.value() {
            self.notice_own_turn(id);
        }
        self.settings = super::settings::of_context(context);
        let settings = self.settings.clone();
        self.current().settings = settings;
    }

    pub(super) fn change_settings(&mut self, change: impl FnOnce(&mut Settings)) {
        change(&mut self.settings);
        if self.is_draft || !self.is_open {
            return;
        }
        let settings = self.settings.clone();
        self.current().settings = settings;
    }

    /// The turn that what comes belongs to: the running one, or else one that has not begun yet.
    pub(super) fn current(&mut self) -> &mut Turn {
        let ends_unmarked = |turn: &Turn| turn.status == TurnStatus::Unmarked;
        let goes_on =
            self.is_draft || self.is_open || self.session.turns.last().is_some_and(ends_unmarked);
        if !goes_on {
            self.draft();
        }
        let last = self.session.turns.len() - 1;
        &mut self.session.turns[last]
    }

    fn draft(&mut self) {
        if !self.is_draft {
            self.is_draft = true;
            self.session.turns.push(Turn {
                settings: self.settings.clone(),
                is_copied: self.is_copying,
                ..Turn::default()
            });
        }
    }

    /// A turn begins; what stands in the draft belongs to it.
    pub(super) fn begin(&mut self, id: Option<&str>) {
        if let Some(id) = id {
            self.notice_own_turn(id);
        } else if self.is_copying && self.session.lineage.copies_are_guessed && self.is_late() {
            self.is_copying = false;
        }
        if self.is_open
            && let Some(turn) = self.session.turns.last_mut()
        {
            // It never ended: Codex was killed and the thread resumed.
            turn.status = TurnStatus::Unfinished;
        }
        self.draft();
        self.is_draft = false;
        self.is_open = id.is_some();
        let (at, is_copied, place) = (
            self.at.clone(),
            self.is_copying,
            self.session.turns.len() - 1,
        );
        let turn = &mut self.session.turns[place];
        turn.id = id.map(str::to_owned);
        turn.started = at;
        turn.is_copied = is_copied;
        if let Some(id) = id {
            self.turns_by_id.insert(id.to_owned(), place);
        }
    }

    /// The running turn ends.
    pub(super) fn end(&mut self, id: Option<&str>, status: TurnStatus) -> Option<&mut Turn> {
        // In the parent of a review, the end names another turn than the beginning.
        let place = match (self.is_open, id.and_then(|id| self.turns_by_id.get(id))) {
            (true, _) => self.session.turns.len() - 1,
            (false, Some(place)) => *place,
            (false, None) if self.is_draft || id.is_some() => return None,
            (false, None) => self.session.turns.len().checked_sub(1)?,
        };
        self.is_open = false;
        let at = self.at.clone();
        let turn = &mut self.session.turns[place];
        turn.ended = at;
        turn.status = status;
        Some(turn)
    }

    /// A turn with an id made after the file is no copy, nor is what follows.
    fn notice_own_turn(&mut self, id: &str) {
        if !self.is_copying || !self.has_turn_ids() {
            return;
        }
        let made = self.session.id.as_deref().and_then(lineage::time_of_id);
        let is_own = lineage::time_of_id(id) >= made && made.is_some();
        if is_own {
            self.is_copying = false;
            // What was read between the copies and this turn is its own.
            if self.is_draft
                && let Some(draft) = self.session.turns.last_mut()
            {
                draft.is_copied = false;
            }
        }
    }

    /// Whether the line is from long after the file was made.
    fn is_late(&self) -> bool {
        let rough = |time: &Option<String>| time.as_deref().and_then(lineage::rough_milliseconds);
        let (now, made) = (rough(&self.at), rough(&self.session.created));
        now.zip(made)
            .is_some_and(|(now, made)| now > made + COPYING)
    }

    /// Notes the time of the line in the running turn.
    pub(super) fn touch(&mut self) {
        let is_unmarked =
            |turn: &Turn| turn.status == TurnStatus::Unmarked && turn.started.is_some();
        if self.is_draft {
            return;
        }
        if let Some(turn) = self.session.turns.last_mut()
            && (self.is_open || is_unmarked(turn))
        {
            turn.ended.clone_from(&self.at);
        }
    }

    /// Where a turn is, by its id.
    pub(super) fn turn_of(&self, id: &str) -> Option<usize> {
        self.turns_by_id.get(id).copied()
    }

    /// The last of the turns that have begun.
    pub(super) fn last_begun(&mut self) -> Option<&mut Turn> {
        let drafts = usize::from(self.is_draft);
        let place = self.session.turns.len().checked_sub(1 + drafts)?;
        self.session.turns.get_mut(place)
    }

    /// A response of the model used tokens.
    pub(super) fn response(&mut self, tokens: Tokens) {
        let Some(at) = self.at.clone() else { return };
        // Between turns, it belongs to the one before: its compaction, say.
        if (self.is_draft || !self.is_open) && self.last_begun().is_none() {
            self.draft();
        }
        let is_draft = self.is_draft;
        let model = self.settings.model.clone();
        let turn = match self.last_begun() {
            Some(turn) => turn,
            None if is_draft => &mut self.session.turns[0],
            None => return,
        };
        let model = turn.settings.model.clone().or(model);
        turn.responses.push(Response { at, model, tokens });
    }

    /// Adds an entry to the turn with that id, or to the current one.
    pub(super) fn add(&mut self, turn_id: Option<&str>, entry: Entry) -> Place {
        let place = turn_id.and_then(|id| self.turn_of(id));
        let turn = match place {
            Some(place) => place,
            None => {
                self.current();
                self.session.turns.len() - 1
            }
        };
        self.session.turns[turn].entries.push(entry);
        (turn, self.session.turns[turn].entries.len() - 1)
    }

    pub(super) fn entry(&mut self, (turn, entry): Place) -> Option<&mut Entry> {
        self.session.turns.get_mut(turn)?.entries.get_mut(entry)
    }

    /// Adds an entry that the file has twice: once for its item, once for its event. Gives the place
    /// of the entry, and whether it is the second time.
    pub(super) fn add_once(
        &mut self,
        turn_id: Option<&str>,
        side: Side,
        source: Source,
        text: &str,
        entry: impl FnOnce() -> Entry,
    ) -> (Place, bool) {
        // The other one stands in the same turn, or in the one before if that is just beginning.
        let from = self.session.turns.len().saturating_sub(2);
        if let Some(place) = self.singles.find(side, source, text, from, Pick::Oldest) {
            self.singles.remove(place);
            return (place, true);
        }
        let place = self.add(turn_id, entry());
        self.singles.wait(place, side, source, text);
        (place, false)
    }

    /// Removes the last entry if it is an answer that no event repeats and that `text` contains.
    pub(super) fn drop_answer_in(&mut self, text: &str) {
        let turns = &mut self.session.turns;
        let Some(turn) = turns.len().checked_sub(1) else {
            return;
        };
        let Some(entry) = turns[turn].entries.len().checked_sub(1) else {
            return;
        };
        if self.singles.is_answer_in((turn, entry), text) {
            self.singles.remove((turn, entry));
            turns[turn].entries.pop();
        }
    }

    /// The user spoke: the turn begins with it, where the file does not mark beginnings.
    pub(super) fn prompt(&mut self, turn_id: Option<&str>, text: &str) {
        let from = self.session.turns.len().saturating_sub(2);
        let (side, source) = (Side::User, Source::Event);
        let matched = self.singles.find(side, source, text, from, Pick::Newest);
        if self.is_reviewing && self.was_said(text) {
            // The parent of a review has the task twice.
            return;
        }
        if self.is_reviewing && !self.is_open && self.has_prompt() {
            // Another task: the review never ended, for Codex was killed.
            self.is_reviewing = false;
        }
        let is_marked = self.is_open || turn_id.is_some();
        let goes_on = self.is_reviewing && self.last_begun().is_some();
        let mut matched = matched;
        if !is_marked && !goes_on {
            matched = self.begin_at(matched);
        }
        let message = Message {
            at: self.at.clone(),
            kind: MessageKind::Prompt,
            text: text.to_owned(),
            phase: None,
        };
        let place = match matched {
            Some(place) => {
                self.singles.remove(place);
                if let Some(Entry::Message(first)) = self.entry(place) {
                    first.kind = MessageKind::Prompt;
                    first.text = message.text;
                }
                place
            }
            None => {
                let place = self.add(turn_id, Entry::Message(message));
                self.singles.wait(place, side, source, text);
                place
            }
        };
        self.note_prompt(place.0, text);
    }

    fn note_prompt(&mut self, turn: usize, text: &str) {
        if self.prompts.len() == 8 {
            self.prompts.pop_front();
        }
        self.prompts.push_back((turn, text.to_owned()));
        if self.prompted.last() != Some(&turn) {
            self.prompted.push(turn);
        }
    }

    /// Whether somebody has said something in the last turn that began.
    fn has_prompt(&self) -> bool {
        let drafts = usize::from(self.is_draft);
        let turn = self.session.turns.len().checked_sub(1 + drafts);
        turn.is_some() && self.prompted.last().copied() >= turn
    }

    /// Whether this was said a moment ago.
    fn was_said(&self, text: &str) -> bool {
        let from = self.session.turns.len().saturating_sub(2);
        let mut prompts = self.prompts.iter();
        prompts.any(|(turn, said)| *turn >= from && said == text)
    }

    /// The user took back the last turns in which they said something, and all that came after.
    pub(super) fn roll_back(&mut self, turns: u32) {
        let count = usize::try_from(turns).unwrap_or(usize::MAX);
        let left = self.prompted.len().saturating_sub(count);
        let Some(first) = self.prompted.get(left).copied() else {
            return;
        };
        self.prompted.truncate(left);
        // What was taken back before needs no second look.
        let turns = &mut self.session.turns;
        let standing = turns[first..]
            .iter_mut()
            .take_while(|turn| !turn.is_rolled_back);
        standing.for_each(|turn| turn.is_rolled_back = true);
        let since = turns.iter_mut().skip(self.rolled_back.max(first));
        since.for_each(|turn| turn.is_rolled_back = true);
        self.rolled_back = self.session.turns.len();
    }

    /// A turn begins with an entry that stands at the end of the one before, with the context that
    /// precedes it.
    ///
    /// Gives the new place of that entry.
    fn begin_at(&mut self, first: Option<Place>) -> Option<Place> {
        let mut moved = Vec::new();
        let mut from = None;
        if let Some((turn, entry)) = first
            && !self.is_draft
            && turn + 1 == self.session.turns.len()
        {
            let entries = &mut self.session.turns[turn].entries;
            let is_context = |entry: &Entry| matches!(entry, Entry::Message(message) if message.kind == MessageKind::Context);
            let context = entries[..entry]
                .iter()
                .rev()
                .take_while(|entry| is_context(entry));
            let start = entry - context.count();
            moved = entries.split_off(start);
            from = Some((turn, start));
        }
        self.begin(None);
        let place = self.session.turns.len() - 1;
        let offset = self.session.turns[place].entries.len();
        self.session.turns[place].entries.extend(moved);
        let Some((turn, start)) = from else {
            return first;
        };
        let moves = |place_of: &mut Place| {
            if place_of.0 == turn && place_of.1 >= start {
                *place_of = (place, place_of.1 - start + offset);
            }
        };
        self.singles.relocate(moves);
        for entry in &self.session.turns[place].entries[offset..] {
            if let Some(place_of) = entry.call_id().and_then(|id| self.calls.get_mut(id)) {
                moves(place_of);
            }
        }
        let mut first = first?;
        moves(&mut first);
        Some(first)
    }

    /// A message of the conversation as the model sees it.
    pub(super) fn item_message(
        &mut self,
        kind: MessageKind,
        text: &str,
        phase: Option<MessagePhase>,
    ) {
        let at = self.at.clone();
        let message = Message {
            at,
            kind: kind.clone(),
            text: text.to_owned(),
            phase,
        };
        let side = match kind {
            MessageKind::Answer => Side::Agent,
            MessageKind::Context => Side::User,
            _ => {
                self.add(None, Entry::Message(message));
                return;
            }
        };
        if self.is_early && side == Side::User && !text.trim_start().starts_with('<') {
            self.begin(None);
            let prompt = Message {
                kind: MessageKind::Prompt,
                ..message
            };
            let place = self.add(None, Entry::Message(prompt));
            self.note_prompt(place.0, text);
            return;
        }
        self.add_once(None, side, Source::Item, text, || Entry::Message(message));
    }
}
