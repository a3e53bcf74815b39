//! Lines with bytes changed: whatever a prefilter accepts, a validator does too.

use crate::support::{Line, lines, schemas};

/// Numbers that look like chance and are the same every time.
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }

    fn of<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.below(list.len())]
    }
}

/// What is put where something else was.
const PIECES: &[&[u8]] = &[
    b"",
    b"\"",
    b"\\",
    b"\\u0061",
    b"\\ud83d\\ude00",
    b"\\ud83d",
    b",",
    b":",
    b"{",
    b"}",
    b"[",
    b"]",
    b"null",
    b"true",
    b"0",
    b"1.0",
    b"-",
    b"1e400",
    b"18446744073709551616",
    b"\"a\":1,",
    b"\"type\":\"x\",",
    b"\"type\":\"error\",",
    b"\"id\":\"1\",",
    b" ",
    b"\t",
    b"\x00",
    b"\xff",
    b"\xc3",
    "é".as_bytes(),
    b"{}",
    b"[]",
    b"\"\"",
    b"9",
    b"\"method\":\"error\",",
    b"\"jsonrpc\":\"2.0\",",
    b"\n",
];

/// A line changed in one to three places.
fn mutant(chance: &mut Chance, line: &[u8], others: &[Vec<u8>]) -> Vec<u8> {
    let mut out = line.to_vec();
    for _ in 0..=chance.below(3) {
        let from = chance.below(out.len() + 1);
        let to = (from + chance.below(8)).min(out.len());
        match chance.below(6) {
            // Something else in its place, or beside it.
            0 | 1 => drop(out.splice(from..from, chance.of(PIECES).iter().copied())),
            2 => drop(out.splice(from..to, chance.of(PIECES).iter().copied())),
            3 => out.truncate(from),
            // A part of another line.
            4 => {
                let other = chance.of(others);
                let begin = chance.below(other.len());
                let end = (begin + chance.below(40)).min(other.len());
                out.splice(from..to, other[begin..end].iter().copied());
            }
            // A member twice, or in another place.
            _ => {
                let commas: Vec<usize> = (0..out.len()).filter(|at| out[*at] == b',').collect();
                if commas.len() > 1 {
                    let (one, other) = (chance.below(commas.len()), chance.below(commas.len()));
                    let (begin, end) = (commas[one.min(other)], commas[one.max(other)]);
                    let part = out[begin..end].to_vec();
                    let to = *chance.of(&commas);
                    out.splice(to..to, part);
                }
            }
        }
    }
    out
}

fn hold(protocol: &str, tries: usize) {
    let lines: Vec<Vec<u8>> = lines(protocol)
        .into_iter()
        .filter(|line| line.len() < 4000)
        .collect();
    let schemas = schemas(protocol);
    let mut chance = Chance(0x5eed + tries as u64);
    let mut changed = 0;
    for _ in 0..tries {
        let line = chance.of(&lines).clone();
        let mutant = mutant(&mut chance, &line, &lines);
        let read = Line::read(&mutant);
        for _ in 0..3 {
            let schema = chance.of(&schemas);
            changed += usize::from(schema.accepts(&read) && mutant != line);
        }
    }
    // A test in which nothing is accepted any more would hold by doing nothing.
    assert!(changed > tries / 100, "{changed} of {tries} were accepted");
}

#[test]
fn of_exec() {
    hold("exec", 20_000);
}

#[test]
fn of_core() {
    hold("core", 20_000);
}

#[test]
fn of_the_app_server() {
    hold("app-server", 10_000);
}
