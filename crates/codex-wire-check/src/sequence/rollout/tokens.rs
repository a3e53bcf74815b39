//! Checks the token counts of a session file.

use codex_wire_prefilter::View;

use super::evidence::{LINES, files, kept};
use super::header::Header;
use super::line::{Kind, RolloutLine};
use crate::phrasing::Word;
use crate::rule::{Exception, Status, since, until, v};
use crate::rule_macros::{parts_of_tokens, rules};
use crate::sequence::value::{CountKey, Counts, ListedCounts};
use crate::severity::Severity;
use crate::violation::{Broken, MessageRef, Violation};

/// The token counts of a file.
#[derive(Debug, Default)]
pub(super) struct Tokens {
    /// `total_token_usage` of the last `token_count`.
    total: Known,
    /// `thread_token_usage` of the last record.
    thread: Known,
    /// `turn_token_usage` of the last record.
    turn: Known,
    /// `usage` of the last record, until the next `token_count`.
    usage: Option<(Counts, MessageRef)>,
}

/// What is known of a count.
#[derive(Debug, Default)]
enum Known {
    /// Nothing: lines are missing, or it goes on from another file.
    #[default]
    Nothing,
    /// Nothing was counted yet.
    Zero,
    Counted(Counts),
}

impl Known {
    /// The count whose name has that key; `None` if it is not known.
    fn by_key(&self, key: CountKey) -> Option<u64> {
        match self {
            Known::Nothing => None,
            Known::Zero => Some(0),
            Known::Counted(counts) => Some(counts.by_key(key).unwrap_or(0)),
        }
    }
}

impl Tokens {
    /// A line could not be read.
    pub(super) fn lost(&mut self) {
        *self = Tokens::default();
    }

    /// Takes a line.
    pub(super) fn line(
        &mut self,
        line: &RolloutLine<'_>,
        header: &Header,
        out: &mut Vec<Violation>,
    ) {
        match line.kind {
            // The total goes on from that of the other thread, whose counts need not be copied.
            Kind::Header if header.is_agent_copy && header.is_fork() => self.total = Known::Nothing,
            Kind::Header if !header.is_unsure && !header.has_base => {
                for known in [&mut self.total, &mut self.thread] {
                    if let Known::Nothing = known {
                        *known = Known::Zero;
                    }
                }
            }
            Kind::TokenCount => {
                if header.is_agent_copy {
                    self.total = Known::Nothing;
                }
                self.count(line, out);
            }
            Kind::Usage => self.usage(line, out),
            Kind::TaskStarted => self.turn = Known::Zero,
            _ => {}
        }
        // A process that goes on with the file does not count what the one before wrote down.
        if line.kind.may_begin() {
            self.usage = None;
        }
    }

    fn count(&mut self, line: &RolloutLine<'_>, out: &mut Vec<Violation>) {
        let Some(info) = line.payload.get("info") else {
            return;
        };
        if info.is_null() {
            if let Known::Counted(_) = self.total {
                out.push(TokensGone.at(line.pointer("info")));
                self.total = Known::Zero;
            }
            return;
        }
        let total = info.get("total_token_usage");
        let is_counted = total.is_some_and(View::is_object);
        let total = total.map(ListedCounts::of);
        let last = info.get("last_token_usage").map(ListedCounts::of);
        if let (Some((usage, record)), Some(last)) = (self.usage.take(), &last) {
            for (name, count) in last.iter() {
                let Some(usage) = usage.get(name).filter(|usage| *usage != count) else {
                    continue;
                };
                let at = line.pointer(&format!("info/last_token_usage/{name}"));
                let name = Word::of(name);
                let violation = OtherUsage { name, count, usage }.at(at);
                out.push(violation.earlier(record, "the record is here"));
            }
        }
        for (place, counts) in [
            ("info/total_token_usage", &total),
            ("info/last_token_usage", &last),
        ] {
            parts(line, place, counts.as_ref(), out);
        }
        let Some(total) = total.filter(|_| is_counted) else {
            return;
        };
        // A full window is counted as one number, with nothing else.
        let mut counts = total.iter();
        let is_full = counts.all(|(name, count)| name == "total_tokens" || count == 0);
        if is_full {
            return;
        }
        let mut falls = false;
        if let Known::Counted(before) = &self.total {
            for (name, before, now) in before.falling(&total) {
                falls = true;
                let at = line.pointer(&format!("info/total_token_usage/{name}"));
                let name = Word::of(name);
                out.push(TokensFall { name, before, now }.at(at));
            }
        }
        let is_same = total.are(|key| self.total.by_key(key));
        if let Some(last) = last.filter(|_| !falls && !is_same) {
            let at = "info/total_token_usage";
            sums(line, (at, &total), (&self.total, &last), out);
        }
        self.total = Known::Counted(Counts::of(&total));
    }

