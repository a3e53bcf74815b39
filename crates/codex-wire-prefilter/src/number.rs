//! Checks numbers: their grammar, and whether they are integers within bounds.
//!
//! A number is accepted only if all JSON readers agree on it. Others are left to the validator:
//! integers with an exponent, integers beyond 64 bits, and numbers with trailing zeros after the
//! decimal point and more than 15 digits.

/// Which numbers are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Range {
    pub(crate) least: i128,
    pub(crate) most: i128,
    /// Whether it holds every number of up to 18 digits; all but the negative ones.
    is_wide: bool,
}

/// Numbers of up to so many digits fit into a word.
const SHORT_DIGITS: usize = 18;

impl Range {
    pub(crate) fn new(least: i128, most: i128) -> Self {
        let short = 10_i128.pow(SHORT_DIGITS as u32);
        Range {
            least,
            most,
            is_wide: least <= 0 && most >= short,
        }
    }

    pub(crate) fn holds(self, value: i128) -> bool {
        self.least <= value && value <= self.most
    }

    /// One range with the numbers of both, if there is one.
    pub(crate) fn or(self, other: Range) -> Option<Range> {
        let (low, high) = if self.least <= other.least {
            (self, other)
        } else {
            (other, self)
        };
        let touches = low.most >= high.least.saturating_sub(1);
        touches.then(|| Range::new(low.least, low.most.max(high.most)))
    }
}

/// More digits than this before the point may be too much for a floating-point number.
const MOST_DIGITS: usize = 300;

/// Up to so many digits are read exactly by everybody.
const EXACT_DIGITS: usize = 15;

/// The place behind the number at `at`, if it is one, and one that is meant: any, or an integer
/// within a range. Fails with the place of the number.
///
/// Where readers may differ it fails too: numbers that are nearly too great for a floating-point
/// number, integers with a fraction of zeros and many digits.
#[inline(always)]
pub(crate) fn number(line: &[u8], at: usize, range: Option<Range>) -> Result<usize, usize> {
    let negative = line.get(at) == Some(&b'-');
    let first = at + usize::from(negative);
    let end = digits(line, first);
    let count = end - first;
    if count == 0 || (count > 1 && line[first] == b'0') {
        return Err(at);
    }
    if let Some(b'.' | b'e' | b'E') = line.get(end) {
        return fraction(line, at, end, range);
    }
    match range {
        None if count <= MOST_DIGITS => Ok(end),
        Some(range) if range.is_wide && !negative && count <= SHORT_DIGITS => Ok(end),
        Some(range) => whole(line, at, end, range),
        None => Err(at),
    }
}

