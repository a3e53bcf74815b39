//! Checks the turns of a session file: how they begin and end, and what belongs to which.

use codex_wire_prefilter::View;

use super::evidence::{LINES, files};
use super::header::Header;
use super::line::{Kind, RolloutLine};
use crate::bounded_map::BoundedMap;
use crate::phrasing::Word;
use crate::rule::{Exception, since, until, v};
use crate::rule_macros::rules;
use crate::violation::{Broken, MessageRef, Violation};

/// The turns of a file.
#[derive(Debug)]
pub(super) struct Turns {
    now: Now,
    /// Turns that were started, and whether an end of them was seen.
    known: BoundedMap<String, Known>,
    review: Review,
    /// Whether a line was seen.
    has_lines: bool,
    /// Whether Codex made the last turn up when it migrated a legacy thread.
    is_migrated: bool,
    /// Whether a turn was started in this file.
    has_starts: bool,
    /// The last `user_message`, while its `turn_context` is awaited.
    prompt: Option<MessageRef>,
    /// Whether the last line was `turn_context`.
    after_context: bool,
    /// Whether the line before enters a review.
    after_entered: bool,
}

/// What runs.
#[derive(Debug)]
enum Now {
    /// It is not known.
    Unknown,
    /// No turn.
    Nothing,
    /// A turn.
    Turn(Box<Turn>),
}

#[derive(Debug)]
struct Turn {
    id: String,
    message_ref: MessageRef,
    started_at: Option<i64>,
    /// How many contexts it has, since the conversation was compacted.
    contexts: u32,
    /// Whether the model has answered since the last of them.
    has_answer: bool,
    /// The ids of items in it.
    items: BoundedMap<String, ()>,
}

#[derive(Clone, Copy, Debug)]
struct Known {
    message_ref: MessageRef,
    has_ended: bool,
}

/// Reviews change the ids of turns: the file of the parent holds the start of the reviewer's turn
/// and the end of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Review {
    #[default]
    None,
    /// It may have been entered in lines that are missing.
    Unknown,
    /// It was entered, and not left; and whether the turn of the reviewer was started.
    Entered(MessageRef, bool),
    /// It was left in the turn at hand.
    Left,
    /// It may have been entered and left in the turn at hand, in lines that are missing.
    MayHaveLeft,
}

impl Turns {
    pub(super) fn new(limit: usize) -> Self {
        Turns {
            now: Now::Unknown,
            known: BoundedMap::new(limit),
            review: Review::None,
            has_lines: false,
            is_migrated: false,
            has_starts: false,
            prompt: None,
            after_context: false,
            after_entered: false,
        }
    }

    /// Whether a turn runs.
    pub(super) fn is_open(&self) -> bool {
        matches!(self.now, Now::Turn(_))
    }

    /// Whether the last turn was made up when a legacy thread was migrated.
    pub(super) fn is_migrated(&self) -> bool {
        self.is_migrated
    }

    /// Whether a turn is a review, or just was.
    pub(super) fn is_review(&self) -> bool {
        self.review != Review::None
    }

    /// Whether a review was left in this turn.
    pub(super) fn has_left_review(&self) -> bool {
        self.review == Review::Left
    }

    /// A line could not be read.
    pub(super) fn lost(&mut self) {
        self.now = Now::Unknown;
        self.prompt = None;
        self.after_context = false;
        self.review = Review::Unknown;
    }

    /// Takes a line.
    pub(super) fn line(
        &mut self,
        line: &RolloutLine<'_>,
        header: &Header,
        out: &mut Vec<Violation>,
    ) {
        if header.is_unsure && !self.has_lines {
            self.review = Review::Unknown;
        }
        self.has_lines = true;
        self.opening(line, header, out);
        match line.kind {
            Kind::Header if !self.has_starts && !header.is_unsure => {
                // What a fork copies may be of a release that does not mark turns.
                self.now = if header.is_copy || header.is_agent_copy {
                    Now::Unknown
                } else {
                    Now::Nothing
                };
            }
            Kind::TaskStarted => self.started(line, out),
            Kind::TaskComplete | Kind::TurnAborted => self.ended(line, header, out),
            Kind::Context => self.context(line, out),
            Kind::Compacted => {
                if let Now::Turn(turn) = &mut self.now {
                    turn.contexts = 0;
                }
            }
            Kind::Entered => self.entered(line, header, out),
            Kind::Exited => self.exited(line, header, out),
            Kind::Usage => self.usage(line, header, out),
            Kind::AgentItem | Kind::ReasoningItem | Kind::Call => {
                if let Now::Turn(turn) = &mut self.now {
                    turn.has_answer = true;
                }
            }
            _ => {}
        }
        if line.item.is_some() {
            self.finished(line, header, out);
        } else {
            self.item_id(line, out);
        }
        self.outside(line, out);
        self.after_entered = line.kind == Kind::Entered;
    }

