//! Reads a line without deserializing it: whether it is valid, values at certain paths, or all
//! members in place.

use std::cell::RefCell;
use std::hint::black_box;
use std::sync::LazyLock;

use codex_wire::{MessageSet, Release};
use codex_wire_prefilter::{Prefilter, Tape, View};

use crate::contestant::Contestant;
use crate::exact;
use crate::places;

/// What a client asks an event of `codex exec` first.
pub(crate) const EXEC: Contestant = Contestant {
    name: "places: kind, ids, status",
    read: |line| look(&PROGRAMS.0, line),
};

/// Every text of an event, decoded.
pub(crate) const EXEC_TEXTS: Contestant = Contestant {
    name: "view: every text",
    read: |line| view(&PROGRAMS.0, line),
};

/// What a client asks a notification of the app-server first.
pub(crate) const APP_SERVER: Contestant = Contestant {
    name: EXEC.name,
    read: |line| look(&PROGRAMS.1, line),
};

/// Every text of a notification, decoded.
pub(crate) const APP_SERVER_TEXTS: Contestant = Contestant {
    name: EXEC_TEXTS.name,
    read: |line| view(&PROGRAMS.1, line),
};

/// What 0.169.0 writes: events of `codex exec`, and notifications of the app-server.
static PROGRAMS: LazyLock<(Prefilter, Prefilter)> = LazyLock::new(|| {
    let prefilter = |message_set, places| {
        let schema = exact::schema(message_set, Release::new(0, 169, 0));
        let prefilter = Prefilter::compile(&schema).expect("our own schemas compile");
        prefilter.projecting(places)
    };
    (
        prefilter(MessageSet::Exec, places::EXEC),
        prefilter(MessageSet::AppServerServerNotifications, places::APP_SERVER),
    )
});

thread_local! {
    static TAPE: RefCell<Tape> = RefCell::default();
}

/// Whether a line is right; if it is, it is asked for what stands at the places.
fn look(prefilter: &Prefilter, line: &[u8]) -> bool {
    let Ok(line) = simdutf8::basic::from_utf8(line) else {
        return false;
    };
    TAPE.with_borrow_mut(|tape| match prefilter.project(line, tape) {
        Ok(seen) => {
            for place in 0..seen.paths() {
                black_box(seen.get_str(place));
            }
            true
        }
        Err(_) => false,
    })
}

/// Whether a line is right; if it is, all its texts are read.
fn view(prefilter: &Prefilter, line: &[u8]) -> bool {
    let Ok(line) = simdutf8::basic::from_utf8(line) else {
        return false;
    };
    TAPE.with_borrow_mut(|tape| match prefilter.view(line, tape) {
        Ok((view, _)) => {
            texts(view);
            true
        }
        Err(_) => false,
    })
}

fn texts(view: View<'_>) {
    if view.is_string() {
        black_box(view.as_str());
    } else if view.is_object() {
        view.members().for_each(|(_, member)| texts(member));
    } else if view.is_array() {
        view.elements().for_each(texts);
    }
}
