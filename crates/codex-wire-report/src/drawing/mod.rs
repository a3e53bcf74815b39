//! Draws a session: a track for each thread with its turns and items as bars, and the tokens of its turns.

mod marks;
mod noted;
mod picture;
mod tracks;

pub(crate) use marks::First;
pub(crate) use noted::{Note, Noted};
pub(crate) use picture::{Picture, ending};

/// What a page draws of a session: when its threads, turns and items ran, and the tokens of its turns. It has no text
/// of the session.
#[derive(Clone, Debug)]
pub struct Tracks {
    pub(crate) picture: Picture,
}

impl Tracks {
    /// The tracks and the plot as HTML; nothing if neither times nor tokens are known.
    pub(crate) fn html(&self, noted: &Noted<'_>) -> String {
        self.picture.html(noted, true)
    }
}
