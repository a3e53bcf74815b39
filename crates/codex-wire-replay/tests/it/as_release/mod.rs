//! Recordings of one release, played as another one: what is written is what that release writes.

mod pairs;
mod recorded;
mod support;
