//! A thread that is being read: its turns, and where its items are.

use std::collections::{HashMap, HashSet, VecDeque};

use crate::ids::hash;
use crate::model::{
    Body, Item, Lines, Response, Settings, Thread, Time, TodoList, Tokens, Turn, TurnStatus,
};

/// The line at hand.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Here {
    /// Its number.
    pub(crate) line: u64,
    /// When it was written.
    pub(crate) at: Option<Time>,
}

/// Where an item is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// Outside of turns, by its number there.
    Outside(usize),
    /// In a turn: the numbers of the turn and of the item in it.
    Turn(usize, usize),
}

/// A thread that was read.
#[derive(Clone, Debug)]
pub(crate) struct Finished {
    /// The number of the first of its turns that is left.
    pub(crate) first: usize,
    /// The thread, with the turns that are left.
    pub(crate) thread: Thread,
}

/// Turns of a thread that can no longer change, except by being taken back.
#[derive(Debug)]
pub(crate) struct Taken {
    /// The number of the first.
    pub(crate) first: usize,
    /// The turns.
    pub(crate) turns: Vec<Turn>,
    /// The first of those taken out before that the user has taken back since.
    pub(crate) rolled_back: Option<usize>,
}

impl Taken {
    /// Whether there is nothing to hand out.
    pub(crate) fn is_empty(&self) -> bool {
        self.turns.is_empty() && self.rolled_back.is_none()
    }
}

/// A thread that is being read.
///
/// Turns are numbered from the first, also when the first ones were taken out.
#[derive(Clone, Debug, Default)]
pub(crate) struct ThreadBuilder {
    /// What is known of the thread as a whole. Its turns are not among it yet.
    pub(crate) thread: Thread,
    /// The settings in force.
    pub(crate) settings: Settings,
    turns: VecDeque<Turn>,
    /// How many turns were taken out.
    taken: usize,
    /// Their ids.
    taken_ids: HashSet<u64>,
    turns_by_id: HashMap<String, usize>,
    places: HashMap<String, Place>,
    children: HashSet<String>,
    /// The last list of steps that was added to a turn, by the numbers of the turn and of the item in it.
    todo_list: Option<(usize, usize)>,
    /// The turns in which the user said something and that stand.
    prompted: Vec<usize>,
    /// How many turns there were when the user took back the last ones: what is marked needs no second look.
    rolled_back: usize,
    /// The turns that somebody took back after they were taken out.
    late_rollback: Option<usize>,
    /// The ids of the items that have begun and not ended.
    open: HashSet<String>,
    /// The places of the items that have changed since somebody asked, if somebody does.
    changed: Option<Vec<Place>>,
    /// Whether nothing more can come to its turns: another run has begun.
    pub(crate) is_over: bool,
}

impl ThreadBuilder {
    /// How many turns there are.
    pub(crate) fn len(&self) -> usize {
        self.taken + self.turns.len()
    }

    /// A turn by its number.
    pub(crate) fn turn(&self, number: usize) -> Option<&Turn> {
        self.turns.get(number.checked_sub(self.taken)?)
    }

    /// A turn by its number, to change it.
    pub(crate) fn turn_mut(&mut self, number: usize) -> Option<&mut Turn> {
        self.turns.get_mut(number.checked_sub(self.taken)?)
    }

    /// The last turn.
    pub(crate) fn last(&self) -> Option<&Turn> {
        self.turns.back()
    }

    /// The last turn, to change it.
    pub(crate) fn last_mut(&mut self) -> Option<&mut Turn> {
        self.turns.back_mut()
    }

    /// The number of the turn with that id.
    pub(crate) fn turn_of(&self, id: &str) -> Option<usize> {
        self.turns_by_id.get(id).copied()
    }

    /// The same, also of a turn that was taken out: then 0, by which no turn is found any more.
    pub(crate) fn known_turn(&self, id: &str) -> Option<usize> {
        let taken = || self.taken_ids.contains(&hash(id)).then_some(0);
        self.turn_of(id).or_else(taken)
    }

    /// Adds a turn. Returns its number.
    pub(crate) fn push(&mut self, turn: Turn) -> usize {
        self.turns.push_back(turn);
        self.len() - 1
    }

    /// Takes the last turn away.
    pub(crate) fn pop(&mut self) -> Option<Turn> {
        self.turns.pop_back()
    }

    /// A turn has this id.
    pub(crate) fn name_turn(&mut self, number: usize, id: &str) {
        self.turns_by_id.insert(id.to_owned(), number);
        if let Some(turn) = self.turn_mut(number) {
            turn.id = Some(id.to_owned());
        }
    }

