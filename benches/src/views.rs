//! Reading a line without a value of its type: whether it is right, and its members where they
//! stand.

use std::cell::RefCell;
use std::hint::black_box;
use std::sync::LazyLock;

use codex_wire::{Release, Surface};
use codex_wire_program::{Outline, Program, View};

use crate::contestants::Contestant;
use crate::exact;

/// What a client asks an event of `codex exec` first.
pub(crate) const EXEC: Contestant = Contestant {
    name: "view: kind, ids, status",
    read: |line| look(&PROGRAMS.0, line, |view| tells(view, "item")),
};

/// Every text of an event, decoded.
pub(crate) const EXEC_TEXTS: Contestant = Contestant {
    name: "view: every text",
    read: |line| look(&PROGRAMS.0, line, texts),
};

/// What a client asks a notification of the app-server first.
pub(crate) const APP_SERVER: Contestant = Contestant {
    name: EXEC.name,
    read: |line| look(&PROGRAMS.1, line, |view| tells(view, "params")),
};

/// Every text of a notification, decoded.
pub(crate) const APP_SERVER_TEXTS: Contestant = Contestant {
    name: EXEC_TEXTS.name,
    read: |line| look(&PROGRAMS.1, line, texts),
};

/// What 0.169.0 writes: events of `codex exec`, and notifications of the app-server.
static PROGRAMS: LazyLock<(Program, Program)> = LazyLock::new(|| {
    let program = |surface| {
        let schema = exact::schema(surface, Release::new(0, 169, 0));
        Program::compile(&schema).expect("our own schemas compile")
    };
    let (exec, app_server) = (Surface::Exec, Surface::AppServerServerNotifications);
    (program(exec), program(app_server))
});

/// Whether a line is right; if it is, it is asked.
fn look(program: &Program, line: &[u8], ask: fn(View<'_>)) -> bool {
    thread_local! {
        static OUTLINE: RefCell<Outline> = RefCell::default();
    }
    let Ok(text) = simdutf8::basic::from_utf8(line) else {
        return false;
    };
    OUTLINE.with_borrow_mut(|outline| match program.view(text, outline) {
        Ok((view, _)) => {
            ask(view);
            true
        }
        Err(_) => false,
    })
}

fn tells(view: View<'_>, body: &str) {
    let body = view.get(body);
    for name in ["id", "type", "status", "threadId", "turnId", "itemId"] {
        black_box(body.and_then(|body| body.get_str(name)));
    }
    black_box(view.get_str("type").or_else(|| view.get_str("method")));
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
