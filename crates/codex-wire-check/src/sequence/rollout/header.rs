//! Checks what holds from line to line of a session file: its header, its times and its ordinals.

use codex_wire_prefilter::View;

use super::evidence::{FILES, LAST_LEGACY, LINES, files};
use super::line::{Kind, RolloutLine};
use crate::phrasing::Word;
use crate::rule::{Exception, between, since, v};
use crate::rule_macros::rules;
use crate::sequence::machine::Observed;
use crate::sequence::value::digest;
use crate::violation::{Broken, MessageRef, Violation};

/// How many threads whose history a file copies are remembered.
const MOST_THREADS: usize = 64;

/// What is known of the file.
#[derive(Debug, Default)]
pub(super) struct Header {
    /// Whether a line was seen.
    begun: bool,
    /// Whether its beginning is missing, or a line could not be read: what is not seen may have been
    /// there.
    pub(super) is_unsure: bool,
    /// Whether its lines have ordinals; `None` if the header is missing.
    pub(super) is_paginated: Option<bool>,
    /// Whether its history begins in another file.
    pub(super) has_base: bool,
    /// Whether it copies the lines of another file.
    pub(super) is_copy: bool,
    /// Whether that file was created by another release. Then its lines are in another form.
    pub(super) is_foreign_copy: bool,
    /// Whether the lines are those that a sub-agent copies from the thread it was forked from, which
    /// are not all.
    pub(super) is_agent_copy: bool,
    /// Whether a turn was started.
    has_starts: bool,
    /// When its thread was made, as the beginning of its id.
    made: Option<String>,
    /// The threads whose headers it has, as digests; its own is the first.
    threads: Vec<u64>,
    /// The release that created it, as a digest.
    version: Option<u64>,
    /// The thread that the last header names as the one it was forked from.
    forked_from: Option<u64>,
    /// Whether all lines so far are headers.
    is_top: bool,
    time: Option<(String, MessageRef)>,
    /// The line before, if it is known.
    last: Option<LastLine>,
    next: Next,
    bare: Option<Bare>,
    /// Whether an ordinal of a file without ordinals was reported.
    has_reported_mode: bool,
}

/// Which ordinal comes next.
#[derive(Clone, Copy, Debug, Default)]
enum Next {
    /// Any.
    #[default]
    Any,
    /// One that is more than this, because lines between are not known.
    Above(u64),
    /// This one.
    Exactly(u64),
}

/// Lines without ordinal, in a file whose lines have some.
#[derive(Clone, Copy, Debug)]
struct Bare {
    first: MessageRef,
    /// Whether a process may have begun with one of them.
    may_begin: bool,
}

/// A line, as far as another one is compared with it. To copy a short line takes fewer instructions than to make a
/// digest of it: session files are checked with 0.6 of 100 instructions less.
#[derive(Debug, Default)]
struct LastLine {
    /// As it is written, if it is short.
    short: String,
    /// Otherwise its digest.
    long: Option<u64>,
}

/// How long a line may be that is kept as it is written.
const SHORT: usize = 1024;

impl LastLine {
    /// Keeps a line instead. Returns whether it is the same.
    fn replace(&mut self, line: &str) -> bool {
        if line.len() > SHORT {
            let this = digest(&line);
            self.short.clear();
            return self.long.replace(this) == Some(this);
        }
        let is_same = self.long.take().is_none() && self.short == line;
        if !is_same {
            self.short.clear();
            self.short.push_str(line);
        }
        is_same
    }
}

impl Header {
    /// Takes a line.
    pub(super) fn line(
        &mut self,
        line: &RolloutLine<'_>,
        seen: &Observed<'_>,
        out: &mut Vec<Violation>,
    ) {
        if line.kind == Kind::Header {
            self.header(line, out);
        } else {
            if !self.begun && !self.is_unsure {
                self.is_unsure = true;
                let tag = Word::of(line.tag);
                let help = "the start of the file is missing, or its lines are in the wrong order";
                out.push(HeaderNotFirst { tag }.at("").help(help));
            }
            self.is_top = false;
        }
        self.has_starts |= line.kind == Kind::TaskStarted;
        if matches!(line.kind, Kind::TaskStarted | Kind::Context) {
            let turn = line.text("turn_id").and_then(made);
            self.is_agent_copy &= turn.is_some() && turn < self.made.as_deref();
        }
        self.again(line, seen, out);
        if line.at.is_empty() {
            self.begun = true;
            return;
        }
        self.time(line, out);
        self.ordinal(line, seen, out);
        self.begun = true;
    }

    /// A line could not be read.
    pub(super) fn lost(&mut self) {
        self.is_unsure = true;
        self.is_top = false;
        self.last = None;
        if let Next::Exactly(next) = self.next {
            self.next = match next.checked_sub(1) {
                Some(last) => Next::Above(last),
                None => Next::Any,
            };
        }
    }

