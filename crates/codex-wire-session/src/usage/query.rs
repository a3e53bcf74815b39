//! What is summed up, and by what.

use chrono::{DateTime, Datelike, NaiveDate};

use super::condition::{Condition, ConditionError};
use super::key::Key;
use super::prices::Prices;
use crate::model::Time;

/// What is summed up, and by what.
#[derive(Clone, Debug)]
pub struct Query {
    pub(super) by: Vec<Key>,
    pub(super) conditions: Vec<Condition>,
    pub(super) since: Option<Time>,
    pub(super) prices: Option<Prices>,
    pub(super) top: Option<usize>,
    pub(super) day_of: fn(Time) -> Option<NaiveDate>,
}

impl Query {
    /// Everything in one row.
    pub fn new() -> Self {
        Query {
            by: Vec::new(),
            conditions: Vec::new(),
            since: None,
            prices: None,
            top: None,
            day_of: utc,
        }
    }

    /// The same, with rows by this key, too.
    #[must_use]
    pub fn by(mut self, key: Key) -> Self {
        self.by.push(key);
        self
    }

    /// The same, with what meets this condition only.
    #[must_use]
    pub fn condition(mut self, condition: Condition) -> Self {
        self.conditions.push(condition);
        self
    }

    /// The same, with what happened since then only.
    #[must_use]
    pub fn since(mut self, time: Time) -> Self {
        self.since = Some(time);
        self
    }

    /// The same, with costs.
    #[must_use]
    pub fn prices(mut self, prices: Prices) -> Self {
        self.prices = Some(prices);
        self
    }

    /// The same, with this many rows: those with the most tokens, or of tools with the most calls.
    #[must_use]
    pub fn top(mut self, rows: usize) -> Self {
        self.top = Some(rows);
        self
    }

    /// The same, with days as this function tells them, instead of those in UTC.
    #[must_use]
    pub fn days(mut self, day_of: fn(Time) -> Option<NaiveDate>) -> Self {
        self.day_of = day_of;
        self
    }

    /// Whether its rows have the numbers that its conditions compare.
    ///
    /// # Errors
    /// If a condition is about a number that no row has: tokens of tools, or a cost without prices.
    pub fn check(&self) -> Result<(), ConditionError> {
        let (is_by_tool, has_prices) = (self.is_by_tool(), self.prices.is_some());
        let mut conditions = self.conditions.iter();
        conditions.try_for_each(|condition| condition.check(is_by_tool, has_prices))
    }

    pub(super) fn is_by_tool(&self) -> bool {
        self.by.contains(&Key::Tool)
    }

    /// The words of a key that is about time.
    pub(super) fn period(&self, key: Key, time: Option<Time>) -> String {
        let Some(day) = time.and_then(self.day_of) else {
            return UNKNOWN.to_owned();
        };
        match key {
            Key::Week => {
                let since = i64::from(day.weekday().num_days_from_monday());
                let monday = day - chrono::Duration::days(since);
                monday.to_string()
            }
            Key::Month => day.format("%Y-%m").to_string(),
            _ => day.to_string(),
        }
    }
}

impl Default for Query {
    fn default() -> Self {
        Query::new()
    }
}

/// What a row says that has no such key: a source without times or models.
pub(super) const UNKNOWN: &str = "unknown";

fn utc(time: Time) -> Option<NaiveDate> {
    DateTime::from_timestamp_millis(time.ms()).map(|time| time.date_naive())
}