    fn usage(&mut self, line: &RolloutLine<'_>, out: &mut Vec<Violation>) {
        let usage = line.payload.get("usage");
        let is_counted = usage.is_some_and(View::is_object);
        let usage = usage.map(ListedCounts::of);
        for (name, known) in [
            ("thread_token_usage", &mut self.thread),
            ("turn_token_usage", &mut self.turn),
        ] {
            let Some(sum) = line.payload.get(name).filter(|sum| sum.is_object()) else {
                *known = Known::Nothing;
                continue;
            };
            let sum = ListedCounts::of(sum);
            parts(line, name, Some(&sum), out);
            if let Some(usage) = &usage {
                sums(line, (name, &sum), (known, usage), out);
            }
            *known = Known::Counted(Counts::of(&sum));
        }
        parts(line, "usage", usage.as_ref(), out);
        let usage = usage.filter(|_| is_counted);
        self.usage = usage.map(|usage| (Counts::of(&usage), line.message_ref));
    }
}

/// Compares a sum with the sum before and what was added.
fn sums(
    line: &RolloutLine<'_>,
    (place, now): (&str, &ListedCounts<'_>),
    (before, added): (&Known, &ListedCounts<'_>),
    out: &mut Vec<Violation>,
) {
    let before = |key| before.by_key(key);
    for (name, now, before, added) in now.other_sums(before, added) {
        let name = Word::of(name);
        let at = line.pointer(&format!("{place}/{name}"));
        let other_sum = OtherSum {
            name,
            now,
            before,
            added,
        };
        out.push(other_sum.at(at));
    }
}

/// Compares counts of tokens with those they are part of.
fn parts(
    line: &RolloutLine<'_>,
    place: &str,
    counts: Option<&ListedCounts<'_>>,
    out: &mut Vec<Violation>,
) {
    for (part, whole) in counts.into_iter().flat_map(ListedCounts::parts_beyond) {
        let at = line.pointer(&format!("{place}/{part}"));
        out.push(PartBeyondWhole { part, whole }.at(at));
    }
}

rules! {
    ROLLOUT_TOKENS_FALL {
        summary: "the token counts of a session file never decrease",
        id: "sequence/rollout-tokens-fall",
        about: LINES,
        exceptions: &[Exception {
            releases: until(v(79)),
            of: &[],
            level: None,
            seen: "up to 0.72.0 a process that resumes a thread counts from zero, and its first \
                `info` is null",
        }],
        explanation: "`total_token_usage` counts the whole thread, so readers compute differences. The \
            count for a full context window is ignored: it sets only the total.",
        evidence: files!("About 2,500 counts were compared."),
    } => {
        TokensGone: "`info` is null, but tokens were counted before",
        TokensFall { name: Word, before: u64, now: u64 }: "`{name}` falls from {before} to {now}",
    }
    ROLLOUT_TOKENS_SUM {
        summary: "a token count is the count before plus what was added",
        id: "sequence/rollout-tokens-sum",
        about: LINES,
        releases: since(v(42)),
        explanation: "`total_token_usage` is the total before plus `last_token_usage`, or stays as it was; \
            then `last_token_usage` may be an estimate, for example after a compaction. \
            A sub-agent that is a fork goes on from the total of its parent, whose counts it need not have. \
            `thread_token_usage` and `turn_token_usage` of `token_usage_record` are the sums of `usage`; the first \
            begins with 0, unless the history begins in another file. \
            Here a line is missing or repeated. In 0.34.0 a compaction counts without writing it down.",
        evidence: files!("About 2,500 counts and 370 records were compared; each sum fits."),
    } => {
        OtherSum { name: Word, now: u64, before: u64, added: u64 }: "`{name}` is {now}, but {before} and {added} were counted",
    }
    ROLLOUT_TOKENS_RECORD {
        summary: "`last_token_usage` is the `usage` of the record before",
        id: "sequence/rollout-tokens-record",
        about: LINES,
        releases: since(v(157)),
        explanation: "From 0.157.0 on each response has a `token_usage_record`, and the `token_count` behind \
            it says the same for clients. Here one of the two was changed, or lines are missing between them. \
            A count without a record before it, such as the estimate behind a compaction, is not compared.",
        evidence: kept!("All 625 records that have a count behind them agree with it."),
    } => {
        OtherUsage { name: Word, count: u64, usage: u64 }: "`{name}` is {count}, but the record before has {usage}",
    }
    ROLLOUT_TOKENS_PART {
        summary: "cached input tokens are not more than input tokens, and reasoning tokens are not more \
            than output tokens, in session files",
        id: "sequence/rollout-tokens-part",
        about: LINES,
        level: Severity::Warning,
        status: Status::Advisory,
        exceptions: parts_of_tokens!(),
        explanation: "Readers subtract cached tokens from input tokens to compute a price, and reasoning \
            tokens from output tokens to count the visible text. Here the result is negative.",
        evidence: files!("No count breaks it."),
    } => {
        PartBeyondWhole { part: &'static str, whole: &'static str }: "`{part}` is more than `{whole}`",
    }
}
