//! Says of the connections of a recording whether a rule that holds is broken.
//!
//! It sees each connection as a whole and says in its own way what is demanded, so that the
//! machine is not asked whether the machine is right. What is demanded was read off real
//! connections before there was a machine.

use std::collections::BTreeSet;

use codex_wire::Release;
use serde_json::Value;

use super::items::items;
use super::line::{Kind, Line};
use super::turns::turns;
use super::view::{View, minor};

/// The first rule that is broken, if one is.
pub(crate) fn broken(release: Release, lines: &[Line]) -> Option<&'static str> {
    let connections: BTreeSet<Option<u64>> = lines
        .iter()
        .filter(|line| line.other.is_none())
        .map(|line| line.connection)
        .collect();
    let alone = connections.len() == 1;
    connections.iter().find_map(|connection| {
        let own = |line: &&Line| line.other.is_none() && line.connection == *connection;
        let view = View::new(release, alone, lines.iter().filter(own).collect());
        of_connection(&view)
    })
}

/// A group of rules, by its name, and whether a stream keeps it.
type Check = (&'static str, fn(&View<'_>) -> bool);

fn of_connection(view: &View<'_>) -> Option<&'static str> {
    let checks: [Check; 11] = [
        ("handshake", handshake),
        ("pairs", pairs),
        ("counted", counted),
        ("known", known),
        ("threads", threads),
        ("turns", turns),
        ("items", items),
        ("questions", questions),
        ("tokens", tokens),
        ("tracks", tracks),
        ("events", events),
    ];
    let broken = checks.iter().find(|(_, holds)| !holds(view));
    broken.map(|(name, _)| *name)
}

/// `initialize`, its answer, `initialized`, and only then anything else.
fn handshake(view: &View<'_>) -> bool {
    let by_client: Vec<usize> = view
        .places()
        .filter(|at| view.lines[*at].client)
        .filter(|at| matches!(view.lines[*at].kind(), Kind::Request | Kind::Notification))
        .collect();
    let named = |name: &str| {
        by_client
            .iter()
            .filter(|at| view.method(**at) == name)
            .count()
    };
    let Some(first) = by_client.first() else {
        return true;
    };
    let greeted = view.answer[*first];
    let earlier = |at: &usize| greeted.is_none_or(|greeted| *at < greeted);
    let silent = view
        .places()
        .filter(earlier)
        .all(|at| view.lines[at].client);
    let second = by_client.get(1);
    view.method(*first) == "initialize"
        && named("initialize") == 1
        && silent
        && named("initialized") <= 1
        && second.is_none_or(|second| view.method(*second) == "initialized" && !earlier(second))
}

/// Every answer belongs to a request of the other side, and is what such a request is answered
/// by.
fn pairs(view: &View<'_>) -> bool {
    let fits = view.places().all(|at| {
        let Some(recorded) = view.lines[at].answers.as_deref() else {
            return true;
        };
        let result = &view.lines[at].value["result"];
        let says = result.as_object().is_some_and(|result| !result.is_empty());
        !says || view.request[at].is_none() || view.method(at) == recorded
    });
    !view.mispaired && fits
}

/// Codex counts its requests.
fn counted(view: &View<'_>) -> bool {
    let asked = view.places().filter(|at| {
        let line = view.lines[*at];
        !line.client && line.kind() == Kind::Request
    });
    let ids: Vec<i64> = asked
        .filter_map(|at| view.lines[at].value["id"].as_i64())
        .collect();
    match view.alone {
        true => ids.iter().zip(0..).all(|(id, number)| *id == number),
        false => ids.windows(2).all(|pair| pair[0] < pair[1]),
    }
}

/// A thread is reported before what belongs to it.
fn known(view: &View<'_>) -> bool {
    let reports = |at: usize, thread: &str| {
        view.named_by_client(at) == Some(thread)
            || view.text(at, "/result/thread/id") == Some(thread)
            || view.text(at, "/result/conversationId") == Some(thread)
            || view.text(at, "/params/thread/id") == Some(thread)
            || view.sends(at, "thread/status/changed")
                && view.text(at, "/params/threadId") == Some(thread)
    };
    view.release < minor(72)
        || view.is_silent("thread/started")
        || view
            .threads
            .iter()
            .all(|(thread, own)| thread.is_empty() || (0..=own[0]).any(|at| reports(at, thread)))
}

/// A thread is started once, after the answer that names it; after its end comes nothing.
fn threads(view: &View<'_>) -> bool {
    let starts = |thread: &str, at: usize| {
        view.sends(at, "thread/started") && view.text(at, "/params/thread/id") == Some(thread)
    };
    let once = view
        .threads
        .iter()
        .all(|(thread, own)| own.iter().filter(|at| starts(thread, **at)).count() <= 1);
    let after_answers = view.places().all(|at| {
        if view.request[at].is_none() || !view.is_result(at) {
            return true;
        }
        let began = ["thread/start", "thread/fork"].contains(&view.method(at));
        let thread = view.text(at, "/result/thread/id").filter(|_| began);
        thread.is_none_or(|thread| !(0..at).any(|early| starts(thread, early)))
    });
    let closed = |at: usize| view.sends(at, "thread/closed") || view.sends(at, "thread/deleted");
    let over = view.threads.iter().all(|(thread, own)| {
        own.windows(2).all(|pair| {
            let named = |at: usize| view.named_by_client(at) == Some(thread.as_str());
            let resumed = |at: usize| {
                view.is_result(at) && view.text(at, "/result/thread/id") == Some(thread.as_str())
            };
            !closed(pair[0])
                || starts(thread, pair[1])
                || (pair[0]..pair[1]).any(|at| named(at) || resumed(at))
        })
    });
    once && after_answers && over && view.places().all(|at| names_its_thread(view, at))
}

/// Whether the thread that an answer names is the one that is reported next.
fn names_its_thread(view: &View<'_>, answer: usize) -> bool {
    let began = |place: usize| {
        let begins = ["thread/start", "thread/fork"].contains(&view.method(place));
        let named = view.request[place].filter(|_| begins && view.is_result(place));
        named.and_then(|_| view.text(place, "/result/thread/id"))
    };
    let Some(thread) = began(answer) else {
        return true;
    };
    let reported = view.places().find(|at| {
        view.sends(*at, "thread/started") && view.text(*at, "/params/thread/id") == Some(thread)
    });
    let reported = reported.unwrap_or(view.lines.len());
    let turns = |at: usize| {
        let reviews = view.lines[at].client && view.method(at) == "review/start";
        view.sends(at, "turn/started") || reviews
    };
    let open = |at: usize| {
        (0..at).any(|request| {
            view.lines[request].client
                && ["thread/start", "thread/fork"].contains(&view.method(request))
                && view.answer[request].is_none_or(|answer| answer > at)
        })
    };
    let in_its_stead = (answer..reported).any(|at| {
        let other = view.text(at, "/params/thread/id");
        let own = (0..at).any(|place| other.is_some() && began(place) == other);
        let quiet = !(0..at).any(turns) && !open(at);
        view.alone && view.sends(at, "thread/started") && !own && quiet
    });
    view.is_silent("thread/started") || !in_its_stead
}

const WAITS: [(&str, &str); 5] = [
    ("item/commandExecution/requestApproval", "waitingOnApproval"),
    ("item/fileChange/requestApproval", "waitingOnApproval"),
    ("item/permissions/requestApproval", "waitingOnApproval"),
    ("mcpServer/elicitation/request", "waitingOnApproval"),
    ("item/tool/requestUserInput", "waitingOnUserInput"),
];

/// The flag that a question raises.
pub(super) fn flag(view: &View<'_>, at: usize) -> Option<&'static str> {
    let line = view.lines[at];
    if line.client || line.kind() != Kind::Request {
        return None;
    }
    let method = line.text("/method")?;
    let found = WAITS.iter().find(|(name, _)| *name == method);
    found.map(|(_, flag)| *flag)
}

fn has_flag(status: &Value, flag: &str) -> bool {
    let flags = status["activeFlags"].as_array();
    flags.is_some_and(|flags| flags.iter().any(|other| other == flag))
}

/// What Codex asks: about something that waits, shown in the status, answered by what is done,
/// and settled in the open.
fn questions(view: &View<'_>) -> bool {
    let resolves = |at: usize, question: usize| {
        view.sends(at, "serverRequest/resolved")
            && view.value(at, "/params/requestId") == view.value(question, "/id")
    };
    let each = |thread: &str, question: usize| {
        asked_about(view, thread, question)
            && decided(view, thread, question)
            && waits(view, thread, question)
            && view.places().filter(|at| resolves(*at, question)).count() <= 1
    };
    let asked = view.threads.iter().all(|(thread, own)| {
        let questions = own
            .iter()
            .filter(|at| view.lines[**at].kind() == Kind::Request);
        questions
            .into_iter()
            .all(|question| each(thread, *question))
    });
    let resolved = view.places().all(|at| {
        if !view.sends(at, "serverRequest/resolved") || view.text(at, "/params/threadId").is_none()
        {
            return true;
        }
        let thread = view.text(at, "/params/threadId").unwrap_or_default();
        let asked = (0..at).rev().find(|question| {
            let line = view.lines[*question];
            !line.client && line.kind() == Kind::Request && resolves(at, *question)
        });
        match asked {
            Some(question) => {
                view.text(question, "/params/threadId") == Some(thread)
                    && (flag(view, question).is_some() || is_settled_so(view, question))
            }
            None => view.was_joined(thread, at),
        }
    });
    asked && resolved
}

/// Other questions that are settled by `serverRequest/resolved`.
fn is_settled_so(view: &View<'_>, question: usize) -> bool {
    let never = [
        "account/chatgptAuthTokens/refresh",
        "attestation/generate",
        "currentTime/read",
        "item/tool/call",
    ];
    !never.contains(&view.method(question))
}

/// An approval is about an item that is open.
fn asked_about(view: &View<'_>, thread: &str, question: usize) -> bool {
    let method = view.method(question);
    let commands = method == "item/commandExecution/requestApproval";
    let calls = method == "item/tool/call";
    if !commands && !calls && method != "item/fileChange/requestApproval" {
        return true;
    }
    let later = commands && minor(87) <= view.release && view.release <= Release::new(0, 124, 99);
    let turn = view.text(question, "/params/turnId");
    let name = if calls {
        "/params/callId"
    } else {
        "/params/itemId"
    };
    let item = view.text(question, name);
    let ends = view.threads[thread].iter().copied().find(|at| {
        *at > question
            && view.sends(*at, "turn/completed")
            && view.text(*at, "/params/turn/id") == turn
            && view.time_of(thread, *at) == view.time_of(thread, question)
    });
    // Before its turn ends well, the item in question is reported.
    let received = ends.is_none_or(|end| {
        view.text(end, "/params/turn/status") == Some("interrupted")
            || view.before(thread, end).any(|at| {
                view.text(at, "/params/item/id") == item && view.text(at, "/params/turnId") == turn
            })
    });
    // The sandbox may refuse it at once.
    let permissions = view.value(question, "/params/additionalPermissions");
    let refused = minor(115) <= view.release
        && view.release <= minor(118)
        && permissions.is_some_and(|permissions| !permissions.is_null());
    let excepted = later && (received || refused) || calls && view.release < minor(111);
    let own = |at: &usize| view.text(*at, "/params/turnId") == turn;
    let since = view.time_of(thread, question);
    let before: Vec<usize> = view.threads[thread]
        .iter()
        .copied()
        .filter(|at| since <= *at && *at < question)
        .collect();
    let turn_known = before
        .iter()
        .any(|at| view.sends(*at, "turn/started") && view.text(*at, "/params/turn/id") == turn);
    let of_item = |at: &&usize| own(at) && view.text(**at, "/params/item/id") == item;
    let last = before.iter().rfind(of_item);
    let open = last.is_some_and(|at| view.sends(*at, "item/started"));
    excepted || open || !turn_known || view.release < minor(72) || view.is_silent("item/started")
}

/// The last word about the item of a question.
fn decided(view: &View<'_>, thread: &str, question: usize) -> bool {
    let said = |question: usize| {
        let answer = view.answer[question]?;
        let settled = (question..answer).any(|at| {
            view.sends(at, "serverRequest/resolved")
                && view.value(at, "/params/requestId") == view.value(question, "/id")
        });
        let decision = view.text(answer, "/result/decision").unwrap_or_default();
        (!settled).then_some(match decision {
            "accept" | "acceptForSession" => Some(true),
            "decline" | "cancel" => Some(false),
            _ => None,
        })
    };
    let same = |pointer: &str, at: usize| view.text(at, pointer) == view.text(question, pointer);
    let Some(item) = view.text(question, "/params/itemId").filter(|_| view.alone) else {
        return true;
    };
    let Some(Some(accepted)) = said(question) else {
        return true;
    };
    let answer = view.answer[question].unwrap_or(question);
    let own = &view.threads[thread];
    let asked = own.iter().filter(|at| {
        view.lines[**at].kind() == Kind::Request
            && same("/params/turnId", **at)
            && same("/params/itemId", **at)
    });
    let clear = asked
        .into_iter()
        .all(|at| said(*at).is_none_or(|said| said == Some(accepted)));
    let done = own.iter().filter(|at| {
        **at > answer
            && view.sends(**at, "item/completed")
            && same("/params/turnId", **at)
            && view.text(**at, "/params/item/id") == Some(item)
            && view.time_of(thread, **at) == view.time_of(thread, question)
    });
    let wrong = if accepted { "declined" } else { "completed" };
    let respected = done
        .into_iter()
        .all(|at| view.text(*at, "/params/item/status") != Some(wrong));
    !clear || respected || view.release < minor(72)
}

/// The status says that the thread waits, from before the question until it is settled, which it
/// is before the turn completes if it was answered.
fn waits(view: &View<'_>, thread: &str, question: usize) -> bool {
    let Some(flag) = flag(view, question).filter(|_| view.release >= minor(111)) else {
        return true;
    };
    let since = view.time_of(thread, question);
    let own: Vec<usize> = view.threads[thread]
        .iter()
        .copied()
        .filter(|at| since <= *at && view.time_of(thread, *at) == since)
        .collect();
    let settled = own.iter().copied().find(|at| {
        *at > question
            && view.sends(*at, "serverRequest/resolved")
            && view.value(*at, "/params/requestId") == view.value(question, "/id")
    });
    let statuses = || {
        let changes = |at: &&usize| view.sends(**at, "thread/status/changed");
        own.iter()
            .filter(changes)
            .map(|at| (*at, &view.lines[*at].value["params"]["status"]))
    };
    let before = statuses().rfind(|(at, _)| *at < question);
    let raised = before.is_some_and(|(_, status)| has_flag(status, flag))
        || view.is_void(thread, question)
        || view.is_silent("thread/status/changed");
    let kept = statuses().all(|(at, status)| {
        let open = at > question && settled.is_none_or(|settled| at < settled);
        !open || status["type"] != "active" || has_flag(status, flag) || view.is_void(thread, at)
    });
    let answered = view.answer[question];
    let in_time = own.iter().all(|at| {
        let left = answered.is_some_and(|answer| answer < *at)
            && *at > question
            && settled.is_none_or(|settled| *at < settled);
        !left || !view.sends(*at, "turn/completed") || view.is_silent("serverRequest/resolved")
    });
    raised && kept && in_time
}

/// Totals never fall, and grow by the tokens of the last response.
fn tokens(view: &View<'_>) -> bool {
    view.threads.iter().all(|(thread, own)| {
        let counts: Vec<usize> = own
            .iter()
            .copied()
            .filter(|at| view.sends(*at, "thread/tokenUsage/updated"))
            .collect();
        counts.windows(2).all(|pair| {
            let reverted = (pair[0]..pair[1]).any(|at| {
                let asked = view.request[at].filter(|_| !view.lines[at].client);
                ["thread/revert", "thread/rollback"].contains(&view.method(at))
                    && asked.and_then(|at| view.named_by_client(at)) == Some(thread)
            });
            // A reviewer is counted from zero.
            let reviewed = own.iter().any(|at| {
                let kind = &view.lines[*at].value["params"]["item"]["type"];
                let is_review = ["codeReview", "enteredReviewMode", "exitedReviewMode"];
                (pair[0]..pair[1]).contains(at) && is_review.iter().any(|name| kind == name)
            });
            let usage = |at: usize, name: &str| &view.lines[at].value["params"]["tokenUsage"][name];
            let (was, now) = (usage(pair[0], "total"), usage(pair[1], "total"));
            let fall = now.as_object().is_some_and(|now| {
                now.iter()
                    .any(|(name, now)| now.as_u64() < was[name].as_u64())
            });
            let total = |of: &Value| of["totalTokens"].as_u64().unwrap_or_default();
            let grows = total(now) == total(was) + total(usage(pair[1], "last"));
            reverted || reviewed || !fall && (grows || total(now) <= total(was))
        })
    })
}

/// Hooks, reviews of approvals, processes and searches.
fn tracks(view: &View<'_>) -> bool {
    let of = |at: usize| {
        let run = view.text(at, "/params/run/id").map(|id| ("hook", id));
        run.or(view
            .text(at, "/params/targetItemId")
            .map(|id| ("review", id)))
    };
    let hooks = view.threads.iter().all(|(thread, own)| {
        let ends = |at: usize| {
            view.sends(at, "hook/completed") || view.sends(at, "item/autoApprovalReview/completed")
        };
        let starts = |at: usize| {
            view.sends(at, "hook/started") || view.sends(at, "item/autoApprovalReview/started")
        };
        own.iter().enumerate().all(|(index, at)| {
            let time = view.time_of(thread, *at);
            let last = own[..index].iter().rfind(|other| {
                (starts(**other) || ends(**other)) && of(**other) == of(*at) && **other >= time
            });
            let open = last.is_some_and(|last| starts(*last));
            match (starts(*at), ends(*at)) {
                (true, _) => !open,
                (_, true) => open || view.was_joined(thread, *at),
                _ => true,
            }
        })
    });
    let handle = |at: usize| view.text(at, "/params/processHandle");
    let exits = view.places().all(|at| {
        let late = view.sends(at, "process/outputDelta") || view.sends(at, "process/exited");
        let last = (0..at).rev().find(|other| {
            handle(*other) == handle(at)
                && (view.sends(*other, "process/exited") || view.method(*other) == "process/spawn")
        });
        !late || last.is_none_or(|last| view.method(last) == "process/spawn")
    });
    let commands = view.places().all(|at| {
        let id = view.text(at, "/params/processId");
        let runs = (0..at).any(|begin| {
            let line = view.lines[begin];
            line.client
                && view.method(begin) == "command/exec"
                && view.text(begin, "/params/processId") == id
                && view.answer[begin].is_none_or(|answer| at < answer)
        });
        !view.sends(at, "command/exec/outputDelta") || runs
    });
    let searches = view.places().all(|at| {
        let id = view.value(at, "/params/requestId");
        let last = (0..at).rev().find(|begin| {
            view.lines[*begin].client
                && view.method(*begin) == "thread/search/stream"
                && view.value(*begin, "/id") == id
        });
        let answer = last.and_then(|last| view.answer[last]);
        !view.sends(at, "thread/search/partial") || answer.is_none_or(|answer| at < answer)
    });
    (hooks || view.release < minor(105)) && exits && commands && searches
}

/// Events of the core are what their methods say.
fn events(view: &View<'_>) -> bool {
    view.places().all(|at| {
        let named = view.method(at).strip_prefix("codex/event/");
        named.is_none() || view.lines[at].client || view.text(at, "/params/msg/type") == named
    })
}
