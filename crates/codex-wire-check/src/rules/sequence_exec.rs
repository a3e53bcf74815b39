//! Rules about the order of `codex exec --json`, early and current dialect.

use codex_wire_base::shape::Lifetime;
use codex_wire_base::{Release, Surface};

use crate::rule::{Exception, Status, between, parts_of_tokens, rules, since, until, v};
use crate::severity::Severity;

const EXEC: &[Surface] = &[Surface::Exec];

/// What every rule was held against.
macro_rules! streams {
    ($text:literal) => {
        concat!(
            "Checked on 1,930 recorded streams that are not empty, of 54 releases from 0.42.0 to \
             0.169.0. ",
            $text
        )
    };
}

/// Child agents wrote into the stream of their parent.
const LEAK: Lifetime = between(v(93), v(111));

rules! {
    EXEC_AFTER_END {
        demands: "nothing follows `turn.completed` or `turn.failed` within a run",
        id: "sequence/exec-after-end",
        about: EXEC,
        reading: "Clients stop reading at the event that ends the turn, so whatever follows is \
            lost on them. In a plain log `thread.started` may follow: it begins the next run. A \
            recording is of one process and so of one run.",
        evidence: streams!("All 1,771 that have such an event end with it."),
    }
    EXEC_EXIT_STATUS {
        demands: "Codex exits with status 0 after `turn.completed` and with 1 after `turn.failed`",
        id: "sequence/exec-exit-status",
        about: EXEC,
        status: Status::Advisory,
        releases: since(Release::alpha(0, 43, 0, 5)),
        exceptions: &[Exception {
            releases: until(v(45)),
            of: &["turn.completed"],
            level: Some(Severity::Note),
            seen: "0.44.0 completes the turn and exits with status 1 when an MCP server could \
                not be started",
        }],
        reading: "Scripts decide by the exit status, programs by the stream; the two have to \
            agree. Only a recording with an `exit` record tells the status. Ends by a signal \
            are not judged.",
        evidence: "Checked on 1,770 recorded runs of 53 releases whose exit status is known.",
    }
    EXEC_EXIT_WITHOUT_END {
        demands: "a run that exits with status 0 has written `turn.completed`",
        id: "sequence/exec-exit-without-end",
        about: EXEC,
        status: Status::Advisory,
        releases: since(Release::alpha(0, 43, 0, 5)),
        exceptions: &[Exception {
            releases: until(v(116)),
            of: &[],
            level: Some(Severity::Warning),
            seen: "up to 0.116.0 a run interrupted by SIGINT exits with status 0 and writes no \
                end",
        }],
        reading: "The run reports success, but the stream stops in the middle of the turn: \
            messages were lost on the way to the recording, or the run was interrupted.",
        evidence: "Recorded with SIGINT in 41 releases. From 0.117.0 on such a run exits with \
            status 1.",
    }
    EXEC_FAILED_WITHOUT_ERROR {
        demands: "`turn.failed` repeats the message of the last `error` before it",
        id: "sequence/exec-failed-without-error",
        about: EXEC,
        reading: "Clients show the `error` when it comes and take `turn.failed` for the end. \
            The `error` need not stand directly before: a to-do list is closed in between, and \
            from 0.93.0 to 0.104.0 a child agent's error was followed by the parent's message.",
        evidence: streams!("All 325 that fail respect it."),
    }
    EXEC_ITEM_AFTER_COMPLETION {
        demands: "nothing happens to an item after `item.completed`",
        id: "sequence/exec-item-after-completion",
        about: EXEC,
        reading: "A completed item is final. Completed twice, it is counted twice by clients \
            that append; updated or started again, it is lost on clients that have closed it.",
        evidence: streams!("None breaks it."),
    }
    EXEC_ITEM_CHANGED {
        demands: "an item keeps its kind and what it was called with from start to completion",
        id: "sequence/exec-item-changed",
        about: EXEC,
        reading: "A client joins start and completion by the item's id. Where `command`, \
            `server`, `tool`, `arguments`, `prompt`, `sender_thread_id` or `changes` differ, \
            the ids are mixed up. A search may change its query and a wait its receivers.",
        evidence: streams!("903 times a kind of item is started and completed in one; none breaks it."),
    }
    EXEC_ITEM_ID {
        demands: "items are numbered in the order in which they first appear: `item_0`, `item_1`, …",
        id: "sequence/exec-item-id",
        about: EXEC,
        exceptions: &[Exception {
            releases: since(v(87)),
            of: &["web_search"],
            level: None,
            seen: "searches carry two ids (see `framing/duplicate-id`), and of a line that a JSON \
                reader has rewritten the search's is left",
        }],
        reading: "A gap means that messages are missing or came in another order. Numbers begin \
            at 0 with every run, also when a thread is resumed.",
        evidence: streams!("None breaks it, child agents' items included."),
    }
    EXEC_ITEM_NEVER_STARTED {
        demands: "commands, calls, searches, file changes and to-do lists are started before they \
            are updated or completed",
        id: "sequence/exec-item-never-started",
        about: EXEC,
        exceptions: &[
            Exception {
                releases: until(v(116)),
                of: &["file_change"],
                level: None,
                seen: "file changes are only completed up to 0.116.0",
            },
            Exception {
                releases: until(v(90)),
                of: &["web_search"],
                level: None,
                seen: "web searches are only completed up to 0.80.0, and started from 0.92.0 on",
            },
        ],
        reading: "A client that opens an item at its start has nothing to close. Messages, \
            reasoning and errors are never started, and not meant.",
        evidence: streams!("473 have commands, 146 MCP calls, 100 to-do lists, 70 calls of other \
            agents, 58 searches and 56 file changes, all started first."),
    }
    EXEC_ITEM_STARTED_TWICE {
        demands: "an item is started once",
        id: "sequence/exec-item-started-twice",
        about: EXEC,
        reading: "Two items with one id, or a line that was written twice.",
        evidence: streams!("None breaks it."),
    }
    EXEC_ITEM_STATUS {
        demands: "a started item is `in_progress`, and a completed one is not",
        id: "sequence/exec-item-status",
        about: EXEC,
        reading: "The status says the same as the event. A client that goes by one of them \
            shows something else than a client that goes by the other.",
        evidence: streams!("None breaks it."),
    }
    EXEC_OPEN_AT_COMPLETION {
        demands: "every item that was started is completed before `turn.completed`",
        id: "sequence/exec-open-at-completion",
        about: EXEC,
        status: Status::Advisory,
        exceptions: &[
            Exception {
                releases: between(v(55), v(72)),
                of: &["command_execution"],
                level: Some(Severity::Note),
                seen: "0.63.0 never completes a command that is left running in the background",
            },
            Exception {
                releases: since(v(117)),
                of: &["command_execution"],
                level: Some(Severity::Note),
                seen: "from 0.117.0 on a command left in the background is never completed; up \
                    to 0.145.0 also one of several commands that run at the same time",
            },
        ],
        reading: "A client that waits for the completion waits for ever. Treat the end of the \
            turn as the end of all items. Releases in between complete a command left behind \
            late, with `exit_code: null`.",
        evidence: streams!("In 36, of 23 releases, commands are left open, and nothing else in any."),
    }
    EXEC_OPEN_AT_FAILURE {
        demands: "every item that was started is completed before `turn.failed`",
        id: "sequence/exec-open-at-failure",
        about: EXEC,
        level: Severity::Warning,
        status: Status::Advisory,
        exceptions: &[Exception {
            releases: Lifetime::ALWAYS,
            of: &["web_search", "command_execution"],
            level: Some(Severity::Note),
            seen: "a search is left open when the stream of the model breaks off (0.98.0, \
                0.125.0, 0.157.0, 0.169.0); commands as at the end of turns that succeed",
        }],
        reading: "The turn failed while something was at work, and its end is not told. Few \
            failures were recorded with items at work, so this is a warning at most.",
        evidence: streams!("Of 325 that fail, four leave a search open."),
    }
    EXEC_OUTSIDE_TURN {
        demands: "items and the end of a turn come after `turn.started`",
        id: "sequence/exec-outside-turn",
        about: EXEC,
        exceptions: &[Exception {
            releases: since(v(87)),
            of: &["error"],
            level: None,
            seen: "from 0.92.0 on items of the kind `error` carry warnings before the turn",
        }],
        releases: since(Release::alpha(0, 43, 0, 5)),
        reading: "A client that opens a turn at `turn.started` has nowhere to put the item.",
        evidence: streams!("24 releases write `error` items before the turn, and nothing else."),
    }
    EXEC_SECOND_TODO_LIST {
        demands: "a run has one to-do list",
        id: "sequence/exec-second-todo-list",
        about: EXEC,
        exceptions: &[Exception {
            releases: LEAK,
            of: &[],
            level: None,
            seen: "child agents write into the stream, and may bring lists of their own",
        }],
        reading: "The agent's plan is one item that is updated as it changes. A second one is \
            a second plan, or an update with the wrong id.",
        evidence: streams!("None of the 120 with a list has two."),
    }
    EXEC_STARTED_KIND {
        demands: "messages, reasoning and errors are completed without having been started",
        id: "sequence/exec-started-kind",
        about: EXEC,
        exceptions: &[
            Exception {
                releases: since(v(117)),
                of: &["file_change"],
                level: None,
                seen: "file changes are started from 0.117.0 on",
            },
            Exception {
                releases: since(v(87)),
                of: &["web_search"],
                level: None,
                seen: "web searches are started from 0.92.0 on",
            },
        ],
        reading: "Clients rely on such an item being there at once and whole. Before 0.117.0 \
            this also goes for file changes, and up to 0.80.0 for web searches.",
        evidence: streams!("None breaks it."),
    }
    EXEC_STATUS_AND_RESULT {
        demands: "the status of a completed item fits its result: a command is `completed` with \
            exit code 0 and `failed` with another, an MCP call with an error is `failed`",
        id: "sequence/exec-status-and-result",
        about: EXEC,
        reading: "A client that goes by the status and one that goes by the result disagree. An \
            MCP call may fail with a result and no error: then the tool itself says so.",
        evidence: streams!("The commands of 54 releases and the MCP calls of 53 were compared."),
    }
    EXEC_STARTED_RESULT {
        demands: "an item that is started has come to nothing yet: a command has no output and no \
            exit code, an MCP call no result and no error, a call of other agents no states of \
            them",
        id: "sequence/exec-started-result",
        about: EXEC,
        reading: "A client that takes the result from the first event that has one takes it too \
            early. Output comes with the completion only, also that of long commands.",
        evidence: "Checked on 1,154 recorded streams of 36 releases from 0.42.0 to 0.169.0: 596 \
            commands, 433 MCP calls and 263 calls of other agents were started, and none breaks \
            it.",
    }
    EXEC_THREAD_STARTED_AGAIN {
        demands: "`thread.started` comes again only after the end of the run before",
        id: "sequence/exec-thread-started-again",
        about: EXEC,
        reading: "A second run was appended to a run that was cut, or a line was written twice. \
            In the early form the same goes for `session.created`.",
        evidence: streams!("Each has one."),
    }
    EXEC_THREAD_STARTED_FIRST {
        demands: "the first message is `thread.started`; `session.created` in the early form",
        id: "sequence/exec-thread-started-first",
        about: EXEC,
        reading: "It holds the id by which the thread is resumed. Without it the head of the \
            stream is missing.",
        evidence: streams!("All begin with it."),
    }
    EXEC_TODO_LIST_LAST {
        demands: "a to-do list is completed last, directly before the end of the turn",
        id: "sequence/exec-todo-list-last",
        about: EXEC,
        exceptions: &[
            Exception {
                releases: LEAK,
                of: &[],
                level: None,
                seen: "child agents write into the stream, at any time",
            },
            Exception {
                releases: between(v(55), v(116)),
                of: &["command_execution"],
                level: None,
                seen: "commands left in the background are completed late, at the end of the turn",
            },
        ],
        reading: "Codex closes the list when the turn ends, well or not. A list that is closed \
            earlier was closed by someone else, or the lines came in another order.",
        evidence: streams!("In all 100 where a list is completed, the end of the turn or of the \
            stream follows."),
    }
    EXEC_TODO_LIST_OPEN {
        demands: "a to-do list is completed before the turn ends",
        id: "sequence/exec-todo-list-open",
        about: EXEC,
        reading: "Codex closes the list also when the turn fails, so a client need not. A list \
            left open was lost on the way.",
        evidence: streams!("All 73 turns with a list that end close it first. Interrupted runs do \
            from 0.117.0 on."),
    }
    EXEC_TODO_LIST_STATE {
        demands: "a completed to-do list is as its last update left it",
        id: "sequence/exec-todo-list-state",
        about: EXEC,
        reading: "Closing the list changes nothing in it. If it differs, an update is missing.",
        evidence: streams!("All 100 completed lists are."),
    }
    EXEC_TOKENS_PART {
        demands: "tokens that were cached are counted among the input, and those of reasoning among \
            the output",
        id: "sequence/exec-tokens-part",
        about: EXEC,
        level: Severity::Warning,
        status: Status::Advisory,
        exceptions: parts_of_tokens!(),
        reading: "A client that takes the one from the other, to price what was not cached or to \
            show the text alone, comes to less than nothing.",
        evidence: "840 counts of 32 releases from 0.44.0 to 0.169.0; none breaks it.",
    }
    EXEC_TURN_STARTED_AGAIN {
        demands: "a run has one turn",
        id: "sequence/exec-turn-started-again",
        about: EXEC,
        exceptions: &[Exception {
            releases: LEAK,
            of: &[],
            level: None,
            seen: "child agents write their turns and items into the stream of their parent: up \
                to five `turn.started`, one end",
        }],
        reading: "`codex exec` works on one prompt and exits. A second start is a line written \
            twice, or the end of a run is missing.",
        evidence: streams!("Only streams of 0.93.0 to 0.111.0 have several."),
    }
    EXEC_UNFINISHED {
        demands: "a run ends with `turn.completed` or `turn.failed`",
        id: "sequence/exec-unfinished",
        about: EXEC,
        level: Severity::Warning,
        status: Status::Advisory,
        releases: since(Release::alpha(0, 43, 0, 5)),
        exceptions: &[Exception {
            releases: Lifetime::ALWAYS,
            of: &[],
            level: Some(Severity::Warning),
            seen: "a run that is interrupted (SIGINT, SIGTERM) writes no end in any release; nor \
                does one that hangs: on bad arguments of an MCP tool in 0.47.0, after SIGINT in \
                0.93.0 and 0.94.0, and from 0.148.0 on while connections are refused",
        }],
        reading: "Nothing says how the turn went. The run was interrupted or still goes on, or \
            the copy is not whole. This is right for interrupted runs, so it never denies.",
        evidence: streams!("103 have no end, each for one of these reasons."),
    }
    EXEC_UPDATED_KIND {
        demands: "only to-do lists are updated",
        id: "sequence/exec-updated-kind",
        about: EXEC,
        reading: "`codex exec` shows no progress of other items. Clients handle updates of \
            to-do lists and may drop all others.",
        evidence: streams!("No other item was updated in any."),
    }
    EXEC_USAGE_DECREASES {
        demands: "the token counts of a resumed thread never decrease",
        id: "sequence/exec-usage-decreases",
        about: EXEC,
        releases: since(v(79)),
        reading: "From 0.79.0 on `usage` counts the whole thread, so a client takes differences. \
            Before, it counted the run. It is seen where the runs of a thread stand in one input \
            one after another. Counts of zero only are not judged: turns without usage report \
            them.",
        evidence: "Recorded by resuming a thread twice in 36 releases from 0.79.0 on; 0.77.0 and \
            before count each run by itself.",
    }
}
