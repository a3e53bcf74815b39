//! Rules about the order of `codex app-server`: handshakes, threads, turns, requests to the client.

use codex_wire_base::Surface;
use codex_wire_base::shape::Lifetime;

use crate::rule::{
    Exception, Status, between, connected, connections, parts_of_tokens, rules, since, until, v,
};
use crate::severity::Severity;

/// What Codex tells of its own accord.
pub(super) const TOLD: &[Surface] = &[Surface::AppServerServerNotifications];

/// What Codex answers and tells.
const CODEX: &[Surface] = &[
    Surface::AppServerServerNotifications,
    Surface::AppServerServerResponses,
];

/// What Codex asks.
const ASKED: &[Surface] = &[Surface::AppServerServerRequests];

/// What the client sends of its own accord.
const CLIENT: &[Surface] = &[
    Surface::AppServerClientRequests,
    Surface::AppServerClientNotifications,
];

/// The first release that is known to tell how turns end.
pub(super) const ENDS: Lifetime = since(v(63));

/// The first release whose notifications name their thread.
const NAMED: Lifetime = since(v(72));

/// The first release with `thread/status/changed`.
const STATUS: Lifetime = since(v(105));

/// The first release with `serverRequest/resolved`.
const RESOLVED: Lifetime = since(v(111));

/// Up to the last release before the first that orders statuses and starts of turns.
const OLD_STARTS: Lifetime = until(v(110));

