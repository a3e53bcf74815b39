//! Watches a session while it is checked, for what a page draws of it.

use codex_wire_check::Step;
use codex_wire_session::{Item, Watch, WatchEvent};

use crate::conversation::drawn;
use crate::drawing::{Picture, Tracks};

/// How many turns and how many items are drawn of an input: of more the longest.
const DRAWN: usize = 400;

/// Watches a session while it is checked, for its [`Tracks`].
#[derive(Debug)]
pub struct TrackWatch {
    watch: Watch,
    picture: Picture,
}

impl TrackWatch {
    /// Watches an input with that name.
    pub fn new(name: &str) -> Self {
        TrackWatch {
            watch: Watch::new(name),
            picture: Picture::new(DRAWN),
        }
    }

    /// Takes the next step.
    pub fn step(&mut self, step: &Step<'_>) {
        let picture = &mut self.picture;
        self.watch.step(step, &mut |seen| see(picture, seen));
    }

    /// The input is over.
    pub fn finish(self) -> Tracks {
        let TrackWatch { watch, mut picture } = self;
        watch.finish(&mut |seen| see(&mut picture, seen));
        Tracks { picture }
    }
}

fn see(picture: &mut Picture, seen: WatchEvent<'_>) {
    let mut draw = |thread: usize, item: &Item| {
        let (kind, label) = drawn(item);
        picture.item(thread, item, kind, label.to_owned(), None);
    };
    match seen {
        WatchEvent::Item(of, item) => draw(of.turn_of.thread_number, item),
        WatchEvent::Outside(of, item) => draw(of.number, item),
        WatchEvent::TurnEnded(of, turn) => picture.turn((of.thread_number, of.number), turn, None),
        WatchEvent::Thread(of) => picture.thread(of.number, None, None),
        _ => {}
    }
}
