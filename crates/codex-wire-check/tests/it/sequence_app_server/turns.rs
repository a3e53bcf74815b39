//! What the oracle says of turns.

use super::view::{View, minor};

/// A turn of a thread, at one time: the thread may be joined again and its turns renumbered.
pub(super) struct Turn<'v, 'a> {
    view: &'v View<'a>,
    thread: &'v str,
    pub(super) id: &'a str,
}

/// Releases that order starts loosely.
fn is_loose(view: &View<'_>) -> bool {
    view.release < minor(111)
}

/// The turn that a message of Codex belongs to. Old releases name none for items.
pub(super) fn turn_of<'a>(view: &View<'a>, thread: &str, at: usize) -> &'a str {
    let named = view
        .text(at, "/params/turnId")
        .or(view.text(at, "/params/turn/id"));
    named.unwrap_or_else(|| {
        let last = view.before(thread, at).find(|other| {
            view.sends(*other, "turn/started") || view.sends(*other, "turn/completed")
        });
        let open = last.filter(|last| view.sends(*last, "turn/started"));
        // An item may complete behind the turn that has it, if its approval is answered so late.
        let item = view.text(at, "/params/item/id");
        let had = |last: &usize| {
            let mut within = view.before(thread, *last);
            view.sends(at, "item/completed")
                && within
                    .by_ref()
                    .take_while(|other| !view.sends(*other, "turn/started"))
                    .any(|other| view.text(other, "/params/item/id") == item)
        };
        let turn = open.or_else(|| last.filter(had));
        turn.and_then(|turn| view.text(turn, "/params/turn/id"))
            .unwrap_or_default()
    })
}

impl<'v, 'a> Turn<'v, 'a> {
    pub(super) fn new(view: &'v View<'a>, thread: &'v str, id: &'a str) -> Self {
        Turn { view, thread, id }
    }

    /// Its start or its end before a place.
    fn reported(&self, at: usize, method: &str) -> Option<usize> {
        let view = self.view;
        view.before(self.thread, at).find(|other| {
            view.sends(*other, method) && view.text(*other, "/params/turn/id") == Some(self.id)
        })
    }

    pub(super) fn started(&self, at: usize) -> Option<usize> {
        self.reported(at, "turn/started")
    }

    pub(super) fn ended(&self, at: usize) -> Option<usize> {
        self.reported(at, "turn/completed")
    }

    /// Whether it is a review, by what came before a place.
    pub(super) fn is_review(&self, at: usize) -> bool {
        let view = self.view;
        (0..=at).any(|other| {
            let kind = view.text(other, "/params/item/type").unwrap_or_default();
            let of_item = ["codeReview", "enteredReviewMode", "exitedReviewMode"].contains(&kind)
                && turn_of(view, self.thread, other) == self.id;
            let answer = view.is_result(other)
                && view.method(other) == "review/start"
                && view.text(other, "/result/turn/id") == Some(self.id);
            of_item || answer
        })
    }

    /// How often what failed in it was tried again between two places.
    pub(super) fn is_retried(&self, since: usize, until: usize) -> bool {
        let view = self.view;
        (since..until).any(|at| {
            view.sends(at, "error")
                && turn_of(view, self.thread, at) == self.id
                && view.value(at, "/params/willRetry") != Some(&false.into())
        })
    }
}

/// The turn that runs at a place: it was the last to start and has not ended, nor has a review
/// ended in its stead.
fn running<'a>(view: &View<'a>, thread: &str, at: usize) -> Option<(&'a str, usize)> {
    let starts = view
        .before(thread, at)
        .find(|other| view.sends(*other, "turn/started"))?;
    let id = view.text(starts, "/params/turn/id")?;
    let turn = Turn::new(view, thread, id);
    let ends = view.before(thread, at).any(|end| {
        end > starts && view.sends(end, "turn/completed") && {
            let other = view.text(end, "/params/turn/id").unwrap_or_default();
            other == id || turn.is_review(end) || Turn::new(view, thread, other).is_review(end)
        }
    });
    (!ends).then_some((id, starts))
}