    /// Begins a turn with the settings in force. Returns its number.
    pub(crate) fn begin(&mut self, id: Option<&str>, here: Here) -> usize {
        let number = self.push(Turn {
            lines: Lines::at(here.line),
            started: here.at,
            status: TurnStatus::Unfinished,
            settings: self.settings.clone(),
            ..Turn::default()
        });
        if let Some(id) = id {
            self.name_turn(number, id);
        }
        number
    }

    /// Adds an item to a turn, or outside of turns. Returns its place. What comes after its turn was taken out has none.
    pub(crate) fn add(&mut self, turn: Option<usize>, item: Item) -> Place {
        if let Some(number) = turn.filter(|number| *number < self.taken) {
            return Place::Turn(number, usize::MAX);
        }
        let id = item.id.clone();
        let line = item.lines.to;
        let place = match turn.and_then(|number| Some((number, self.turn_mut(number)?))) {
            Some((number, turn)) => {
                turn.lines.extend(line);
                turn.items.push(item);
                Place::Turn(number, turn.items.len() - 1)
            }
            None => {
                self.thread.outside.push(item);
                Place::Outside(self.thread.outside.len() - 1)
            }
        };
        if let Some(id) = id {
            self.places.insert(id, place);
        }
        place
    }

    /// The item at a place, to change it.
    pub(crate) fn item(&mut self, place: Place) -> Option<&mut Item> {
        if let Some(changed) = &mut self.changed
            && changed.last() != Some(&place)
        {
            changed.push(place);
        }
        match place {
            Place::Outside(number) => self.thread.outside.get_mut(number),
            Place::Turn(turn, number) => self.turn_mut(turn)?.items.get_mut(number),
        }
    }

    /// Whether an item has begun and not ended.
    pub(crate) fn is_open(&self, item: &Item) -> bool {
        item.id.as_ref().is_some_and(|id| self.open.contains(id))
    }

    /// The places of the items that have changed since this was called last. The first call begins it.
    pub(crate) fn take_changed(&mut self) -> Vec<Place> {
        self.changed.replace(Vec::new()).unwrap_or_default()
    }

    /// Where the item with that id is.
    pub(crate) fn place_of(&self, id: &str) -> Option<Place> {
        self.places.get(id).copied()
    }

    /// The item with that id is at this place.
    pub(crate) fn place(&mut self, id: &str, place: Place) {
        self.places.insert(id.to_owned(), place);
    }

    /// Another run goes on with the thread. The ids of its items say nothing about those before.
    pub(crate) fn run_started(&mut self) {
        self.is_over = false;
        self.places.clear();
        self.open.clear();
    }

    /// An item with an id begins.
    pub(crate) fn item_started(&mut self, turn: Option<usize>, id: &str, here: Here, body: Body) {
        self.open.insert(id.to_owned());
        if let Some(place) = self.place_of(id)
            && let Some(item) = self.item(place)
        {
            // A retry begins it again.
            item.body = body;
            item.lines.extend(here.line);
            return;
        }
        let item = Item {
            id: Some(id.to_owned()),
            started: here.at,
            ..Item::new(here.line, body)
        };
        self.add(turn, item);
    }

    /// An item with an id ends; it may not have begun before. Returns the item.
    pub(crate) fn item_completed(
        &mut self,
        turn: Option<usize>,
        id: &str,
        here: Here,
        body: Body,
    ) -> Option<&mut Item> {
        self.open.remove(id);
        let place = match self.place_of(id) {
            Some(place) => place,
            None => {
                let item = Item {
                    id: Some(id.to_owned()),
                    ..Item::new(here.line, body.clone())
                };
                self.add(turn, item)
            }
        };
        if let Place::Turn(number, _) = place
            && let Some(turn) = self.turn_mut(number)
        {
            turn.lines.extend(here.line);
        }
        let item = self.item(place)?;
        item.body = body;
        item.lines.extend(here.line);
        item.completed = here.at;
        Some(item)
    }

