//! Rules about the order of the core queues and of the legacy stream.

use codex_wire_base::shape::Lifetime;
use codex_wire_base::{Release, Surface};

use crate::rule::{Exception, Status, between, parts_of_tokens, rules, since, until, v};
use crate::severity::Severity;

/// What Codex writes to `codex proto`.
const EVENTS: &[Surface] = &[Surface::CoreEvents];

/// The same events, also behind the two header lines of `codex exec --json`.
const BOTH: &[Surface] = &[Surface::CoreEvents, Surface::ExecLegacy];

/// What the client writes.
const CLIENT: &[Surface] = &[Surface::CoreSubmissions];

/// The legacy exec stream.
const LEGACY: &[Surface] = &[Surface::ExecLegacy];

/// The last release in which the client itself configures the session.
const CONFIGURED: Lifetime = until(Release::alpha(0, 22, 0, 1));

/// What the rules about queues were held against.
macro_rules! queues {
    ($text:literal) => {
        concat!(
            "Checked on 611 recordings of `codex proto`, of 12 releases from 0.21.0 to 0.42.0. ",
            $text
        )
    };
}

/// What the rules about both streams were held against.
macro_rules! streams {
    ($text:literal) => {
        concat!(
            "Checked on 611 recordings of `codex proto` and 405 legacy streams of `codex exec`, \
             of 13 releases from 0.20.0 to 0.42.0. ",
            $text
        )
    };
}