pub(super) fn turns(view: &View<'_>) -> bool {
    let answers = view.places().all(|at| answered_first(view, at));
    let reported = view.threads.iter().all(|(thread, own)| {
        own.iter().all(|at| {
            let starts = view.sends(*at, "turn/started");
            let ends = view.sends(*at, "turn/completed");
            (!starts || begins(view, thread, *at))
                && fails_once(view, thread, *at)
                && (!ends || completes(view, thread, *at))
                && changes(view, thread, *at)
        })
    });
    answers && reported
}

/// The client learns of its turn by the answer.
fn answered_first(view: &View<'_>, at: usize) -> bool {
    let Some(request) = view.request[at].filter(|_| view.is_result(at)) else {
        return true;
    };
    let (thread, turn) = (
        view.named_by_client(request),
        view.text(at, "/result/turn/id"),
    );
    if view.method(at) != "turn/start" {
        return true;
    }
    // Without names of threads there is one thread, or it cannot be decided.
    let only = view.release < minor(64) && view.threads.contains_key("");
    let reported = |at: usize, method: &str| {
        view.sends(at, method)
            && view.text(at, "/params/turn/id") == turn
            && (view.text(at, "/params/threadId") == thread || only)
    };
    let name = thread.unwrap_or_default();
    let since = match view.threads.contains_key(name) {
        true => view.time_of(name, at),
        false => 0,
    };
    !(request..at).any(|early| reported(early, "turn/started"))
        && (view.release < minor(64)
            || !(since..request).any(|over| reported(over, "turn/completed")))
}

/// The last status of a thread before a place.
fn status<'v>(view: &'v View<'_>, thread: &str, at: usize) -> Option<&'v serde_json::Value> {
    let changes = view
        .before(thread, at)
        .find(|other| view.sends(*other, "thread/status/changed"))?;
    view.value(changes, "/params/status")
}

/// By the end of a turn, what began it and its thread was answered.
fn answered_by_now(view: &View<'_>, thread: &str, at: usize) -> bool {
    let id = view.text(at, "/params/turn/id");
    let start = id.and_then(|id| Turn::new(view, thread, id).started(at));
    let began = (0..at).find(|place| {
        view.sends(*place, "thread/started")
            && view.text(*place, "/params/thread/id") == Some(thread)
    });
    let open = |methods: &[&str], until: Option<usize>, named: bool| {
        (0..until.unwrap_or(0)).any(|request| {
            view.lines[request].client
                && methods.contains(&view.method(request))
                && (!named || view.named_by_client(request) == Some(thread))
                && view.answer[request].is_none_or(|answer| answer > at)
        })
    };
    let is_named = (0..at).any(|answer| {
        ["turn/start", "review/start"].contains(&view.method(answer))
            && view.is_result(answer)
            && view.text(answer, "/result/turn/id") == id
    });
    let is_own = (0..at).any(|answer| {
        ["thread/start", "thread/fork"].contains(&view.method(answer))
            && view.text(answer, "/result/thread/id") == Some(thread)
    });
    thread.is_empty()
        || view.is_void(thread, at)
        || (is_named || !open(&["turn/start"], start, true))
            && (is_own || !open(&["thread/start", "thread/fork"], began, false))
}

/// A thread that the client begins is reported before its first turn ends.
fn is_told_of(view: &View<'_>, thread: &str, at: usize) -> bool {
    // Where notifications name no thread, there is one only.
    let only = view.names_until(at);
    let thread = match thread {
        "" => only.first().copied().unwrap_or_default(),
        _ => thread,
    };
    let named = |place: usize, pointer: &str| view.text(place, pointer) == Some(thread);
    let own = |place: usize| {
        ["thread/start", "thread/fork"].contains(&view.method(place))
            && named(place, "/result/thread/id")
    };
    let reported =
        |place: usize| view.sends(place, "thread/started") && named(place, "/params/thread/id");
    let is_silent = view.is_silent("thread/started");
    is_silent || !(0..at).any(own) || (0..at).any(reported)
}

