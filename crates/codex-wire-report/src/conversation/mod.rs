//! Writes a transcript as a conversation that people read: what was said, what ran, what changed, and what it used.
//!
//! Each item is written once it has ended. An item that changes afterwards, such as a list of steps, is written again.
//! What holds no session, such as recorded hooks, is written as a [timeline](crate::timeline).

mod block;
mod clean;
mod findings;
mod html;
mod markdown;
mod options;
mod text;

use std::collections::HashMap;
use std::fmt;
use std::hash::{BuildHasher as _, BuildHasherDefault, DefaultHasher};
use std::io::{self, Write};

use codex_wire_base::transcript::Record;
use codex_wire_check::{Event, Outcome, Step, Verdict};
use codex_wire_session::{
    Item, Lineage, Thread, ThreadOf, Time, Tokens, Turn, TurnOf, TurnStatus, Watch, WatchEvent,
};

use crate::numbers::{counted, duration_text, grouped};
use crate::timeline::{Timeline, TimelineOptions};
use crate::words::{spaced, unreadable};
use block::{Block, Texts, Tone};
use findings::Findings;
use html::{Html, Origin};
pub use html::{begin_html, end_html};
use markdown::Markdown;
pub use options::{ConversationOptions, Form, NotATopic, NotTurns, Topic, Turns};
use text::Text;

/// How an item is drawn: a class of the style sheet, and a word for what it is. Nothing of its texts is in them.
pub(crate) fn drawn(item: &Item) -> (&'static str, &'static str) {
    let texts = Texts {
        mask: true,
        full: false,
        folds: false,
    };
    let block = texts.block(item);
    (block.kind(), block.label)
}

/// A conversation that is being written.
pub struct Conversation<'w> {
    options: &'w ConversationOptions,
    state: State<'w>,
    watch: Watch,
    exit: Option<Block>,
    /// Findings of lines before it was clear that this is a transcript.
    early: Vec<(u64, Block)>,
}

/// What is written.
enum State<'w> {
    Conversation(Pages<'w>),
    /// The input holds no session.
    Timeline(Box<Timeline<'w>>),
    /// The same within HTML.
    HtmlTimeline(Box<Timeline<'w>>, Box<Html<'w>>),
    /// Only in the moment in which the one becomes the other.
    Between,
}

impl fmt::Debug for Conversation<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = f.debug_struct("Conversation");
        out.field("options", self.options).finish_non_exhaustive()
    }
}

impl<'w> Conversation<'w> {
    /// Begins the conversation of an input with that name.
    pub fn new(name: &str, options: &'w ConversationOptions, out: &'w mut dyn Write) -> Self {
        let text = Text {
            options,
            is_compact: false,
        };
        let pages = Pages {
            out,
            options,
            text,
            markdown: Markdown { options },
            html: Box::new(Html::new(name, options)),
            place: None,
            headed: HashMap::new(),
            shown: HashMap::new(),
            result: Ok(()),
        };
        Conversation {
            options,
            state: State::Conversation(pages),
            watch: Watch::new(name),
            exit: None,
            early: Vec::new(),
        }
    }

    /// Writes what can be written after a line.
    ///
    /// # Errors
    /// When writing fails.
    pub fn step(&mut self, step: &Step<'_>) -> io::Result<()> {
        let has_protocol = matches!(
            step.event,
            Event::Message {
                protocol: Some(_),
                ..
            }
        );
        let mut is_timeline = false;
        if let State::Conversation(pages) = &mut self.state {
            self.watch.step(step, &mut |seen| pages.seen(seen));
            std::mem::replace(&mut pages.result, Ok(()))?;
            is_timeline = has_protocol && !self.watch.is_session();
            if let Event::Record(Record::Exit(record)) = step.event
                && (record.status.value() != Some(&0) || record.signal.value().is_some())
            {
                let mut block = Block::new(Topic::Errors, "exit", "");
                block.tone = Tone::Bad;
                let status = record.status.value();
                block.title = status.map_or(String::new(), |status| format!("status {status}"));
                block.notes.extend(record.signal.value().cloned());
                self.exit = Some(block);
            }
            if self.options.findings {
                // A timeline has those of its lines.
                let findings = step.findings.iter().filter(|_| !is_timeline);
                self.early
                    .extend(findings.map(|finding| (finding.place.line, findings::block(finding))));
                if step.recognized {
                    for (line, block) in self.early.drain(..) {
                        pages.remark(&block, line)?;
                    }
                }
            }
            if self.options.live {
                pages.out.flush()?;
            }
        }
        if is_timeline {
            self.be_timeline()?;
        }
        match &mut self.state {
            State::Timeline(timeline) | State::HtmlTimeline(timeline, _) => timeline.step(step),
            _ => Ok(()),
        }
    }