    /// Whether that is the file's own thread, or one whose history it copies. If the header is
    /// missing, it may be.
    pub(super) fn may_be_thread(&self, id: &str) -> bool {
        self.is_unsure || self.threads.contains(&digest(&id))
    }

    /// Whether it says that it goes on from another thread.
    pub(super) fn is_fork(&self) -> bool {
        self.is_copy || self.forked_from.is_some()
    }

    /// Whether the file says where turns begin, or may do so in lines that are missing or are copies.
    pub(super) fn marks_turns(&self) -> bool {
        self.has_starts || self.is_unsure || self.is_copy || self.is_agent_copy
    }

    fn header(&mut self, line: &RolloutLine<'_>, out: &mut Vec<Violation>) {
        let id = line.text("id").map(|id| digest(&id));
        let version = line.text("cli_version").map(|version| digest(&version));
        let Some(id) = id else {
            return self.lost();
        };
        if !self.begun && !self.is_unsure {
            self.is_top = true;
            let base = line
                .payload
                .get("history_base")
                .filter(|base| base.is_object());
            self.has_base = base.is_some();
            self.is_paginated = Some(line.text("history_mode") == Some("paginated"));
            let first = match base {
                Some(base) => base.get("end_ordinal_exclusive").and_then(View::as_u64),
                None => Some(0),
            };
            self.next = first.map_or(Next::Any, Next::Exactly);
            self.version = version;
            self.threads.push(id);
            // From 0.125.0 to 0.147.0 a sub-agent may copy the last turns without the other header, and only
            // later ones say that it is a fork.
            let source = line.payload.get("source");
            let source = source.and_then(|source| source.get("subagent"));
            self.is_agent_copy = source.is_some_and(|source| source.get("thread_spawn").is_some());
            self.made = line.text("id").and_then(made).map(str::to_owned);
        } else if self.threads.first() == Some(&id) {
            out.push(HeaderAgain.at(line.pointer("id")).of("same thread"));
        } else if !self.is_unsure && !self.threads.contains(&id) {
            let is_parent = self.forked_from.is_none_or(|parent| parent == id);
            if !self.is_top || !is_parent || line.at.is_empty() {
                out.push(
                    HeaderOfOtherThread
                        .at(line.pointer("id"))
                        .of("other thread"),
                );
            }
            self.is_copy = true;
            self.is_foreign_copy |= version != self.version;
            if self.threads.len() < MOST_THREADS {
                self.threads.push(id);
            }
        }
        self.forked_from = line.text("forked_from_id").map(|id| digest(&id));
    }

    /// A line that is the same as the one before.
    fn again(&mut self, line: &RolloutLine<'_>, seen: &Observed<'_>, out: &mut Vec<Violation>) {
        let written = seen.message.as_written();
        let may_repeat = matches!(
            line.kind,
            Kind::State | Kind::UserItem | Kind::OtherMessage | Kind::UserEvent | Kind::Settings
        ) || self.is_agent_copy && line.kind == Kind::TokenCount;
        let last = self.last.get_or_insert_default();
        if last.replace(written) && !may_repeat {
            out.push(LineAgain.at(""));
        }
    }

    fn time(&mut self, line: &RolloutLine<'_>, out: &mut Vec<Violation>) {
        // Codex writes all times in one form, so that they are in order as texts.
        let Some(now) = line.time.filter(|time| time.len() == 24) else {
            return;
        };
        if let Some((before, message_ref)) = &self.time
            && now < before.as_str()
        {
            let violation = TimeFalls.at("/timestamp");
            out.push(violation.earlier(*message_ref, "the line before is here"));
        }
        match &mut self.time {
            Some((time, message_ref)) => {
                time.clear();
                time.push_str(now);
                *message_ref = line.message_ref;
            }
            None => self.time = Some((now.to_owned(), line.message_ref)),
        }
    }

    fn ordinal(&mut self, line: &RolloutLine<'_>, seen: &Observed<'_>, out: &mut Vec<Violation>) {
        let ordinal = seen.message.get("ordinal");
        let Some(ordinal) = ordinal.and_then(View::as_u64) else {
            return self.stray(line, out);
        };
        if self.is_paginated == Some(false) {
            if !self.has_reported_mode {
                self.has_reported_mode = true;
                out.push(OrdinalInLegacy.at("/ordinal"));
            }
            return;
        }
        if let Some(bare) = self.bare.take() {
            if !bare.may_begin {
                out.push(
                    LinesWithoutOrdinal
                        .at("")
                        .earlier(bare.first, "the first line without an ordinal is here"),
                );
            }
            self.next = match self.next {
                Next::Exactly(next) if next > 0 => Next::Above(next - 1),
                other => other,
            };
        }
        let violation = match self.next {
            Next::Exactly(next) if ordinal != next => {
                Some(OtherOrdinal { ordinal, next }.at("/ordinal"))
            }
            Next::Above(last) if ordinal <= last => {
                Some(OrdinalFalls { ordinal, last }.at("/ordinal"))
            }
            _ => None,
        };
        out.extend(violation);
        self.next = Next::Exactly(ordinal.saturating_add(1));
    }