fn begins(view: &View<'_>, thread: &str, at: usize) -> bool {
    let id = view.text(at, "/params/turn/id").unwrap_or_default();
    let turn = Turn::new(view, thread, id);
    let void = view.is_void(thread, at);
    let alone = running(view, turn.thread, at).is_none_or(|(other, _)| other == id);
    let active = status(view, thread, at).is_some_and(|status| status["type"] == "active");
    let unsaid = thread.is_empty() || view.is_silent("thread/status/changed") || void;
    let in_progress = view
        .text(at, "/params/turn/status")
        .is_none_or(|s| s == "inProgress");
    in_progress
        && is_as_answered(view, thread, at)
        && turn.started(at).is_none()
        && (alone || void || is_loose(view))
        && (active || unsaid || is_loose(view))
}

fn completes(view: &View<'_>, thread: &str, at: usize) -> bool {
    let id = view.text(at, "/params/turn/id").unwrap_or_default();
    let turn = Turn::new(view, thread, id);
    let void = view.is_void(thread, at);
    let running = running(view, thread, at);
    let said = view.text(at, "/params/turn/status").unwrap_or_default();
    let failed = said == "failed";
    let error = view
        .value(at, "/params/turn/error")
        .filter(|error| !error.is_null());
    let in_review = turn.is_review(at) && running.is_some();
    let loose = is_loose(view) && (said == "interrupted" || !is_named(view, thread, id, at));
    let started =
        turn.started(at).is_some() || void || in_review || loose || view.is_silent("turn/started");
    let silent = void || view.is_silent("thread/status/changed") || view.release < minor(105);
    let stands = status(view, thread, at).is_none_or(|status| {
        let kind = status["type"].as_str().unwrap_or_default();
        kind == if failed { "systemError" } else { "idle" }
    });
    turn.ended(at).is_none()
        && is_told_of(view, thread, at)
        && answered_by_now(view, thread, at)
        && failed == error.is_some()
        && started
        && (silent || stands)
        && fails_as_told(view, thread, at, running)
        && interrupted(view, thread, at, running)
        && (said != "interrupted" || has_cause(view, thread, at))
}

/// Whether an answer before a place named the turn of a thread as begun by the client.
fn is_named(view: &View<'_>, thread: &str, id: &str, at: usize) -> bool {
    (0..at).any(|answer| {
        let Some(request) = view.request[answer].filter(|_| view.is_result(answer)) else {
            return false;
        };
        let apart = view.text(answer, "/result/reviewThreadId");
        ["turn/start", "review/start"].contains(&view.method(answer))
            && view.text(answer, "/result/turn/id") == Some(id)
            && (thread.is_empty() || apart.or(view.named_by_client(request)) == Some(thread))
    })
}

/// What sets another task in the place of a running one.
const TASKS: [&str; 4] = [
    "turn/start",
    "review/start",
    "thread/compact/start",
    "thread/shellCommand",
];

