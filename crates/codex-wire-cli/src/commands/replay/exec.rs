//! Plays a run of `codex exec`.

use std::fs::File;
use std::io;
use std::thread;

use codex_wire_check::Writer;
use codex_wire_replay::ExecPlay;

use super::output::{Lines, Output};
use super::settings::Speed;
use super::watch::Observer;

/// Writes the lines of a run. Returns the exit status.
pub(crate) fn play(play: &ExecPlay, speed: Speed, watch: &Observer, out: File) -> io::Result<u8> {
    let mut out = Lines::new(out);
    for (after_ms, line) in play.lines() {
        let wait = speed.of(after_ms);
        if !wait.is_zero() {
            out.flush()?;
            thread::sleep(wait);
        }
        watch.line(Writer::Codex, line.strip_suffix(b"\n").unwrap_or(line));
        out.line(line)?;
    }
    out.flush()?;
    Ok(u8::try_from(play.status()).unwrap_or(1))
}
