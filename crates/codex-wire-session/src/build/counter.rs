//! Tells which of the counts that a source reports are new.

use crate::model::Tokens;

/// A report of tokens: the total of the thread, and the last request's.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Report {
    pub(crate) total: Tokens,
    pub(crate) last: Tokens,
    /// The release is one of those whose total starts at zero when a thread is resumed: up to 0.77.0.
    pub(crate) may_restart: bool,
    /// The release reports each total twice.
    pub(crate) repeats: bool,
    /// The model has answered since the source began.
    pub(crate) has_answered: bool,
}

/// Tells which of the counts that a source reports are new.
///
/// - A count that repeats the total of before is not a new one.
/// - The total may have grown by more than the last request: requests such as those of a compaction were not
///   reported by themselves up to 0.34.0.
/// - After a resume up to 0.77.0 the total starts at zero.
/// - Where a `token_usage_record` came before, the `token_count` of the same response is covered.
#[derive(Clone, Debug, Default)]
pub(crate) struct TokenCounter {
    /// The total of the last count.
    total: Option<Tokens>,
    /// The last event had no counts: a process that has not asked the model yet.
    is_unknown: bool,
    /// What records said since the last count.
    recorded: Tokens,
    /// The source goes on where another one ends, whose total is not known.
    goes_on: bool,
}

impl TokenCounter {
    /// Begins with the total of another source; `None` if that is not known.
    pub(crate) fn continue_from(&mut self, total: Option<Tokens>) {
        self.total = total;
        self.goes_on = total.is_none();
    }

    /// The lines of another source end, which were copied to begin with: if none of them was a count, its total
    /// is not known.
    pub(crate) fn end_copies(&mut self) {
        self.goes_on = self.total.is_none();
    }

    /// The total that was reported last, if there was one.
    pub(crate) fn total(&self) -> Option<Tokens> {
        self.total
    }

    /// The tokens of a response that has a record.
    pub(crate) fn record(&mut self, usage: Tokens) -> Tokens {
        self.recorded += usage;
        usage
    }

    /// A report without counts.
    pub(crate) fn unknown(&mut self) {
        self.is_unknown = true;
    }

    /// The tokens that are new in a report.
    pub(crate) fn count(&mut self, report: Report) -> Option<Tokens> {
        let Report { total, last, .. } = report;
        let was_unknown = std::mem::take(&mut self.is_unknown);
        let before = self.total.replace(total);
        let recorded = std::mem::take(&mut self.recorded);
        if !recorded.is_zero() && before == Some(total) {
            // The total of before once more, before that of the record.
            self.recorded = recorded;
            return None;
        }
        if !recorded.is_zero() {
            self.goes_on = false;
            return None;
        }
        let new = match before {
            None if self.goes_on && !report.has_answered => None,
            None if self.goes_on => Some(last),
            None => Some(total),
            Some(before) if before == total => {
                let is_restart =
                    report.may_restart && total == last && (was_unknown || !report.repeats);
                is_restart.then_some(last)
            }
            Some(before) => match total.checked_sub(before) {
                Some(more) if more == last => Some(last),
                Some(_) if report.may_restart && total == last => Some(last),
                Some(more) => Some(more),
                None => Some(total),
            },
        };
        if new.is_some() {
            self.goes_on = false;
        }
        new.filter(|new| new.is_counted() && !new.is_zero())
    }
}
