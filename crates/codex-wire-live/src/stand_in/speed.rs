//! When lines are written.

use std::time::Duration;

use crate::error::Error;

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
    /// If it is none of them.
    pub fn parse(text: &str) -> Result<Self, Error> {
        match text {
            "instant" => Ok(Speed::Instant),
            "recorded" => Ok(Speed::Times(1.0)),
            text => match text.strip_suffix('x').unwrap_or(text).parse::<f64>() {
                Ok(factor) if factor.is_finite() && factor > 0.0 => Ok(Speed::Times(factor)),
                _ => Err(Error::Invalid(
                    "write `instant`, `recorded`, or how many times as fast, such as 10",
                )),
            },
        }
    }

    /// How long to wait for what took so long in the recording.
    pub(crate) fn of(self, ms: u64) -> Duration {
        match self {
            Speed::Instant => Duration::ZERO,
            Speed::Times(factor) => Duration::from_millis(ms).div_f64(factor),
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
        assert!(Speed::parse("0").is_err() && Speed::parse("fast").is_err());
    }
}
