//! What releases do differently, and no schema says.
//!
//! A schema says which messages and members a release has. It does not say when the release writes
//! them. Each function here names the recordings of this repository that show the change.

use codex_wire_base::Release;

/// How a release behaves.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Observed(pub(crate) Release);

/// What a release keeps of an output of more than 1 MiB.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OutputKept {
    /// All of it.
    Whole,
    /// Its first MiB.
    Beginning,
    /// Its first and last 512 KiB, one behind the other.
    Ends,
    /// The same, with the number of bytes in between.
    EndsWithCount,
}

impl Observed {
    fn since(self, minor: u32) -> bool {
        self.0 >= Release::new(0, minor, 0)
    }

    /// The command line that runs a command. The shell has its path in 0.63.0, and not in 0.53.0.
    pub(crate) fn command(self, command: &str) -> String {
        let shell = if self.since(63) { "/bin/bash" } else { "bash" };
        // The text has no NUL byte: TOML allows none.
        let quoted = shlex::try_quote(command).unwrap_or_default();
        format!("{shell} -lc {quoted}")
    }

    /// What is kept of the output of a command. Real programs ran commands that printed 5,250,000, 2,100,000 or 2,000,002
    /// bytes. Where both `codex exec` and the app-server were asked (0.63.0, 0.80.0, 0.98.0, 0.111.0, 0.125.0, 0.142.0, 0.157.0,
    /// 0.169.0), they keep the same.
    ///
    /// | asked | kept |
    /// |---|---|
    /// | 0.42.0, 0.58.0, 0.63.0, 0.80.0, 0.87.0 | all |
    /// | 0.89.0, 0.90.0, 0.92.0, 0.93.0, 0.95.0 | 1,048,576 bytes |
    /// | 0.96.0, 0.98.0, 0.111.0, 0.125.0, 0.142.0, 0.144.0, 0.144.6 | the first and last 524,288 bytes |
    /// | 0.145.0, 0.147.0, 0.153.4, 0.157.0, 0.169.0 | the same, and how much is left out |
    ///
    /// From 0.96.0 on, sessions lose output that comes before somebody reads it: up to 0.157.0 what is kept may begin later,
    /// and in 0.169.0 deltas may. Here nothing is lost so.
    pub(crate) fn keeps_output(self) -> OutputKept {
        match () {
            () if self.since(145) => OutputKept::EndsWithCount,
            () if self.since(96) => OutputKept::Ends,
            () if self.since(88) => OutputKept::Beginning,
            () => OutputKept::Whole,
        }
    }

    /// Whether `codex exec` writes a summary in several parts as one item. It does in 0.117.0, and
    /// not in 0.114.0 and 0.104.0.
    pub(crate) fn exec_joins_reasoning(self) -> bool {
        self.since(117)
    }

    /// Whether `codex exec` starts a change of files. It does in 0.117.0, and not in 0.114.0.
    pub(crate) fn exec_starts_patches(self) -> bool {
        self.since(117)
    }

    /// Whether `codex exec` writes calls of tools and searches. It does in 0.44.0, and not in
    /// 0.42.0, whose schema has them too.
    pub(crate) fn exec_has_tools(self) -> bool {
        self.since(43)
    }

    /// Whether `codex exec` starts a search. It does in 0.92.0, and not in 0.80.0.
    pub(crate) fn exec_starts_searches(self) -> bool {
        self.since(91)
    }

    /// Whether the usage of a resumed run has the tokens of the runs before. It has in 0.80.0, and
    /// not in 0.63.0.
    pub(crate) fn exec_adds_usage(self) -> bool {
        self.since(80)
    }

    /// What Codex says when it connects to the model again. 0.44.0 names the pause, 0.63.0 does
    /// not, and `codex exec` of 0.80.0 names the reason.
    pub(crate) fn exec_retry(self, attempt: u32, of: u32, reason: &str) -> String {
        if self.since(80) {
            format!("Reconnecting... {attempt}/{of} ({reason})")
        } else if self.since(63) {
            format!("Reconnecting... {attempt}/{of}")
        } else {
            let pause = 200 * attempt;
            format!("stream error: {reason}; retrying {attempt}/{of} in {pause}ms…")
        }
    }

    /// The exit status of `codex exec` after an interrupt. It is 1 in 0.117.0, and 0 in 0.116.0.
    pub(crate) fn exec_interrupted(self) -> i32 {
        i32::from(self.since(117))
    }
}