rules! {
    CORE_ABORT_UNASKED {
        demands: "a task is `interrupted` only after the client interrupts, shuts down, or answers \
            an approval with `abort`",
        id: "sequence/core-abort-unasked",
        about: EVENTS,
        releases: since(v(23)),
        reading: "Codex does not interrupt a task by itself. Other reasons, `replaced` and \
            `review_ended`, are not judged; neither are recordings without the client's lines.",
        evidence: queues!("All 58 interruptions were asked for."),
    }
    CORE_AFTER_ERROR {
        demands: "after an `error` a task writes nothing but `task_complete` without a message",
        id: "sequence/core-after-error",
        about: BOTH,
        exceptions: &[Exception {
            releases: until(v(41)),
            of: &["shutdown_complete"],
            level: None,
            seen: "a client that shuts Codex down as soon as it reads the error reads \
                `shutdown_complete` before `task_complete` (0.34.0); only 0.42.0 ends tasks before \
                it shuts down",
        }],
        reading: "An `error` ends its task, and `task_complete` follows at once; a legacy stream \
            does not show it and stops. Retries are not errors: they come as `stream_error`, and \
            as `background_event` up to 0.23.0. An MCP server that cannot be started is told of \
            by an `error` that belongs to no task. Up to 0.22.0 an interruption is an `error` of \
            a fixed text, and nothing follows it.",
        evidence: streams!("None of 143 errors of a task breaks it; a public recording of 0.34.0 shows \
            the exception."),
    }
    CORE_AFTER_SHUTDOWN {
        demands: "nothing follows `shutdown_complete`",
        id: "sequence/core-after-shutdown",
        about: EVENTS,
        status: Status::Advisory,
        exceptions: &[Exception {
            releases: Lifetime::ALWAYS,
            of: &["task"],
            level: Some(Severity::Note),
            seen: "a task may go on writing: one that runs when the client shuts Codex down (0.21.0, \
                0.22.0, 0.23.0), and one that was aborted (0.42.0). In the releases between, no \
                recording shuts down in the middle of a task",
        }],
        reading: "Clients stop reading here. Events of a task may still come; read on until the \
            stream is closed if they matter. A `session_configured` begins another session in a \
            log and is no breach.",
        evidence: queues!("597 shutdowns; events of tasks follow five, and nothing else does."),
    }
    CORE_ANSWER_UNASKED {
        demands: "the client answers an approval once, and only one that was asked for",
        id: "sequence/core-answer-unasked",
        about: CLIENT,
        reading: "The answer's `id` is the id of the event that asked, and its kind that of the \
            request. Codex ignores an answer it does not wait for. A late answer may also approve \
            the next request of the same task.",
        evidence: queues!("216 answers fit; those that do not were sent on purpose."),
    }
    CORE_APPROVAL_WAITS {
        demands: "after a request for approval the task writes nothing until the client answers, \
            and does what was asked about only if the client approved it",
        id: "sequence/core-approval-waits",
        about: EVENTS,
        reading: "A command or patch that begins before it is approved was not held back by \
            anyone. Judged where the client's lines are known. The end of the task, by `error` \
            or `turn_aborted`, needs no answer.",
        evidence: queues!("All 135 calls that were asked about and begin do so after a yes; 81 were \
            refused, and none of these begins."),
    }
    CORE_CALL_BEGUN_AGAIN {
        demands: "a call is begun once",
        id: "sequence/core-call-begun-again",
        about: BOTH,
        reading: "The ids of calls tell them apart within a task. A call may begin again only \
            after another request for approval: it failed in the sandbox and is tried outside.",
        evidence: streams!("1,092 calls; none begins twice."),
    }
    CORE_CALL_CHANGED {
        demands: "a call is what it was announced as: a command and a patch what was approved, an \
            MCP call the same at its end",
        id: "sequence/core-call-changed",
        about: BOTH,
        reading: "`command` and `cwd`, `changes`, or `invocation` differ between two events of one \
            call: the user saw something else than what was done, or the ids are mixed up.",
        evidence: streams!("135 requests for approval and 260 MCP calls were compared."),
    }
    CORE_CALL_INTERRUPTED {
        demands: "while a command, a patch or an MCP call is at work, its task writes nothing but \
            its output",
        id: "sequence/core-call-interrupted",
        about: BOTH,
        reading: "Calls are made one after another. What comes in between belongs elsewhere, or \
            the end of the call is missing. Searches run at the side of the model and do not \
            count; neither do answers to other submissions, and the end of the task.",
        evidence: streams!("990 calls; none is interrupted."),
    }
    CORE_CALL_NEVER_BEGUN {
        demands: "a call is begun before it ends, and ends once",
        id: "sequence/core-call-never-begun",
        about: BOTH,
        exceptions: &[Exception {
            releases: since(v(26)),
            of: &["web_search"],
            level: None,
            seen: "a search that the model did not announce has an end only (0.27.0 to 0.42.0)",
        }],
        reading: "A client that opens a command, a patch or a call at its begin has nothing to \
            close.",
        evidence: streams!("8 searches have an end only, and nothing else."),
    }
    CORE_CALL_OPEN {
        demands: "every call that was begun has ended before `task_complete`",
        id: "sequence/core-call-open",
        about: EVENTS,
        exceptions: &[Exception {
            releases: Lifetime::ALWAYS,
            of: &["web_search"],
            level: None,
            seen: "visits to pages begin like searches and have no end (0.25.0 to 0.42.0)",
        }],
        reading: "A client that waits for the end waits for ever. A task that is aborted leaves \
            its call without an end; that is no breach.",
        evidence: queues!("545 completed tasks leave 20 searches open, and nothing else."),
    }
    CORE_DIFF_UNFOUNDED {
        demands: "`turn_diff` comes after the task has begun a patch",
        id: "sequence/core-diff-unfounded",
        about: BOTH,
        reading: "The diff adds up the patches of its task. Files that commands changed are not \
            in it.",
        evidence: streams!("471 diffs, all of tasks with a patch."),
    }
    CORE_ID_UNKNOWN {
        demands: "the id of an event is that of a submission before it",
        id: "sequence/core-id-unknown",
        about: EVENTS,
        reading: "Clients join events to what they asked for by this id. `session_configured` and \
            errors of starting MCP servers belong to no submission: their id is empty, and `0` up \
            to 0.21.0. `auto-compact-…` is what Codex calls its own submission from 0.41 on. \
            Judged where the client's lines are known.",
        evidence: queues!("8,435 events, 1,819 lines of the client; none breaks it."),
    }
    CORE_LAST_MESSAGE {
        demands: "`task_complete` repeats the last `agent_message` of its task",
        id: "sequence/core-last-message",
        about: EVENTS,
        reading: "Clients that only want the answer take it from there. It is null where the \
            agent said nothing, or did something after it had; where a message is Codex's own \
            (after `compact`), and after an `error`. Reviews are not judged: their messages are \
            not shown.",
        evidence: queues!("545 ends compared."),
    }
    CORE_OUTPUT_DIFFERS {
        demands: "`stdout` and `stderr` at the end of a command are the output that was told of \
            before",
        id: "sequence/core-output-differs",
        about: BOTH,
        exceptions: &[Exception {
            releases: until(v(24)),
            of: &["shortened"],
            level: None,
            seen: "up to 0.23.0 the end holds the first part of a long output only",
        }],
        reading: "The pieces of each stream, joined and read as UTF-8, are the text at the end. \
            `aggregated_output` mixes both streams in an order of its own and is not judged. Not \
            compared: commands that could not be run or were stopped (exit code -1 or 124), \
            outputs above 4 MiB, and those of 10,000 pieces, where Codex stops telling.",
        evidence: streams!("The ends of 486 commands were compared."),
    }
    CORE_OUTPUT_NOT_RUNNING {
        demands: "output belongs to a command that is running",
        id: "sequence/core-output-not-running",
        about: BOTH,
        exceptions: &[Exception {
            releases: until(v(24)),
            of: &["patch_apply"],
            level: None,
            seen: "up to 0.23.0 patches are applied by a command, and its output is told of",
        }],
        reading: "A client has nowhere to show it. The begin of the command is missing, or the \
            ids are mixed up.",
        evidence: streams!("107 pieces of output belong to patches, all in 0.20.0 to 0.23.0."),
    }
    CORE_OUTSIDE_TASK {
        demands: "what a task writes comes between `task_started` and its end, under its id",
        id: "sequence/core-outside-task",
        about: BOTH,
        status: Status::Advisory,
        exceptions: &[
            Exception {
                releases: between(v(35), v(41)),
                of: &["entered_review_mode", "exited_review_mode"],
                level: None,
                seen: "a review is entered before its task is started (0.36.0, 0.39.0, 0.40.0), and \
                    left after its end if it is interrupted (0.36.0)",
            },
            Exception {
                releases: since(v(41)),
                of: &["auto-compact"],
                level: None,
                seen: "0.42.0 sums up a long conversation in the middle of a task, under an id of \
                    its own",
            },
            Exception {
                releases: since(v(40)),
                of: &["aborted"],
                level: Some(Severity::Note),
                seen: "a task that an answer to an approval aborts goes on: in 0.40.0 with a count \
                    of tokens, in 0.42.0 it may even ask for the next approval",
            },
        ],
        reading: "A client shows what comes as part of the task at hand. Errors of starting MCP \
            servers belong to no task and are not meant.",
        evidence: streams!("One stream of 0.42.0 goes on after its end, as it stands above; so does a \
            public one of 0.40.0."),
    }
    CORE_REPLY_DIFFERS {
        demands: "an entry of the history is the one that was asked for",
        id: "sequence/core-reply-differs",
        about: EVENTS,
        reading: "`offset` and `log_id` of the response are those of the request. Otherwise the \
            client files the text in the wrong place.",
        evidence: queues!("112 responses compared."),
    }
    CORE_REPLY_MISSING {
        demands: "a request is answered before the session is over",
        id: "sequence/core-reply-missing",
        about: EVENTS,
        exceptions: &[
            Exception {
                releases: until(v(22)),
                of: &["list_mcp_tools"],
                level: None,
                seen: "0.22.0 does not know it and says nothing",
            },
            Exception {
                releases: until(v(25)),
                of: &["list_custom_prompts"],
                level: None,
                seen: "0.23.0 and before do not know it and say nothing",
            },
            Exception {
                releases: until(v(23)),
                of: &["get_history"],
                level: None,
                seen: "0.23.0 and before do not know it and say nothing",
            },
            Exception {
                releases: since(v(35)),
                of: &["get_history"],
                level: None,
                seen: "0.36.0 and later have `get_path` instead and say nothing",
            },
            Exception {
                releases: until(v(34)),
                of: &["get_path"],
                level: None,
                seen: "0.34.0 and before do not know it and say nothing",
            },
        ],
        reading: "Requests for the history, for tools, for prompts, and `shutdown` have an answer \
            each. A request that a release cannot read is left without; where the release is not \
            stated, only `get_history_entry_request` is judged, which all know. Judged where \
            `shutdown_complete` shows that the session went to its end.",
        evidence: queues!("All 758 requests that the release knows are answered."),
    }
    CORE_REPLY_UNASKED {
        demands: "an answer has the id of the submission that asked for it, and comes once",
        id: "sequence/core-reply-unasked",
        about: EVENTS,
        reading: "`get_history_entry_response`, `conversation_history`, `conversation_path`, \
            `mcp_list_tools_response`, `list_custom_prompts_response` and `shutdown_complete` each \
            answer one kind of submission. Judged where the client's lines are known.",
        evidence: queues!("758 answers; none breaks it."),
    }
    CORE_REVIEW_MODE {
        demands: "a review is entered once, and left once before its task ends",
        id: "sequence/core-review-mode",
        about: EVENTS,
        exceptions: &[Exception {
            releases: between(v(35), v(41)),
            of: &["turn_aborted"],
            level: None,
            seen: "in 0.36.0 an interrupted review is left after the end of its task",
        }],
        releases: since(v(35)),
        reading: "The result of the review comes with `exited_review_mode`; it is null where there \
            is none.",
        evidence: "Checked on 11 recorded reviews of 0.36.0, 0.39.0, 0.40.0 and 0.42.0.",
    }
    CORE_SESSION_AGAIN {
        demands: "a session is configured once",
        id: "sequence/core-session-again",
        about: EVENTS,
        exceptions: &[Exception {
            releases: CONFIGURED,
            of: &["maybe asked"],
            level: None,
            seen: "0.21.0 and before configure the session anew when the client asks for it, which \
                a stream of Codex alone does not show",
        }],
        reading: "A second `session_configured` without `shutdown_complete` before it is a line \
            written twice, or another session whose predecessor was cut.",
        evidence: queues!("Each has one."),
    }
    CORE_SESSION_FIRST {
        demands: "the first event is `session_configured`",
        id: "sequence/core-session-first",
        about: EVENTS,
        reading: "It names the session and its model. Without it the head of the stream is missing.",
        evidence: queues!("All begin with it, also where an MCP server cannot be started."),
    }
    CORE_SHUTDOWN_OPEN {
        demands: "a task has ended before `shutdown_complete`",
        id: "sequence/core-shutdown-open",
        about: EVENTS,
        status: Status::Advisory,
        exceptions: &[Exception {
            releases: until(v(41)),
            of: &[],
            level: Some(Severity::Warning),
            seen: "0.21.0 and 0.22.0 shut down at once and leave the task running; from 0.23.0 to \
                0.40.0 no recording shuts down in the middle of a task",
        }],
        reading: "0.42.0 interrupts what runs, and says so by `turn_aborted`, before it is shut \
            down. A task that is left without an end has lost it.",
        evidence: queues!("Of 597 shutdowns three leave a task running, in 0.21.0 and 0.22.0."),
    }
    CORE_SUBMISSION_ID_AGAIN {
        demands: "the client gives each submission an id of its own",
        id: "sequence/core-submission-id-again",
        about: CLIENT,
        reading: "Events carry the id of the submission they belong to. Used twice, it tells \
            nothing. A submission that Codex could not read does not count.",
        evidence: queues!("1,819 lines of the client; only recordings that do so on purpose use an id \
            twice."),
    }
    CORE_SUBMITTED_AFTER_SHUTDOWN {
        demands: "the client submits nothing after `shutdown`",
        id: "sequence/core-submitted-after-shutdown",
        about: CLIENT,
        reading: "Codex reads no further. What is submitted then is lost without a word.",
        evidence: queues!("None does so."),
    }
    CORE_TASK_END {
        demands: "a task ends once, and after it was started",
        id: "sequence/core-task-end",
        about: EVENTS,
        exceptions: &[Exception {
            releases: since(v(41)),
            of: &["empty"],
            level: None,
            seen: "0.42.0 answers an input of no items by `task_complete` without a start, and \
                under whatever id it came",
        }],
        reading: "`task_complete` or `turn_aborted` is the end. A second one would count the task \
            twice; one without a start ends something the client has not opened.",
        evidence: queues!("603 ends; one of 0.42.0 is of an input of no items."),
    }
    CORE_TASK_STARTED_AGAIN {
        demands: "a task is started once, and not while another one runs",
        id: "sequence/core-task-started-again",
        about: BOTH,
        reading: "Codex works on one task at a time; what is submitted in between joins it. Up to \
            0.22.0 the error of an interruption ends the task. Legacy streams do not show how a \
            task ends, so there only a second start under the same id is judged.",
        evidence: streams!("1,020 starts; none breaks it."),
    }
    CORE_TEXT_DIFFERS {
        demands: "the pieces of a message or of reasoning join to the text that is told whole",
        id: "sequence/core-text-differs",
        about: BOTH,
        reading: "A client that shows the pieces and one that shows the whole show different \
            things. Where a task tells no pieces at all, nothing is compared: legacy streams show \
            only those of raw reasoning. After a broken connection the pieces begin anew.",
        evidence: streams!("505 messages, 89 texts of reasoning and 58 of raw reasoning were \
            compared."),
    }
    CORE_TEXT_UNFINISHED {
        demands: "pieces of a message or of reasoning are followed by the whole text",
        id: "sequence/core-text-unfinished",
        about: BOTH,
        exceptions: &[Exception {
            releases: until(v(27)),
            of: &["raw only"],
            level: None,
            seen: "of a model that is reached by chat completions, the releases of August 2025 \
                pass on pieces of raw reasoning and never tell the whole of any",
        }],
        reading: "The whole text is missing, or something else came into the middle of a message. \
            Only a retry, an `error` and the end by `turn_aborted` break a message off.",
        evidence: streams!("63 messages are broken off, each for one of these reasons. Raw reasoning that \
            is never told whole was seen in public transcripts."),
    }
    CORE_TOKENS_FALL {
        demands: "the token counts of a session never decrease",
        id: "sequence/core-tokens-fall",
        about: BOTH,
        releases: since(v(31)),
        reading: "`total_token_usage` counts the whole session, so clients take differences. Before \
            0.31.0 the event counts one answer and is not judged; nor is a count of a full context \
            window, which names its total only.",
        evidence: streams!("850 counts of 5 releases from 0.34.0 on were compared."),
    }
    CORE_TOKENS_PART {
        demands: "tokens that were cached are counted among the input, and those of reasoning among \
            the output",
        id: "sequence/core-tokens-part",
        about: BOTH,
        level: Severity::Warning,
        status: Status::Advisory,
        exceptions: parts_of_tokens!(),
        reading: "A client that takes the one from the other, to price what was not cached or to \
            show the text alone, comes to less than nothing.",
        evidence: "1,286 counts of 13 releases from 0.20.0 to 0.42.0; none breaks it.",
    }
    CORE_UNFINISHED {
        demands: "a task that was started ends before the stream does",
        id: "sequence/core-unfinished",
        about: BOTH,
        level: Severity::Warning,
        status: Status::Advisory,
        exceptions: &[Exception {
            releases: Lifetime::ALWAYS,
            of: &["exec_command", "mcp_tool_call", "patch_apply"],
            level: Some(Severity::Note),
            seen: "a legacy stream that is interrupted (SIGINT) or hangs (arguments of an MCP call \
                that are no object, 0.21.0 to 0.40.0) stops in the middle of a call",
        }],
        reading: "Nothing says how the task went. It was interrupted or still goes on, or the copy \
            is not whole. A legacy stream shows no ends of tasks; there a call without an end is \
            told of. After `shutdown_complete` it is `sequence/core-shutdown-open` that tells.",
        evidence: streams!("No recording of `codex proto` breaks it; 22 legacy streams of all releases \
            but 0.20.0 stop in the middle of a call."),
    }
    LEGACY_HEAD {
        demands: "a legacy stream begins with the settings and the prompt, a line each",
        id: "sequence/legacy-head",
        about: LEGACY,
        reading: "Clients skip two lines and read events from there. The next run of a log begins \
            with its own two.",
        evidence: "All 405 legacy streams with any event begin so, of 13 releases from 0.20.0 to \
            0.42.0. Where an invocation is refused, the stream may stop before the first event.",
    }
}