/// The turn that starts is the one that the response to the client named, if it was.
fn is_as_answered(view: &View<'_>, thread: &str, at: usize) -> bool {
    let id = view.text(at, "/params/turn/id").unwrap_or_default();
    let starts: Vec<usize> = view.threads[thread]
        .iter()
        .copied()
        .filter(|place| *place <= at && view.sends(*place, "turn/started"))
        .collect();
    let asked = |request: usize| {
        view.lines[request].client && view.named_by_client(request) == Some(thread)
    };
    // The turns that were named between one start and the next.
    let named = |before: usize, start: usize| {
        let since = view.time_of(thread, start).max(before);
        let answers = (since..start).filter(move |answer| {
            let Some(request) = view.request[*answer].filter(|_| view.is_result(*answer)) else {
                return false;
            };
            let turn = view.text(*answer, "/result/turn/id").unwrap_or_default();
            let turn = Turn::new(view, thread, turn);
            let free = |place: usize| running(view, thread, place).is_none();
            view.method(*answer) == "turn/start"
                && asked(request)
                && free(request)
                && free(*answer)
                && turn.started(*answer).is_none()
                && turn.ended(*answer).is_none()
        });
        answers
            .filter_map(|answer| view.text(answer, "/result/turn/id"))
            .collect::<Vec<&str>>()
    };
    let is_own = |start: usize| {
        let turn = view.text(start, "/params/turn/id").unwrap_or_default();
        is_named(view, thread, turn, start)
    };
    // Once Codex begins turns unasked, another may be first.
    let moves = starts.iter().enumerate().any(|(index, start)| {
        let before = index.checked_sub(1).map_or(0, |before| starts[before]);
        let other = |place: usize| {
            asked(place) && TASKS[1..].contains(&view.method(place)) && view.lines[place].client
        };
        named(before, *start).is_empty() && !is_own(*start) && !(before..*start).any(other)
    });
    let before = starts.iter().rev().nth(1).copied().unwrap_or(0);
    let named = named(before, at);
    view.release < minor(72)
        || named.is_empty() && !is_of_another(view, thread, id, at)
        || named.contains(&id)
        || moves
        || is_own(at)
        || view.is_void(thread, at)
}

/// Whether an answer has named a turn for another thread only. Numbers do not show it.
fn is_of_another(view: &View<'_>, thread: &str, id: &str, at: usize) -> bool {
    let of_other = |answer: usize| {
        let asked = view.request[answer].and_then(|request| view.named_by_client(request));
        view.is_result(answer)
            && view.method(answer) == "turn/start"
            && view.text(answer, "/result/turn/id") == Some(id)
            && asked.is_some_and(|asked| asked != thread)
    };
    id.len() > 35 && (0..at).any(of_other)
}

/// The client has done something that interrupts the turn, since the one before ended.
fn has_cause(view: &View<'_>, thread: &str, at: usize) -> bool {
    let id = view.text(at, "/params/turn/id").unwrap_or_default();
    let is_old = (0..at).any(|place| view.text(place, "/result/conversationId") == Some(thread));
    let own = is_old || is_named(view, thread, id, at);
    if view.release < minor(72) || !own || !view.alone || view.is_void(thread, at) {
        return true;
    }
    let of_thread = |place: usize| {
        [
            view.text(place, "/params/threadId"),
            view.text(place, "/params/conversationId"),
        ]
        .contains(&Some(thread))
    };
    let before = view.threads[thread]
        .iter()
        .rfind(|place| **place < at && view.sends(**place, "turn/completed"));
    (before.map_or(0, |before| *before)..at).any(|place| {
        if !view.lines[place].client {
            return false;
        }
        let ends = [
            "turn/interrupt",
            "interruptConversation",
            "archiveConversation",
            "thread/archive",
            "thread/delete",
            "thread/revert",
            "thread/rollback",
            "thread/unsubscribe",
        ];
        let method = view.lines[place].text("/method").unwrap_or_default();
        let replaces = TASKS.contains(&method) && running(view, thread, place).is_some();
        let cancels = || {
            let question = view.request[place].filter(|question| of_thread(*question));
            let said = view
                .text(place, "/result/decision")
                .or(view.text(place, "/result/action"));
            let settled = |question: usize| {
                (question..place).any(|other| {
                    view.sends(other, "serverRequest/resolved")
                        && view.value(other, "/params/requestId") == view.value(question, "/id")
                })
            };
            ["cancel", "abort"].contains(&said.unwrap_or_default())
                && question.is_some_and(|question| !settled(question))
        };
        of_thread(place) && (ends.contains(&method) || replaces) || cancels()
    })
}