    /// From now on what comes is written as a timeline.
    fn be_timeline(&mut self) -> io::Result<()> {
        self.state = match std::mem::replace(&mut self.state, State::Between) {
            State::Conversation(mut pages) => {
                let mut options = TimelineOptions::new();
                options.show_values = !self.options.mask;
                options.width = self.options.width;
                options.styles = self.options.styles;
                options.live = self.options.live;
                match self.options.form {
                    Form::Html => {
                        pages.html.begin_plain(pages.out)?;
                        let timeline = Timeline::in_html(options, pages.out);
                        State::HtmlTimeline(Box::new(timeline), pages.html)
                    }
                    _ => State::Timeline(Box::new(Timeline::new(options, pages.out))),
                }
            }
            state => state,
        };
        Ok(())
    }

    /// Writes the rest, and what is to be known of the whole input.
    ///
    /// # Errors
    /// When writing fails.
    pub fn finish(self, outcome: &Outcome) -> io::Result<()> {
        let Conversation {
            options,
            state,
            watch,
            exit,
            early: _,
        } = self;
        let mut pages = match state {
            State::Conversation(pages) => pages,
            State::Timeline(timeline) => return timeline.finish(outcome),
            State::HtmlTimeline(timeline, mut html) => {
                let out = timeline.finish_in_html(outcome)?;
                html.end_plain(out)?;
                return html.finish(out, outcome);
            }
            State::Between => return Ok(()),
        };
        watch.finish(&mut |seen| pages.seen(seen));
        std::mem::replace(&mut pages.result, Ok(()))?;
        if let Some(block) = exit
            && pages.is_wanted(&block)
            && options.turns.is_empty()
        {
            pages.text.is_compact = false;
            pages.block(&block, &Origin::Remark(None))?;
        }
        let out = pages.out;
        if options.form == Form::Html {
            return pages.html.finish(out, outcome);
        }
        let (bad, warn) = (options.styles.error, options.styles.warning);
        match outcome.verdict {
            Verdict::Unreadable => {
                writeln!(out, "{bad}{}{bad:#}", unreadable(outcome))
            }
            Verdict::NotExercised => writeln!(out, "{warn}holds no messages{warn:#}"),
            _ => {
                let gap = if pages.place.is_some() { "\n" } else { "" };
                Findings::of(outcome).write(out, options, gap)
            }
        }
    }
}

/// The headings of a thread.
#[derive(Default)]
struct Headed {
    /// The turn whose heading was written last.
    turn: Option<usize>,
    /// How many turns there are, up to the last one with a heading.
    turns: usize,
}

/// The pages of a conversation.
struct Pages<'w> {
    out: &'w mut dyn Write,
    options: &'w ConversationOptions,
    text: Text<'w>,
    markdown: Markdown<'w>,
    html: Box<Html<'w>>,
    /// The thread, and the turn in it, whose heading was written last.
    place: Option<(usize, Option<usize>)>,
    /// What has a heading, by the number of the thread.
    headed: HashMap<usize, Headed>,
    /// Digests of the blocks of the turn at hand, by thread and item: of an item that comes again, nothing that is
    /// written may have changed.
    shown: HashMap<(usize, usize), u64>,
    /// What came of writing.
    result: io::Result<()>,
}

