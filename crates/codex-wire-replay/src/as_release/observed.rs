//! Observed of releases that matter only where two releases meet.

use codex_wire_base::Release;

use crate::compose::observed::Observed;

impl Observed {
    fn is_between(self, from: u32, to: u32) -> bool {
        self.0 >= Release::new(0, from, 0) && self.0 < Release::new(0, to, 0)
    }

    /// How `codex exec` starts a shell; see [`Observed::command`].
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

    /// Whether `codex exec` writes this warning before the turn, as an item. That a session was recorded with
    /// another model, it writes in 0.58.0 and not in 0.57.0; others in 0.92.0 and not in 0.80.0.
    pub(crate) fn exec_warns_early(self, message: &str) -> bool {
        let minor = match message.starts_with("This session was recorded with model") {
            true => 58,
            false => 87,
        };
        self.0 >= Release::new(0, minor, 0)
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

    /// Whether notifications of the app-server say which thread they are about. They do in 0.72.0, and
    /// not in 0.63.0.
    pub(crate) fn names_threads(self) -> bool {
        self.0 >= Release::new(0, 72, 0)
    }

    /// Whether a command may run on when its turn has ended. It may in 0.80.0, and not in 0.72.0.
    pub(crate) fn leaves_commands(self) -> bool {
        self.0 >= Release::new(0, 73, 0)
    }

    /// Whether `codex proto` is configured before the first submission. It is in 0.22.0, and not in
    /// 0.21.0.
    pub(crate) fn core_configures(self) -> bool {
        self.0 >= Release::new(0, 22, 0)
    }

    /// Whether the core says with an event of its own that a turn was interrupted. It does in 0.23.0,
    /// and not in 0.22.0.
    pub(crate) fn core_aborts(self) -> bool {
        self.0 >= Release::new(0, 23, 0)
    }

    /// Whether a retry is an event of its own. It is in 0.25.0, and not in 0.23.0.
    pub(crate) fn core_has_stream_errors(self) -> bool {
        self.0 >= Release::new(0, 24, 0)
    }

    /// Whether the output of a patch is written like that of a command. It is in 0.23.0, and not in
    /// 0.25.0.
    pub(crate) fn core_shows_patches(self) -> bool {
        self.0 < Release::new(0, 24, 0)
    }

    /// Whether tokens are counted for the session too; the documents of 0.31.0 have that.
    pub(crate) fn core_counts_sessions(self) -> bool {
        self.0 >= Release::new(0, 31, 0)
    }

    /// Whether a task that was aborted may go on, and the core have tasks of its own. So it is in
    /// 0.42.0, and not in 0.39.0.
    pub(crate) fn core_goes_on(self) -> bool {
        self.0 >= Release::new(0, 41, 0)
    }

    /// Whether a review is within its task. It is in 0.42.0, and not in 0.40.0.
    pub(crate) fn core_reviews_in_tasks(self) -> bool {
        self.0 >= Release::new(0, 42, 0)
    }

    /// Whether `codex exec` says by its exit status that a turn failed. It does in 0.44.0, and not in
    /// 0.42.0.
    pub(crate) fn exec_fails(self) -> bool {
        self.0 >= Release::alpha(0, 43, 0, 5)
    }
}
