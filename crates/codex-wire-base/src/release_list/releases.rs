//! The releases of each protocol: a new one is added here. Those of the app-server are generated, and
//! `cargo xtask sync` adds one.

use super::{Point, app_server};
use crate::release::Release;

pub(crate) const APP_SERVER_RELEASES: &[Release] = app_server::RELEASES;

macro_rules! releases {
    ($($minor:literal $patch:literal $(alpha $alpha:literal)?),* $(,)?) => {
        &[$(releases!(@one $minor $patch $($alpha)?)),*]
    };
    (@one $minor:literal $patch:literal) => { Release::new(0, $minor, $patch) };
    (@one $minor:literal $patch:literal $alpha:literal) => {
        Release::alpha(0, $minor, $patch, $alpha)
    };
}

/// Releases of the npm package, with those upstream tags between them at which the stream
/// changed (0.43.0 and its alphas, 0.48.0, 0.51.0, 0.62.0).
#[rustfmt::skip]
pub(crate) const EXEC_RELEASES: &[Release] = releases![
    42 0, 43 0 alpha 1, 43 0 alpha 4, 43 0 alpha 5, 43 0, 44 0, 45 0, 47 0, 48 0, 49 0, 50 0, 51 0,
    53 0, 55 0, 57 0, 58 0, 59 0, 60 1, 61 0, 62 0, 63 0, 64 0, 65 0, 66 0, 72 0, 73 0, 74 0, 75 0,
    77 0, 79 0, 80 0, 87 0, 89 0, 90 0, 92 0, 93 0, 94 0, 95 0, 96 0, 97 0, 98 0, 99 0, 100 0,
    101 0, 104 0, 105 0, 106 0, 107 0, 110 0, 111 0, 113 0, 114 0, 115 0, 116 0, 117 0, 118 0,
    120 0, 121 0, 122 0, 123 0, 124 0, 125 0, 128 0, 129 0, 130 0, 131 0, 132 0, 133 0, 134 0,
    135 0, 136 0, 137 0, 138 0, 139 0, 140 0, 141 0, 142 0, 142 1, 142 2, 142 3, 142 4, 142 5,
    143 0, 144 0, 144 1, 144 2, 144 3, 144 4, 144 5, 144 6, 145 0, 146 0, 146 1, 147 0, 148 0,
    149 0, 149 1, 150 0, 150 1, 151 0, 152 0, 152 1, 153 0, 153 1, 153 2, 153 3, 153 4, 154 0,
    155 0, 155 1, 156 0, 156 1, 157 0, 157 1, 158 0, 159 0, 159 1, 159 2, 159 3, 160 0, 160 1,
    161 0, 162 0, 162 1, 163 0, 164 0, 165 0, 166 0, 167 2, 168 0, 169 0, 171 0,
];

/// How many releases the longest release list has.
pub(crate) const LONGEST: usize = {
    let lengths = [
        EXEC_RELEASES.len(),
        CORE_RELEASES.len(),
        APP_SERVER_RELEASES.len(),
        HOOKS_RELEASES.len(),
        NOTIFY_RELEASES.len(),
        ROLLOUT_RELEASES.len(),
    ];
    let (mut longest, mut index) = (0, 0);
    while index < lengths.len() {
        if lengths[index] > longest {
            longest = lengths[index];
        }
        index += 1;
    }
    longest
};

/// The releases whose embedded schemas of hooks are known: those of the app-server's list from
/// 0.114.0 on, because one run of `cargo xtask sync` takes both from a program. A test of `xtask`
/// compares them with the archive of these schemas.
pub(crate) const HOOKS_RELEASES: &[Release] = {
    let mut first = 0;
    // Releases cannot be compared in a constant.
    while APP_SERVER_RELEASES[first].minor() < 114 {
        first += 1;
    }
    APP_SERVER_RELEASES.split_at(first).1
};

/// The releases of `codex proto`, then those of `codex exec --json`: of all of them it is known what
/// `notify` gets. Both lists have 0.42.0.
pub(crate) const NOTIFY_RELEASES: [Release; CORE_RELEASES.len() + EXEC_RELEASES.len() - 1] = {
    let mut all = [CORE_RELEASES[0]; CORE_RELEASES.len() + EXEC_RELEASES.len() - 1];
    let mut index = 0;
    while index < all.len() {
        all[index] = match index < CORE_RELEASES.len() {
            true => CORE_RELEASES[index],
            false => EXEC_RELEASES[index - CORE_RELEASES.len() + 1],
        };
        index += 1;
    }
    all
};

pub(crate) const EXEC_POINTS: &[Point] = &[Point {
    name: "llmx-2025-09-26",
    release: Release::alpha(0, 43, 0, 1),
    about: "llmx's exec_events.rs of 2025-09-26: session.created with turn events and usage, \
            as in 0.43.0-alpha.1 to alpha.4",
}];

/// Releases of the npm package with `codex proto`, and the upstream tags between them at which
/// the queues changed. 0.22.0-alpha.1 stands for the commits between 0.21.0 and 0.22.0.
#[rustfmt::skip]
pub(crate) const CORE_RELEASES: &[Release] = releases![
    20 0, 21 0, 22 0 alpha 1, 22 0, 23 0, 24 0, 25 0, 26 0, 27 0, 28 0, 29 0, 30 0, 31 0, 32 0,
    33 0, 34 0, 35 0, 36 0, 39 0, 40 0, 41 0, 42 0,
];

pub(crate) const CORE_POINTS: &[Point] = &[
    Point {
        name: "llmx-2025-08-13",
        release: Release::alpha(0, 22, 0, 1),
        about: "llmx's core/src/protocol.rs of 2025-08-13: 0.21.0 with \
                agent_reasoning_section_break, before user_turn",
    },
    Point {
        name: "agcodex-0.1.0",
        release: Release::new(0, 23, 0),
        about: "the crate agcodex-protocol 0.1.0: the queues of 0.23.0",
    },
];

/// Releases whose session files have no envelope. No release of 0.30.0 to 0.33.0 was recorded: npm
/// has none of them.
#[rustfmt::skip]
pub(crate) const ROLLOUT_EARLY_RELEASES: &[Release] = releases![
    20 0, 21 0, 22 0, 23 0, 24 0, 25 0, 26 0, 27 0, 28 0, 29 0,
];

/// Releases whose session files have an envelope, before those that also speak the protocol `exec`.
#[rustfmt::skip]
const ROLLOUT_BEFORE_EXEC: &[Release] = releases![34 0, 35 0, 36 0, 39 0, 40 0, 41 0];

/// Releases whose session files have an envelope. No npm release lies between 0.42.0 and 0.44.0, so
/// nothing is known of the alphas in between, which `exec` lists.
pub(crate) const ROLLOUT_RELEASES: &[Release] = &{
    const OLD: usize = ROLLOUT_BEFORE_EXEC.len();
    const ALPHAS: usize = 3;
    let mut all = [Release::new(0, 0, 0); OLD + EXEC_RELEASES.len() - ALPHAS];
    let mut at = 0;
    while at < all.len() {
        all[at] = match at {
            at if at < OLD => ROLLOUT_BEFORE_EXEC[at],
            OLD => EXEC_RELEASES[0],
            at => EXEC_RELEASES[at - OLD + ALPHAS],
        };
        at += 1;
    }
    all
};