rules! {
    APP_AFTER_CLOSED {
        demands: "nothing of a thread follows `thread/closed` or `thread/deleted`",
        id: "sequence/app-server-after-closed",
        about: TOLD,
        reading: "The client drops what it knows of the thread. Once it names the thread in a \
            request again, the thread may be told of again.",
        evidence: connections!("12 threads are closed or deleted."),
    }
    APP_APPROVAL_ITEM {
        demands: "an approval is asked for an item that was started and has not completed",
        id: "sequence/app-server-approval-item",
        about: &[
            Surface::AppServerServerRequests,
            Surface::AppServerServerNotifications,
        ],
        status: Status::Advisory,
        releases: NAMED,
        exceptions: &[
            Exception {
                releases: between(v(87), v(124)),
                of: &["commandExecution"],
                level: Some(Severity::Note),
                seen: "from 0.98.0 to 0.116.0 the command is started after the approval",
            },
            Exception {
                releases: OLD_STARTS,
                of: &["dynamicToolCall"],
                level: None,
                seen: "0.98.0 tells of calls of the client's tools by no item",
            },
        ],
        reading: "A client shows the command or the patch of the item it is asked about. Judged for \
            commands, file changes and calls of the client's tools. Where commands are started \
            after the approval, the item has to be told of until its turn ends, unless the turn is \
            interrupted. Requests for input or permissions name an id that no item has, and those \
            of the old API name one of their own: they are not judged.",
        evidence: connections!("262 approvals; 50 of commands come before their item, as it stands \
            above, and each of those items but one was told of: that turn was interrupted. 14 calls \
            of tools of 0.111.0 and later."),
    }
    APP_BEFORE_INITIALIZE {
        demands: "Codex tells and asks nothing before it has answered `initialize`",
        id: "sequence/app-server-before-initialize",
        about: &[
            Surface::AppServerServerNotifications,
            Surface::AppServerServerRequests,
        ],
        reading: "What comes earlier finds a client that is not ready. Warnings about the \
            configuration follow the answer.",
        evidence: connections!("None breaks it."),
    }
    APP_DECISION {
        demands: "what the client declines is not done, and what it accepts is not declined",
        id: "sequence/app-server-decision",
        about: TOLD,
        releases: NAMED,
        reading: "`decline` and `cancel` end the item as `declined` or `failed`, `accept` and \
            `acceptForSession` as anything else. Not judged with several clients, of which \
            another may have answered first, and for items asked about several times with \
            different answers.",
        evidence: connections!("None breaks it."),
    }
    APP_ERROR_TOLD {
        demands: "a turn fails by the `error` that was told of before, once, with `willRetry` false",
        id: "sequence/app-server-error-reported",
        about: TOLD,
        releases: NAMED,
        reading: "Both carry the same object. An `error` that is not tried again ends its turn, and \
            a turn that fails has told of one, which may name what else was asked meanwhile: in \
            0.157.0 a voice conversation that is refused fails the turn that runs.",
        evidence: connections!("All 155 failed turns of 0.72.0 and later respect it."),
    }
    APP_HEAD_MISSING {
        demands: "a stream begins with `initialize`, or with the answer to it",
        id: "sequence/app-server-truncated-start",
        about: CODEX,
        level: Severity::Note,
        status: Status::Advisory,
        exceptions: &[Exception {
            releases: Lifetime::ALWAYS,
            of: &[],
            level: Some(Severity::Note),
            seen: "logs that somebody began to copy while Codex ran",
        }],
        reading: "Said once for each connection. Of what was begun before nothing is missed: \
            answers without requests, ends without starts. A client that does begin with \
            something else is told so by Codex; that is another rule.",
        evidence: "Recorded connections of 15 releases from 0.58.0 to 0.169.0, each cut at several \
            places: what is left breaks no other rule.",
    }
    APP_HOOK_ORDER {
        demands: "a hook or a review of an approval is started before it completes, and once",
        id: "sequence/app-server-hook-order",
        about: TOLD,
        releases: since(v(105)),
        reading: "Hooks are told apart by the id of the run, reviews by the item they are about.",
        evidence: connections!("57 hooks and 9 reviews, of 0.116.0 and later."),
    }
    APP_INITIALIZE_AGAIN {
        demands: "a client sends `initialize` once on a connection",
        id: "sequence/app-server-initialize-again",
        about: CLIENT,
        reading: "Codex answers the second with the error `Already initialized`. Where it answers \
            with a result, another process has taken over, and the connection begins anew.",
        evidence: connections!("Only recordings that do so on purpose break it; Codex refuses it \
            in every release."),
    }
    APP_INITIALIZE_FIRST {
        demands: "the first message of a client is `initialize`",
        id: "sequence/app-server-initialize-first",
        about: CLIENT,
        reading: "Codex answers anything else with the error `Not initialized`. Where it does not, \
            the head of the stream is missing, which is another rule.",
        evidence: connections!("Only recordings that do so on purpose break it; Codex refuses it \
            in every release."),
    }
    APP_INITIALIZED {
        demands: "`initialized` follows the answer to `initialize`, once, before anything else of \
            the client",
        id: "sequence/app-server-initialized",
        about: CLIENT,
        reading: "It ends the handshake.",
        evidence: connections!("Only recordings that do so on purpose break it. Codex takes no \
            offence."),
    }
    APP_INTERRUPT {
        demands: "`turn/interrupt` is answered before its turn completes, and the turn is \
            `interrupted`",
        id: "sequence/app-server-interrupt",
        about: CODEX,
        releases: NAMED,
        reading: "A client that waits for the answer may otherwise take the end for that of the \
            next turn. Turns that are interrupted without such a request are not judged: an \
            approval that is cancelled does it too.",
        evidence: connections!("65 answers to `turn/interrupt`; none breaks it."),
    }
    APP_INTERRUPT_CAUSE {
        demands: "a turn that the client began is `interrupted` only after the client did something \
            that does so",
        id: "sequence/app-server-interrupt-cause",
        about: TOLD,
        releases: NAMED,
        reading: "The causes are `turn/interrupt`, the old `interruptConversation`, an approval or \
            an elicitation answered `cancel` or `abort`, and requests that end the thread, take \
            turns back or put another task in the place of the running one. Not judged with \
            several clients, of which another may have been the cause, and for turns that nobody \
            asked for, such as those of other agents. Where one of several clients is recorded \
            alone, allow this rule.",
        evidence: connected!("49 turns are interrupted, each for one of these reasons."),
    }
    APP_NOT_RESOLVED {
        demands: "a question that the client answers is resolved before the turn completes",
        id: "sequence/app-server-not-resolved",
        about: TOLD,
        releases: RESOLVED,
        reading: "`serverRequest/resolved` tells every client that nobody is asked any more. Calls \
            of tools, tokens, attestations and the time are not resolved this way. A question that \
            nobody answered is resolved after the turn was interrupted.",
        evidence: connections!("245 questions of 0.111.0 and later; each that was answered is resolved."),
    }
    APP_OPTED_OUT {
        demands: "Codex sends no notification that the client opted out of",
        id: "sequence/app-server-opted-out",
        about: TOLD,
        reading: "Names in `optOutNotificationMethods` of `initialize` are exact. Nothing else is \
            missed where they are missing.",
        evidence: connections!("None breaks it."),
    }
    APP_OUTSIDE_TURN {
        demands: "items, diffs and plans of a turn, and questions, hooks and reviews of approvals \
            that name it, come after it was started and before it completes",
        id: "sequence/app-server-outside-turn",
        about: &[
            Surface::AppServerServerRequests,
            Surface::AppServerServerNotifications,
        ],
        releases: ENDS,
        status: Status::Advisory,
        exceptions: &[
            Exception {
                releases: OLD_STARTS,
                of: &["contextCompaction", "userMessage"],
                level: Some(Severity::Note),
                seen: "from 0.72.0 to 0.105.0 the user's message sometimes precedes the turn, and \
                    in 0.98.0 and 0.105.0 a compaction does, or is in a turn that is never started",
            },
            Exception {
                releases: since(v(142)),
                of: &["subAgentActivity"],
                level: Some(Severity::Note),
                seen: "in 0.157.0 it is told after the turn that an agent has ended",
            },
            Exception {
                releases: until(v(66)),
                of: &["question"],
                level: None,
                seen: "up to 0.63.0 questions name their thread, and turns do not",
            },
        ],
        reading: "A review is begun before its turn is started, and its items carry the id of the \
            answer to `review/start`; that is no breach. Told of once for each turn. \
            `turn/plan/updated` of 0.64.0 names its turn and no thread: it is judged where the \
            connection has one thread only.",
        evidence: connections!("In 21 turns a message of the user or a compaction comes early. 147 \
            questions, 19 hooks and 3 reviews of approvals that name a turn come while it runs."),
    }
    APP_RESOLVED_AGAIN {
        demands: "a question is resolved once",
        id: "sequence/app-server-resolved-again",
        about: TOLD,
        reading: "Each client is told once.",
        evidence: connections!("245 questions."),
    }
    APP_RESOLVED_UNASKED {
        demands: "`serverRequest/resolved` names a question that was asked about its thread",
        id: "sequence/app-server-resolved-unasked",
        about: TOLD,
        reading: "Approvals, input and elicitations are resolved this way; calls of tools, tokens, \
            attestations and the time are not. A client that joins a thread late may not have been \
            asked.",
        evidence: connections!("245 questions."),
    }
    APP_SERVER_ID {
        demands: "Codex counts its requests on a connection from 0, one by one",
        id: "sequence/app-server-request-id",
        about: ASKED,
        reading: "A gap is a lost line. With several clients there may be gaps, for not all are \
            asked; then each id is only greater than the one before. Where one of several clients \
            is recorded alone, allow this rule.",
        evidence: connections!("514 requests; none breaks it."),
    }
    APP_STATUS_FAILED {
        demands: "the thread is in `systemError` when a turn fails, and `idle` when it ends otherwise",
        id: "sequence/app-server-status-failed",
        about: TOLD,
        status: Status::Advisory,
        releases: STATUS,
        exceptions: &[Exception {
            releases: until(v(124)),
            of: &["systemError"],
            level: Some(Severity::Note),
            seen: "in 0.116.0 a `thread/rollback` that is refused while a turn runs puts the thread \
                in `systemError`, and the turn completes",
        }],
        reading: "The status precedes `turn/completed`.",
        evidence: connections!("1,412 turns of 0.105.0 and later; one recorded since breaks it."),
    }
    APP_STATUS_REPEATED {
        demands: "`thread/status/changed` tells of a change",
        id: "sequence/app-server-status-repeated",
        about: TOLD,
        status: Status::Advisory,
        releases: STATUS,
        exceptions: &[Exception {
            releases: STATUS,
            of: &["notLoaded"],
            level: Some(Severity::Note),
            seen: "from 0.111.0 to 0.125.0 an agent that is closed is `notLoaded` twice, and so is a \
                thread that is archived, in one of two recordings of 0.166.0",
        }],
        reading: "The status differs from the one before in its type or its flags. After the client \
            joins a thread, the first status is taken as it is.",
        evidence: connections!("3,593 statuses; 4 come twice, and one since."),
    }
    APP_STATUS_TURN {
        demands: "the thread is `active` before `turn/started`, and `idle` or in `systemError` before \
            `turn/completed`",
        id: "sequence/app-server-status-turn",
        about: TOLD,
        status: Status::Advisory,
        releases: STATUS,
        exceptions: &[Exception {
            releases: OLD_STARTS,
            of: &["turn/started"],
            level: Some(Severity::Note),
            seen: "in 0.105.0 `active` follows `turn/started`",
        }],
        reading: "Every client of the server is told of the status, also where it does not follow \
            the thread.",
        evidence: connections!("1,412 turns of 0.105.0 and later; only starts in 0.105.0 break it."),
    }
    APP_THREAD_NOT_STARTED {
        demands: "`thread/started` names the thread that the answer to `thread/start` or \
            `thread/fork` named, before its first turn ends",
        id: "sequence/app-server-thread-not-started",
        about: CODEX,
        reading: "Said where a turn of the thread completes, or where another thread is started in its \
            stead, before there was any turn or review on the connection. Where nothing of the kind \
            follows, nobody can tell whether it was still to come. Other answers about the thread \
            do not count: a client that sends `turn/start` at once may have its answer first.",
        evidence: connected!("All 584 answers to `thread/start` and 40 to `thread/fork` are followed \
            by it in time, but for two clients that opted out. In recordings of 0.134.0 and 0.146.0 \
            the answer to `turn/start` comes in between, in one of 0.128.0 `turn/started` as well."),
    }
    APP_THREAD_STARTED_AGAIN {
        demands: "a thread is started once",
        id: "sequence/app-server-thread-started-again",
        about: TOLD,
        reading: "A thread that is resumed is not started.",
        evidence: connections!("1,482 notifications; none breaks it."),
    }
    APP_THREAD_STARTED_EARLY {
        demands: "`thread/started` follows the answer to `thread/start` or `thread/fork`",
        id: "sequence/app-server-thread-started-early",
        about: CODEX,
        reading: "The client learns the id of its thread from the answer. Of threads that others \
            begin, and of detached reviews, `thread/started` comes first.",
        evidence: connections!("All 1,472 answers come first."),
    }
    APP_THREAD_UNKNOWN {
        demands: "a thread is told of before anything that belongs to it",
        id: "sequence/app-server-thread-unknown",
        about: TOLD,
        releases: NAMED,
        reading: "By an answer, by `thread/started`, by a status, or by the client that names it.",
        evidence: connections!("None breaks it."),
    }
    APP_TOKENS_FALL {
        demands: "the token counts of a thread never decrease",
        id: "sequence/app-server-tokens-fall",
        about: TOLD,
        reading: "`total` counts the whole thread, so clients take differences. It starts anew when \
            turns are reverted.",
        evidence: connections!("3,381 counts of 0.72.0 and later; none breaks it."),
    }
    APP_TOKENS_PART {
        demands: "tokens that were cached are counted among the input, and those of reasoning among \
            the output",
        id: "sequence/app-server-tokens-part",
        about: TOLD,
        level: Severity::Warning,
        status: Status::Advisory,
        exceptions: parts_of_tokens!(),
        reading: "A client that takes the one from the other, to price what was not cached or to \
            show the text alone, comes to less than nothing.",
        evidence: connected!("1,651 counts, each in all and of the last answer; none breaks it."),
    }
    APP_TOKENS_SUM {
        demands: "the total of tokens grows by those of the last answer",
        id: "sequence/app-server-tokens-sum",
        about: TOLD,
        reading: "`total.totalTokens` is what it was before, or that and `last.totalTokens`. \
            Otherwise a count is missing.",
        evidence: connections!("3,381 counts of 0.72.0 and later; only the first after a revert does not, and is not judged."),
    }
    APP_TURN_ENDED_AGAIN {
        demands: "a turn completes once",
        id: "sequence/app-server-turn-ended-again",
        about: TOLD,
        reading: "Up to 0.98.0 turns are numbered anew when a thread is resumed; that is no breach.",
        evidence: connections!("1,828 turns."),
    }
    APP_TURN_ERROR {
        demands: "`turn/completed` carries an `error` if the turn has failed, and only then",
        id: "sequence/app-server-turn-error",
        about: TOLD,
        reading: "Clients read either of the two.",
        evidence: connections!("1,828 turns; none breaks it."),
    }
    APP_TURN_NAMED {
        demands: "the turn that `turn/started` names is the one that `turn/start` was answered with",
        id: "sequence/app-server-turn-named",
        about: CODEX,
        releases: NAMED,
        reading: "A client follows its turn by the id in the answer. Not judged where `turn/start` is \
            sent while a turn runs: up to 0.156.0 the answer then names a turn that may never \
            start. Nor where Codex begins turns of its own accord on that thread (goals, queues, \
            agents): one may come first.",
        evidence: connected!("836 answers to `turn/start`; wherever a turn starts after one, without \
            another running, it is the one named. 8 were asked for while a turn ran, 3 never \
            started, and two clients opted out."),
    }
    APP_TURN_NEVER_STARTED {
        demands: "a turn that completes was started",
        id: "sequence/app-server-turn-never-started",
        about: TOLD,
        status: Status::Advisory,
        exceptions: &[
            Exception {
                releases: OLD_STARTS,
                of: &["interrupted", "unnamed"],
                level: Some(Severity::Note),
                seen: "a compaction that the client asks for completes without a start in 0.98.0 \
                    and 0.105.0; so do turns of agents that others begin, in 0.105.0. Turns that \
                    an answer named were all started",
            },
            Exception {
                releases: since(v(142)),
                of: &["interrupted"],
                level: Some(Severity::Note),
                seen: "in 0.151.0 a turn is interrupted before it starts when its thread is deleted",
            },
        ],
        reading: "The end of a review has the id of the answer to `review/start`, its start another \
            one; that is no breach. Conversations of the old API have no starts and are not judged.",
        evidence: connections!("1,828 turns; 2 of those judged, and one since, have no start."),
    }
    APP_TURN_OVERLAP {
        demands: "a turn is started after the one before has completed",
        id: "sequence/app-server-turn-overlap",
        about: TOLD,
        releases: ENDS,
        status: Status::Advisory,
        exceptions: &[Exception {
            releases: OLD_STARTS,
            of: &[],
            level: Some(Severity::Note),
            seen: "up to 0.105.0 a turn that is begun while another one runs is started and never \
                completes",
        }],
        reading: "Within a thread there is one turn at a time. What a client begins in between joins \
            the turn that runs.",
        evidence: connections!("1,906 turns; 5 overlap."),
    }
    APP_TURN_STARTED_AGAIN {
        demands: "a turn is started once",
        id: "sequence/app-server-turn-started-again",
        about: TOLD,
        reading: "Up to 0.98.0 turns are numbered anew when a thread is resumed; that is no breach.",
        evidence: connections!("1,906 turns."),
    }
    APP_TURN_STARTED_EARLY {
        demands: "`turn/started` follows the answer to `turn/start`",
        id: "sequence/app-server-turn-started-early",
        about: CODEX,
        reading: "The client learns the id of its turn from the answer. Where there is none, that is \
            said when the turn completes.",
        evidence: connections!("All starts that the client asked for follow the answer."),
    }
    APP_TURN_STATUS {
        demands: "a turn is `inProgress` when it is started, and is not when it completes",
        id: "sequence/app-server-turn-status",
        about: TOLD,
        reading: "It ends as `completed`, `interrupted` or `failed`.",
        evidence: connections!("1,906 starts and 1,828 ends; none breaks it."),
    }
    APP_TURN_UNFINISHED {
        demands: "a turn that was started completes before the recording ends",
        id: "sequence/app-server-turn-unfinished",
        about: TOLD,
        releases: ENDS,
        level: Severity::Note,
        status: Status::Advisory,
        exceptions: &[Exception {
            releases: Lifetime::ALWAYS,
            of: &[],
            level: Some(Severity::Note),
            seen: "turns that run when the client hangs up or kills Codex, and those that hang",
        }],
        reading: "The client closed the connection, or the copy is not whole. Nothing is said of a \
            connection that is recorded as closed.",
        evidence: connections!("37 turns have not completed."),
    }
    APP_WAITING {
        demands: "the status of a thread says that it waits while a question of it is open",
        id: "sequence/app-server-waiting",
        about: &[
            Surface::AppServerServerRequests,
            Surface::AppServerServerNotifications,
        ],
        releases: RESOLVED,
        reading: "`waitingOnApproval` for approvals and elicitations, `waitingOnUserInput` for input: \
            the flag comes before the question and goes after `serverRequest/resolved`, before \
            the thread is idle.",
        evidence: connections!("245 questions of 0.111.0 and later; none breaks it. Only a question \
            that is open when the turn is interrupted has the thread go from waiting to `idle`."),
    }
}
