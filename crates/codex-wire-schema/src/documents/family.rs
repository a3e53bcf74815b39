//! Which message sets share a file.

use codex_wire_base::MessageSet;

/// Message sets that share definitions, and a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Family {
    /// `codex exec --json`, from 0.42.0.
    Exec,
    /// The queues of `codex proto`, and `codex exec --json` up to 0.42.0, which writes its events.
    Core,
    /// `codex app-server`.
    AppServer,
    /// What hooks read and print.
    Hooks,
    /// What the `notify` program gets.
    Notify,
    /// Session files.
    Rollout,
    /// The project's own transcript format, which no release of Codex writes.
    Transcript,
}

impl Family {
    /// All of them.
    pub const ALL: [Family; 7] = [
        Family::Exec,
        Family::Core,
        Family::AppServer,
        Family::Rollout,
        Family::Hooks,
        Family::Notify,
        Family::Transcript,
    ];

    /// The family of a message set.
    pub fn of(message_set: MessageSet) -> Self {
        match message_set {
            MessageSet::Exec => Family::Exec,
            MessageSet::ExecLegacy | MessageSet::CoreEvents | MessageSet::CoreSubmissions => {
                Family::Core
            }
            MessageSet::HooksInput | MessageSet::HooksOutput => Family::Hooks,
            MessageSet::Notify => Family::Notify,
            MessageSet::Rollout | MessageSet::RolloutEarly => Family::Rollout,
            _ => Family::AppServer,
        }
    }

    /// The message sets in it; none in that of the transcript format.
    pub fn message_sets(self) -> impl Iterator<Item = MessageSet> {
        let all = MessageSet::ALL.iter().copied();
        all.filter(move |message_set| {
            self != Family::Transcript && Family::of(*message_set) == self
        })
    }

    /// The name of its file, without the extension.
    pub fn as_str(self) -> &'static str {
        match self {
            Family::Exec => "exec",
            Family::Core => "core",
            Family::AppServer => "app-server",
            Family::Hooks => "hooks",
            Family::Notify => "notify",
            Family::Rollout => "rollout",
            Family::Transcript => "transcript",
        }
    }
}