    /// A line without ordinal.
    fn stray(&mut self, line: &RolloutLine<'_>, out: &mut Vec<Violation>) {
        if self.is_paginated != Some(true) {
            return;
        }
        if !self.begun {
            out.push(HeaderWithoutOrdinal.at(""));
            // An older release need not have been here: all lines are as this one.
            self.is_paginated = None;
            return;
        }
        let bare = self.bare.get_or_insert(Bare {
            first: line.message_ref,
            may_begin: false,
        });
        bare.may_begin |= line.kind.may_begin();
    }
}

/// The part of an id that says when it was made: ids made later are greater.
fn made(id: &str) -> Option<&str> {
    id.get(..13)
}

rules! {
    ROLLOUT_HEADER_FIRST {
        summary: "a session file begins with its header",
        id: "sequence/rollout-header-first",
        about: FILES,
        explanation: "The first line is `session_meta`, up to 0.29.0 the header without a type. Here \
            the start of the file is missing, so rules about missing lines report nothing.",
        evidence: files!("Each begins with it."),
    } => {
        HeaderNotFirst { tag: Word }: "the first line is `{tag}`",
    }
    ROLLOUT_HEADER_AGAIN {
        summary: "a session file has one header, and copies one only together with the history of \
            the thread it was forked from",
        id: "sequence/rollout-header-again",
        about: FILES,
        exceptions: &[Exception {
            releases: between(v(121), LAST_LEGACY),
            of: &["same thread"],
            level: None,
            seen: "`thread/metadata/update` and `thread/memoryMode/set` append another \
                `session_meta` of the thread; 23 recordings of 16 releases",
        }],
        explanation: "A forked legacy thread has its own header, then the copied lines of its parent, \
            whose header names the parent. A resumed thread gets no second header. Readers that \
            take the last header for that of the file find the wrong thread.",
        evidence: files!("26 of them copy the header of their parent; each stands directly behind the \
            file's own."),
    } => {
        HeaderAgain: "the header of the file comes again",
        HeaderOfOtherThread: "the header is that of another thread",
    }
    ROLLOUT_LINE_AGAIN {
        summary: "no line of a session file stands twice in a row",
        id: "sequence/rollout-line-again",
        about: FILES,
        explanation: "Lines have times in milliseconds and mostly ids, so two in a row differ. Here one \
            was repeated, for example because a program wrote it again after an error. Not compared are \
            messages of the user and the developer, which hooks and clients may give twice at once; the \
            event `user_message`, which a review has twice; `thread_settings_applied`, which a resume \
            writes twice; the token counts that a sub-agent copies without the calls between them, up to \
            0.130.0; and the `state` lines of early files.",
        evidence: files!("No other line comes twice in a row."),
    } => {
        LineAgain: "the line is the same as the one before, with its time",
    }
    ROLLOUT_TIME_FALLS {
        summary: "the timestamps of a session file never decrease",
        id: "sequence/rollout-time-falls",
        about: LINES,
        explanation: "Codex stamps each line when it writes it; forked copies get the time of the fork. \
            Here lines were moved or merged, or the clock was set back while Codex ran.",
        evidence: files!("16,000 lines were compared."),
    } => {
        TimeFalls: "the time is earlier than that of the line before",
    }
    ROLLOUT_ORDINAL {
        summary: "the ordinals of a paginated thread have no gaps, and begin with 0 or with the end \
            of the base",
        id: "sequence/rollout-ordinal",
        about: LINES,
        releases: since(v(147)),
        explanation: "Each line of a paginated thread has the next number. A fork or segment goes on \
            with `history_base.end_ordinal_exclusive`. Here a line is missing, repeated or moved. \
            After lines of an older release, which writes none, the next ordinal is only compared \
            with the last one.",
        evidence: files!("206 of them are paginated, and 18 of these have a base; none has a gap."),
    } => {
        OtherOrdinal { ordinal: u64, next: u64 }: "the ordinal is {ordinal}, but {next} comes next",
        OrdinalFalls { ordinal: u64, last: u64 }: "the ordinal is {ordinal}, but {last} was before",
    }
    ROLLOUT_ORDINAL_MODE {
        summary: "all lines of a paginated thread have an ordinal, and no others",
        id: "sequence/rollout-ordinal-mode",
        about: LINES,
        releases: since(v(147)),
        explanation: "`history_mode` in the header decides. A release before 0.147.0 that resumes a \
            paginated thread adds lines without ordinals, from a new turn on: these are not \
            reported.",
        evidence: files!("One has lines of an older release behind those with ordinals."),
    } => {
        OrdinalInLegacy: "the line has an ordinal, but `history_mode` is not `paginated`",
        LinesWithoutOrdinal: "lines before have no ordinal, but the thread is paginated",
        HeaderWithoutOrdinal: "the header has no ordinal, but `history_mode` is `paginated`",
    }
}