    /// The list of steps of a turn is this now. A turn has one: later ones take its place.
    pub(crate) fn todo_list(
        &mut self,
        turn: Option<usize>,
        id: Option<&str>,
        here: Here,
        mut list: TodoList,
    ) {
        let is_list = |item: &Item| matches!(item.body, Body::TodoList(_));
        let known = turn.and_then(|number| {
            let items = &self.turn(number)?.items;
            let at = match self.todo_list {
                Some((turn, at)) if turn == number && items.get(at).is_some_and(is_list) => at,
                _ => items.iter().rposition(is_list)?,
            };
            Some(Place::Turn(number, at))
        });
        if let Some(place) = known
            && let Some(item) = self.item(place)
        {
            if let Body::TodoList(before) = &mut item.body {
                list.explanation = list.explanation.or(before.explanation.take());
            }
            item.body = Body::TodoList(list);
            item.lines.extend(here.line);
            item.completed = here.at.or(item.completed);
            if let Some(id) = id {
                self.place(id, place);
            }
            return;
        }
        let item = Item {
            id: id.map(str::to_owned),
            started: here.at,
            completed: here.at,
            ..Item::new(here.line, Body::TodoList(list))
        };
        if let Place::Turn(turn, at) = self.add(turn, item) {
            self.todo_list = Some((turn, at));
        }
    }

    /// A response of the model in that turn used tokens.
    pub(crate) fn response(&mut self, turn: usize, here: Here, tokens: Tokens) {
        let fallback = self.settings.model.clone();
        let Some(turn) = self.turn_mut(turn) else {
            return;
        };
        let model = turn.settings.model.clone().or(fallback);
        turn.responses
            .push(Response::new(here.line, here.at, model, tokens));
        if !turn.is_copied {
            self.thread.tokens += tokens;
        }
    }

    /// The last response of a turn may hold what earlier runs used.
    pub(crate) fn last_response_is_cumulative(&mut self, turn: usize) {
        let turn = self.turn_mut(turn);
        if let Some(response) = turn.and_then(|turn| turn.responses.last_mut()) {
            response.is_cumulative = true;
        }
    }

    /// Text was added to the item with that id, which has not ended.
    pub(crate) fn item_grows(&mut self, id: &str, here: Here, delta: &str) {
        let Some(place) = self.place_of(id) else {
            return;
        };
        let Some(item) = self.item(place) else { return };
        if item.completed.is_some() {
            return;
        }
        item.lines.extend(here.line);
        match &mut item.body {
            Body::Message(message) => message.text.push_str(delta),
            Body::Plan(plan) => plan.text.push_str(delta),
            Body::Reasoning(reasoning) => reasoning.summary.push_str(delta),
            Body::Command(command) => command.output.get_or_insert_default().push_str(delta),
            _ => {}
        }
    }

    /// The thread has a child.
    pub(crate) fn child(&mut self, id: &str) {
        if self.children.insert(id.to_owned()) {
            self.thread.children.push(id.to_owned());
        }
    }

    /// The user said something in this turn.
    pub(crate) fn prompted(&mut self, turn: usize) {
        if self.prompted.last() != Some(&turn) {
            self.prompted.push(turn);
        }
    }

    /// The last turn that stands in which the user said something.
    pub(crate) fn last_prompted(&self) -> Option<usize> {
        self.prompted.last().copied()
    }

    /// The user took back the last turns in which they said something, and all that came after.
    pub(crate) fn roll_back(&mut self, turns: u64) {
        let count = usize::try_from(turns).unwrap_or(usize::MAX);
        let left = self.prompted.len().saturating_sub(count);
        let Some(first) = self.prompted.get(left).copied() else {
            return;
        };
        self.prompted.truncate(left);
        if first < self.taken {
            let before = self.late_rollback.unwrap_or(first);
            self.late_rollback = Some(before.min(first));
        }
        let from = first.saturating_sub(self.taken);
        let since = first.max(self.rolled_back).saturating_sub(self.taken);
        let standing = self.turns.iter_mut().skip(from);
        for turn in standing.take_while(|turn| !turn.is_rolled_back) {
            turn.is_rolled_back = true;
        }
        for turn in self.turns.iter_mut().skip(since) {
            turn.is_rolled_back = true;
        }
        self.rolled_back = self.len();
    }

    /// Takes out the turns that can no longer change: all but the last `keep`.
    pub(crate) fn take(&mut self, keep: usize) -> Taken {
        let first = self.taken;
        let count = self.turns.len().saturating_sub(keep);
        let turns: Vec<Turn> = self.turns.drain(..count).collect();
        self.taken += count;
        for turn in &turns {
            for id in turn.items.iter().filter_map(|item| item.id.as_deref()) {
                self.places.remove(id);
                self.open.remove(id);
            }
            if let Some(id) = &turn.id {
                self.turns_by_id.remove(id);
                self.taken_ids.insert(hash(id));
            }
        }
        Taken {
            first,
            turns,
            rolled_back: self.late_rollback.take(),
        }
    }

    /// The thread as it is.
    pub(crate) fn finish(self) -> Finished {
        Finished {
            first: self.taken,
            thread: Thread {
                turns: self.turns.into(),
                ..self.thread
            },
        }
    }
}
