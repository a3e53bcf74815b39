//! The ways to read a line that are compared.

use std::hint::black_box;

use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::corpus::Corpus;
use crate::plain::{flat, tagged};

/// A way to read a line.
#[derive(Clone, Copy, Debug)]
pub struct Contestant {
    /// What it is called in reports.
    pub name: &'static str,
    /// Reads a line and drops what it read; `false` when it turned the line down.
    pub read: fn(&[u8]) -> bool,
}

impl Contestant {
    /// Reads every line.
    pub fn run(&self, corpus: &Corpus) -> usize {
        corpus
            .lines()
            .filter(|line| (self.read)(black_box(line)))
            .count()
    }
}

/// This project's types.
pub const OURS: Contestant = Contestant {
    name: "codex-wire",
    read: |line| read(codex_wire::from_slice::<codex_wire::exec::Event>(line)),
};

/// The plain derive that reads every line: what the types must not be slower than.
pub const PLAIN: Contestant = Contestant {
    name: "serde derive, tagged",
    read: |line| read(serde_json::from_slice::<tagged::Event>(line)),
};

/// All others, some of which turn lines down.
pub const OTHERS: &[Contestant] = &[
    Contestant {
        name: "serde derive, flatten",
        read: |line| read(serde_json::from_slice::<flat::Event>(line)),
    },
    Contestant {
        name: "codex-codes 0.166",
        read: |line| read(serde_json::from_slice::<codex_codes::ThreadEvent>(line)),
    },
    Contestant {
        name: "sonic-rs, derive",
        read: |line| read(sonic_rs::from_slice::<tagged::Event>(line)),
    },
    Contestant {
        name: "sonic-rs Value",
        read: |line| read(sonic_rs::from_slice::<sonic_rs::Value>(line)),
    },
    Contestant {
        name: "serde_json Value",
        read: |line| read(serde_json::from_slice::<serde_json::Value>(line)),
    },
    Contestant {
        name: "serde_json IgnoredAny",
        read: |line| read(ignore(line)),
    },
];

fn ignore(line: &[u8]) -> serde_json::Result<IgnoredAny> {
    let mut deserializer = serde_json::Deserializer::from_slice(line);
    let ignored = IgnoredAny::deserialize(&mut deserializer)?;
    deserializer.end()?;
    Ok(ignored)
}

fn read<T, E>(result: Result<T, E>) -> bool {
    let is_ok = result.is_ok();
    drop(black_box(result));
    is_ok
}