/// It fails by the last error that is not tried again, and only then.
fn fails_as_told<'a>(
    view: &View<'a>,
    thread: &str,
    at: usize,
    running: Option<(&'a str, usize)>,
) -> bool {
    let void = view.is_void(thread, at) || view.is_silent("error");
    if view.release < minor(72) || void {
        return true;
    }
    let id = view.text(at, "/params/turn/id").unwrap_or_default();
    let of = |turn: &str| {
        let reported = view.before(thread, at).find(|other| {
            view.sends(*other, "error")
                && view.text(*other, "/params/turnId") == Some(turn)
                && view.value(*other, "/params/willRetry") == Some(&false.into())
        });
        reported.and_then(|reported| view.value(reported, "/params/error"))
    };
    let reported = of(id).or(running.and_then(|(other, _)| of(other)));
    let error = view
        .value(at, "/params/turn/error")
        .filter(|error| !error.is_null());
    reported == error
}

/// No other error that is not tried again has come for the same turn.
fn fails_once(view: &View<'_>, thread: &str, at: usize) -> bool {
    let is_final = |at: usize| {
        view.sends(at, "error") && view.value(at, "/params/willRetry") == Some(&false.into())
    };
    let turn = turn_of(view, thread, at);
    let mut before = view.before(thread, at);
    view.release < minor(72)
        || !is_final(at)
        || !before.any(|other| is_final(other) && turn_of(view, thread, other) == turn)
}

/// An interrupt is answered before the turn ends, and ends it as interrupted.
fn interrupted<'a>(
    view: &View<'a>,
    thread: &str,
    at: usize,
    running: Option<(&'a str, usize)>,
) -> bool {
    if view.release < minor(72) {
        return true;
    }
    let asks = |place: &usize| {
        view.method(*place) == "turn/interrupt"
            && view.lines[*place].client
            && view.named_by_client(*place) == Some(thread)
    };
    let since = view.time_of(thread, at);
    let requests: Vec<usize> = (since..at).filter(asks).collect();
    let is_open = |request: &usize| view.answer[*request].is_none_or(|answer| answer > at);
    let answered = requests
        .iter()
        .filter_map(|request| view.answer[*request])
        .any(|answer| {
            let runs = running.is_some_and(|(_, start)| start < answer);
            answer < at && view.is_result(answer) && runs
        });
    let ends_so = view.text(at, "/params/turn/status") == Some("interrupted");
    match (answered, ends_so) {
        (true, false) => false,
        (false, true) => !requests.iter().any(is_open) || view.is_void(thread, at),
        _ => true,
    }
}

/// Whether a question of a thread is open at a place.
fn asks(view: &View<'_>, thread: &str, at: usize) -> bool {
    view.before(thread, at).any(|question| {
        let settled = (question..at).any(|place| {
            view.sends(place, "serverRequest/resolved")
                && view.text(place, "/params/threadId") == Some(thread)
                && view.value(place, "/params/requestId") == view.value(question, "/id")
        });
        super::oracle::flag(view, question).is_some() && !settled
    })
}

/// A change of status is one.
fn changes(view: &View<'_>, thread: &str, at: usize) -> bool {
    if !view.sends(at, "thread/status/changed") || view.release < minor(105) {
        return true;
    }
    let now = &view.lines[at].value["params"]["status"];
    let kind = now["type"].as_str().unwrap_or_default();
    let flags = |status: &serde_json::Value| {
        let has = |name: &str| {
            let flags = status["activeFlags"].as_array();
            flags.is_some_and(|flags| flags.iter().any(|flag| flag == name))
        };
        [has("waitingOnApproval"), has("waitingOnUserInput")]
    };
    let same = |before: &serde_json::Value| before["type"] == kind && flags(before) == flags(now);
    // A thread that waited says so no longer before it is idle, if nothing is asked any more.
    let over = kind == "idle" || kind == "systemError";
    let waited = status(view, thread, at).is_some_and(|before| flags(before) != [false; 2]);
    let left = over && waited && view.release >= minor(111) && !view.is_void(thread, at);
    if left && !asks(view, thread, at) {
        return false;
    }
    kind == "notLoaded" || !status(view, thread, at).is_some_and(same)
}