    /// The order of the lines that open a turn.
    fn opening(&mut self, line: &RolloutLine<'_>, header: &Header, out: &mut Vec<Violation>) {
        let is_review = self.review != Review::None;
        if header.is_foreign_copy || header.is_agent_copy {
            return;
        }
        if let Some(prompt) = self.prompt.take()
            && line.kind != Kind::Context
            && !line.kind.may_begin()
            && line.tag != "ghost_snapshot"
            && !is_review
        {
            let violation = ContextNotBehind.at("").of("context behind");
            out.push(violation.earlier(prompt, "the message of the user is here"));
        }
        if line.kind == Kind::UserEvent && !is_review {
            self.prompt = Some(line.message_ref);
            if let Now::Turn(turn) = &self.now
                && turn.contexts == 0
                && !self.is_migrated
            {
                let violation = PromptBeforeContext.at("").of("context before");
                out.push(violation.earlier(turn.message_ref, "the turn began here"));
            }
        }
        if line.kind == Kind::World && self.after_context {
            out.push(StateBehindContext.at("").of("world state"));
        }
        self.after_context = line.kind == Kind::Context;
    }

    fn started(&mut self, line: &RolloutLine<'_>, out: &mut Vec<Violation>) {
        self.has_starts = true;
        let id = line.text("turn_id");
        self.is_migrated = id.is_some_and(|id| id.starts_with("rollout-"));
        let Some(id) = id else {
            self.now = Now::Unknown;
            return;
        };
        let known = Known {
            message_ref: line.message_ref,
            has_ended: false,
        };
        if let Some(before) = self.known.insert(id.to_owned(), known) {
            let violation = TurnStartedAgain.at(line.pointer("turn_id"));
            out.push(violation.earlier(before.message_ref, "the turn began here"));
        }
        self.review = match self.review {
            // If a turn runs, its end is missing.
            Review::Entered(at, is_started) if !is_started || self.after_entered => {
                Review::Entered(at, true)
            }
            Review::Unknown => Review::MayHaveLeft,
            // The turn before was killed.
            _ => Review::None,
        };
        self.now = Now::Turn(Box::new(Turn {
            id: id.to_owned(),
            message_ref: line.message_ref,
            started_at: line.payload.get("started_at").and_then(View::as_i64),
            contexts: 0,
            has_answer: false,
            items: BoundedMap::new(ITEMS_OF_A_TURN),
        }));
    }

    fn ended(&mut self, line: &RolloutLine<'_>, header: &Header, out: &mut Vec<Violation>) {
        times(line, out);
        let id = line.text("turn_id");
        let review = std::mem::take(&mut self.review);
        if let Review::Entered(entered, _) = review
            && line.kind == Kind::TaskComplete
        {
            let violation = ReviewNotLeft.at(line.at);
            out.push(violation.earlier(entered, "the review began here"));
        }
        let now = match (&self.now, id) {
            (Now::Unknown, None) => Now::Unknown,
            _ => Now::Nothing,
        };
        let at = || line.pointer("turn_id");
        match std::mem::replace(&mut self.now, now) {
            Now::Turn(turn) if id.is_none_or(|id| id == turn.id) => {
                started_at(line, &turn, out);
                self.end(&turn.id);
            }
            Now::Turn(turn) if review == Review::None => {
                let violation = OtherTurnEnds.at(at()).of(line.tag);
                out.push(violation.earlier(turn.message_ref, "the turn that runs began here"));
            }
            // The start was that of the reviewer's turn.
            Now::Turn(_) | Now::Unknown => {}
            Now::Nothing => {
                let known = id.and_then(|id| self.known.get(id));
                // A fork ends the reviewer's turn that it has copied.
                let is_open = known.map_or(header.is_unsure, |known| !known.has_ended);
                if !(is_open && line.kind == Kind::TurnAborted) {
                    let violation = NoTurnEnds.at(at()).of(line.tag);
                    let began = known.map(|known| known.message_ref);
                    out.push(violation.earlier(began, "the turn began here"));
                }
            }
        }
        if let Some(id) = id {
            self.end(id);
        }
    }