/// The place behind the digits at `at`.
#[inline(always)]
fn digits(line: &[u8], mut at: usize) -> usize {
    const EACH: u64 = 0x0101_0101_0101_0101;
    while let Some(block) = line.get(at..).and_then(|rest| rest.first_chunk()) {
        // Digits are 0 to 9 now, so that the highest bit stays clear when 0x76 is added.
        let block = u64::from_le_bytes(*block) ^ (EACH * 0x30);
        let others = (block | ((block & (EACH * 0x7f)) + EACH * 0x76)) & (EACH * 0x80);
        if others != 0 {
            return at + others.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    while line.get(at).is_some_and(u8::is_ascii_digit) {
        at += 1;
    }
    at
}

/// An integer, exactly.
fn whole(line: &[u8], at: usize, end: usize, range: Range) -> Result<usize, usize> {
    let (sign, first) = match line.get(at) {
        Some(b'-') => (-1, at + 1),
        _ => (1, at),
    };
    if end - first <= SHORT_DIGITS {
        let digits = line[first..end].iter();
        let value = digits.fold(0, |value, digit| value * 10 + i64::from(digit - b'0'));
        let holds = range.holds(i128::from(sign * value));
        return if holds { Ok(end) } else { Err(at) };
    }
    let text = line
        .get(at..end)
        .and_then(|text| std::str::from_utf8(text).ok());
    let value: i128 = text.and_then(|text| text.parse().ok()).ok_or(at)?;
    // What does not fit is a floating-point number to serde_json.
    let fits = i128::from(i64::MIN) <= value && value <= i128::from(u64::MAX);
    if fits && range.holds(value) {
        Ok(end)
    } else {
        Err(at)
    }
}

/// A number with a fraction or an exponent, or both.
#[cold]
fn fraction(line: &[u8], at: usize, point: usize, range: Option<Range>) -> Result<usize, usize> {
    let whole = point - at;
    let mut end = point;
    if line.get(end) == Some(&b'.') {
        end = digits(line, point + 1);
        if end == point + 1 {
            return Err(at);
        }
    }
    let behind = end;
    let mut exponent: Option<i32> = None;
    if let Some(b'e' | b'E') = line.get(end) {
        let negative = line.get(end + 1) == Some(&b'-');
        let sign = usize::from(negative || line.get(end + 1) == Some(&b'+'));
        let first = end + 1 + sign;
        end = digits(line, first);
        let text = line
            .get(first..end)
            .and_then(|text| std::str::from_utf8(text).ok());
        // No digits, or too many.
        let power: i32 = text
            .filter(|text| text.len() <= 4)
            .and_then(|text| text.parse().ok())
            .ok_or(at)?;
        exponent = Some(if negative { -power } else { power });
    }
    if whole as i64 + i64::from(exponent.unwrap_or(0).max(0)) > MOST_DIGITS as i64 {
        return Err(at);
    }
    let Some(range) = range else {
        return Ok(end);
    };
    // An integer all the same, if only zeros follow the point.
    let is_whole = exponent.is_none() && line[point + 1..behind].iter().all(|digit| *digit == b'0');
    if !is_whole || behind - at > EXACT_DIGITS + 1 {
        return Err(at);
    }
    let text = std::str::from_utf8(&line[at..point]).map_err(|_| at)?;
    let value: i128 = text.parse().map_err(|_| at)?;
    if range.holds(value) { Ok(end) } else { Err(at) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NUMBERS: &[&str] = &[
        "0",
        "-0",
        "1",
        "-1",
        "12",
        "01",
        "-",
        "-01",
        "1.",
        ".5",
        "1.0",
        "1.50",
        "-2.000",
        "1e2",
        "1e",
        "1E+3",
        "1e-3",
        "1e400",
        "-1e400",
        "1e308",
        "0e9999",
        "0e99999",
        "1.e3",
        "1.0e",
        "9223372036854775807",
        "9223372036854775808",
        "-9223372036854775808",
        "-9223372036854775809",
        "18446744073709551615",
        "18446744073709551616",
        "4294967295",
        "4294967296",
        "1000000000000000000000000",
        "255",
        "256",
        "-3.0",
        "300.00",
        "1.0000001",
        "123456789012345.0",
        "12345678901234.0",
    ];

    #[test]
    fn accepts_only_what_serde_json_reads() {
        let long = [
            "9".repeat(299),
            "9".repeat(400),
            format!("{}.5", "9".repeat(400)),
        ];
        let mut accepted = 0;
        for text in NUMBERS
            .iter()
            .copied()
            .chain(long.iter().map(String::as_str))
        {
            if number(text.as_bytes(), 0, None) == Ok(text.len()) {
                serde_json::from_str::<serde_json::Value>(text).expect(text);
                accepted += 1;
            }
        }
        assert!(accepted > 20, "{accepted}");
    }

    #[test]
    fn integers_are_what_validators_take_for_them() {
        for (least, most) in [
            (0, i128::from(u64::MAX)),
            (i128::from(i64::MIN), i128::from(i64::MAX)),
            (0, 255),
            (-3, 300),
        ] {
            let schema = serde_json::json!({
                "type": "integer",
                "minimum": i64::try_from(least).expect("a least"),
                "maximum": u64::try_from(most).expect("a most"),
            });
            let validator = jsonschema::validator_for(&schema).expect("a schema");
            let mut both = 0;
            for text in NUMBERS {
                let ours = number(text.as_bytes(), 0, Some(Range::new(least, most)));
                let value = serde_json::from_str(text).ok();
                let theirs = value.is_some_and(|value| validator.is_valid(&value));
                if ours == Ok(text.len()) {
                    assert!(theirs, "{text} in {least}..={most}");
                    both += 1;
                } else if theirs {
                    // What is left to the validator is nothing anybody writes.
                    assert!(text.contains(['e', 'E']) || text.len() > 16, "{text}");
                }
            }
            assert!(both > 5, "{both}");
        }
    }

    #[test]
    fn digits_are_counted_at_every_place() {
        for before in 0..20 {
            for byte in 0..=u8::MAX {
                for after in [0, 1, 7, 20] {
                    let mut text = vec![b'7'; before];
                    text.push(byte);
                    text.extend(vec![b'3'; after]);
                    let expected = text.iter().position(|byte| !byte.is_ascii_digit());
                    assert_eq!(digits(&text, 0), expected.unwrap_or(text.len()));
                }
            }
        }
    }

    #[test]
    fn ranges_that_touch_are_one() {
        let range = Range::new;
        assert_eq!(range(0, 5).or(range(6, 9)), Some(range(0, 9)));
        assert_eq!(range(3, 9).or(range(0, 4)), Some(range(0, 9)));
        assert_eq!(range(0, 5).or(range(7, 9)), None);
    }
}
