//! Scrubs transcripts: line by line, or whole.

use crate::cipher::Key;
use crate::cuts::Cuts;
use crate::deltas::Deltas;
use crate::line::Lines;
use crate::pointer::Pointer;
use crate::survivors::{Survivor, Survivors};
use crate::words::Words;

/// What transcripts have in which texts come in deltas without ids.
const CORE: &[u8] = b"_delta";

/// How many keys are tried if a placeholder is like a value by chance.
const TRIES: usize = 4;

/// Scrubs the lines of one transcript, one after another.
pub struct Scrubber(Lines);

impl Scrubber {
    /// A scrubber that leaves the values at these places.
    pub fn new(key: Key, keep: &[Pointer]) -> Self {
        Scrubber(Lines {
            key,
            words: Words::new(),
            keep: keep.to_vec(),
            deltas: Deltas::default(),
            cuts: None,
            survivors: Survivors::default(),
            number: 0,
            is_of_session_file: false,
            depth: 0,
        })
    }

    /// Appends the scrubbed line to `out`. Neither has a newline.
    pub fn line(&mut self, line: &[u8], out: &mut Vec<u8>) {
        self.0.line(line, out);
    }

    /// Checks the lines so far: no run of eight characters of a replaced value may stand in them,
    /// words of the protocol and numbers excepted.
    ///
    /// # Errors
    /// When there is one.
    pub fn check(&self) -> Result<(), Survivor> {
        self.found(true)
    }

    fn found(&self, is_final: bool) -> Result<(), Survivor> {
        match self.0.survivors.first(is_final) {
            Some(survivor) => Err(survivor),
            None => Ok(()),
        }
    }

    fn lines(&mut self, input: &[u8], out: &mut Vec<u8>, done: &mut dyn FnMut(usize)) {
        let mut lines = input.split(|byte| *byte == b'\n');
        if let Some(first) = lines.next() {
            self.line(first, out);
            done(first.len());
        }
        for line in lines {
            out.push(b'\n');
            self.line(line, out);
            done(line.len() + 1);
        }
    }

    /// The same with that key, and no line yet.
    fn again(mut self, key: Key) -> Self {
        if let Some(cuts) = &mut self.0.cuts {
            cuts.learned();
        }
        Scrubber(Lines {
            key,
            deltas: Deltas::default(),
            survivors: Survivors::default(),
            number: 0,
            ..self.0
        })
    }
}

impl std::fmt::Debug for Scrubber {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Scrubber").finish_non_exhaustive()
    }
}

/// Scrubs a whole transcript, and checks the result. If a placeholder is like a part of a value by
/// chance, it tries again with another key.
///
/// # Errors
/// When a part of a replaced value is still there, most likely in a value that `keep` names.
pub fn scrub(input: &[u8], key: Key, keep: &[Pointer]) -> Result<Vec<u8>, Survivor> {
    scrub_with_progress(input, key, keep, |_, _| {})
}

/// The same, and calls `progress` after each line: with the number of bytes that this took, and the
/// number for the whole, which is more than the input has if that is read twice. Another try begins at
/// nothing again, and is not part of the whole.
///
/// # Errors
/// Those of [`scrub`].
pub fn scrub_with_progress(
    input: &[u8],
    key: Key,
    keep: &[Pointer],
    mut progress: impl FnMut(usize, usize),
) -> Result<Vec<u8>, Survivor> {
    let is_core = memchr::memmem::find(input, CORE).is_some();
    let all = if is_core {
        2 * input.len()
    } else {
        input.len()
    };
    let mut done = |bytes: usize| progress(bytes, all);
    let mut scrubber = Scrubber::new(key, keep);
    let mut out = Vec::with_capacity(input.len());
    if is_core {
        scrubber.0.cuts = Some(Cuts::learning());
        scrubber.lines(input, &mut out, &mut done);
        scrubber = scrubber.again(key);
    }
    for tries in 1.. {
        out.clear();
        scrubber.lines(input, &mut out, &mut done);
        match scrubber.found(tries == TRIES) {
            Ok(()) => break,
            Err(survivor) if survivor.is_kept || tries == TRIES => return Err(survivor),
            Err(_) => {
                let next = scrubber.0.key.next();
                scrubber = scrubber.again(next);
            }
        }
    }
    Ok(out)
}
