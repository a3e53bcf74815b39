//! Habits of releases that matter only where two releases meet.

use codex_wire_base::Release;

use crate::script::habits::Habits;

impl Habits {
    fn is_between(self, from: u32, to: u32) -> bool {
        self.0 >= Release::new(0, from, 0) && self.0 < Release::new(0, to, 0)
    }

    /// How `codex exec` starts a shell; see [`Habits::command`].
    pub(crate) fn shell(self) -> &'static str {
        match self.0 < Release::new(0, 55, 0) {
            true => "bash -lc ",
            false => "/bin/bash -lc ",
        }
    }

    /// Whether `codex exec` completes a command that still runs when the turn ends. It does in
    /// 0.98.0, and neither in 0.63.0 nor in 0.117.0. Up to 0.53.0 no command runs on.
    pub(crate) fn exec_completes_running(self) -> bool {
        !self.is_between(55, 73) && self.0 < Release::new(0, 117, 0)
    }

    /// Whether commands complete after the to-do list; see
    /// [`exec_completes_running`](Self::exec_completes_running).
    pub(crate) fn exec_completes_late(self) -> bool {
        self.is_between(55, 117)
    }

    /// Whether `codex exec` writes warnings before the turn, as items. It does in 0.92.0, and not in
    /// 0.80.0.
    pub(crate) fn exec_warns_early(self) -> bool {
        self.0 >= Release::new(0, 87, 0)
    }

    /// Whether child agents write into the stream of their parent. They do in 0.93.0 and 0.104.0, and
    /// not in 0.114.0.
    pub(crate) fn exec_leaks(self) -> bool {
        self.is_between(93, 112)
    }

    /// Whether `codex exec` says which page a search opened. It does in 0.114.0 and 0.156.0, and not
    /// in 0.117.0 and 0.155.0.
    pub(crate) fn exec_names_pages(self) -> bool {
        !self.is_between(117, 156)
    }

    /// Whether an interrupted run of `codex exec` exits with status 1. It does in 0.117.0, and not in
    /// 0.116.0.
    pub(crate) fn exec_fails_if_interrupted(self) -> bool {
        self.0 >= Release::new(0, 117, 0)
    }

    /// Whether `codex exec` says by its exit status that a turn failed. It does in 0.44.0, and not in
    /// 0.42.0.
    pub(crate) fn exec_fails(self) -> bool {
        self.0 >= Release::alpha(0, 43, 0, 5)
    }
}
