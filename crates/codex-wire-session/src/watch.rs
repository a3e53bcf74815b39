//! Watches a session while it is read: hands out each item as soon as it has ended.

use std::collections::VecDeque;
use std::hash::{DefaultHasher, Hasher};
use std::io;

use codex_wire_base::Protocol;
use codex_wire_check::{Event, Step};

use crate::build::thread::{Finished, Place, ThreadBuilder};
use crate::model::{Body, Item, Role, Status, Thread, Time, Turn, TurnStatus, Unread};
use crate::reader::{Reading, TurnOf};

/// A session that is watched while it is read, for people who read along.
///
/// The steps of a [`Checker`](codex_wire_check::Checker) go in, and what can be shown comes out: an item of a turn
/// once it has ended and the next one has begun, or its turn has ended.
///
/// ```
/// use codex_wire_check::{Checker, Options};
/// use codex_wire_session::{WatchEvent, Watch};
///
/// let stream = br#"{"type":"thread.started","thread_id":"t"}
/// {"type":"turn.started"}
/// {"type":"item.completed","item":{"id":"item_0","type":"agent_message","text":"Hello."}}
/// {"type":"turn.completed","usage":{"input_tokens":1200,"cached_input_tokens":1000,"output_tokens":34}}
/// "#;
/// let checker = Checker::new(Options::new())?;
/// let (mut watch, mut seen) = (Watch::new("run.jsonl"), Vec::new());
/// checker.observe("run.jsonl", &stream[..], |step| {
///     watch.step(step, &mut |what| {
///         if let WatchEvent::Item(of, item) = what {
///             seen.push((of.turn_of.number, item.lines.from));
///         }
///     });
///     Ok(())
/// })?;
/// assert_eq!(seen, [(0, 3)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Watch {
    reading: Reading,
    /// By the number of the thread.
    cursors: Vec<Cursor>,
    /// The numbers of the threads that the last message may have changed.
    changed: Vec<usize>,
}

/// What a [`Watch`] has to show.
#[derive(Debug)]
#[non_exhaustive]
pub enum WatchEvent<'a> {
    /// An item of a turn. It comes again if it has changed: lists of steps do, and commands that go on in the
    /// background.
    Item(ItemOf<'a>, &'a Item),
    /// A turn has ended. Items that Codex reports later may still come.
    TurnEnded(TurnOf<'a>, &'a Turn),
    /// A turn that has ended can no longer change, except by being taken back.
    TurnSettled(TurnOf<'a>, &'a Turn),
    /// The user took back turns, from this one on.
    RolledBack(TurnOf<'a>),
    /// An item outside of turns.
    Outside(ThreadOf<'a>, &'a Item),
    /// A line that holds no message.
    Unread(Unread),
    /// The input is over, and this is the thread, without turns that were handed out long ago.
    Thread(ThreadOf<'a>),
}

/// Which item it is.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct ItemOf<'a> {
    /// Which turn it is of.
    pub turn_of: TurnOf<'a>,
    /// The turn as far as it has come.
    pub turn: &'a Turn,
    /// Its number in the turn, from 0.
    pub number: usize,
    /// Whether it was handed out before, and has changed.
    pub is_again: bool,
}

/// Which thread it is.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct ThreadOf<'a> {
    /// What is known of it by now.
    pub thread: &'a Thread,
    /// Its number in the input, from 0.
    pub number: usize,
    /// The protocol that the input is of.
    pub protocol: Option<Protocol>,
}

/// How much of a thread was handed out.
#[derive(Debug, Default)]
struct Cursor {
    /// The number of the first of the turns below.
    first: usize,
    turns: VecDeque<Handed>,
    /// How many items outside of turns were handed out.
    outside: usize,
}

/// How much of a turn was handed out.
#[derive(Clone, Debug, Default)]
struct Handed {
    /// The digests of the items.
    items: Vec<u64>,
    is_end: bool,
    is_rolled_back: bool,
    /// How many of its items stand before one that stays as it is, that one included, and how many were read.
    settled: (usize, usize),
}

impl Watch {
    /// Watches an input with that name.
    pub fn new(source: &str) -> Self {
        Watch {
            reading: Reading::new(source),
            cursors: Vec::new(),
            changed: Vec::new(),
        }
    }

    /// The next lines are written at this time, unless they say another one. Streams of `codex exec` say none.
    pub fn set_time(&mut self, now: Time) {
        self.reading.now = Some(now);
    }