    fn end(&mut self, id: &str) {
        if let Some(known) = self.known.get_mut(id) {
            known.has_ended = true;
        }
    }

    fn context(&mut self, line: &RolloutLine<'_>, out: &mut Vec<Violation>) {
        let id = line.text("turn_id");
        match &mut self.now {
            Now::Turn(turn) => {
                if id.is_some_and(|id| id != turn.id) {
                    let violation = ContextOfOtherTurn.at(line.pointer("turn_id")).of("turn");
                    out.push(violation.earlier(turn.message_ref, "the turn that runs began here"));
                }
                if turn.contexts > 0 && !self.is_migrated {
                    let of = match turn.has_answer {
                        true => "again after an answer",
                        false => "again",
                    };
                    let violation = ContextAgain.at("").of(of);
                    out.push(violation.earlier(turn.message_ref, "the turn began here"));
                }
                turn.contexts += 1;
                turn.has_answer = false;
            }
            Now::Nothing if id.is_some() => {
                out.push(ContextOutsideTurn.at(line.pointer("turn_id")).of("turn"));
            }
            Now::Nothing | Now::Unknown => {}
        }
    }

    fn entered(&mut self, line: &RolloutLine<'_>, header: &Header, out: &mut Vec<Violation>) {
        if let Review::Entered(message_ref, _) = self.review
            && self.has_starts
            && !header.is_unsure
        {
            let violation = ReviewInReview.at(line.at);
            out.push(violation.earlier(message_ref, "the review before began here"));
        }
        self.review = Review::Entered(line.message_ref, self.is_open());
    }

    fn exited(&mut self, line: &RolloutLine<'_>, header: &Header, out: &mut Vec<Violation>) {
        let was = std::mem::replace(&mut self.review, Review::Left);
        if !matches!(was, Review::Entered(..)) && !header.is_unsure && !header.has_base {
            out.push(NoReviewEnds.at(line.at));
        }
    }

    /// What `token_usage_record` names.
    fn usage(&self, line: &RolloutLine<'_>, header: &Header, out: &mut Vec<Violation>) {
        let mut report = |violation: Violation| out.push(violation.of(line.tag));
        let at = || line.pointer("turn_id");
        if let Some(violation) = other_thread(line, header) {
            report(violation);
        }
        match (&self.now, line.text("turn_id")) {
            (Now::Turn(turn), Some(id)) if turn.id != id => report(OfOtherTurn.at(at())),
            (Now::Nothing, Some(_)) => report(OfNoTurn.at(at())),
            _ => {}
        }
    }

    /// What `item_completed` names.
    fn finished(&self, line: &RolloutLine<'_>, header: &Header, out: &mut Vec<Violation>) {
        if self.review != Review::None {
            return;
        }
        let mut report = |violation: Violation| out.push(violation.of("item_completed"));
        if let Some(violation) = other_thread(line, header) {
            report(violation);
        }
        let Some(id) = line.text("turn_id") else {
            return;
        };
        // Commands in the background complete when their turn is over, also in a fork.
        let is_sure = !header.is_unsure && !header.has_base && !self.known.forgot();
        match &self.now {
            Now::Turn(turn) if turn.id == id => {}
            Now::Turn(_) | Now::Nothing if is_sure && self.known.get(id).is_none() => {
                report(OfUnknownTurn.at(line.pointer("turn_id")));
            }
            _ => {}
        }
    }

    fn item_id(&mut self, line: &RolloutLine<'_>, out: &mut Vec<Violation>) {
        let is_item = matches!(
            line.kind,
            Kind::UserItem
                | Kind::OtherMessage
                | Kind::AgentItem
                | Kind::ReasoningItem
                | Kind::Call
                | Kind::Output
                | Kind::SearchItem
        );
        let (Now::Turn(turn), true) = (&mut self.now, is_item) else {
            return;
        };
        let Some(id) = line.text("id") else {
            return;
        };
        if turn.items.insert(id.to_owned(), ()).is_some() {
            out.push(ItemIdAgain.at(line.pointer("id")));
        }
    }