/// What `codex proto` does differently.
impl Observed {
    /// Whether Codex says which limits there are when an answer begins. It does in 0.42.0, and not in
    /// 0.40.0.
    pub(crate) fn core_reports_limits(self) -> bool {
        self.since(42)
    }
}

/// What `codex app-server` does differently.
impl Observed {
    /// How a release names itself to a client. It uses the client's name in 0.98.0, and not in 0.80.0.
    pub(crate) fn agent(self, client: &str) -> &str {
        match self.since(98) {
            true => client,
            false => "codex_cli_rs",
        }
    }

    /// Its whole user agent.
    pub(crate) fn user_agent(self, client: &str, version: &str) -> String {
        let (program, release) = (self.agent(client), self.0);
        format!("{program}/{release} (Debian 12.0.0; x86_64) dumb ({client}; {version})")
    }

    /// How a new thread is kept. It is paginated in 0.151.0, and not in 0.146.1.
    pub(crate) fn history_mode(self) -> &'static str {
        if self.since(151) {
            "paginated"
        } else {
            "legacy"
        }
    }

    /// Whether a thread is read again with its items as they were. A paginated one is; a legacy one is read from what was
    /// said.
    pub(crate) fn keeps_items(self) -> bool {
        self.since(151)
    }

    /// Whether a fork starts with its turns. It does in 0.125.0, and not in 0.133.0.
    pub(crate) fn starts_forks_with_turns(self) -> bool {
        !self.since(133)
    }

    /// Whether a client can leave out the turns of a thread that it resumes or forks. The schema says so since 0.125.0.
    pub(crate) fn leaves_out_turns(self) -> bool {
        self.since(125)
    }

    /// Whether a client says how much of the items of listed turns it wants. The schema says so since 0.130.0.
    pub(crate) fn lists_turns_in_views(self) -> bool {
        self.since(130)
    }

    /// Why the turns of a thread without any cannot be read, as the code of an error and its message. In 0.98.0 they can; in 0.125.0
    /// and 0.169.0 they cannot.
    pub(crate) fn no_turns(self, thread: &str) -> Option<(i64, String)> {
        match () {
            () if self.keeps_items() => {
                Some((-32601, "list_turns is not supported yet".to_owned()))
            }
            () if self.since(125) => Some((
                -32600,
                format!(
                    "thread {thread} is not materialized yet; includeTurns is unavailable before first user message"
                ),
            )),
            () => None,
        }
    }

    /// Whether a request for approval without a reason says so. It does in 0.98.0, and not in 0.118.0.
    pub(crate) fn says_no_reason(self) -> bool {
        !self.since(105)
    }

    /// The notification with the output of a patch: in 0.63.0 that of a command.
    pub(crate) fn patch_output(self) -> &'static str {
        if self.since(64) {
            "item/fileChange/outputDelta"
        } else {
            "item/commandExecution/outputDelta"
        }
    }

    /// Whether a client that interrupts another turn than the one that runs is refused. It is in 0.157.0 and 0.169.0, and
    /// not in 0.98.0 and 0.125.0.
    pub(crate) fn interrupts_only_the_named_turn(self) -> bool {
        self.since(157)
    }

    /// What a wrong id of a thread is called to a client that resumes, forks or archives it. It is a session in 0.169.0,
    /// and not in 0.98.0 and 0.125.0.
    pub(crate) fn id_to_resume(self) -> &'static str {
        match self.since(169) {
            true => "session",
            false => "thread",
        }
    }

    /// Whether turns have ids of their own. They have in 0.105.0; in 0.98.0 they are numbered.
    pub(crate) fn turns_have_ids(self) -> bool {
        self.since(105)
    }

    /// Whether the thread is active before its turn starts. It is in 0.111.0; in 0.105.0 it is
    /// after.
    pub(crate) fn active_before_turn(self) -> bool {
        self.since(111)
    }

    /// Whether Codex reports limits when an answer begins, and tokens before a tool runs. It does
    /// in 0.130.0; in 0.133.0 it reports both when the answer and its tools have ended.
    pub(crate) fn reports_answers_early(self) -> bool {
        !self.since(133)
    }

    /// Whether `turn/completed` has the last message. It has in 0.146.1, and not in 0.142.0.
    pub(crate) fn summarizes_turns(self) -> bool {
        self.since(146)
    }

    /// Whether a command starts only when the client has accepted it. It does from 0.98.0 to
    /// 0.116.0, not in 0.80.0 and not in 0.125.0.
    pub(crate) fn starts_commands_late(self) -> bool {
        self.since(98) && !self.since(125)
    }

    /// Whether commands run in sessions, which have an id and can go on while the model does something
    /// else. They do in 0.96.0, and not in 0.95.0.
    pub(crate) fn runs_in_sessions(self) -> bool {
        self.since(96)
    }

    /// Whether a command is said to have started its session. It is in 0.118.0, and not in 0.98.0.
    pub(crate) fn starts_sessions(self) -> bool {
        self.since(105)
    }

    /// Whether a search starts without saying what it searches for. It does in 0.98.0, and not in
    /// 0.63.0; `codex exec` does from 0.92.0 on.
    pub(crate) fn starts_searches_blank(self) -> bool {
        self.exec_starts_searches()
    }

    /// Whether the output of a patch is sent. It is in 0.125.0, and not in 0.142.0.
    pub(crate) fn sends_patch_output(self) -> bool {
        !self.since(142)
    }

    /// Whether the whole output of a short command is sent as a delta. It is in 0.72.0, and not in
    /// 0.98.0.
    pub(crate) fn sends_short_output(self) -> bool {
        !self.since(98)
    }

    /// Whether a file change that is cancelled completes. It does in 0.125.0, and not in 0.157.0
    /// and 0.169.0.
    pub(crate) fn completes_cancelled_patches(self) -> bool {
        !self.since(142)
    }

    /// Whether a declined command completes before the thread is active again. It does from
    /// 0.125.0 on; a declined file change does up to 0.125.0, and not in 0.157.0.
    pub(crate) fn declines_before_active(self, is_command: bool) -> bool {
        is_command || !self.since(142)
    }

    /// Whether a compaction starts a turn. It does in 0.111.0, and not in 0.105.0, which only ends one.
    pub(crate) fn starts_compactions(self) -> bool {
        self.since(111)
    }

    /// Whether a compaction is reported as such, beside its item. It is in 0.120.0, and not in 0.121.0.
    pub(crate) fn reports_compactions(self) -> bool {
        !self.since(121)
    }

    /// What Codex says after each compaction: from 0.122.0 to 0.163.0, and neither in 0.121.0 nor in 0.164.0.
    pub(crate) fn compaction_warning(self) -> Option<&'static str> {
        let holds = self.since(122) && !self.since(164);
        holds.then_some(
            "Heads up: Long threads and multiple compactions can cause the model to be less accurate. Start a \
             new thread when possible to keep threads small and targeted.",
        )
    }

    /// Whether a review starts a turn by another id, after its first item. It does in 0.111.0; in 0.105.0 the
    /// turn is that of the response, and starts first.
    pub(crate) fn starts_reviews_by_another_id(self) -> bool {
        self.since(111)
    }

    /// Whether the limits and tokens of a review are reported. They are in 0.72.0, and not in 0.87.0.
    pub(crate) fn reports_reviews(self) -> bool {
        !self.since(87)
    }

    /// Whether the items of the review mode have ids of their own. They have in 0.144.0; in 0.143.0 the id is
    /// that of the turn.
    pub(crate) fn review_items_have_ids(self) -> bool {
        self.since(144)
    }

    /// The id of the message with the result of a review, unless it has one of its own: 0.87.0, 0.98.0, 0.144.0;
    /// 0.145.0.
    pub(crate) fn review_message(self) -> Option<&'static str> {
        match (self.since(98), self.since(145)) {
            (false, _) => Some("review:rollout:assistant"),
            (true, false) => Some("review_rollout_assistant"),
            (true, true) => None,
        }
    }

    /// Whether a review in a thread of its own is a turn like any other there. It is in 0.145.0; in 0.144.0 it
    /// is a review like one in the thread itself.
    pub(crate) fn detached_reviews_are_turns(self) -> bool {
        self.since(145)
    }

    /// Whether Codex says that reviews in a thread of their own will go. It does in 0.155.0, and not in 0.153.0.
    pub(crate) fn deprecates_detached_reviews(self) -> bool {
        self.since(155)
    }

    /// Whether the diff of a turn is sent again after each answer, once there is one. It is in 0.87.0, and
    /// not in 0.72.0.
    pub(crate) fn repeats_diffs(self) -> bool {
        self.since(87)
    }
}
