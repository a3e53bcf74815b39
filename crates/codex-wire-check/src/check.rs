//! Checks one input.

use std::io::BufRead;

use codex_wire_base::lines::Lines;

use crate::checker::Checker;
use crate::outcome::Outcome;
use crate::pipeline::Pipeline;

impl Checker {
    /// Checks one input. `path` is its name in the outcome; nothing is opened.
    ///
    /// Reads to the end whatever is found on the way, with one line in memory at a time. Inputs can be
    /// checked on several threads, which share the checker.
    pub fn check(&self, path: &str, input: impl BufRead) -> Outcome {
        let mut pipeline = Pipeline::new(self, path);
        let mut lines = Lines::new(input, self.options.limits.line_bytes).or_array();
        loop {
            match lines.next() {
                Ok(Some(line)) => {
                    if let Some(reason) = pipeline.line(&line, None) {
                        return pipeline.give_up(reason);
                    }
                }
                Ok(None) => return pipeline.finish(),
                Err(error) => return pipeline.broken(&error),
            }
        }
    }
}