    /// What comes in turns only.
    fn outside(&mut self, line: &RolloutLine<'_>, out: &mut Vec<Violation>) {
        let is_of_turn = match line.kind {
            // A background command completes later; the paginated form names its turn.
            Kind::CallEvent => line.item.is_none() && line.tag != "exec_command_end",
            Kind::AgentEvent
            | Kind::ReasoningEvent
            | Kind::ReasoningItem
            | Kind::Call
            | Kind::Output
            | Kind::SearchEvent
            | Kind::Compacted
            | Kind::Exited => true,
            _ => false,
        };
        if is_of_turn && matches!(self.now, Now::Nothing) {
            let tag = Word::of(line.tag);
            out.push(OutsideTurn { tag }.at(line.at));
            // It is said once.
            self.now = Now::Unknown;
        }
    }
}

/// How many ids of items of a turn are remembered.
const ITEMS_OF_A_TURN: usize = 1024;

/// The end says again when the turn was started.
fn started_at(line: &RolloutLine<'_>, turn: &Turn, out: &mut Vec<Violation>) {
    let again = line.payload.get("started_at").and_then(View::as_i64);
    if let (Some(before), Some(again)) = (turn.started_at, again)
        && before != again
    {
        let violation = StartedAtDiffers { before, again }.at(line.pointer("started_at"));
        out.push(violation.earlier(turn.message_ref, "the turn began here"));
    }
}

/// What the end of a turn says of its times.
fn times(line: &RolloutLine<'_>, out: &mut Vec<Violation>) {
    let count = |name: &str| line.payload.get(name).and_then(View::as_i64);
    if let (Some(first), Some(whole)) = (count("time_to_first_token_ms"), count("duration_ms"))
        && first > whole
    {
        out.push(FirstTokenAfterEnd.at(line.pointer("time_to_first_token_ms")));
    }
}

/// What is wrong with the thread that a line names.
fn other_thread(line: &RolloutLine<'_>, header: &Header) -> Option<Violation> {
    let id = line.text("thread_id")?;
    (!header.may_be_thread(id)).then(|| OfOtherThread.at(line.pointer("thread_id")))
}