impl Pages<'_> {
    fn seen(&mut self, seen: WatchEvent<'_>) {
        if self.result.is_ok() {
            self.result = self.try_seen(seen);
        }
    }

    fn texts(&self) -> Texts {
        Texts {
            mask: self.options.mask,
            full: self.options.full,
            folds: self.options.form == Form::Html,
        }
    }

    fn try_seen(&mut self, seen: WatchEvent<'_>) -> io::Result<()> {
        match seen {
            WatchEvent::Item(of, item) => {
                let mut block = self.texts().block(item);
                let digest = BuildHasherDefault::<DefaultHasher>::default().hash_one(&block);
                let key = (of.turn_of.thread_number, of.number);
                if self.shown.insert(key, digest) == Some(digest) && of.is_again {
                    return Ok(());
                }
                if of.is_again && block.topic != Topic::Plans {
                    block.notes.push("later".to_owned());
                }
                if self.is_wanted(&block) && self.options.takes_turn(of.turn_of.number) {
                    self.go_to_turn(of.turn_of, of.turn)?;
                    self.block(&block, &Origin::Item(of, item))?;
                }
                Ok(())
            }
            WatchEvent::Outside(of, item) => {
                let block = self.texts().block(item);
                if self.is_wanted(&block) && self.options.turns.is_empty() {
                    self.go_to_thread(of, None)?;
                    self.block(&block, &Origin::Outside(of.number, item))?;
                }
                Ok(())
            }
            WatchEvent::TurnEnded(of, turn) => {
                self.shown
                    .retain(|(thread, _), _| *thread != of.thread_number);
                self.turn_ended(of, turn)?;
                if self.options.form == Form::Html {
                    self.html.turn_over(of, turn);
                }
                Ok(())
            }
            WatchEvent::RolledBack(of) => {
                let mut block = Block::new(Topic::Messages, "reverted", "");
                block.title = format!("the user took back turn {} and what follows", of.number + 1);
                block.tone = Tone::Warning;
                if self.is_wanted(&block) && self.options.turns.is_empty() {
                    self.block(&block, &Origin::Remark(None))?;
                }
                Ok(())
            }
            WatchEvent::Unread(unread) => {
                let mut block = Block::new(Topic::Errors, "unread", "");
                block.title = format!("line {}: {}", unread.line, unread.problem);
                block.tone = Tone::Bad;
                match self.place {
                    // A finding says it.
                    Some(_) if self.options.findings => Ok(()),
                    Some(_) => self.remark(&block, unread.line),
                    // Before the first message, it may turn out that this is not a transcript.
                    None => Ok(()),
                }
            }
            WatchEvent::Thread(of) => {
                self.html.thread_over(of.thread.tokens);
                self.thread_ended(of)
            }
            _ => Ok(()),
        }
    }

    /// Writes what there is to say of a line.
    fn remark(&mut self, block: &Block, line: u64) -> io::Result<()> {
        match self.is_wanted(block) && self.options.turns.is_empty() {
            true => self.block(block, &Origin::Remark(Some(line))),
            false => Ok(()),
        }
    }

    fn is_wanted(&self, block: &Block) -> bool {
        let grep = self.options.grep.as_deref();
        let is_empty = block.title.is_empty() && block.parts.is_empty() && block.notes.is_empty();
        !is_empty
            && self.options.takes(block.topic)
            && grep.is_none_or(|pattern| block.holds(pattern))
    }

    fn block(&mut self, block: &Block, origin: &Origin<'_>) -> io::Result<()> {
        match self.options.form {
            Form::Text => self.text.block(self.out, block),
            Form::Markdown => self.markdown.block(self.out, block),
            Form::Html => self.html.block(self.out, block, origin),
        }
    }

    fn go_to_turn(&mut self, of: TurnOf<'_>, turn: &Turn) -> io::Result<()> {
        let place = Some((of.thread_number, Some(of.number)));
        if self.place == place {
            return Ok(());
        }
        let known = self.headed.get(&of.thread_number);
        if known.is_some_and(|known| known.turn == Some(of.number)) {
            // Two threads run at a time.
            self.thread_heading(of.thread, of.thread_number, None, Some(of.number))?;
            self.place = place;
            return Ok(());
        }
        let protocol = of.protocol.map(|protocol| protocol.to_string());
        self.thread_heading(of.thread, of.thread_number, protocol, None)?;
        let headed = self.headed.entry(of.thread_number).or_default();
        headed.turn = Some(of.number);
        headed.turns = headed.turns.max(of.number + 1);
        self.place = place;
        let mut facts = Vec::new();
        let settings = &turn.settings;
        let model = settings.model.as_deref().map(str::to_owned);
        facts.extend(model.map(|model| match settings.effort.as_deref() {
            Some(effort) => format!("{model} {effort}"),
            None => model,
        }));
        facts.extend(turn.started.map(self.options.clock));
        if turn.is_copied {
            facts.push("copied from the parent".to_owned());
        }
        if turn.is_rolled_back {
            facts.push("taken back".to_owned());
        }
        let title = format!("Turn {}", of.number + 1);
        match self.options.form {
            Form::Text => self.text.turn(self.out, &title, &facts),
            Form::Markdown => self.markdown.turn(self.out, &title, &facts),
            Form::Html => self.html.turn(self.out, of, &title, &facts),
        }
    }

    fn go_to_thread(&mut self, of: ThreadOf<'_>, turn: Option<usize>) -> io::Result<()> {
        if self.place.map(|(thread, _)| thread) != Some(of.number) {
            let protocol = of.protocol.map(|protocol| protocol.to_string());
            self.thread_heading(of.thread, of.number, protocol, None)?;
            self.place = Some((of.number, turn));
        }
        Ok(())
    }

    /// The heading of a thread, if another one was the last: what is known of it, or, if it goes on, the turn.
    fn thread_heading(
        &mut self,
        thread: &Thread,
        number: usize,
        protocol: Option<String>,
        turn: Option<usize>,
    ) -> io::Result<()> {
        if self.place.map(|(thread, _)| thread) == Some(number) {
            return Ok(());
        }
        let texts = self.texts();
        let mut title = match (&thread.id, &thread.name) {
            (Some(id), Some(name)) => format!("Thread {id}: {}", texts.text(name)),
            (Some(id), None) => format!("Thread {id}"),
            (None, Some(name)) => format!("Thread: {}", texts.text(name)),
            (None, None) => "Thread".to_owned(),
        };
        if let Some(turn) = turn {
            title.push_str(&format!(", turn {}", turn + 1));
        }
        let is_first = self.headed.is_empty();
        let goes_on = self.headed.contains_key(&number);
        let facts = match goes_on {
            true => Vec::new(),
            false => facts(thread, protocol, texts, self.options.clock),
        };
        self.headed.entry(number).or_default();
        match self.options.form {
            Form::Text => self.text.thread(self.out, &title, &facts, is_first),
            Form::Markdown => self.markdown.thread(self.out, &title, &facts, is_first),
            Form::Html => {
                let thread = (thread, number);
                self.html.thread(self.out, thread, &title, &facts, goes_on)
            }
        }
    }

    fn turn_ended(&mut self, of: TurnOf<'_>, turn: &Turn) -> io::Result<()> {
        let (tone, label) = match turn.status {
            TurnStatus::Completed => (Tone::Plain, "completed"),
            TurnStatus::Failed => (Tone::Bad, "failed"),
            TurnStatus::Interrupted => (Tone::Warning, "interrupted"),
            TurnStatus::Unfinished => (Tone::Warning, "unfinished"),
            // The release marks no ends.
            _ => return Ok(()),
        };
        let is_wanted = self.options.takes_turn(of.number)
            && match self.options.only.is_empty() && self.options.grep.is_none() {
                true => true,
                false => tone == Tone::Bad && self.options.only.contains(&Topic::Errors),
            };
        let tokens = turn.tokens();
        // A turn that is being prepared has no end either.
        let is_empty = turn.items.is_empty() && tokens.is_zero() && tone == Tone::Warning;
        if !is_wanted || is_empty {
            return Ok(());
        }
        self.go_to_turn(of, turn)?;
        let mut facts = Vec::new();
        if let Some(error) = &turn.error {
            let kind = error.kind.as_deref().map(spaced);
            facts.push(match kind {
                Some(kind) => format!("{kind}: {}", self.texts().text(&error.message)),
                None => self.texts().text(&error.message),
            });
        }
        let took = turn.took_ms().filter(|ms| *ms > 0);
        facts.extend(took.map(duration_text));
        if !tokens.is_zero() {
            facts.push(tokens_text(tokens));
        }
        if turn.retries > 0 {
            facts.push(counted(turn.retries.into(), "retry", "retries"));
        }
        match self.options.form {
            Form::Text => self.text.end(self.out, tone, label, &facts),
            Form::Markdown => self.markdown.end(self.out, label, &facts),
            Form::Html => self.html.end(self.out, tone, label, &facts),
        }
    }

    /// The sum of a thread, if it has more than one turn, or its heading if nothing of it was written.
    fn thread_ended(&mut self, of: ThreadOf<'_>) -> io::Result<()> {
        let is_whole = self.options.only.is_empty()
            && self.options.grep.is_none()
            && self.options.turns.is_empty();
        let turns = self.headed.get(&of.number).map_or(0, |headed| headed.turns);
        let is_unseen = !self.headed.contains_key(&of.number) && of.thread.id.is_some();
        if !is_whole || turns < 2 && !is_unseen {
            return Ok(());
        }
        self.go_to_thread(of, None)?;
        if turns < 2 {
            return Ok(());
        }
        let mut facts = vec![counted(turns as u64, "turn", "turns")];
        if !of.thread.tokens.is_zero() {
            facts.push(tokens_text(of.thread.tokens));
        }
        if let Some(window) = of.thread.context_window {
            facts.push(format!("context window {}", grouped(window)));
        }
        match self.options.form {
            Form::Text => self.text.end(self.out, Tone::Plain, "thread", &facts),
            Form::Markdown => self.markdown.end(self.out, "thread", &facts),
            Form::Html => self.html.end(self.out, Tone::Plain, "thread", &facts),
        }
    }
}