    /// Takes the next step, and hands out what can be shown now.
    pub fn step(&mut self, step: &Step<'_>, seen: &mut dyn FnMut(WatchEvent<'_>)) {
        self.reading.step(step);
        for unread in self.reading.session.unread.drain(..) {
            seen(WatchEvent::Unread(unread));
        }
        self.changed.clear();
        if !matches!(step.event, Event::Message { .. }) {
            return;
        }
        let Some(source) = &mut self.reading.source else {
            return;
        };
        let (protocol, cursors) = (self.reading.protocol, &mut self.cursors);
        let changed = &mut self.changed;
        source.each_changed(&mut |number, builder| {
            changed.push(number);
            cursor(cursors, number).look(number, protocol, builder, seen);
        });
        // What can no longer change was handed out, and goes.
        for (thread_number, taken) in source.take() {
            let cursor = cursor(cursors, thread_number);
            if let Some(thread) = source.thread(thread_number) {
                for (number, turn) in (taken.first..).zip(&taken.turns) {
                    let of = turn_of(thread, thread_number, number, protocol);
                    cursor.handed(number).rest(of, turn, seen);
                    seen(WatchEvent::TurnSettled(of, turn));
                }
                if let Some(number) = taken.rolled_back {
                    seen(WatchEvent::RolledBack(turn_of(
                        thread,
                        thread_number,
                        number,
                        protocol,
                    )));
                }
            }
            cursor.forget(taken.first + taken.turns.len());
        }
    }

    /// Whether a message has shown that the input holds a session.
    pub fn is_session(&self) -> bool {
        self.reading.source.is_some()
    }

    /// What is known by now of the threads that the last step may have changed. They have no turns.
    pub fn changed(&self) -> impl Iterator<Item = ThreadOf<'_>> {
        let source = self.reading.source.as_ref();
        self.changed.iter().filter_map(move |&number| {
            Some(ThreadOf {
                thread: source?.thread(number)?,
                number,
                protocol: self.reading.protocol,
            })
        })
    }

    /// The input is over: hands out the rest.
    pub fn finish(self, seen: &mut dyn FnMut(WatchEvent<'_>)) {
        let Watch {
            mut reading,
            mut cursors,
            ..
        } = self;
        let protocol = reading.protocol;
        let Some(mut source) = reading.source.take() else {
            return;
        };
        // Items of a turn that never began move outside when the thread is finished.
        let mut lengths = Vec::new();
        source.each_builder(&mut |number, builder| {
            let cursor = cursor(&mut cursors, number);
            cursor.look(number, protocol, builder, seen);
            lengths.push(builder.len());
        });
        for (number, finished) in source.finish().into_iter().enumerate() {
            let cursor = cursor(&mut cursors, number);
            let before = lengths.get(number).copied().unwrap_or(0);
            cursor.rest(number, protocol, &finished, before, seen);
            seen(WatchEvent::Thread(ThreadOf {
                thread: &finished.thread,
                number,
                protocol,
            }));
        }
    }
}

/// The cursor of a thread.
fn cursor(cursors: &mut Vec<Cursor>, number: usize) -> &mut Cursor {
    if cursors.len() <= number {
        cursors.resize_with(number + 1, Cursor::default);
    }
    &mut cursors[number]
}

fn turn_of(
    thread: &Thread,
    thread_number: usize,
    number: usize,
    protocol: Option<Protocol>,
) -> TurnOf<'_> {
    TurnOf {
        thread,
        thread_number,
        number,
        protocol,
    }
}

