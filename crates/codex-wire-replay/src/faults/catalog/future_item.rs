//! `fault/future-item`: a turn has an item of a kind that came later.

use crate::faults::fault::{Fault, Layer, Place};
use crate::faults::future::Future;
use crate::faults::into_turns::IntoTurns;

/// A turn has an item of a kind that came later.
pub(super) static FAULT: Fault = Fault {
    id: "fault/future-item",
    summary: "a turn has an item of a kind that came later",
    stand_in: "Within the turn, an item starts and completes whose kind a later release added, or an \
        invented one if none did.",
    client: "Ignore items of a kind that you do not know, or show that there was one.",
    evidence: "Clients with closed unions fail at each new kind. Of 0.169.0, the SDKs at 0.163.0 do not know all \
        kinds.",
    place: Place::EveryTurn,
    layer: Layer::Messages,
    effect: |injected| Box::new(IntoTurns::new(injected, Future::item)),
    ..Fault::OF_TURNS
};
