//! The recording of one release, told as another release would have written it.
//!
//! The schemas of the other release decide: a member that it does not have is left out, one that it
//! always writes is added, a kind or value that it does not know is left out or becomes the nearest
//! ([`fit`]). What no schema says stands in [`known`] and, with the recordings that show it, in the
//! habits of releases. Then the stream is put in order: `exec`, `core` and `app_server` know which
//! lines a release writes.
//!
//! What the other release cannot say is refused.

mod app_server;
mod core;
mod exec;
mod facts;
mod fit;
mod habits;
mod known;
mod nodes;
mod parse;
mod stream;
mod unsayable;

use codex_wire_base::{MessageSet, Protocol, Release};

use crate::recording::Recording;
pub use unsayable::Unsayable;

/// The recording as `release` would have written it. Its own release leaves it as it is.
///
/// # Errors
/// When the release cannot say what was recorded, or the recording does not name its release.
pub fn as_release(recording: &Recording, release: Release) -> Result<Recording, Unsayable> {
    let Some(recorded) = recording.about.release else {
        return Err(Unsayable::whole(
            "the recording does not say which release wrote it".to_owned(),
        ));
    };
    if recorded == release {
        return Ok(recording.clone());
    }
    let mut told = match recording.protocol {
        Protocol::Exec => exec::tell(recording, recorded, release)?,
        Protocol::AppServer => app_server::tell(recording, recorded, release)?,
        Protocol::Core => core::tell(recording, MessageSet::CoreEvents, recorded, release)?,
        other => {
            return Err(Unsayable::whole(format!(
                "recordings of the protocol `{other}` cannot be played as another release"
            )));
        }
    };
    told.about.release = Some(release);
    Ok(told)
}
