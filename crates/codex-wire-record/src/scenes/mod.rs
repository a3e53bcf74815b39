//! Scenes: what the client requests from Codex, what the model answers, and what is recorded.
//!
//! A scene is played with any release that can play it. If a release refuses a request, that is
//! part of the recording: a scene fails only if Codex does not answer at all.

mod app_server;
mod exec;
mod process;
mod recording;
mod rollout;
mod scene;
mod script;
mod set;
mod stage;

pub use recording::Recording;
pub use scene::Scene;

/// All scenes.
pub fn all() -> impl Iterator<Item = Scene> {
    exec::scenes()
        .chain(app_server::scenes())
        .chain(rollout::scenes())
}
