//! Why a release cannot play a step: it does not have what the step needs.

use codex_wire_base::{Release, ReleaseList};

use super::model::{Script, Step, Turn};
use crate::error::Error;

/// The release has no message for what is to be said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Refused;

/// Says which releases can play the step. `plays` tries a script with one of them.
pub(crate) fn explain(
    step: &Step,
    release: Release,
    list: ReleaseList,
    plays: impl Fn(&Script, Release) -> bool,
) -> Error {
    let alone = Script {
        model: String::new(),
        turns: vec![Turn {
            steps: vec![step.clone()],
        }],
    };
    let all = list.releases();
    let mut later = all.iter().copied().filter(|other| *other > release);
    let mut earlier = all.iter().copied().filter(|other| *other < release).rev();
    let action = step.action.name();
    let message = match (
        later.find(|other| plays(&alone, *other)),
        earlier.find(|other| plays(&alone, *other)),
    ) {
        (Some(later), _) => format!("`{action}` needs {later} or later, not {release}"),
        (None, Some(earlier)) => format!("`{action}` needs {earlier} or earlier, not {release}"),
        (None, None) => format!("no release can play this `{action}`"),
    };
    step.place.error(message)
}
