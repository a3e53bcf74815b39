//! When lines are written.

use std::time::Duration;

use crate::error::Error;

/// The least factor.
const LEAST: f64 = 0.001;

/// The longest wait: nobody waits for so long, and times to which it is added are times.
const LONGEST: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// When lines are written.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Speed {
    /// At once.
    #[default]
    Instant,
    /// So many times as fast as recorded.
    Times(f64),
}

impl Speed {
    /// Reads `instant`, `recorded`, or a factor such as `10`.
    ///
    /// # Errors
    /// If it is none of them, or the factor is below 0.001.
    pub fn parse(text: &str) -> Result<Self, Error> {
        match text {
            "instant" => Ok(Speed::Instant),
            "recorded" => Ok(Speed::Times(1.0)),
            text => match text.strip_suffix('x').unwrap_or(text).parse::<f64>() {
                Ok(factor) if factor.is_finite() && factor >= LEAST => Ok(Speed::Times(factor)),
                _ => Err(Error::Invalid(
                    "write `instant`, `recorded`, or how many times as fast, such as 10; the least is 0.001",
                )),
            },
        }
    }

    /// How long to wait for what took so long in the recording.
    pub(crate) fn of(self, ms: u64) -> Duration {
        match self {
            Speed::Instant => Duration::ZERO,
            Speed::Times(factor) => {
                let seconds = Duration::from_millis(ms).as_secs_f64() / factor;
                Duration::try_from_secs_f64(seconds).map_or(LONGEST, |time| time.min(LONGEST))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speeds_scale() {
        assert_eq!(
            Speed::parse("10").expect("a speed").of(50),
            Duration::from_millis(5)
        );
        assert_eq!(Speed::Instant.of(50), Duration::ZERO);
        for bad in ["0", "fast", "-1", "NaN", "1e-300", "0.0009"] {
            assert!(Speed::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn no_wait_is_without_end() {
        let slowest = Speed::parse("0.001").expect("a speed");
        assert_eq!(slowest.of(2), Duration::from_secs(2));
        for speed in [slowest, Speed::Times(1e-300), Speed::Times(1.0)] {
            assert_eq!(speed.of(u64::MAX), LONGEST);
        }
    }
}
