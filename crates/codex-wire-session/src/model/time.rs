//! Points in time.

use std::fmt;
use std::str::FromStr;

use chrono::{DateTime, Datelike as _, SecondsFormat, Utc};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A point in time, to the millisecond. As text it is RFC 3339 in UTC: `2026-11-22T15:10:53.291Z`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(i64);

impl Time {
    /// The milliseconds since the beginning of 1970 in UTC. `None` beyond the years 1 to 9999, which text and most
    /// libraries can name.
    pub fn from_ms(ms: i64) -> Option<Self> {
        let time = DateTime::<Utc>::from_timestamp_millis(ms)?;
        (1..=9999).contains(&time.year()).then_some(Time(ms))
    }

    /// The seconds since the beginning of 1970 in UTC.
    pub fn from_seconds(seconds: i64) -> Option<Self> {
        Time::from_ms(seconds.checked_mul(1000)?)
    }

    /// The milliseconds since the beginning of 1970 in UTC.
    pub fn ms(self) -> i64 {
        self.0
    }

    /// The milliseconds from `earlier` until now; zero if that is later.
    pub fn since(self, earlier: Time) -> u64 {
        u64::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(0)
    }

    /// As the library `chrono` has it.
    fn utc(self) -> DateTime<Utc> {
        DateTime::from_timestamp_millis(self.0).unwrap_or_default()
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.utc().to_rfc3339_opts(SecondsFormat::Millis, true))
    }
}

/// A text is not a time of RFC 3339.
#[derive(Debug, thiserror::Error)]
#[error("not a time of RFC 3339")]
pub struct NotATime;

impl FromStr for Time {
    type Err = NotATime;

    fn from_str(text: &str) -> Result<Self, NotATime> {
        let time = DateTime::parse_from_rfc3339(text).map_err(|_| NotATime)?;
        Time::from_ms(time.timestamp_millis()).ok_or(NotATime)
    }
}

impl Serialize for Time {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Time {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
impl schemars::JsonSchema for Time {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Time".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "A point in time in UTC, to the millisecond.",
            "type": "string",
            "format": "date-time",
        })
    }
}
