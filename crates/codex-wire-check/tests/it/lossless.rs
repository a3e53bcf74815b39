//! Every line of every transcript comes back from the types as it was, duplicate keys included.

use std::path::{Path, PathBuf};

use codex_wire::exec::Event;
use libtest_mimic::{Failed, Trial};

use crate::support::{name, transcripts};

pub(crate) fn trials() -> Vec<Trial> {
    let mut paths = transcripts("exec");
    paths.extend(transcripts("synthetic/exec"));
    let trial = |path: PathBuf| {
        Trial::test(format!("lossless::{}", name(&path)), move || {
            lossless(&path)
        })
    };
    paths.into_iter().map(trial).collect()
}

fn lossless(path: &Path) -> Result<(), Failed> {
    let text = std::fs::read_to_string(path)?;
    // Not `lines`: U+2028 stays within a line, and so does a carriage return.
    for (index, line) in text.split_terminator('\n').enumerate() {
        let event: Event = codex_wire::from_str(line)?;
        let written = codex_wire::to_string(&event);
        if written != line {
            let number = index + 1;
            return Err(format!("line {number}\nread    {line}\nwritten {written}").into());
        }
    }
    Ok(())
}