rules! {
    ROLLOUT_TURN_STARTED_AGAIN {
        summary: "a turn is started once",
        id: "sequence/rollout-turn-started-again",
        about: LINES,
        releases: since(v(100)),
        explanation: "`task_started` names the turn by an id that no other turn of the file has. Here \
            lines were repeated, for example because two copies of a file were merged. A turn that is \
            started while another one runs is not an error: the process before was killed.",
        evidence: files!("No id comes again."),
    } => {
        TurnStartedAgain: "a turn of this id was started before",
    }
    ROLLOUT_TURN_END {
        summary: "the turn that ends is the one that runs",
        id: "sequence/rollout-turn-end",
        about: LINES,
        releases: since(v(100)),
        explanation: "`task_complete` and `turn_aborted` name the turn that `task_started` began. Two \
            exceptions are known and not reported: in a review the parent's file has the start of the \
            reviewer's turn and the end of its own, and a fork ends a reviewer's turn that it copied. \
            Before 0.100.0 nothing marks the start.",
        evidence: files!("28 reviews end a turn of another id; all other ends fit."),
    } => {
        OtherTurnEnds: "the turn that ends is not the one that runs",
        NoTurnEnds: "a turn ends, but none runs",
    }
    ROLLOUT_TURN_CONTEXT {
        summary: "a turn has one `turn_context`, which names it, and another one only after a \
            compaction",
        id: "sequence/rollout-turn-context",
        about: LINES,
        releases: since(v(100)),
        exceptions: &[
            Exception {
                releases: until(v(106)),
                of: &["again", "again after an answer"],
                level: None,
                seen: "up to 0.105.0 every request to the model has a `turn_context`",
            },
            Exception {
                releases: until(v(141)),
                of: &["again after an answer"],
                level: None,
                seen: "up to 0.141.0 a turn has another `turn_context` if it goes on after its end was \
                    near: the user or another agent said something while a hook of `Stop` ran; \
                    recorded in 8 releases from 0.117.0 on",
            },
        ],
        explanation: "`turn_context.turn_id` is the id of the running turn. Here lines were moved, \
            repeated, or the start of the turn is missing.",
        evidence: files!("Each names the running turn. 8 turns have two, all of them after a \
            compaction."),
    } => {
        ContextOfOtherTurn: "`turn_context` names another turn than the one that runs",
        ContextAgain: "the turn has a `turn_context` already",
        ContextOutsideTurn: "`turn_context` comes outside a turn",
    }
    ROLLOUT_OF_TURN {
        summary: "a finished item and a usage record name the thread of the file and a turn of it",
        id: "sequence/rollout-of-turn",
        about: LINES,
        releases: since(v(100)),
        explanation: "`token_usage_record` names the running turn. `item_completed` may come when its \
            turn is over: a command that runs in the background completes later. In a review the \
            parent's file names the thread and the turn of the reviewer; that is not reported.",
        evidence: files!("16 items of reviews name the reviewer's thread; all others fit."),
    } => {
        OfOtherThread: "the thread is not that of the file",
        OfOtherTurn: "the turn is not the one that runs",
        OfNoTurn: "no turn runs",
        OfUnknownTurn: "a turn of this id was not started",
    }
    ROLLOUT_OUTSIDE_TURN {
        summary: "messages of the model, calls and compactions come within a turn",
        id: "sequence/rollout-outside-turn",
        about: LINES,
        releases: since(v(107)),
        explanation: "Between turns a file has headers, settings, goals, rollbacks, the beginning of \
            a review, and messages that a client injects. Here `task_started` is missing, or lines \
            were moved behind the end of their turn.",
        evidence: files!("138 lines stand between turns; none is of these kinds."),
    } => {
        OutsideTurn { tag: Word }: "`{tag}` comes outside a turn",
    }
    ROLLOUT_TURN_OPENING {
        summary: "the context of a turn stands at its place beside the message of the user",
        id: "sequence/rollout-turn-opening",
        about: LINES,
        releases: since(v(36)),
        exceptions: &[
            Exception {
                releases: since(v(106)),
                of: &["context behind"],
                level: None,
                seen: "from 0.107.0 on `turn_context` stands before the message of the user",
            },
            Exception {
                releases: until(v(106)),
                of: &["context before"],
                level: None,
                seen: "up to 0.105.0 `turn_context` follows the message of the user",
            },
        ],
        explanation: "Up to 0.105.0 `turn_context` follows `user_message`; from 0.107.0 on it stands \
            between `task_started` and the message of the user, behind `world_state`. In a review \
            the parent's file has no context, and what a sub-agent copies of its parent need not have \
            one.",
        evidence: files!("All of 237 messages of the user up to 0.105.0 and of 560 later ones, without \
            those of reviews, stand at this place."),
    } => {
        ContextNotBehind: "`turn_context` does not follow the message of the user",
        PromptBeforeContext: "the message of the user comes before `turn_context`",
        StateBehindContext: "`world_state` comes behind `turn_context`",
    }
    ROLLOUT_REVIEW_MODE {
        summary: "a review is left once, after it was entered",
        id: "sequence/rollout-review-mode",
        about: LINES,
        releases: since(v(63)),
        explanation: "`entered_review_mode` and `exited_review_mode`, or the finished items of these \
            names, stand around a review, and both before the end of the turn. Here one of them is \
            missing, repeated or moved.",
        evidence: files!("25 reviews were compared."),
    } => {
        ReviewNotLeft: "the turn ends, but its review was not left",
        ReviewInReview: "a review begins while one runs",
        NoReviewEnds: "a review ends, but none runs",
    }
    ROLLOUT_ITEM_ID {
        summary: "the ids of the items of a turn differ",
        id: "sequence/rollout-item-id",
        about: LINES,
        releases: since(v(142)),
        explanation: "Items have ids from 0.142.0 on. The model gives ids to its items, and Codex to \
            all others. Here an item was repeated. Items of different turns are not compared: the \
            summary of a review has the same id each time.",
        evidence: files!("No id comes again within a turn."),
    } => {
        ItemIdAgain: "an item of this turn has the same id",
    }
    ROLLOUT_TURN_TIMES {
        summary: "the times that the end of a turn gives fit its start and each other",
        id: "sequence/rollout-turn-times",
        about: LINES,
        releases: since(v(120)),
        explanation: "The end gives `started_at` again, and `time_to_first_token_ms` is not more than \
            `duration_ms`.",
        evidence: files!("Every end of a turn was compared, except those of reviews."),
    } => {
        StartedAtDiffers { before: i64, again: i64 }: "`started_at` was {before}, and is {again} at the end",
        FirstTokenAfterEnd: "the first token came later than the turn lasted",
    }
}
