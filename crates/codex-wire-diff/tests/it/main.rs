//! Comparisons of releases and documents.

#![allow(clippy::unwrap_used, reason = "a helper of tests fails by panicking")]

mod counts;
mod documents;
mod history;
mod pages;
mod pairs;
mod support;
mod symmetry;