/// What is known of a thread.
fn facts(
    thread: &Thread,
    protocol: Option<String>,
    texts: Texts,
    clock: fn(Time) -> String,
) -> Vec<String> {
    let mut facts: Vec<String> = Vec::new();
    facts.extend(
        thread
            .release
            .as_ref()
            .map(|release| format!("Codex {release}")),
    );
    facts.extend(thread.client.clone().or(protocol));
    facts.extend(thread.cwd.as_deref().map(|cwd| texts.text(cwd)));
    if let Some(git) = &thread.git {
        facts.extend(git.branch.as_deref().map(|branch| texts.text(branch)));
    }
    facts.extend(thread.created.map(clock));
    let Lineage {
        forked_from,
        parent,
        nickname,
        is_review,
        ..
    } = &thread.lineage;
    facts.extend(forked_from.as_ref().map(|id| format!("fork of {id}")));
    facts.extend(parent.as_ref().map(|id| format!("sub-agent of {id}")));
    facts.extend(nickname.as_deref().map(|name| texts.text(name)));
    if *is_review {
        facts.push("review".to_owned());
    }
    facts
}

/// Tokens, with their parts.
fn tokens_text(tokens: Tokens) -> String {
    let part = |count: u64, what: &str| match count {
        0 => String::new(),
        count => format!(" ({} {what})", grouped(count)),
    };
    format!(
        "tokens {} in{}, {} out{}",
        grouped(tokens.input),
        part(tokens.cached_input, "cached"),
        grouped(tokens.output),
        part(tokens.reasoning_output, "reasoning"),
    )
}
