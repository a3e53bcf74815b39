//! Comparisons of releases and documents.

#![allow(clippy::unwrap_used, reason = "a helper of tests fails by panicking")]

mod behaviour;
mod choices;
mod counts;
mod documents;
mod evidence;
mod history;
mod hostile;
mod pages;
mod pairs;
mod support;
mod symmetry;
