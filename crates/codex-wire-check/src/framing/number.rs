//! Corrects integers just below -2^63 in parsed trees.
//!
//! serde_json turns an integer beyond 64 bits into the nearest double. For integers just below
//! -2^63, the least 64-bit integer, that double is -2^63 itself, so every reader of the tree would
//! take them for valid. They become the next lower double instead, which is out of range.

use std::cmp::Ordering;

use serde_json::Value;

/// The least integer of 64 bits, which is a double too, and its digits.
const LEAST: f64 = -9_223_372_036_854_775_808.0;
const DIGITS: &str = "9223372036854775808";

/// The value of a number as it is written, if there is one.
pub(crate) fn value(written: &str) -> Option<Value> {
    let value: Value = serde_json::from_str(written).ok()?;
    match is_doubtful(&value) && is_below(written) {
        true => Some(LEAST.next_down().into()),
        false => Some(value),
    }
}

/// Whether a tree holds a number that may have been another as it was written.
pub(crate) fn may_be_other(value: &Value) -> bool {
    match value {
        Value::Array(values) => values.iter().any(may_be_other),
        Value::Object(members) => members.values().any(may_be_other),
        Value::Number(_) => is_doubtful(value),
        _ => false,
    }
}

/// Whether it is the double at the bound; the integer there is exact.
fn is_doubtful(value: &Value) -> bool {
    value.is_f64() && value.as_f64() == Some(LEAST)
}

/// Whether a number of which that double is the nearest is less than it.
fn is_below(written: &str) -> bool {
    let (mantissa, exponent) = written.split_once(['e', 'E']).unwrap_or((written, "0"));
    let mantissa = mantissa.trim_start_matches('-');
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    let zeros = digits.len() - digits.trim_start_matches('0').len();
    // All that is near the bound has as many digits before the point as the bound has.
    let point = exponent.parse::<i64>().ok();
    let point = point.map(|exponent| exponent + whole.len() as i64 - zeros as i64);
    let digits = digits[zeros..].trim_end_matches('0');
    point == Some(DIGITS.len() as i64) && digits.cmp(DIGITS) == Ordering::Greater
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_below_the_least_integer_stays_below() {
        for below in [
            "-9223372036854775809",
            "-9223372036854776832",
            "-9223372036854775808.5",
            "-9223372036854775809.0",
            "-9.223372036854775809e18",
            "-0.00009223372036854775808001E+23",
            "-92233720368547758090e-1",
        ] {
            let value = value(below).and_then(|value| value.as_f64());
            assert!(value.is_some_and(|value| value < LEAST), "{below}");
        }
        for right in [
            "-9223372036854775808",
            "-9223372036854775808.0",
            "-9.2233720368547758080e18",
            "-9223372036854775807.9",
            "9223372036854775808",
            "-1",
        ] {
            let plain: Value = serde_json::from_str(right).unwrap();
            assert_eq!(value(right), Some(plain), "{right}");
        }
        assert_eq!(value("1e999"), None);
    }
}
