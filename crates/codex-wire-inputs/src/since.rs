//! Implements `--since`: which files of a folder are recent.

use std::ffi::OsStr;
use std::fs::Metadata;
use std::time::{Duration, SystemTime};

use chrono::{DateTime, NaiveDate, NaiveDateTime, NaiveTime, Utc};

use crate::error::Error;

/// A file name has local time, and does not say where. No place is more than twelve hours behind UTC,
/// so that its clock can show at most that much less.
const BEHIND: Duration = Duration::from_secs(12 * 60 * 60);

/// A point in time: a file is recent if something may have been written to it since then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Since(SystemTime);

impl Since {
    /// Reads a date, which begins at midnight UTC, or a time as of RFC 3339.
    ///
    /// # Errors
    /// If it is neither.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let time = match NaiveDate::parse_from_str(text, "%Y-%m-%d") {
            Ok(date) if text.len() == "2026-11-20".len() => date.and_time(NaiveTime::MIN).and_utc(),
            _ => DateTime::parse_from_rfc3339(text)
                .map_err(|_| Error::Time)?
                .with_timezone(&Utc),
        };
        Ok(Since(time.into()))
    }

    /// The point in time.
    pub fn time(self) -> SystemTime {
        self.0
    }

    /// Whether something may have been written to a file of this name since then. The time of its last change says
    /// so, because a session that is resumed goes on in the same file. A copy may have lost that time;
    /// then the name of a session file says when it was created at the latest.
    pub fn is_recent(self, name: &OsStr, about: &Metadata) -> bool {
        let changed = about.modified().ok();
        let created = name.to_str().and_then(created);
        match (changed, created) {
            (None, None) => true,
            (changed, created) => changed.max(created).is_some_and(|last| last >= self.0),
        }
    }
}

/// When a session file was created at the latest, by its name.
fn created(name: &str) -> Option<SystemTime> {
    let name = name.strip_prefix("rollout-")?;
    let time = name.get(.."2026-11-20T15-04-05".len())?;
    let local = NaiveDateTime::parse_from_str(time, "%Y-%m-%dT%H-%M-%S").ok()?;
    SystemTime::from(local.and_utc()).checked_add(BEHIND)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn since(text: &str) -> Since {
        Since::parse(text).unwrap()
    }

    #[test]
    fn times() {
        assert_eq!(since("2026-11-20"), since("2026-11-20T00:00:00Z"));
        assert_eq!(
            since("2026-11-20T02:30:00+02:00").0,
            since("2026-11-20T00:30:00Z").0
        );
        for bad in [
            "",
            "yesterday",
            "2026-13-01",
            "2026-11-20T15:04",
            "20261120",
            "2026-1-2",
            "1",
        ] {
            assert!(Since::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn names_say_when_a_file_was_created() {
        let at = |text: &str| Some(since(text).0);
        let id = "01a203d1-410a-7c02-87aa-5ce0a5ee2d82";
        let name = format!("rollout-2026-11-22T15-12-55-{id}.jsonl");
        assert_eq!(created(&name), at("2026-11-23T03:12:55Z"));
        for other in [
            "rollout-2026-11-22.jsonl",
            "run.jsonl",
            "rollout-2026-99-22T15-12-55-x.jsonl",
        ] {
            assert_eq!(created(other), None, "{other}");
        }
    }

    #[test]
    fn the_later_of_change_and_name_counts() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x");
        let file = std::fs::File::create(&path).unwrap();
        file.set_modified(since("2026-06-10").0).unwrap();
        let about = file.metadata().unwrap();
        let recent = |name: &str, time: &str| since(time).is_recent(OsStr::new(name), &about);
        // Resumed after it was created.
        let resumed = "rollout-2026-06-01T10-00-00-x.jsonl";
        assert!(recent(resumed, "2026-06-10"));
        assert!(!recent(resumed, "2026-06-11"));
        // Created after it was changed: the time of the change is wrong.
        let copied = "rollout-2026-06-20T10-00-00-x.jsonl.zst";
        assert!(recent(copied, "2026-06-20T22:00:00Z"));
        assert!(!recent(copied, "2026-06-20T22:00:01Z"));
        assert!(recent("run.jsonl", "2026-06-10"));
        assert!(!recent("run.jsonl", "2026-06-10T00:00:01Z"));
    }
}
