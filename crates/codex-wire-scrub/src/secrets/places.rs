//! Where in the input the bytes of a text come from.

use std::ops::Range;

/// The place in the input that a byte of a text comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum At {
    /// The byte itself.
    Byte(usize),
    /// The four digits of an escape, which stand for the character that the byte begins.
    Digits(usize),
    /// A number of that many digits, which is the byte.
    Number(usize, usize),
    /// A byte of what is in base64 there: the number of the string, and of the byte.
    Base64(usize, usize),
    /// A digit of it.
    Base64Digit(usize, usize),
    /// A byte that cannot be overwritten by itself: an escape such as `\n`, or the rest of a character.
    Nowhere,
}

impl At {
    /// The place of the byte that stands so far behind.
    fn behind(self, bytes: usize) -> At {
        match self {
            At::Byte(at) => At::Byte(at + bytes),
            At::Base64(number, at) => At::Base64(number, at + bytes),
            At::Base64Digit(number, at) => At::Base64Digit(number, at + bytes),
            at if bytes == 0 => at,
            _ => At::Nowhere,
        }
    }
}

/// The places of the bytes of a text, run by run: what stands together in the input is one.
#[derive(Debug, Default)]
pub(super) struct Places {
    /// Where each run begins in the text, and in the input.
    runs: Vec<(usize, At)>,
    length: usize,
}

impl Places {
    /// One run.
    pub(super) fn of(at: At, length: usize) -> Self {
        let mut places = Places::default();
        places.push(at, length);
        places
    }

    /// Adds a run.
    pub(super) fn push(&mut self, at: At, length: usize) {
        if length == 0 {
            return;
        }
        let goes_on = self.runs.last().is_some_and(|(start, last)| {
            let next = last.behind(self.length - start);
            next == at && !matches!(at, At::Digits(_) | At::Number(..))
        });
        if !goes_on {
            self.runs.push((self.length, at));
        }
        self.length += length;
    }

    /// Adds the places of some bytes of another text.
    pub(super) fn extend(&mut self, origin: Origin<'_>, range: Range<usize>) {
        let places = match origin {
            Origin::From(start) => return self.push(At::Byte(start + range.start), range.len()),
            Origin::Of(places) => places,
        };
        let mut at = range.start;
        let first = places.run(at);
        for (number, (start, place)) in places.runs.iter().enumerate().skip(first) {
            let next = places
                .runs
                .get(number + 1)
                .map_or(places.length, |run| run.0);
            let end = next.min(range.end);
            if at >= end {
                break;
            }
            self.push(place.behind(at - start), end - at);
            at = end;
        }
    }

    /// The number of the run that a byte is in.
    fn run(&self, byte: usize) -> usize {
        let after = self.runs.partition_point(|(start, _)| *start <= byte);
        after.saturating_sub(1)
    }
}

/// The places that the bytes of a text come from.
#[derive(Clone, Copy)]
pub(super) enum Origin<'a> {
    /// The input from there on.
    From(usize),
    /// These.
    Of(&'a Places),
}

impl Origin<'_> {
    pub(super) fn at(self, byte: usize) -> At {
        match self {
            Origin::From(start) => At::Byte(start + byte),
            Origin::Of(places) => match places.runs.get(places.run(byte)) {
                Some((start, at)) if *start <= byte => at.behind(byte - start),
                _ => At::Nowhere,
            },
        }
    }

    /// The places of some of the bytes.
    pub(super) fn within(self, range: Range<usize>) -> Places {
        let mut places = Places::default();
        places.extend(self, range);
        places
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_what_single_places_are() {
        let mut places = Places::of(At::Byte(10), 3);
        places.push(At::Byte(13), 2);
        places.push(At::Digits(20), 2);
        places.push(At::Nowhere, 1);
        places.push(At::Byte(26), 2);
        places.push(At::Number(30, 2), 1);
        places.push(At::Number(33, 2), 1);
        assert_eq!(places.runs.len(), 5);
        let expected = [
            At::Byte(10),
            At::Byte(11),
            At::Byte(12),
            At::Byte(13),
            At::Byte(14),
            At::Digits(20),
            At::Nowhere,
            At::Nowhere,
            At::Byte(26),
            At::Byte(27),
            At::Number(30, 2),
            At::Number(33, 2),
        ];
        let origin = Origin::Of(&places);
        let all: Vec<At> = (0..places.length).map(|byte| origin.at(byte)).collect();
        assert_eq!(all, expected);
        for from in 0..expected.len() {
            for to in from..=expected.len() {
                let part = origin.within(from..to);
                assert_eq!(part.length, to - from);
                // An escape that is cut off has no digits.
                let found: Vec<At> = (0..part.length)
                    .map(|byte| Origin::Of(&part).at(byte))
                    .collect();
                assert_eq!(found, expected[from..to], "{from}..{to}");
            }
        }
    }
}