impl Cursor {
    /// Hands out what can be shown of a thread that is being read.
    fn look(
        &mut self,
        thread_number: usize,
        protocol: Option<Protocol>,
        builder: &mut ThreadBuilder,
        seen: &mut dyn FnMut(WatchEvent<'_>),
    ) {
        let changed = builder.take_changed();
        let builder = &*builder;
        let thread = &builder.thread;
        self.outside(thread_number, protocol, thread, seen);
        for place in changed {
            if let Place::Turn(number, item) = place
                && number >= self.first
                && let Some(turn) = builder.turn(number)
            {
                let of = turn_of(thread, thread_number, number, protocol);
                // What still runs is handed out again once it has ended.
                let is_over = |item: &Item| !is_running(item) && !builder.is_open(item);
                if turn.items.get(item).is_some_and(is_over) {
                    self.handed(number).again(of, turn, item, seen);
                }
            }
        }
        let mut rolled_back = None;
        for number in self.first..builder.len() {
            let Some(turn) = builder.turn(number) else {
                continue;
            };
            let of = turn_of(thread, thread_number, number, protocol);
            let handed = self.handed(number);
            let is_last = number + 1 == builder.len() && !builder.is_over;
            handed.turn(of, turn, !is_last, &|item| builder.is_open(item), seen);
            if turn.is_rolled_back && !std::mem::replace(&mut handed.is_rolled_back, true) {
                rolled_back.get_or_insert(of);
            }
        }
        if let Some(of) = rolled_back {
            seen(WatchEvent::RolledBack(of));
        }
    }

    /// Hands out the rest of a thread that is finished. It had so many turns before.
    fn rest(
        &mut self,
        thread_number: usize,
        protocol: Option<Protocol>,
        finished: &Finished,
        before: usize,
        seen: &mut dyn FnMut(WatchEvent<'_>),
    ) {
        let Finished { first, thread } = finished;
        for (number, turn) in (*first..).zip(&thread.turns) {
            let of = turn_of(thread, thread_number, number, protocol);
            self.handed(number).turn(of, turn, true, &|_| false, seen);
            seen(WatchEvent::TurnSettled(of, turn));
        }
        let last = first + thread.turns.len();
        if last < before {
            self.outside = self.handed(last).items.len();
        }
        self.outside(thread_number, protocol, thread, seen);
    }

    fn outside(
        &mut self,
        number: usize,
        protocol: Option<Protocol>,
        thread: &Thread,
        seen: &mut dyn FnMut(WatchEvent<'_>),
    ) {
        for item in thread.outside.iter().skip(self.outside) {
            let of = ThreadOf {
                thread,
                number,
                protocol,
            };
            seen(WatchEvent::Outside(of, item));
        }
        self.outside = thread.outside.len();
    }

    fn handed(&mut self, number: usize) -> &mut Handed {
        let at = number.saturating_sub(self.first);
        if self.turns.len() <= at {
            self.turns.resize(at + 1, Handed::default());
        }
        &mut self.turns[at]
    }

    /// Turns below this number are gone.
    fn forget(&mut self, first: usize) {
        while self.first < first {
            self.turns.pop_front();
            self.first += 1;
        }
    }
}

impl Handed {
    /// Hands out what can be shown of a turn. `is_over` if nothing more can come, whatever its status says.
    fn turn(
        &mut self,
        of: TurnOf<'_>,
        turn: &Turn,
        is_over: bool,
        is_open: &dyn Fn(&Item) -> bool,
        seen: &mut dyn FnMut(WatchEvent<'_>),
    ) {
        let has_ended = !matches!(turn.status, TurnStatus::Unfinished | TurnStatus::Unmarked);
        let is_over = is_over || has_ended;
        let most = match is_over {
            true => turn.items.len(),
            false => self.settled(&turn.items),
        };
        while self.items.len() < most {
            let number = self.items.len();
            let item = &turn.items[number];
            if !is_over && (is_running(item) || is_open(item)) {
                break;
            }
            self.items.push(digest(&item.body));
            let of = ItemOf {
                turn_of: of,
                turn,
                number,
                is_again: false,
            };
            seen(WatchEvent::Item(of, item));
        }
        if is_over && !self.is_end {
            self.is_end = true;
            seen(WatchEvent::TurnEnded(of, turn));
        }
    }

    /// How many of the items of a running turn can be shown, if they have ended. The last one may still change, and so may
    /// those that may move and stand at the end.
    fn settled(&mut self, items: &[Item]) -> usize {
        let (mut stay, mut looked_at) = self.settled;
        if items.len() < looked_at {
            (stay, looked_at) = (0, 0);
        }
        let new = &items[looked_at.saturating_sub(1)..];
        if let Some(at) = new.iter().rposition(|item| !may_move(item)) {
            stay = looked_at.saturating_sub(1) + at + 1;
        }
        self.settled = (stay, items.len());
        stay.saturating_sub(1)
    }

    /// Hands out the rest of a turn to which nothing more can come: also what has changed and never ended.
    fn rest(&mut self, of: TurnOf<'_>, turn: &Turn, seen: &mut dyn FnMut(WatchEvent<'_>)) {
        for number in 0..self.items.len() {
            self.again(of, turn, number, seen);
        }
        self.turn(of, turn, true, &|_| false, seen);
    }

    /// Hands out an item again if it was handed out and has changed.
    fn again(
        &mut self,
        of: TurnOf<'_>,
        turn: &Turn,
        number: usize,
        seen: &mut dyn FnMut(WatchEvent<'_>),
    ) {
        let (Some(known), Some(item)) = (self.items.get_mut(number), turn.items.get(number)) else {
            return;
        };
        let now = digest(&item.body);
        if std::mem::replace(known, now) != now {
            let of = ItemOf {
                turn_of: of,
                turn,
                number,
                is_again: true,
            };
            seen(WatchEvent::Item(of, item));
        }
    }
}

/// A digest of what an item says.
fn digest(body: &Body) -> u64 {
    struct Into(DefaultHasher);

    impl io::Write for Into {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.write(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    let mut into = Into(DefaultHasher::new());
    // A body has no keys that are not strings, and hashing does not fail.
    let _ = serde_json::to_writer(&mut into, body);
    into.0.finish()
}

/// Whether an item may become a part of another one, or of the next turn: sections of reasoning, and what Codex adds to the
/// conversation.
fn may_move(item: &Item) -> bool {
    match &item.body {
        Body::Message(message) => message.role == Role::Context,
        Body::Reasoning(_) => true,
        _ => false,
    }
}

/// Whether the item has begun and not ended.
fn is_running(item: &Item) -> bool {
    let status = match &item.body {
        Body::Command(command) => command.status,
        Body::Patch(patch) => patch.status,
        Body::McpCall(call) => call.status,
        Body::ToolCall(call) => call.status,
        Body::SubAgent(agent) => agent.status,
        _ => None,
    };
    status == Some(Status::InProgress)
}
