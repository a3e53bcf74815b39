//! The tests of this crate, as one prefilter.

mod corners;
mod mutants;
mod published;
mod seeds;
mod support;
mod tree;
mod views;
