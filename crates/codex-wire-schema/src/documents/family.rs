//! Which message sets share a file.

use codex_wire_base::Surface;

/// Message sets that share definitions, and a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// `codex exec --json`, from 0.42.0.
    Exec,
    /// The queues of `codex proto`, and `codex exec --json` up to 0.42.0, which writes its events.
    Core,
    /// `codex app-server`.
    AppServer,
    /// The project's own transcript format, which no release of Codex writes.
    Transcript,
}

impl Family {
    /// All of them.
    pub const ALL: [Family; 4] = [
        Family::Exec,
        Family::Core,
        Family::AppServer,
        Family::Transcript,
    ];

    /// The family of a message set.
    pub fn of(surface: Surface) -> Self {
        match surface {
            Surface::Exec => Family::Exec,
            Surface::ExecLegacy | Surface::CoreEvents | Surface::CoreSubmissions => Family::Core,
            _ => Family::AppServer,
        }
    }

    /// The message sets in it; none in that of the transcript format.
    pub fn message_sets(self) -> impl Iterator<Item = Surface> {
        let all = Surface::ALL.iter().copied();
        all.filter(move |surface| self != Family::Transcript && Family::of(*surface) == self)
    }

    /// The name of its file, without the extension.
    pub fn as_str(self) -> &'static str {
        match self {
            Family::Exec => "exec",
            Family::Core => "core",
            Family::AppServer => "app-server",
            Family::Transcript => "transcript",
        }
    }
}
